"""The numbers at the head of the page, row by row, and where they stand in its plot."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from statistics import fmean

from ragifeval.benchmark.variants.variants import CORE
from ragifeval.results.compare.significance import SURE, permutation_p
from ragifeval.results.report.runs import Run
from ragifeval.results.report.variants import Cell, Curve, VariantRow, curves, variant_rows
from ragifeval.run.groups import GROUPINGS, ordered
from ragifeval.run.performance import Figures, Price
from ragifeval.run.summary import shown_rates
from ragifeval.scoring.conditions import REGISTRY, counted
from ragifeval.scoring.statistics import Estimate, Resampling
from ragifeval.text.matching import other_rule


@dataclass(frozen=True)
class ScoreRow:
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
class GroupTable:
    """The totals and rates of groups of questions.

    Attributes:
        grouping: what the questions are grouped by.
        rates: those that some group has.
        rows: group, the place of the run, how many of its questions are answered, the estimates.
    """

    grouping: str
    rates: Sequence[str]
    rows: Sequence[tuple[str, int, int, Mapping[str, Estimate]]]


@dataclass(frozen=True)
class RunFacts:
    """What is known of one run besides its scores; None where it is not known.

    Attributes:
        rates: those of its answers.
        rank: the group of runs whose totals cannot be told apart that it is in, from 1.
    """

    name: str
    file: str
    answered: int
    failed: int
    truncated: int
    signatures: Sequence[str]
    figures: Figures | None = None
    rates: Mapping[str, Estimate] = field(default_factory=dict)
    rank: int = 1


@dataclass(frozen=True)
class Headline:
    """All that stands above the questions.

    Attributes:
        aggregates: the total first.
        judged: judged score -> of each run its mean, and how many answers have it; None for none.
        first_set: whose scores all of these are, where there are several sets.
    """

    matching: str
    other: str
    samples: int
    runs: Sequence[RunFacts]
    aggregates: list[ScoreRow]
    conditions: Sequence[ScoreRow]
    categories: Sequence[ScoreRow]
    judged: Mapping[str, Sequence[tuple[float, int] | None]] = field(default_factory=dict)
    variants: Sequence[VariantRow] = ()
    curves: Sequence[Curve] = ()
    groups: Sequence[GroupTable] = ()
    first_set: str = ""

    @property
    def set_totals(self) -> list[VariantRow]:
        """The totals of the sets behind the first."""
        return [
            row for row in self.variants if row.name == "total" and row.variant.endswith(f" {CORE}")
        ]

    @property
    def ranked(self) -> Sequence[int]:
        """The places of the runs, the best total first."""
        totals = self.aggregates[0].cells if self.aggregates else [None] * len(self.runs)
        means = [cell.estimate.mean if cell else -1.0 for cell in totals]
        return sorted(range(len(self.runs)), key=lambda place: -means[place])


def headline(
    runs: Sequence[Run],
    categories: Sequence[str],
    seed: int,
    prices: Sequence[Price | None] = (),
    first_set: str = "",
) -> Headline:
    """Estimate everything.

    Args:
        runs: whose answers are counted.
        categories: in the order in which they are to be shown.
        seed: of the intervals.
        prices: of each run's tokens; empty where none is known.
        first_set: the name of the first of several sets.
    """
    matching = runs[0].outcome.matching
    other = other_rule(matching)
    estimates = [run.outcome.estimates(seed) for run in runs]
    grouped = {
        grouping: [run.outcome.grouped(seed, grouping) for run in runs]
        for grouping in GROUPINGS
        if grouping != "variant"  # these have a panel of their own
    }

    def row(name: str, counts: bool = True) -> ScoreRow:
        cells = [
            Cell(by_rule[matching][name], by_rule[other][name].mean)
            if name in by_rule[matching]
            else None
            for by_rule in estimates
        ]
        return ScoreRow(name, cells, counts)

    def category_row(name: str) -> ScoreRow:
        return ScoreRow(
            name,
            [
                Cell(found[name]["total"]) if "total" in found.get(name, {}) else None
                for found in grouped["category"]
            ],
        )

    keys = [key for condition in REGISTRY.values() for key in condition.keys]
    return Headline(
        matching=matching,
        other=other,
        samples=len(runs[0].outcome.samples),
        runs=[
            _facts(run, by_rule[matching], price, rank)
            for run, by_rule, price, rank in zip(
                runs, estimates, prices or [None] * len(runs), _ranks(runs, seed), strict=True
            )
        ],
        aggregates=_with_scores(row(name) for name in ("total", "correctness", "safety")),
        conditions=_with_scores(row(key, key in counted()) for key in keys),
        categories=_with_scores(map(category_row, categories)),
        judged=_judged(runs),
        variants=variant_rows(runs, seed),
        curves=list(curves(runs, seed)),
        groups=[
            _group_table(grouping, runs, found) for grouping, found in grouped.items() if any(found)
        ],
        first_set=first_set,
    )


def _group_table(
    grouping: str, runs: Sequence[Run], grouped: Sequence[Mapping[str, Mapping[str, Estimate]]]
) -> GroupTable:
    sizes = [run.outcome.places_by(grouping) for run in runs]
    rows = [
        (group, place, len(sizes[place][group]), found[group])
        for group in ordered(grouping, {group for found in grouped for group in found})
        for place, found in enumerate(grouped)
        if group in found
    ]
    return GroupTable(grouping, shown_rates([estimates for *_, estimates in rows]), rows)


def _judged(runs: Sequence[Run]) -> dict[str, list[tuple[float, int] | None]]:
    """Each judged score: of every run its mean and how many answers have it; None for none."""
    found: list[dict[str, list[float]]] = [{} for _ in runs]
    for run, values in zip(runs, found, strict=True):
        for stored in chain.from_iterable(run.answers.values()):
            for name, value in stored.judged.items():
                values.setdefault(name, []).append(value)
    return {
        name: [
            (fmean(values[name]), len(values[name])) if name in values else None for values in found
        ]
        for name in dict.fromkeys(chain.from_iterable(found))
    }


def _with_scores(rows: Iterable[ScoreRow]) -> list[ScoreRow]:
    return [row for row in rows if any(row.cells)]


def _facts(run: Run, estimates: Mapping[str, Estimate], price: Price | None, rank: int) -> RunFacts:
    return RunFacts(
        name=run.name,
        file=", ".join(log.path.name for log in run.logs),
        answered=run.outcome.answered,
        failed=len(run.outcome.failed),
        truncated=run.outcome.truncated,
        signatures=[str(signature) for signature in run.signatures],
        figures=run.outcome.performance.figures(price),
        rates={name: estimates[name] for name in shown_rates([estimates])},
        rank=rank,
    )


def _ranks(runs: Sequence[Run], seed: int) -> Sequence[int]:
    """The group of each run: a group begins with the best run that is worse than its head.

    A run is worse where the paired permutation test of the totals says so with p < 0.05, over the
    questions that both answered.
    """
    totals = [run.outcome.totals() for run in runs]
    means = [sums.sum() / counts.sum() if counts.any() else -1.0 for sums, counts in totals]
    ranks = [1] * len(runs)
    order = sorted(range(len(runs)), key=lambda place: -means[place])
    head, rank = order[0], 1
    for place in order[1:]:
        both = (totals[head][1] > 0) & (totals[place][1] > 0)
        differences = (totals[place][0] - totals[head][0])[both]
        if both.any() and permutation_p(differences[None], Resampling(seed, 2_000))[0] < SURE:
            head, rank = place, rank + 1
        ranks[place] = rank
    return ranks


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


@dataclass(frozen=True)
class Dot:
    """One run in the plot of totals over costs.

    Attributes:
        name: of the model; without its organisation, where the rest tells all models apart.
        x: in per cent of the plot's width.
        y, name_y: of the dot, and of the name beside the plot, in pixels from the top.
    """

    name: str
    x: float
    y: float
    name_y: float


@dataclass(frozen=True)
class CostPlot:
    """The totals over the cost of 1,000 questions.

    Attributes:
        most: the cost at the right end.
        ticks: shares, and where they stand, in pixels from the top.
    """

    most: float
    ticks: Sequence[tuple[float, float]]
    dots: Sequence[Dot]


# In pixels: where the axis of that plot begins, its height, and the least between two names.
_FOOT, _HEIGHT, _LINE = 240.0, 230.0, 15.0


def cost_plot(headline: Headline, axis: Axis) -> CostPlot | None:
    """Place the runs whose cost is known; None where that is fewer than two.

    Args:
        axis: of the totals.
    """
    known = [
        (
            run.name,
            run.figures.cost_per_1000,
            _FOOT - _HEIGHT * axis.place(cell.estimate.mean) / 100,
        )
        for run, cell in zip(headline.runs, headline.aggregates[0].cells, strict=True)
        if run.figures is not None and run.figures.cost_per_1000 is not None and cell is not None
    ]
    if len(known) < 2:
        return None
    most = max(cost for _, cost, _ in known) or 1
    known.sort(key=lambda run: run[2])
    short = [name.rpartition("/")[2] for name, *_ in known]
    names = short if len(set(short)) == len(short) else [name for name, *_ in known]
    places = _apart([y for *_, y in known])
    return CostPlot(
        most,
        [(tick, _FOOT - _HEIGHT * axis.place(tick) / 100) for tick in axis.ticks],
        [
            Dot(name, cost / most * 100, y, name_y)
            for name, (_, cost, y), name_y in zip(names, known, places, strict=True)
        ],
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Ascending places, each moved as little down as leaves a line to the one before.

    Where that leads below the foot, the last ones move up again.
    """
    line = min(_LINE, _HEIGHT / (len(places) - 1))
    moved = list(accumulate(places, lambda above, place: max(place, above + line)))
    last = len(moved) - 1
    return [min(place, _FOOT - line * (last - index)) for index, place in enumerate(moved)]
