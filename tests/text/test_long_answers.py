"""Time grows with the length of a text and no faster, whatever the text; a megabyte is scored."""

import time
from collections.abc import Callable

import pytest

from ragifeval.benchmark.baselines import _CITATIONS, _SENTENCE_END
from ragifeval.text.clean import pieces_of
from tests.bad_input import REPEATED, check_answer, repeated

# CPU time, so that other processes count for little; and at last twice what doubling would take.
SIZES = (60_000, 240_000)
GROWTH = 4 * 2.5
NOTHING = 0.02


def seconds(use: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    use(text)
    return time.process_time() - began


def is_linear(use: Callable[[str], object], name: str) -> bool:
    use(repeated(name, 1_000))
    for _ in range(3):  # a machine may be busy once, and once more
        small, large = (seconds(use, repeated(name, size)) for size in SIZES)
        if large < GROWTH * max(small, NOTHING):
            return True
    return False


@pytest.mark.parametrize("name", REPEATED)
def test_scoring(name: str) -> None:
    assert is_linear(check_answer, name)


@pytest.mark.parametrize("name", REPEATED)
def test_finding_where_words_came_from(name: str) -> None:
    """As the report does, to mark them."""
    assert is_linear(lambda text: pieces_of(text[: len(text) // 4]), name)


@pytest.mark.parametrize("name", REPEATED)
def test_splitting_documents_into_sentences(name: str) -> None:
    assert is_linear(_SENTENCE_END.split, name)
    assert is_linear(_CITATIONS.findall, name)


@pytest.mark.parametrize(
    "text",
    [
        repeated("words", 1_000_000),
        f"[{'1' * 1_000_000}]",
        f"[{'0' * 1_000_000}, 0]",
        "[" * 500_000 + "]" * 500_000,
        f"5{' ' * 1_000_000}zł",
        f".{' ' * 1_000_000}x",
        "a" + "\u0301\u0323" * 500_000,
    ],
)
def test_a_megabyte(text: str) -> None:
    """In well under a second on a machine with nothing else to do: benchmarks/long_answers.py."""
    check_answer("")  # loads the lemma table
    assert min(seconds(check_answer, text) for _ in range(2)) < 3
