"""Which chunks are nearest to a question."""

import pytest

from ragifeval.build.contexts import Index
from ragifeval.build.records import Chunk
from ragifeval.text.normalizer import Normalizer

# Texts, query -> the ids, nearest first.
NEAREST: list[tuple[list[str], str, str]] = [
    # Inflection makes no difference: wniosek, wniosku, wnioskami.
    (["Basen jest czynny.", "Kino gra.", "Formularze z wnioskami."], "Gdzie mój wniosek?", "201"),
    # A rare word counts for more than one that stands in nearly all.
    (["kot pije", "kot śpi", "kot i pies"], "kot czy pies", "201"),
    # What is equally near stays in order, also what has nothing in common.
    (["ryba", "kot", "kot", "mewa"], "kot", "1203"),
    (["…", "—"], "", "01"),
    ([], "pies", ""),
]


@pytest.mark.parametrize(("texts", "query", "expected"), NEAREST)
def test_nearest(normalizer: Normalizer, texts: list[str], query: str, expected: str) -> None:
    chunks = [Chunk(str(number), text, "a.txt", 0) for number, text in enumerate(texts)]
    found = Index(chunks, normalizer).nearest(query)
    assert "".join(chunk.id for chunk in found) == expected
