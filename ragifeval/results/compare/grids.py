"""What a comparison shows, as grids of text: one a table, whatever the format."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragifeval.results.compare.comparison import MEASURES, Comparison, Difference
from ragifeval.scoring.statistics import Estimate


@dataclass(frozen=True)
class Setting:
    """What a reader must know beside the numbers.

    Attributes:
        matching: the rule of "found".
        signature: what the logs have in common; None where none has a signature.
        seed, draws: of the resampling.
        measures: those whose differences the tables show.
    """

    matching: str
    signature: str | None
    seed: int
    draws: int
    measures: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """A table with a title; its first `texts` columns are text, the others numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1


def grids(comparison: Comparison, setting: Setting) -> Iterator[Grid]:
    """The tables that are shown: scores, differences, questions."""
    first = comparison.models[0]
    shown = [name for name in MEASURES if name in first.scores]
    yield Grid(
        f"{comparison.samples} samples, rule {setting.matching}, per cent with 95 % intervals",
        ["model", *shown],
        [
            [model.name, *(_with_interval(model.scores[name]) for name in shown)]
            for model in comparison.models
        ],
    )
    if first.judged:
        yield Grid(
            "judged (docs/judge.md): means with 95 % intervals, of answers judged in all logs",
            ["model", *(f"{name} ({found.count})" for name, found in first.judged.items())],
            [[model.name, *map(_judged, model.judged.values())] for model in comparison.models],
        )
    others = comparison.models[1:]
    if others:
        several = len(others) > 1
        yield Grid(
            f"difference from {first.name}, in percentage points",
            ["model", "measure", "difference", "95 % interval", "p bootstrap", "p permutation"]
            + (["Holm bootstrap", "Holm permutation"] if several else []),
            [
                [model.name, name, *_difference_cells(model.differences[name], several)]
                for model in others
                for name in setting.measures
                if name in model.differences
            ],
            texts=2,
        )
    if comparison.questions:
        yield _questions(comparison)


def _judged(score: Estimate) -> str:
    return f"{score.mean:.4f} ({score.low:.3f} - {score.high:.3f})"


def _with_interval(score: Estimate) -> str:
    return f"{score.mean * 100:.2f} ({score.low * 100:.1f} - {score.high * 100:.1f})"


def _difference_cells(difference: Difference, several: bool) -> Sequence[str]:
    cells = [
        f"{difference.mean * 100:+.2f}",
        f"{difference.low * 100:+.1f} to {difference.high * 100:+.1f}",
        f"{difference.p_bootstrap:.4f}",
        f"{difference.p_permutation:.4f}",
    ]
    if several:
        cells += [f"{difference.holm_bootstrap:.4f}", f"{difference.holm_permutation:.4f}"]
    return cells


# More models than this are too many columns: the best and the worst are named instead.
_COLUMNS = 4
_TEXT_SHOWN = 70


def _questions(comparison: Comparison) -> Grid:
    names = [model.name for model in comparison.models]
    few = len(names) <= _COLUMNS
    rows = []
    for question in comparison.questions:
        points = [f"{point:.2f}" for point in question.points]
        if not few:
            places = sorted(range(len(points)), key=question.points.__getitem__)
            points = [f"{points[place]} {names[place]}" for place in (places[0], places[-1])]
        text = " ".join(question.text.split())
        if len(text) > _TEXT_SHOWN:
            text = text[: _TEXT_SHOWN - 1] + "…"
        rows.append([question.id, text, *points, str(question.conditions)])
    return Grid(
        "questions on which they differ most: points of so many conditions",
        ["id", "question", *(names if few else ["worst", "best"]), "of"],
        rows,
        texts=2,
    )
