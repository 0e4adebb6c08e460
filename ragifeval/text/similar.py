"""Sets that have much in common: every pair of them, by sparse matrix products."""

from collections.abc import Collection, Hashable, Iterator, Mapping

import numpy as np

# So many sets at once are compared with those before them: the product of a block stays small.
_BLOCK = 512


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
    from scipy.sparse import csr_array

    keys = list(bags)
    columns: dict[Hashable, int] = {}
    elements = np.array(
        [columns.setdefault(item, len(columns)) for bag in bags.values() for item in bag],
        dtype=np.int64,
    )
    sizes = np.array([len(bag) for bag in bags.values()], dtype=np.int64)
    rows = np.repeat(np.arange(len(keys)), sizes)
    # Most elements are in one set alone, and have no part in what is common.
    shared = np.bincount(elements)[elements] > 1
    matrix = csr_array(
        (np.ones(shared.sum(), dtype=np.int32), (rows[shared], elements[shared])),
        shape=(len(keys), len(columns)),
    )
    for start in range(0, len(keys), _BLOCK):
        stop = min(start + _BLOCK, len(keys))
        common = (matrix[start:stop] @ matrix[:stop].T).tocoo()
        later, earlier = common.row + start, common.col
        shares = common.data / (sizes[later] + sizes[earlier] - common.data)
        alike = np.flatnonzero((earlier < later) & (shares >= threshold))
        for place in alike[np.lexsort((earlier[alike], later[alike]))].tolist():
            yield keys[earlier[place]], keys[later[place]], float(shares[place])
