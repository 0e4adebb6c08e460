"""Chunks that repeat others: shares worked out by hand."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragifeval.build.chunking import cut
from ragifeval.build.duplicates import drop_duplicates
from ragifeval.build.records import Chunk, Source


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk(f"c{number}", text, "a.txt", 0) for number, text in enumerate(texts)]


def left_out(texts: Sequence[str], similarity: float = 0.8) -> list[tuple[str, str, float]]:
    """(id, id of the one it repeats, share) of each that is left out."""
    given = chunks(*texts)
    kept, duplicates = drop_duplicates(given, similarity)
    gone = [duplicate.chunk for duplicate in duplicates]
    assert kept == [chunk for chunk in given if chunk not in gone]
    return [(duplicate.chunk.id, duplicate.of, duplicate.share) for duplicate in duplicates]


def numbers(first: int, last: int) -> str:
    return " ".join(f"w{number}" for number in range(first, last + 1))


# Texts -> those left out. A text of n words has n - 4 runs of five.
TEXTS = {
    "none": ([], []),
    "letter case and marks": (["Ala ma kota.", "ALA, MA «KOTA»"], [("c1", "c0", 1.0)]),
    "three times": (["a"] * 3, [("c1", "c0", 1.0), ("c2", "c0", 1.0)]),
    # A word in the middle is in five runs: 40 of 50 = 0.8 of 45 runs.
    "just as much": (
        [numbers(1, 49), numbers(1, 24) + " x " + numbers(26, 49)],
        [("c1", "c0", 0.8)],
    ),
    "a little less": ([numbers(1, 48), numbers(1, 24) + " x " + numbers(26, 48)], []),
    # 0.9 with the first, 0.9 with the second, 0.82 and less with each other.
    "the one that is most alike": (
        [numbers(1, 104), numbers(19, 122), numbers(13, 116)],
        [("c2", "c1", 94 / 106)],
    ),
    "short texts": (["a b c d", "a b c e", "a b c d e"], []),
}


@pytest.mark.parametrize(("texts", "expected"), TEXTS.values(), ids=TEXTS)
def test_left_out(texts: list[str], expected: list[tuple[str, str, float]]) -> None:
    assert left_out(texts) == expected


@settings(deadline=None)  # the first one imports scipy
@given(st.lists(st.text("ab c", max_size=25), max_size=10), st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_against_every_pair(texts: list[str], similarity: float) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[start : start + 5]) for start in range(max(1, len(words) - 4))}

    kept: list[str] = []
    for text in texts:
        found = [len(runs(text) & runs(other)) / len(runs(text) | runs(other)) for other in kept]
        if max(found, default=0) < similarity:
            kept.append(text)
    assert [chunk.text for chunk in drop_duplicates(chunks(*texts), similarity)[0]] == kept


def test_overlapping_chunks_of_one_file_are_none() -> None:
    text = ". ".join(numbers(start, start + 8) for start in range(0, 5000, 9))
    found = list(cut([Source("a.txt", text)], 2000, 200))
    assert len(found) > 10
    assert drop_duplicates(found) == (found, [])
