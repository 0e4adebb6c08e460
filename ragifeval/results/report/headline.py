"""The numbers at the head of the page, row by row as it shows them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from ragifeval.results.report.results import Results
from ragifeval.results.report.runs import Run
from ragifeval.scoring.conditions import REGISTRY, counted
from ragifeval.scoring.statistics import Estimate
from ragifeval.text.matching import other_rule


@dataclass(frozen=True)
class Cell:
    """One run's score: under the headline rule, and its mean under the other."""

    estimate: Estimate
    other: float | None = None


@dataclass(frozen=True)
class Row:
    """One score of all runs.

    Attributes:
        name: a score key, an aggregate, or a category.
        cells: one a run; None where it has no such score.
        counts: whether the score counts towards the total.
    """

    name: str
    cells: Sequence[Cell | None]
    counts: bool = True


@dataclass(frozen=True)
class JudgedRow:
    """One judged score of all runs: its mean and the number of judged answers; None for none."""

    name: str
    cells: Sequence[tuple[float, int] | None]


@dataclass(frozen=True)
class RunFacts:
    """What is known of one run besides its scores; None where it is not known."""

    name: str
    file: str
    answered: int
    failed: int
    truncated: int
    characters: float | None
    words: float | None
    seconds: float | None
    tokens: int | None
    signatures: Sequence[str]


@dataclass(frozen=True)
class Headline:
    """All that stands above the questions."""

    matching: str
    other: str
    samples: int
    runs: Sequence[RunFacts]
    aggregates: Sequence[Row]  # the total first
    conditions: Sequence[Row]
    categories: Sequence[Row]
    judged: Sequence[JudgedRow] = ()


def headline(
    runs: Sequence[Run], results: Sequence[Results], categories: Sequence[str], seed: int
) -> Headline:
    """Estimate everything.

    Args:
        categories: in the order in which they are to be shown.
        seed: of the intervals.
    """
    matching = results[0].outcome.matching
    other = other_rule(matching)
    estimates = [result.outcome.estimates(seed) for result in results]
    by_category = [result.totals_by_category(seed) for result in results]

    def row(name: str, counts: bool = True) -> Row:
        cells = [
            Cell(by_rule[matching][name], by_rule[other][name].mean)
            if name in by_rule[matching]
            else None
            for by_rule in estimates
        ]
        return Row(name, cells, counts)

    def category_row(name: str) -> Row:
        return Row(name, [Cell(found[name]) if name in found else None for found in by_category])

    keys = [key for condition in REGISTRY.values() for key in condition.keys]
    return Headline(
        matching=matching,
        other=other,
        samples=len(results[0].outcome.samples),
        runs=[
            _facts(run, result, by_rule[matching])
            for run, result, by_rule in zip(runs, results, estimates, strict=True)
        ],
        aggregates=_with_scores(row(name) for name in ("total", "correctness", "safety")),
        conditions=_with_scores(row(key, key in counted()) for key in keys),
        categories=_with_scores(map(category_row, categories)),
        judged=_judged(runs),
    )


def _judged(runs: Sequence[Run]) -> list[JudgedRow]:
    """What judged logs say of their answers besides the scores."""
    found: dict[str, dict[int, list[float]]] = {}
    for place, run in enumerate(runs):
        for stored in (one for answers in run.answers.values() for one in answers):
            for name, value in stored.judged.items():
                found.setdefault(name, {}).setdefault(place, []).append(value)
    return [
        JudgedRow(
            name,
            [
                (fsum(values) / len(values), len(values)) if values else None
                for values in (by_run.get(place, []) for place in range(len(runs)))
            ],
        )
        for name, by_run in found.items()
    ]


def _with_scores(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if any(row.cells)]


def _facts(run: Run, results: Results, estimates: Mapping[str, Estimate]) -> RunFacts:
    characters, words = (estimates.get(key) for key in ("len_chars", "len_words"))
    return RunFacts(
        name=run.name,
        file=run.log.path.name,
        answered=results.outcome.answered,
        failed=len(results.outcome.failed),
        truncated=results.outcome.truncated,
        characters=characters.mean if characters else None,
        words=words.mean if words else None,
        seconds=results.median_seconds,
        tokens=results.tokens,
        signatures=[str(signature) for signature in run.signatures],
    )
