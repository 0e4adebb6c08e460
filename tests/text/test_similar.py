"""Sets that are alike, against every pair."""

from hypothesis import given
from hypothesis import strategies as st

from ragifeval.text.similar import similar_pairs

SETS = st.lists(st.frozensets(st.sampled_from("abcdefghijkl")), max_size=14)


@given(SETS, st.sampled_from([1, 3, 5, 7, 8, 9, 10]))
def test_against_every_pair(sets: list[frozenset[str]], tenths: int) -> None:
    bags = {f"{number}": bag for number, bag in enumerate(sets)}
    assert list(similar_pairs(bags, tenths / 10)) == [
        (str(one), str(other), len(sets[one] & sets[other]) / len(sets[one] | sets[other]))
        for other in range(len(sets))
        for one in range(other)
        if 10 * len(sets[one] & sets[other]) >= tenths * len(sets[one] | sets[other]) > 0
    ]
