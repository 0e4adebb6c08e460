"""Known inputs with p and intervals worked out apart: by hand, by enumeration, by scipy."""

from collections.abc import Sequence

import numpy as np
import pytest

from ragifeval.results.compare.significance import (
    bootstrap_p,
    holm,
    percentile_interval,
    permutation_p,
    resampled_means,
    smallest_detectable,
)
from ragifeval.scoring.statistics import Resampling

# Differences, one a sample -> p by hand: of the 2^n ways to change their signs, the share in which
# the sum is at least as far from 0 as it is.
PERMUTATIONS: list[tuple[list[float], float]] = [
    ([0.5], 1.0),  # +, -: both as far
    ([2, -1, 1], 6 / 8),  # 4 2 2 0 0 -2 -2 -4, observed 2
    ([1, 1, 1, -1], 10 / 16),  # +-4 once each, +-2 four times each
    ([-1, -1, -1, 0, 0], 2 / 8),  # where nothing differs, nothing changes
    ([0.1, 0.2, 0.3], 2 / 8),  # their sum depends on the order in which they are added
    ([0.3, 0.1, 0.2, -0.6], 1.0),  # 0, which all are as far as
    ([1] * 13, 2 / 8192),
]


@pytest.mark.parametrize(("differences", "p"), PERMUTATIONS)
def test_exact_permutation_test(differences: list[float], p: float) -> None:
    found = permutation_p(np.array([differences], dtype=float), Resampling(seed=0, draws=10_000))
    assert found == pytest.approx([p])


def test_permutation_test_is_exact_up_to_the_number_of_draws() -> None:
    ones = np.ones((1, 10))
    assert permutation_p(ones, Resampling(0, 1024)) == pytest.approx([2 / 1024])
    # 2 of 1,024 exchanges are as extreme: in 1,023 draws more or less 2, and the observed one.
    assert permutation_p(ones, Resampling(0, 1023)) * 1024 == pytest.approx([3], abs=4)


# Sums of scores and counts of conditions, one a sample -> the 95 % interval and p, by hand.
BOOTSTRAPS: list[tuple[list[float], list[float], tuple[float, float], float]] = [
    # 0 (1/4), 1/2 (1/2), 1 (1/4); 0 and 1 are as far from 1/2 as 1/2 is from 0.
    ([0, 1], [1, 1], (0, 1), 1 / 2),
    # k/3 with 1, 6, 12, 8 of 27; 0 alone is as far from 2/3: 1 of 27 is more than 2.5 %.
    ([1, 1, 0], [1, 1, 1], (0, 1), 1 / 27),
    # Two conditions in the second sample: 1 (1/4), 1/3 (1/2), 0 (1/4).
    ([1, 0], [1, 2], (0, 1), 1 / 2),
    # Always 1/2, which is never as far from 1/2 as from 0.
    ([1, 1, 1], [2, 2, 2], (1 / 2, 1 / 2), 0),
    # The second sample has no such condition: the resampling of it alone is left out.
    ([1, 0], [1, 0], (1, 1), 0),
]


@pytest.mark.parametrize(("sums", "counts", "interval", "p"), BOOTSTRAPS)
def test_bootstrap_by_hand(
    sums: list[float], counts: list[float], interval: tuple[float, float], p: float
) -> None:
    table = np.array([sums], dtype=float), np.array(counts, dtype=float)
    means = resampled_means(*table, Resampling(seed=0, draws=20_000))
    observed = table[0].sum(axis=1) / table[1].sum()
    assert bootstrap_p(means, observed) == pytest.approx([p], abs=0.01)
    assert np.ravel(percentile_interval(means)) == pytest.approx(interval)


def test_the_smallest_difference_is_found_in_80_of_100_samplings() -> None:
    # 1, -1, 1, -1: the mean's error is sqrt(4 / 3 * 4) / 4 = 0.57735, times 1.95996 + 0.84162.
    assert smallest_detectable(np.array([[1.0, -1, 1, -1]]), np.ones(4)) == [
        pytest.approx(1.61750, abs=1e-5)
    ]
    assert smallest_detectable(np.array([[1.0]]), np.ones(1)) == [None]
    generator = np.random.default_rng(9)
    counts = generator.integers(1, 4, size=100).astype(float)
    noise = generator.choice([-1.0, 0.0, 1.0], size=(2_000, 100)) * counts
    [least] = smallest_detectable(noise[:1], counts)
    assert least is not None
    shifted = noise[:200] + least * counts
    found = [p < 0.05 for p in permutation_p(shifted, Resampling(seed=0, draws=1_000))]
    assert 0.72 < np.mean(found) < 0.88


def test_draws_depend_on_the_seed_alone() -> None:
    counts = np.array([1.0, 2, 1, 3])
    sums = np.array([[1.0, 0, 1, 2], [0.5, 2, 0, 3]])
    both = resampled_means(sums, counts, Resampling(seed=0, draws=500))
    alone = resampled_means(sums[1:], counts, Resampling(seed=0, draws=500))
    assert np.allclose(both[1:], alone, atol=1e-12)
    other = resampled_means(sums, counts, Resampling(seed=1, draws=500))
    assert not np.allclose(both, other)


def test_permutation_test_keeps_its_level() -> None:
    """Between models that are alike, 5 % of p are under 5 %, no more."""
    generator = np.random.default_rng(8)
    alike = generator.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=(2_000, 40))
    assert np.mean(permutation_p(alike, Resampling(seed=0, draws=1_000)) < 0.05) < 0.065


# p -> Holm's p: the smallest times n, the next times n - 1, ...; none smaller than one before it.
HOLM: list[tuple[Sequence[float], Sequence[float]]] = [
    ([], []),
    ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
    ([0.01, 0.02, 0.03, 0.04, 0.05], [0.05, 0.08, 0.09, 0.09, 0.09]),
    ([0.5, 0.6], [1.0, 1.0]),
]


@pytest.mark.parametrize(("p", "corrected"), HOLM)
def test_holm(p: Sequence[float], corrected: Sequence[float]) -> None:
    assert holm(p) == pytest.approx(corrected)
