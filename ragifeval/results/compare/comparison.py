"""Logs side by side: each model's scores, and how sure its difference from the first one is."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
    smallest_detectable,
)
from ragifeval.run.groups import ordered
from ragifeval.run.performance import Figures, Price
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.rates import TOLD
from ragifeval.scoring.statistics import AGGREGATES, Estimate, Floats, Resampling, widened

Booleans = NDArray[np.bool_]

MEASURES = (*AGGREGATES, *KEYS)
"""What models are compared in: the aggregates, then the conditions."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One model less the first one in one measure; p are two-sided, of no difference at all.

    Attributes:
        mean, low, high: the difference with its 95 % interval, as shares from -1 to 1.
        detectable: the smallest difference that these samples show in 80 % of such comparisons.
        needed: about how many samples would show this difference so. None of
            either where one sample, or no difference, tells nothing.
        p_bootstrap, p_permutation: of the paired tests, for this comparison alone.
        holm_bootstrap, holm_permutation: the same, corrected for the number of models that are
            compared with the first one in this measure.
    """

    mean: float
    low: float
    high: float
    detectable: float | None
    needed: int | None
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
        rates: rate, or length -> its estimate, over the answers that it is about in all logs.
        groups: group of questions -> its total and its rates; of the grouping asked for.
        performance: what all the answers of the log took.
        judged: judged score -> its estimate, over the answers that are judged in all logs.
    """

    name: str
    log: str
    scores: Mapping[str, Estimate]
    differences: Mapping[str, Difference]
    rates: Mapping[str, Estimate]
    groups: Mapping[str, Mapping[str, Estimate]]
    performance: Figures
    judged: Mapping[str, Estimate]


@dataclass(frozen=True)
class Question:
    """A sample on which models differ: the points that each gets, of so many conditions."""

    id: str
    text: str
    conditions: int
    points: Sequence[float]


@dataclass(frozen=True)
class Setting:
    """What a reader must know in addition to the numbers.

    Attributes:
        matching: the rule of "found".
        signature: what the logs have in common; None where none has a signature.
        seed, draws: of the resampling.
        measures: those whose differences the tables show.
        grouping: of the questions whose totals and rates are told.
    """

    matching: str
    signature: str | None
    seed: int
    draws: int
    measures: Sequence[str]
    grouping: str | None = None


@dataclass(frozen=True)
class Comparison:
    """Several logs side by side.

    Attributes:
        setting: what else there is to know.
        samples: how many samples are answered in all logs; the others are left out.
        left_out: how many those are.
        conditions_left_out: how many conditions of the samples are not scored in all logs.
        questions: those on which the models differ most, in total points, most first.
    """

    setting: Setting
    models: Sequence[Model]
    samples: int
    left_out: int
    conditions_left_out: int
    questions: Sequence[Question]


def compare(
    logs: Sequence[ScoredLog],
    setting: Setting,
    top: int,
    prices: Sequence[Price | None] = (),
) -> Comparison:
    """Compare logs over the samples that all of them answer.

    Args:
        top: how many questions are told on which the models differ most.
        prices: of each log's tokens; empty where none is known.

    Raises:
        UserError: there is no such sample.
    """
    resampling = Resampling(setting.seed, setting.draws)
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
    judged = dict(_shared([log.judged for log in logs], common, resampling))
    rates = dict(_shared([log.rates for log in logs], common, resampling))
    names = [key for key, is_scored in zip(common, scored, strict=True) if is_scored]
    groups = dict(_groups(logs, setting.grouping, names, *tables["total"], resampling))
    models = [
        Model(
            name,
            log.path.name,
            {measure: estimates[measure][index] for measure in tables},
            {measure: differences[measure][index - 1] for measure in tables} if index else {},
            {rate: found[index] for rate, found in rates.items()},
            {
                group: {name: estimates[index] for name, estimates in found.items()}
                for group, found in groups.items()
            },
            log.performance.figures(price),
            {score: found[index] for score, found in judged.items()},
        )
        for index, (name, log, price) in enumerate(
            zip(_names(logs), logs, prices or [None] * len(logs), strict=True)
        )
    ]
    return Comparison(
        setting=setting,
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
    bounds = np.stack(percentile_interval(resampled_means(sums, counts, resampling)), axis=1)
    intervals = widened(bounds.tolist(), sums, np.broadcast_to(counts, sums.shape))
    return [
        Estimate(float(mean), int(total), low, high)
        for mean, (low, high) in zip(sums.sum(axis=1) / total, intervals, strict=True)
    ]


def _groups(
    logs: Sequence[ScoredLog],
    grouping: str | None,
    samples: Sequence[str],
    sums: Floats,
    counts: Floats,
    resampling: Resampling,
) -> Iterator[tuple[str, Mapping[str, Sequence[Estimate]]]]:
    """Yield each group that the first log tells, with its total and its rates in all logs."""
    groups = logs[0].groups.get(grouping or "", {})
    for group in ordered(grouping or "", groups):
        places = [place for place, key in enumerate(samples) if key in groups[group]]
        if counts[places].any():
            total = _estimates(sums[:, places], counts[places], resampling)
            own = [samples[place] for place in places]
            rates = _shared([log.rates for log in logs], own, resampling)
            yield group, {"total": total, **dict(rates)}


def _shared(
    tables: Sequence[SampleMeans], samples: Sequence[str], resampling: Resampling
) -> Iterator[tuple[str, Sequence[Estimate]]]:
    """Yield each judged score, or rate, that all logs have, with its estimate for each of them."""
    names = dict.fromkeys(name for sample in tables[0].samples for name in tables[0][sample])
    for name in sorted(names, key=[*TOLD, *names].index):
        values = np.stack([_matrix(means, samples, [name])[:, 0] for means in tables])
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
    if np.count_nonzero(counts) == 1:  # one sample tells nothing of others
        lows, highs = np.full_like(lows, -1), np.full_like(highs, 1)
    detectable = smallest_detectable(differences, counts)
    needed = [
        math.ceil(counts.size * (least / mean) ** 2) if least is not None and mean else None
        for least, mean in zip(detectable, observed.tolist(), strict=True)
    ]
    by_permutation = permutation_p(differences, resampling).tolist()
    columns = [
        *(observed.tolist(), lows.tolist(), highs.tolist(), detectable, needed),
        *(by_bootstrap, by_permutation, holm(by_bootstrap), holm(by_permutation)),
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
