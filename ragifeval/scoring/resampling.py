"""Resampling the samples of a run, with draws that are the same in every version of numpy."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
        random = np.random.RandomState(self.seed)
        for rows in self._pieces(size):
            drawn = random.randint(0, size, size=(rows, size), dtype=np.int64)
            drawn += np.arange(rows)[:, None] * size
            counts = np.bincount(drawn.ravel(), minlength=rows * size)
            yield counts.reshape(rows, size).astype(np.float64)

    def exchanges(self, size: int) -> Iterator[Floats]:
        """Yield pieces (draws x samples): -1 where the two models change places, else 1."""
        random = np.random.RandomState(self.seed)
        for rows in self._pieces(size):
            yield random.choice(np.array([-1.0, 1.0]), size=(rows, size))

    def _pieces(self, size: int) -> Iterator[int]:
        step = max(1, _DRAWN_AT_ONCE // size)
        for start in range(0, self.draws, step):
            yield min(step, self.draws - start)
