"""Logs side by side: each model's scores, and how sure its difference from the first one is."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragifeval.errors import UserError
from ragifeval.results.compare.scored_logs import KEYS, SampleMeans, ScoredLog
from ragifeval.results.compare.significance import (
    bootstrap_p,
    holm,
    percentile_interval,
    permutation_p,
    resampled_means,
)
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.statistics import AGGREGATES, Estimate, Floats, Resampling

Booleans = NDArray[np.bool_]

MEASURES = (*AGGREGATES, *KEYS)
"""What models are compared in: the aggregates, then the conditions."""

SURE = 0.05
"""A difference with a smaller p, Holm's correction included, is called significant."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One model less the first one in one measure; p are two-sided, of no difference at all.

    Attributes:
        mean, low, high: the difference with its 95 % interval, as shares from -1 to 1.
        p_bootstrap, p_permutation: of the paired tests, for this comparison alone.
        holm_bootstrap, holm_permutation: the same, corrected for the number of models that are
            compared with the first one in this measure.
    """

    mean: float
    low: float
    high: float
    p_bootstrap: float
    p_permutation: float
    holm_bootstrap: float
    holm_permutation: float


@dataclass(frozen=True)
class Model:
    """One row of a comparison.

    Attributes:
        name: of the model; no two models have the same.
        log: the name of its file.
        scores: measure -> its estimate.
        differences: measure -> its difference from the first model; empty for the first.
        judged: judged score -> its estimate, over the answers that are judged in all logs.
    """

    name: str
    log: str
    scores: Mapping[str, Estimate]
    differences: Mapping[str, Difference]
    judged: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """A sample on which models differ: the points that each gets, of so many conditions."""

    id: str
    text: str
    conditions: int
    points: Sequence[float]


@dataclass(frozen=True)
class Comparison:
    """Several logs side by side.

    Attributes:
        samples: how many samples are answered in all logs; the others are left out.
        left_out: how many those are.
        conditions_left_out: how many conditions of the samples are not scored in all logs.
        questions: those on which the models differ most, in total points, most first.
    """

    models: Sequence[Model]
    samples: int
    left_out: int
    conditions_left_out: int
    questions: Sequence[Question]


def compare(logs: Sequence[ScoredLog], resampling: Resampling, top: int) -> Comparison:
    """Compare logs over the samples that all of them answer.

    Args:
        top: how many questions are told on which the models differ most.

    Raises:
        UserError: there is no such sample.
    """
    everything = set[str]().union(*(log.scores.samples for log in logs))
    # Sorted: neither the order in a log nor that of a set may change what is drawn.
    common = sorted(everything.intersection(*(log.scores.samples for log in logs)))
    values = np.stack([_matrix(log.scores, common, KEYS) for log in logs])
    present = ~np.isnan(values)
    shared: Booleans = np.logical_and.reduce(present, axis=0)
    scored: Booleans = np.logical_or.reduce(shared, axis=1)
    if not scored.any():
        raise UserError("the logs have no sample in common that is answered and scored in all")
    values = np.where(shared, values, 0.0)[:, scored]
    tables = dict(_tables(values, shared[scored]))
    estimates = {name: _estimates(*table, resampling) for name, table in tables.items()}
    differences = {name: _differences(*table, resampling) for name, table in tables.items()}
    judged = dict(_judged(logs, common, resampling))
    models = [
        Model(
            name,
            log.path.name,
            {measure: estimates[measure][index] for measure in tables},
            {measure: differences[measure][index - 1] for measure in tables} if index else {},
            {score: found[index] for score, found in judged.items()},
        )
        for index, (name, log) in enumerate(zip(_names(logs), logs, strict=True))
    ]
    names = [key for key, is_scored in zip(common, scored, strict=True) if is_scored]
    return Comparison(
        models=models,
        samples=len(names),
        left_out=len(everything) - len(names),
        conditions_left_out=int((np.logical_or.reduce(present) & ~shared).sum()),
        questions=_most_different(names, logs[0].questions, *tables["total"], top),
    )


def _matrix(means: SampleMeans, samples: Sequence[str], names: Sequence[str]) -> Floats:
    """Samples x names; NaN where a sample has no such score."""
    rows = [[means[sample].get(name, np.nan) for name in names] for sample in samples]
    return np.array(rows, dtype=np.float64).reshape(len(samples), len(names))


# For one measure: the sums of scores (models x samples), and the counts of conditions (samples).
_Table = tuple[Floats, Floats]


def _tables(values: Floats, shared: Booleans) -> Iterator[tuple[str, _Table]]:
    """Yield each measure that some sample has."""
    aggregate_of = counted()
    for measure in MEASURES:
        columns = [
            column
            for column, key in enumerate(KEYS)
            if measure in (key, aggregate_of[key], "total")
        ]
        counts = shared[:, columns].sum(axis=1).astype(np.float64)
        if counts.any():
            yield measure, (values[:, :, columns].sum(axis=2), counts)


def _estimates(sums: Floats, counts: Floats, resampling: Resampling) -> Sequence[Estimate]:
    total = counts.sum()
    lows, highs = percentile_interval(resampled_means(sums, counts, resampling))
    return [
        Estimate(float(mean), int(total), float(low), float(high))
        for mean, low, high in zip(sums.sum(axis=1) / total, lows, highs, strict=True)
    ]


def _judged(
    logs: Sequence[ScoredLog], samples: Sequence[str], resampling: Resampling
) -> Iterator[tuple[str, Sequence[Estimate]]]:
    """Yield each judged score that all logs have, with its estimate for each of them."""
    judged = logs[0].judged
    names = dict.fromkeys(name for sample in judged.samples for name in judged[sample])
    for name in names:
        values = np.stack([_matrix(log.judged, samples, [name])[:, 0] for log in logs])
        shared: Booleans = np.logical_and.reduce(~np.isnan(values), axis=0)
        if shared.any():
            sums, counts = values[:, shared], np.ones(int(shared.sum()))
            yield name, _estimates(sums, counts, resampling)


def _differences(sums: Floats, counts: Floats, resampling: Resampling) -> Sequence[Difference]:
    """Each model but the first, less the first."""
    differences = sums[1:] - sums[0]
    if not len(differences):
        return []
    observed = differences.sum(axis=1) / counts.sum()
    # The mean is linear in the scores: the difference of two means is the mean of differences.
    resampled = resampled_means(differences, counts, resampling)
    by_bootstrap = bootstrap_p(resampled, observed).tolist()
    lows, highs = percentile_interval(resampled)
    by_permutation = permutation_p(differences, resampling).tolist()
    columns = [
        *(observed.tolist(), lows.tolist(), highs.tolist(), by_bootstrap, by_permutation),
        *(holm(by_bootstrap), holm(by_permutation)),
    ]
    return [Difference(*cells) for cells in zip(*columns, strict=True)]


def _names(logs: Sequence[ScoredLog]) -> Sequence[str]:
    """A name for each model; with the file's, or its path, where others have the same."""
    ways: Sequence[Callable[[int, ScoredLog], str]] = (
        lambda place, log: f"{log.name} ({log.path.stem})",
        lambda place, log: str(log.path),
        lambda place, log: f"{log.path} ({place + 1})",  # a file that is given twice
    )
    names = [log.name for log in logs]
    for name_of in ways:
        count = Counter(names)
        names = [
            name_of(place, log) if count[names[place]] > 1 else names[place]
            for place, log in enumerate(logs)
        ]
    return names


def _most_different(
    samples: Sequence[str], texts: Mapping[str, str], sums: Floats, counts: Floats, top: int
) -> Sequence[Question]:
    spread = sums.max(axis=0) - sums.min(axis=0)
    order = np.argsort(-spread, kind="stable")[:top]
    return [
        Question(
            samples[place],
            texts.get(samples[place], ""),
            int(counts[place]),
            sums[:, place].tolist(),
        )
        for place in order
        if spread[place] > 0
    ]
