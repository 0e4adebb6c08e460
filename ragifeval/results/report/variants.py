"""What the page shows of variants: a row for each, and scores over documents and their places."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragifeval.benchmark.variants.variants import CORE
from ragifeval.results.report.runs import Run
from ragifeval.run.by_variant import VariantScores, scores_by_variant
from ragifeval.scoring.statistics import Estimate, mean_of

# The places of documents, from 1, that are shown as one.
_PLACES = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 1024))
_BESIDE = ("invented", "partial", "memory")


@dataclass(frozen=True)
class Cell:
    """One run's score: under the headline rule, and its mean under the other."""

    estimate: Estimate
    other: float | None = None


@dataclass(frozen=True)
class VariantRow:
    """One score of one variant, for each run; None for a run that does not have it."""

    variant: str
    name: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Curve:
    """Scores of one run along an axis.

    Attributes:
        name: what stands on the axis: "noise", the number of documents, or "place", that of the
            first document to be cited.
        points: the label of each, and the score.
    """

    name: str
    run: str
    points: Sequence[tuple[str, Estimate]]


def variant_rows(runs: Sequence[Run], seed: int) -> list[VariantRow]:
    """The total of each variant, and what else is known of it; none for the core alone."""
    found = [{one.name: one for one in scores_by_variant(run.outcome, seed)} for run in runs]
    names = dict.fromkeys(name for by_name in found for name in by_name)
    if len(names) < 2:
        return []
    rows = []
    for variant in names:
        for name in ("total", "pair", *_BESIDE):
            cells = [_cell(by_name.get(variant), name) for by_name in found]
            if any(cells):
                rows.append(VariantRow(variant, name, cells))
    return rows


def _cell(scores: VariantScores | None, name: str) -> Cell | None:
    if scores is None:
        return None
    estimate = scores.pair if name == "pair" else scores.scores.get(name)
    return Cell(estimate) if estimate is not None else None


def curves(runs: Sequence[Run], seed: int) -> Iterator[Curve]:
    """Yield the curves of runs that have answers among more documents."""
    for run in runs:
        totals = {
            one.name: one.scores["total"]
            for one in scores_by_variant(run.outcome, seed)
            if "total" in one.scores
        }
        named = (re.fullmatch(r"noise:(\d+)", name) for name in totals)
        sizes = sorted(int(name[1]) for name in named if name)
        if not sizes:
            continue
        points = [(CORE, totals[CORE])] if CORE in totals else []
        points += [(str(size), totals[f"noise:{size}"]) for size in sizes]
        if len(points) > 1:
            yield Curve("noise", run.name, points)
        points = []
        for low, high in _PLACES:
            estimate = mean_of([score for place, score in run.placed if low <= place <= high], seed)
            if estimate is not None:
                points.append((str(low) if low == high else f"{low}–{high}", estimate))
        if len(points) > 1:
            yield Curve("place", run.name, points)
