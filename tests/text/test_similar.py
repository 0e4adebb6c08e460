"""Sets that are alike: against every pair, and the thresholds by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragifeval.text.similar import similar_pairs

SETS = st.lists(st.frozensets(st.sampled_from("abcdefghijkl")), max_size=14)


@settings(deadline=None)  # the first one imports scipy
@given(SETS, st.sampled_from([1, 3, 5, 7, 8, 9, 10]))
def test_against_every_pair(sets: list[frozenset[str]], tenths: int) -> None:
    bags = {f"{number:02d}": bag for number, bag in enumerate(sets)}
    found = [(one, other) for one, other, _ in similar_pairs(bags, tenths / 10)]
    assert sorted(found) == [
        (one, other)
        for one in bags
        for other in bags
        if one < other
        and bags[one]
        and bags[other]
        and 10 * len(bags[one] & bags[other]) >= tenths * len(bags[one] | bags[other])
    ]


# Two sets, threshold -> the share of elements in common, None where they are not alike.
PAIRS = [
    ("abcde", "abcde", 1.0, 1.0),
    ("abcde", "abcdf", 1.0, None),
    ("abcde", "abcdf", 0.6, 4 / 6),
    ("abcd", "abcde", 0.8, 0.8),
    ("abcde", "abcd", 0.8, 0.8),
    ("abcd", "abcdef", 0.8, None),
    ("abcdefg", "abcdefghij", 0.7, 0.7),
    ("abcdef", "abcdefghij", 0.7, None),
    ("a", "b", 0.1, None),
    ("", "", 0.5, None),
]


@pytest.mark.parametrize(("one", "other", "threshold", "share"), PAIRS)
def test_threshold(one: str, other: str, threshold: float, share: float | None) -> None:
    found = list(similar_pairs({"one": set(one), "other": set(other)}, threshold))
    assert found == ([] if share is None else [("one", "other", share)])


def test_the_order_is_that_of_the_sets() -> None:
    bags = {"b": {"x", "y"}, "a": {"x", "y"}, "c": {"x", "y"}}
    pairs = [(one, other) for one, other, _ in similar_pairs(bags, 0.9)]
    assert pairs == [("b", "a"), ("b", "c"), ("a", "c")]


def test_more_sets_than_one_block_holds() -> None:
    """1,200 sets of which every 100th is the same, so 12 are: 66 pairs."""
    bags = {str(number): {number % 100 and number, "x"} for number in range(1200)}
    pairs = [(int(one), int(other)) for one, other, _ in similar_pairs(bags, 0.9)]
    same = range(0, 1200, 100)
    assert pairs == [(one, other) for other in same for one in same if one < other]
