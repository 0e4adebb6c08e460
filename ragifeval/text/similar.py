"""Sets that have much in common: every pair of them, by the elements that they share."""

from collections.abc import Collection, Hashable, Iterator, Mapping

import numpy as np


def similar_pairs(
    bags: Mapping[str, Collection[Hashable]], threshold: float
) -> Iterator[tuple[str, str, float]]:
    """Yield (key, later key, share) for each pair of sets that are alike.

    The pairs of a set with those before it come in their order, and before its pairs with those
    after it.

    Args:
        bags: key -> a set. An empty set is like no other.
        threshold: the share of all their elements that must be common (Jaccard index), above 0.
    """
    keys = list(bags)
    columns: dict[Hashable, int] = {}
    elements = np.array(
        [columns.setdefault(item, len(columns)) for bag in bags.values() for item in bag],
        dtype=np.int64,
    )
    sizes = np.array([len(bag) for bag in bags.values()], dtype=np.int64)
    ends = np.cumsum(sizes)
    # The sets of each element, one element after another.
    counts = np.bincount(elements, minlength=len(columns))
    starts = np.concatenate(([0], np.cumsum(counts)))
    holders = np.repeat(np.arange(len(keys)), sizes)[np.argsort(elements, kind="stable")]
    for later in range(len(keys)):
        own = elements[ends[later] - sizes[later] : ends[later]]
        own = own[counts[own] > 1]
        if not len(own):
            continue
        slices = [holders[starts[item] : starts[item + 1]] for item in own.tolist()]
        common = np.bincount(np.concatenate(slices), minlength=len(keys))[:later]
        shares = common / (sizes[later] + sizes[:later] - common)
        for earlier in np.flatnonzero((common > 0) & (shares >= threshold)).tolist():
            yield keys[earlier], keys[later], float(shares[earlier])
