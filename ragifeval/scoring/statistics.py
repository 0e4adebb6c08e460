"""All scores of a run -> the means of conditions, correctness, safety and total, with intervals.

Random draws are the same in every version of numpy.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, TypeAlias

from ragifeval.scoring.conditions import REGISTRY, counted

# numpy is imported where it is used: it takes as long as all else that --help needs.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"

AGGREGATES = ("correctness", "safety", "total")
BOOTSTRAP_SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of scores.

    Attributes:
        mean: from 0 to 1 (a length in characters or words for len_chars and len_words).
        count: how many conditions it is the mean of.
        low, high: its 95 % interval, by bootstrap over samples; of one sample, which tells nothing
            of others, all that a share can be.
    """

    mean: float
    count: int
    low: float
    high: float


# Draws are made in pieces of about this many numbers, to bound the memory.
_DRAWN_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Resampling:
    """How to draw.

    Attributes:
        seed: of all draws.
        draws: how many resamplings of a bootstrap, and how many exchanges of a permutation test.
    """

    seed: int
    draws: int

    def bootstrap(self, size: int) -> Iterator[Floats]:
        """Yield pieces (draws x samples): how often each sample is drawn, with replacement."""
        import numpy as np

        random = np.random.RandomState(self.seed)
        for rows in self._pieces(size):
            drawn = random.randint(0, size, size=(rows, size), dtype=np.int64)
            drawn += np.arange(rows)[:, None] * size
            counts = np.bincount(drawn.ravel(), minlength=rows * size)
            yield counts.reshape(rows, size).astype(np.float64)

    def exchanges(self, size: int) -> Iterator[Floats]:
        """Yield pieces (draws x samples): -1 where the two models change places, else 1."""
        import numpy as np

        random = np.random.RandomState(self.seed)
        for rows in self._pieces(size):
            yield random.choice(np.array([-1.0, 1.0]), size=(rows, size))

    def _pieces(self, size: int) -> Iterator[int]:
        step = max(1, _DRAWN_AT_ONCE // size)
        for start in range(0, self.draws, step):
            yield min(step, self.draws - start)


class Tally:
    """The scores of one run under one rule: running sums, and a few numbers a sample.

    Args:
        size: how many samples the run has.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._columns: dict[str, array[float]] = {}
        self._answers = array("l", [0]) * size
        self._right = array("l", [0]) * size
        self._sum = 0.0
        self._count = 0
        self._counted = counted()

    def add(self, index: int, scores: Mapping[str, float]) -> None:
        """Add the scores of an answer to the sample at this place, in any order of the places.

        A sample that is answered more than once counts once, with the means of its answers.
        """
        before = self._answers[index]
        self._answers[index] += 1
        for key, value in scores.items():
            if key not in self._columns:
                self._columns[key] = array("d", [nan]) * self._size
            column = self._columns[key]
            column[index] = (column[index] * before + value) / (before + 1) if before else value
            if key in self._counted:
                self._sum += value
                self._count += 1
        self._right[index] += all(scores.get(key, 1) == 1 for key in self._counted)

    def shares_right(self, places: Sequence[int]) -> list[float | None]:
        """The share of answers with full marks at each place; None where there is no answer."""
        return [
            self._right[place] / self._answers[place] if self._answers[place] else None
            for place in places
        ]

    @property
    def running_total(self) -> float | None:
        """The total so far, from 0 to 1; None before the first condition."""
        return self._sum / self._count if self._count else None

    def estimates(self, seed: int, places: Sequence[int] | None = None) -> dict[str, Estimate]:
        """Each score key in the order of the registry, then correctness, safety and total.

        A key that no sample has is left out. The intervals are percentiles over 1,000 resamplings
        of the samples (Efron's percentile bootstrap), drawn by a generator whose stream never
        changes.

        Args:
            places: of the only samples that count; None for all.
        """
        import numpy as np

        sums, counts = self._sums(places)
        if not sums:
            return {}
        intervals = _bootstrap(np.stack(list(sums.values())), np.stack(list(counts.values())), seed)
        return {
            key: Estimate(
                float(sums[key].sum() / counts[key].sum()), int(counts[key].sum()), low, high
            )
            for key, (low, high) in zip(sums, intervals, strict=True)
        }

    def totals(self, places: Sequence[int] | None = None) -> tuple[Floats, Floats]:
        """Sample by sample, the sum of the scores that count, and how many they are."""
        import numpy as np

        sums, counts = self._sums(places)
        none = np.zeros(self._size if places is None else len(places))
        return sums.get("total", none), counts.get("total", none)

    def standard_error(self, key: str, seed: int) -> float:
        """The spread of a mean over resamplings of the samples; NaN where no sample has it."""
        import numpy as np

        sums, counts = self._sums(None)
        if key not in sums:
            return nan
        scored = counts[key] > 0
        table = np.stack([sums[key][scored], counts[key][scored]])
        drawn = Resampling(seed % 2**32, BOOTSTRAP_SAMPLES).bootstrap(int(scored.sum()))
        means = np.concatenate([(w @ table[0]) / (w @ table[1]) for w in drawn])
        return float(means.std(ddof=1))

    def difference(
        self, key: str, first: Sequence[int], second: Sequence[int], seed: int
    ) -> Estimate | None:
        """The mean of a score at the second places less that at the first, paired.

        Args:
            first, second: of the same questions in the same order.

        Returns:
            None where no question is answered in both. Its count is that of the questions.
        """
        import numpy as np

        (sums, counts), (others, other_counts) = self._sums(first), self._sums(second)
        if key not in sums or key not in others:
            return None
        both = (counts[key] > 0) & (other_counts[key] > 0)
        size = int(both.sum())
        if not size:
            return None
        table = np.stack([one[key][both] for one in (sums, others, counts, other_counts)])
        means = []
        for weights in Resampling(seed % 2**32, BOOTSTRAP_SAMPLES).bootstrap(size):
            drawn = weights @ table.T
            means.append(drawn[:, 1] / drawn[:, 3] - drawn[:, 0] / drawn[:, 2])
        low, high = np.percentile(np.concatenate(means), [2.5, 97.5]) if size > 1 else (-1, 1)
        whole = table.sum(axis=1)
        mean = whole[1] / whole[3] - whole[0] / whole[2]
        return Estimate(float(mean), size, float(low), float(high))

    def _sums(self, places: Sequence[int] | None) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Columns of sums and of counts, one of each per estimate.

        Every mean is a ratio of two sums.
        """
        import numpy as np

        sums: dict[str, Floats] = {}
        counts: dict[str, Floats] = {}
        for key in self._shown_keys():
            column = np.frombuffer(self._columns[key], dtype=np.float64)
            if places is not None:
                column = column[np.asarray(places, dtype=np.intp)]
            present = ~np.isnan(column)
            if present.any():
                sums[key], counts[key] = np.where(present, column, 0.0), present.astype(np.float64)
        for name in AGGREGATES:
            keys = [
                key
                for key, aggregate in self._counted.items()
                if key in sums and name in (aggregate, "total")
            ]
            if keys:
                sums[name] = np.sum([sums[key] for key in keys], axis=0)
                counts[name] = np.sum([counts[key] for key in keys], axis=0)
        return sums, counts

    def _shown_keys(self) -> list[str]:
        known = [key for condition in REGISTRY.values() for key in condition.keys]
        others = [key for key in self._columns if key not in known]
        return [key for key in [*known, *others] if key in self._columns]


def mean_of(values: Sequence[float], seed: int) -> Estimate | None:
    """The mean of some values with its interval, by bootstrap over them; None of no values."""
    import numpy as np

    if not values:
        return None
    column = np.array([values], dtype=np.float64)
    ((low, high),) = _bootstrap(column, np.ones_like(column), seed)
    return Estimate(float(column.mean()), len(values), low, high)


def _bootstrap(sums: Floats, counts: Floats, seed: int) -> list[tuple[float, float]]:
    """95 % intervals of sums / counts (shape: estimates x samples) over resampled samples."""
    import numpy as np

    # Samples that were not scored (no answer) are no part of what is resampled.
    scored = counts.any(axis=0)
    table = np.concatenate([sums[:, scored], counts[:, scored]])
    pieces = []
    for weights in Resampling(seed % 2**32, BOOTSTRAP_SAMPLES).bootstrap(table.shape[1]):
        resampled = weights @ table.T
        with np.errstate(invalid="ignore"):
            pieces.append(resampled[:, : len(sums)] / resampled[:, len(sums) :])
    means = np.concatenate(pieces)
    # A resampling without any sample that has the condition gives no mean of it.
    bounds = np.nanpercentile(means, [2.5, 97.5], axis=0)
    return widened(bounds.T.tolist(), sums, counts)


def widened(
    intervals: Sequence[tuple[float, float]], sums: Floats, counts: Floats
) -> list[tuple[float, float]]:
    """Intervals of sums / counts; from 0 to 1 that of a share which one sample alone has.

    Args:
        sums, counts: estimates x samples.
    """
    single = ((counts > 0).sum(axis=1) == 1) & ((sums >= 0) & (sums <= counts)).all(axis=1)
    return [
        (0.0, 1.0) if alone else (low, high)
        for (low, high), alone in zip(intervals, single.tolist(), strict=True)
    ]
