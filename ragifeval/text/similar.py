"""Sets that are much alike, found without looking at every pair.

Two sets with a Jaccard index of at least t have so much in common that, rarest elements first, one
of the first few of either is common (prefix filtering: Chaudhuri et al. 2006, Bayardo et al. 2007).
Nothing is estimated: every pair is found.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

# A product that floating point makes a hair too large must not ask for one element more.
_ROUNDING = 1e-9


class SimilarSets:
    """Sets that are added one by one, and asked which of them are like another.

    A set is given as the ranks of its elements, ascending: the rarest element of all sets has rank
    0. Any order is right, this one is fast.

    Args:
        threshold: the Jaccard index from which on two sets are alike, above 0, at most 1.
        alone: how many elements stand in one set only, so that ranks below cannot be common.
    """

    def __init__(self, threshold: float, alone: int = 0) -> None:
        self._threshold = threshold
        self._alone = alone
        # Key, size, and the elements that can be common; compact, for there may be many.
        self._sets: list[tuple[str, int, array[int]]] = []
        # Of the smaller set of a pair, fewer elements need be looked at than of the larger one.
        self._few: dict[int, list[int]] = defaultdict(list)
        self._many: dict[int, list[int]] = defaultdict(list)

    def add(self, key: str, ranks: Sequence[int]) -> None:
        """Add a set under a key."""
        number = len(self._sets)
        self._sets.append((key, len(ranks), array("q", self._shared(ranks))))
        for rank in self._first_few(ranks):
            self._few[rank].append(number)
        for rank in self._first_many(ranks):
            self._many[rank].append(number)

    def like(self, ranks: Sequence[int]) -> Iterator[tuple[str, float]]:
        """Yield (key, Jaccard index) of each set that is like this one, in the order added."""
        given, size = frozenset(self._shared(ranks)), len(ranks)
        smaller = (
            number
            for rank in self._first_many(ranks)
            for number in self._few.get(rank, ())
            if self._may_be_like(self._sets[number][1], size)
        )
        larger = (
            number
            for rank in self._first_few(ranks)
            for number in self._many.get(rank, ())
            if self._may_be_like(size, self._sets[number][1])
        )
        for number in sorted({*smaller, *larger}):
            key, other_size, other = self._sets[number]
            common = len(given.intersection(other))
            share = common / (size + other_size - common)
            if share >= self._threshold:
                yield key, share

    def _may_be_like(self, smaller: int, larger: int) -> bool:
        return self._threshold * larger - _ROUNDING <= smaller <= larger

    def _first_many(self, ranks: Sequence[int]) -> Iterator[int]:
        """Where a common element must be if the other set is no larger."""
        return self._first(ranks, self._threshold * len(ranks))

    def _first_few(self, ranks: Sequence[int]) -> Iterator[int]:
        """Where a common element must be if the other set is no smaller."""
        return self._first(ranks, 2 * self._threshold / (1 + self._threshold) * len(ranks))

    def _first(self, ranks: Sequence[int], common: float) -> Iterator[int]:
        """The ranks of which one is common if that many are, but for those that cannot be."""
        return self._shared(ranks[: len(ranks) - math.ceil(common - _ROUNDING) + 1])

    def _shared(self, ranks: Sequence[int]) -> Iterator[int]:
        return (rank for rank in ranks if rank >= self._alone)


def similar_pairs(
    bags: Mapping[str, Collection[str]], threshold: float
) -> Iterator[tuple[str, str, float]]:
    """Yield (key, later key, share) for each pair of sets that are alike.

    Args:
        bags: key -> a set of strings. An empty set is like no other.
        threshold: the share of all their elements that must be common (Jaccard index).
    """
    frequency = Counter(element for bag in bags.values() for element in bag)
    order = sorted(frequency, key=lambda element: (frequency[element], element))
    rank = {element: number for number, element in enumerate(order)}
    alone = sum(count == 1 for count in frequency.values())
    sets = SimilarSets(threshold, alone)
    for key, bag in bags.items():
        ranks = sorted(rank[element] for element in bag)
        for other, share in sets.like(ranks):
            yield other, key, share
        sets.add(key, ranks)
