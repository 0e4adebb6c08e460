"""Which chunks are nearest to a question."""

import math

import pytest

from ragifeval.build.contexts import Index
from ragifeval.build.records import Chunk
from ragifeval.text.normalizer import Normalizer
from tests.build.house_rules import house_rules


def chunks(*texts: str) -> list[Chunk]:
    """Chunks with the ids 0, 1, 2, ..."""
    return [Chunk(str(number), text, "a.txt", 100 * number) for number, text in enumerate(texts)]


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
    index = Index(chunks(*texts), normalizer)
    assert "".join(chunk.id for chunk in index.nearest(query)) == expected


def test_the_order_is_that_of_bm25(normalizer: Normalizer) -> None:
    """Against the formula as Lucene has it, computed here for every chunk (k1 = 1.5, b = 0.75)."""
    known, candidates = house_rules()
    bags = [normalizer(chunk.text).lemmas for chunk in known]
    average = sum(map(len, bags)) / len(bags)
    index = Index(known, normalizer)
    for candidate in candidates:
        scores = {}
        for chunk, bag in zip(known, bags, strict=True):
            scores[chunk.id] = 0.0
            for lemma in normalizer(candidate.question).lemmas:
                having = sum(lemma in other for other in bags)
                rarity = math.log(1 + (len(bags) - having + 0.5) / (having + 0.5))
                count = bag.count(lemma)
                length = 1.5 * (0.25 + 0.75 * len(bag) / average)
                scores[chunk.id] += rarity * count / (count + length)
        found = [scores[chunk.id] for chunk in index.nearest(candidate.question)]
        assert len(found) == 40
        assert found == pytest.approx(sorted(found, reverse=True), abs=1e-5)
