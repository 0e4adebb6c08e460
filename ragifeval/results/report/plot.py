"""Where things stand in the plot of totals: an axis that holds all intervals, in round numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ragifeval.scoring.statistics import Estimate


@dataclass(frozen=True)
class Axis:
    """A scale of shares.

    Attributes:
        ticks: the shares that are named below it, from one end to the other.
    """

    ticks: Sequence[float]

    def place(self, share: float) -> float:
        """Where a share stands, in per cent of the axis from its left end."""
        low, high = self.ticks[0], self.ticks[-1]
        return (share - low) / (high - low) * 100


def axis_for(estimates: Sequence[Estimate]) -> Axis:
    """An axis that holds the intervals of these estimates, and not much more.

    Dots, unlike bars, need no zero: the closer the models, the finer the scale.
    """
    low = min(estimate.low for estimate in estimates)
    high = max(estimate.high for estimate in estimates)
    for step in (0.01, 0.02, 0.05, 0.1, 0.2):
        # Rounded first: 0.3 / 0.1 is a little less than 3.
        first, last = math.floor(round(low / step, 6)), math.ceil(round(high / step, 6))
        if last - first <= 6:
            break
    if first == last:  # one point: the scale reaches one step further, but not beyond 100 %
        first, last = (first - 1, last) if high == 1 else (first, last + 1)
    # Sums of steps would not be round numbers.
    return Axis([round(tick * step, 2) for tick in range(first, last + 1)])
