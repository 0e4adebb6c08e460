"""How sure a difference between two models is: paired tests over samples, and Holm's correction.

A measure is a ratio of two sums over samples: the scores of its conditions, and how many they are.
So samples are resampled and exchanged, each with all its conditions, never single conditions. The
draws depend on the seed and the number of samples alone: all models see the same ones.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from ragifeval.scoring.statistics import Floats, Resampling

SURE = 0.05
"""A difference with a smaller p, Holm's correction included, is called significant."""

# Sums of the same scores in another order differ by less; different ones by more.
_TOLERANCE = 1e-9


def resampled_means(sums: Floats, counts: Floats, resampling: Resampling) -> Floats:
    """The means of models in each resampling of the samples.

    Args:
        sums: models x samples; the scores of a measure's conditions, added up.
        counts: samples; how many conditions those are.

    Returns:
        models x draws; without the resamplings in which no sample has such a condition.
    """
    means = np.empty((len(sums), resampling.draws))
    filled = 0
    for weights in resampling.bootstrap(counts.size):
        drawn = weights @ counts
        some = drawn > 0
        columns = slice(filled, filled := filled + int(some.sum()))
        means[:, columns] = (sums @ weights[some].T) / drawn[some]
    return means[:, :filled]


def percentile_interval(resampled: Floats) -> tuple[Floats, Floats]:
    """The 95 % interval of each row: Efron's percentile bootstrap. The rows lose their order."""
    low, high = np.percentile(resampled, [2.5, 97.5], axis=1, overwrite_input=True)
    return low, high


_Z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


def smallest_detectable(differences: Floats, counts: Floats) -> list[float | None]:
    """The true difference that a two-sided test at 5 % finds in 80 % of samplings like this one.

    It is 2.80 standard errors of the difference of two pooled means (the usual estimate for a ratio
    of two sums, Cochran 1977, 6.4), so four times the samples halve it.

    Args:
        differences: comparisons x samples; the scores of a measure's conditions, added up, of one
            model less those of the other.
        counts: samples; how many conditions those are.

    Returns:
        one a comparison; None where a single sample tells nothing of the spread.

    >>> import numpy as np
    >>> smallest_detectable(np.array([[1.0, -1.0, 1.0, -1.0]]), np.ones(4))
    [1.617...]
    """
    size, total = counts.size, counts.sum()
    if size < 2:
        return [None] * len(differences)
    means = differences.sum(axis=1) / total
    residuals = differences - means[:, None] * counts
    errors = np.sqrt(size / (size - 1) * (residuals**2).sum(axis=1)) / total
    return [float(error) for error in _Z * errors]


def bootstrap_p(resampled: Floats, observed: Floats) -> Floats:
    """Two-sided p of differences by the paired bootstrap.

    The resampled differences, moved so that their centre is zero, stand for what chance alone
    would do (Riezler and Maxwell 2005; sacrebleu's paired bootstrap): p is the share of those
    that are as large as the observed one.

    Args:
        resampled: comparisons x draws.
        observed: comparisons.
    """
    extreme = np.abs(resampled - observed[:, None]) >= np.abs(observed)[:, None] - _TOLERANCE
    shares: Floats = (extreme.sum(axis=1) + 1.0) / (resampled.shape[1] + 1.0)
    return shares


def permutation_p(differences: Floats, resampling: Resampling) -> Floats:
    """Two-sided p of differences by the paired permutation test.

    If the two models were alike, each sample's scores might as well be exchanged between them: p is
    the share of exchanges whose total difference is as large as the observed one. Where the
    samples that differ are few, all exchanges are counted, and p is exact.

    Args:
        differences: comparisons x samples; the scores of a measure's conditions, added up, of one
            model less those of the other. (How many conditions they are is the same in every
            exchange, so that the sum stands for the mean.)
    """
    observed = np.abs(differences.sum(axis=1))
    differing = np.abs(differences) > _TOLERANCE
    shares = np.empty(len(differences))
    exact = differing.sum(axis=1) <= math.log2(resampling.draws)
    for row in np.flatnonzero(exact):
        sums = _all_exchanges(differences[row, differing[row]])
        shares[row] = np.mean(np.abs(sums) >= observed[row] - _TOLERANCE)
    drawn, least = differences[~exact], observed[~exact, None] - _TOLERANCE
    if drawn.size:
        extreme = np.zeros(len(drawn))
        for signs in resampling.exchanges(differences.shape[1]):
            extreme += (np.abs(drawn @ signs.T) >= least).sum(axis=1)
        shares[~exact] = (extreme + 1) / (resampling.draws + 1)
    return shares


def _all_exchanges(differences: Floats) -> Floats:
    """The total difference under each of the 2^n ways to exchange n samples."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction (1979) for many comparisons at once.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, (len(p_values) - rank) * p_values[index])
        corrected[index] = min(1.0, largest)
    return corrected
