"""A comparison as tables for the screen, Markdown or LaTeX, as CSV, JSON, or a model card's YAML.

The first three show per cent and the chosen measures; CSV and JSON hold everything, as shares.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from ragifeval import __version__
from ragifeval.results.compare.comparison import MEASURES, Comparison, Difference
from ragifeval.run.summary import group_grid, shown_rates
from ragifeval.scoring.rates import OF_VARIANTS, as_text
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import AGGREGATES, Estimate
from ragifeval.tables import WIDTH, Grid, one_line, plural

# With more models than this, the table of questions names the best and the worst only.
_MODEL_COLUMNS = 4
_QUESTION_LENGTH = 70


def grids(comparison: Comparison, *, is_compact: bool = False) -> Iterator[Grid]:
    """Yield the tables: scores, rates, groups, costs, judged scores, differences, questions.

    Args:
        is_compact: for 80 columns: intervals as ±, conditions without them.
    """
    percent = _plus_minus if is_compact else _percent
    setting = comparison.setting
    first, *others = comparison.models
    measures = [name for name in MEASURES if name in first.scores]
    means = [name for name in measures if name in AGGREGATES] if is_compact else measures
    told = "± half of the 95 % interval" if is_compact else "with 95 % intervals"
    yield Grid(
        f"{plural(comparison.samples, 'sample')}, rule {setting.matching}, per cent {told}",
        ["model", *means],
        [
            [model.name, *(percent(model.scores[name]) for name in means)]
            for model in comparison.models
        ],
    )
    if conditions := [name for name in measures if name not in means]:
        yield Grid(
            "conditions, per cent",
            ["model", *conditions],
            [
                [model.name, *(f"{model.scores[name].mean * 100:.2f}" for name in conditions)]
                for model in comparison.models
            ],
        )
    yield _rates(comparison, is_compact)
    yield from _groups(comparison, is_compact)
    yield from _performance(comparison)
    if first.judged:
        yield Grid(
            "judged (docs/judge.md): means with 95 % intervals, of answers judged in all logs",
            ["model", *(f"{name} ({score.count})" for name, score in first.judged.items())],
            [[model.name, *map(_judged, model.judged.values())] for model in comparison.models],
        )
    if others:
        yield _differences(comparison, is_compact)
    yield _power(comparison, [name for name in setting.measures if name in first.scores])
    if comparison.questions:
        yield _questions(comparison)


def _plus_minus(score: Estimate) -> str:
    return f"{score.mean * 100:.2f} ±{(score.high - score.low) * 50:.1f}"


def _compact(difference: Difference, corrected: bool) -> Sequence[str]:
    half = (difference.high - difference.low) * 50
    p = difference.holm_permutation if corrected else difference.p_permutation
    return [f"{difference.mean * 100:+.2f} ±{half:.1f}", f"{p:.4f}"]


def _percent(score: Estimate) -> str:
    return f"{score.mean * 100:.2f} ({score.low * 100:.1f} - {score.high * 100:.1f})"


_FIRST_RATES = (
    *("right", "partly", "wrong", "false_refusal", "no_refusal"),
    *OF_VARIANTS,
    "len_words",
)


def _rates(comparison: Comparison, is_compact: bool) -> Grid:
    rates = comparison.models[0].rates
    names = shown_rates([model.rates for model in comparison.models])
    if is_compact:
        names = [name for name in names if name in _FIRST_RATES]
    return Grid(
        "rates, per cent of the answers that each is about "
        + ("(all: --wide)" if is_compact else "(docs/reading-the-numbers.md)"),
        ["model", *(name if is_compact else f"{name} ({rates[name].count})" for name in names)],
        [
            [model.name, *(as_text(name, model.rates[name].mean, 1) for name in names)]
            for model in comparison.models
        ],
    )


def _groups(comparison: Comparison, is_compact: bool, name: str = "") -> Iterator[Grid]:
    """The table of groups of questions, where they are asked for.

    Args:
        name: of what is compared, where that is told.
    """
    setting = comparison.setting
    if comparison.models[0].groups:
        told = f"{name}, " if name else ""
        yield group_grid(
            f"{told}by {setting.grouping}, rule {setting.matching}, per cent",
            [str(setting.grouping), "model", "questions"],
            [
                ([group, model.name, str(model.groups[group]["right"].count)], model.groups[group])
                for group in comparison.models[0].groups
                for model in comparison.models
            ],
            wide=not is_compact,
        )


_FIGURES = (
    ("prompt_tokens", "tokens in", ",.0f"),
    ("completion_tokens", "tokens out", ",.0f"),
    ("median_seconds", "median s", ".2f"),
    ("p95_seconds", "p95 s", ".2f"),
    ("wall_seconds", "wall s", ",.0f"),
    ("tokens_per_second", "tokens/s", ",.0f"),
    ("retries", "retries", "d"),
    ("cost", "cost", ".4f"),
    ("cost_per_1000", "per 1,000", ".4f"),
)


def _performance(comparison: Comparison) -> Iterator[Grid]:
    """The table of what answers took, where a log tells it."""
    figures = [asdict(model.performance) for model in comparison.models]
    shown = [row for row in _FIGURES if any(found[row[0]] for found in figures)]
    if shown:
        yield Grid(
            "cost and speed, of all answers of each log",
            ["model", *(title for _, title, _ in shown)],
            [
                [
                    model.name,
                    *(
                        "" if found[name] is None else f"{found[name]:{form}}"
                        for name, _, form in shown
                    ),
                ]
                for model, found in zip(comparison.models, figures, strict=True)
            ],
        )


def _power(comparison: Comparison, measures: Sequence[str]) -> Grid:
    """What so many questions can show; of one log, how wide its intervals are."""
    first, *others = comparison.models
    if not others:
        scores = [first.scores[name] for name in measures]
        return Grid(
            "half the width of the 95 % intervals, in percentage points",
            ["model", *measures],
            [[first.name, *(f"{(score.high - score.low) * 50:.1f}" for score in scores)]],
        )
    return Grid(
        f"what {plural(comparison.samples, 'question')} can show, with 80 % power at p < 0.05",
        ["model", "measure", "difference", "smallest shown", "questions needed"],
        [
            [
                *(model.name, name, f"{found.mean * 100:+.2f}"),
                "-" if found.detectable is None else f"{found.detectable * 100:.1f}",
                "-" if found.needed is None else _approximate(found.needed),
            ]
            for model in others
            for name in measures
            if (found := model.differences.get(name))
        ],
        align="ll",
    )


def _approximate(count: int) -> str:
    """Two digits: more would claim to know the true difference; none where it is few."""
    return f"about {round(count, 2 - len(str(count))):,}" if count >= 30 else "under 30"


def _judged(score: Estimate) -> str:
    return f"{score.mean:.4f} ({score.low:.3f} - {score.high:.3f})"


def _differences(comparison: Comparison, is_compact: bool) -> Grid:
    first, *others = comparison.models
    # Holm's correction changes nothing where there is one comparison.
    corrected = len(others) > 1
    if is_compact:
        columns = ["p, Holm's" if corrected else "p"]
    else:
        columns = ["95 % interval", "p bootstrap", "p permutation"]
        columns += ["Holm bootstrap", "Holm permutation"] if corrected else []
    rows = []
    for model in others:
        for name in comparison.setting.measures:
            if difference := model.differences.get(name):
                cells = _compact(difference, corrected) if is_compact else _difference(difference)
                rows.append([model.name, name, *cells[: 1 + len(columns)]])
    return Grid(
        f"difference from {first.name}, in percentage points",
        ["model", "measure", "difference", *columns],
        rows,
        align="ll",
    )


def _difference(difference: Difference) -> Sequence[str]:
    mean, low, high, _, _, *p_values = asdict(difference).values()
    interval = f"{low * 100:+.1f} to {high * 100:+.1f}"
    return [f"{mean * 100:+.2f}", interval, *(f"{p:.4f}" for p in p_values)]


def _questions(comparison: Comparison) -> Grid:
    names = [model.name for model in comparison.models]
    few = len(names) <= _MODEL_COLUMNS
    rows = []
    for question in comparison.questions:
        points = [f"{point:.2f}" for point in question.points]
        if not few:
            places = sorted(range(len(points)), key=question.points.__getitem__)
            points = [f"{points[place]} {names[place]}" for place in (places[0], places[-1])]
        text = " ".join(question.text.split())
        if len(text) > _QUESTION_LENGTH:
            text = text[: _QUESTION_LENGTH - 1] + "…"
        rows.append([question.id, text, *points, str(question.conditions)])
    return Grid(
        "questions on which they differ most: points of so many conditions",
        ["id", "question", *(names if few else ["worst", "best"]), "of"],
        rows,
        align="ll" if few else "llll",
    )


def _as_tables(
    render: Callable[[Grid], str], signature: Callable[[str], str], *, is_compact: bool = False
) -> Callable[[Comparison], str]:
    """A format that shows the grids, then the signature in a form of its own."""

    def show(comparison: Comparison) -> str:
        parts = [render(grid) for grid in grids(comparison, is_compact=is_compact)]
        if comparison.setting.signature:
            parts.append(signature(comparison.setting.signature))
        return "\n\n".join(parts)

    return show


def as_csv(comparison: Comparison) -> str:
    """One row a model and measure."""
    numbers = [field.name for field in fields(Difference)][3:]
    columns = ["model", "log", "measure", "mean", "low", "high", "count"]
    columns += ["difference", "difference_low", "difference_high", *numbers]
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
    writer.writeheader()
    grouping = comparison.setting.grouping
    for model in comparison.models:
        judged = {f"judged {name}": score for name, score in model.judged.items()}
        rates = {f"rate {name}": rate for name, rate in model.rates.items()}
        groups = {
            f"{'' if name == 'total' else 'rate '}{name} {grouping} {group}": score
            for group, found in model.groups.items()
            for name, score in found.items()
        }
        for name, score in {**model.scores, **rates, **groups, **judged}.items():
            row = {
                "model": _cell(model.name),
                "log": _cell(model.log),
                "measure": _cell(name),
                **asdict(score),
            }
            if name in model.differences:
                row |= zip(columns[7:], asdict(model.differences[name]).values(), strict=True)
            writer.writerow(row)
    return file.getvalue().rstrip("\n")


def _cell(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    text = one_line(text)
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) else text


def as_json(comparison: Comparison) -> str:
    """One object with all that is known."""
    return json.dumps(_as_object(comparison), ensure_ascii=False, indent=2)


def _as_object(comparison: Comparison) -> dict[str, Any]:
    known = asdict(comparison)
    setting = known.pop("setting")
    del setting["measures"], setting["grouping"]
    return {**setting, **known}


def as_model_index(comparison: Comparison) -> str:
    """What the Hugging Face Hub shows as evaluation results.

    For each model a YAML document: what goes between the lines `---` at the head of its README.md.
    A list of results is written as JSON, which YAML reads.
    """
    signature = comparison.setting.signature
    name = Signature.parse(signature or "").data_name
    arguments = {"harness": f"ragifeval {__version__}"}
    if signature:
        arguments["signature"] = signature
    cards = []
    for model in comparison.models:
        metrics = [
            {
                "type": measure,
                "name": measure if measure in AGGREGATES else f"{measure} (one condition)",
                "value": round(score.mean * 100, 2),
                "args": {
                    "low": round(score.low * 100, 2),
                    "high": round(score.high * 100, 2),
                    "count": score.count,
                },
            }
            for measure, score in model.scores.items()
        ]
        entry = {
            "name": model.name,
            "results": [
                {
                    "task": {
                        "type": "text-generation",
                        "name": "Retrieval-augmented generation",
                    },
                    "dataset": {
                        "type": name or "own-data",
                        "name": name or "data of the user's own",
                        "args": arguments,
                    },
                    "metrics": metrics,
                }
            ],
        }
        cards.append("model-index: " + json.dumps([entry], ensure_ascii=False, indent=2))
    return "\n---\n".join(cards)


Compared = Mapping[str, Comparison]
"""What is compared, by its variant, its set, or both."""


def total_grid(compared: Compared, *, is_compact: bool = False) -> Grid:
    """A row for each of what is compared, and each model.

    Args:
        is_compact: for 80 columns: intervals as ±.
    """
    rows = []
    first = next(iter(compared.values()))
    for name, comparison in compared.items():
        corrected = len(comparison.models) > 2
        for model in comparison.models:
            total, difference = model.scores["total"], model.differences.get("total")
            cells = [name, model.name, str(comparison.samples)]
            cells.append(_plus_minus(total) if is_compact else _percent(total))
            if is_compact:
                cells += _compact(difference, corrected) if difference else ["", ""]
            elif difference:
                mean, interval, *_, p_value = _difference(difference)
                cells += [mean, interval, p_value]
            else:
                cells += [""] * 3
            rows.append(cells)
    tests = ["95 % interval", "Holm permutation"]
    columns = ["difference", *(["p"] if is_compact else tests)]
    told = "±" if is_compact else "with 95 % intervals"
    return Grid(
        f"total, rule {first.setting.matching}, per cent {told}, and the difference from "
        f"{first.models[0].name}",
        ["", "model", "samples", "total", *columns],
        rows,
        align="ll",
    )


def _compared_as_json(compared: Compared) -> str:
    content = {name: _as_object(one) for name, one in compared.items()}
    return json.dumps(content, ensure_ascii=False, indent=2)


def _side_by_side(
    render: Callable[[Grid], str], *, is_compact: bool = False
) -> Callable[[Compared], str]:
    """A format that shows the totals, then the groups of each of what is compared."""

    def show(compared: Compared) -> str:
        grids = [total_grid(compared, is_compact=is_compact)]
        for name, comparison in compared.items():
            grids += _groups(comparison, is_compact, name)
        return "\n\n".join(map(render, grids))

    return show


def _for_80_columns(grid: Grid) -> str:
    return grid.text(width=WIDTH)


GRID_FORMATS: Mapping[str, Callable[[Compared], str]] = {
    "table": _side_by_side(_for_80_columns, is_compact=True),
    "wide": _side_by_side(Grid.text),
    "markdown": _side_by_side(Grid.markdown),
    "json": _compared_as_json,
    "latex": _side_by_side(Grid.latex),
}
"""The formats of all variants, or of several sets, side by side."""

FORMATS: Mapping[str, Callable[[Comparison], str]] = {
    "table": _as_tables(
        _for_80_columns, lambda line: Signature.parse(line).folded, is_compact=True
    ),
    "wide": _as_tables(Grid.text, str),
    "markdown": _as_tables(Grid.markdown, "`{}`".format),
    "csv": as_csv,
    "json": as_json,
    "latex": _as_tables(Grid.latex, "% {}".format),
    "model-index": as_model_index,
}
