"""A comparison as a table for the screen, as Markdown, LaTeX, CSV, JSON, or a model card's YAML.

The first three show per cent and the chosen measures; CSV and JSON hold everything, as shares.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields

from ragifeval.results.compare.comparison import Comparison, Difference
from ragifeval.results.compare.grids import Setting, grids
from ragifeval.scoring.statistics import AGGREGATES


def as_text(comparison: Comparison, setting: Setting) -> str:
    """Tables for the screen."""
    parts = []
    for grid in grids(comparison, setting):
        widths = [max(map(len, column)) for column in zip(grid.header, *grid.rows, strict=True)]
        lines = [grid.title, ""]
        for row in (grid.header, ["-" * width for width in widths], *grid.rows):
            cells = zip(row, widths, range(len(row)), strict=True)
            lines.append(
                "  ".join(
                    cell.ljust(width) if column < grid.texts else cell.rjust(width)
                    for cell, width, column in cells
                ).rstrip()
            )
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, *([setting.signature] if setting.signature else [])])


def as_markdown(comparison: Comparison, setting: Setting) -> str:
    """Tables of GitHub's Markdown."""

    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    parts = []
    for grid in grids(comparison, setting):
        rule = ["---" if column < grid.texts else "---:" for column in range(len(grid.header))]
        lines = [f"{grid.title[0].upper()}{grid.title[1:]}:", "", row(grid.header)]
        parts.append("\n".join([*lines, row(rule), *map(row, grid.rows)]))
    return "\n\n".join([*parts, *([f"`{setting.signature}`"] if setting.signature else [])])


def as_latex(comparison: Comparison, setting: Setting) -> str:
    """Tables for the package booktabs."""
    parts = []
    for grid in grids(comparison, setting):
        columns = "l" * grid.texts + "r" * (len(grid.header) - grid.texts)
        rows = [" & ".join(map(_latex, row)) + r" \\" for row in (grid.header, *grid.rows)]
        lines = [f"% {grid.title}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0]]
        parts.append("\n".join([*lines, r"\midrule", *rows[1:], r"\bottomrule", r"\end{tabular}"]))
    return "\n\n".join([*parts, *([f"% {setting.signature}"] if setting.signature else [])])


_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "…": r"\dots{}",
    }
)


def _latex(text: str) -> str:
    return text.translate(_LATEX).replace(" - ", "--")


def as_csv(comparison: Comparison, setting: Setting) -> str:
    """One row a model and measure."""
    numbers = [field.name for field in fields(Difference)][3:]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        [
            *("model", "log", "measure", "mean", "low", "high", "count"),
            *("difference", "difference_low", "difference_high", *numbers),
        ]
    )
    for model in comparison.models:
        for name, score in model.scores.items():
            cells = [model.name, model.log, name, score.mean, score.low, score.high, score.count]
            difference = model.differences.get(name)
            more = asdict(difference).values() if difference else [""] * (3 + len(numbers))
            writer.writerow([*cells, *more])
        for name, score in model.judged.items():
            cells = [model.name, model.log, f"judged {name}", score.mean, score.low, score.high]
            writer.writerow([*cells, score.count, *[""] * (3 + len(numbers))])
    return file.getvalue().rstrip("\n")


def as_json(comparison: Comparison, setting: Setting) -> str:
    """One object with all that is known."""
    value = {
        "matching": setting.matching,
        "signature": setting.signature,
        "seed": setting.seed,
        "draws": setting.draws,
        **asdict(comparison),
    }
    return json.dumps(value, ensure_ascii=False, indent=2)


def as_model_index(comparison: Comparison, setting: Setting) -> str:
    """What the Hugging Face Hub shows as evaluation results.

    For each model a YAML document: what goes between the lines `---` at the head of its README.md.
    """
    from huggingface_hub import EvalResult, ModelCardData

    cards = []
    for model in comparison.models:
        results = [
            EvalResult(
                task_type="text-generation",
                task_name="Retrieval-augmented generation",
                dataset_type="rag-ifeval",
                dataset_name="RAG-IFEval (Polish)",
                dataset_args={"signature": setting.signature} if setting.signature else None,
                metric_type=name,
                metric_name=name if name in AGGREGATES else f"{name} (one condition)",
                metric_value=round(score.mean * 100, 2),
                metric_args={
                    "low": round(score.low * 100, 2),
                    "high": round(score.high * 100, 2),
                    "count": score.count,
                },
            )
            for name, score in model.scores.items()
        ]
        cards.append(ModelCardData(model_name=model.name, eval_results=results).to_yaml())
    return "\n---\n".join(cards)


FORMATS: Mapping[str, Callable[[Comparison, Setting], str]] = {
    "table": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
    "json": as_json,
    "latex": as_latex,
    "model-index": as_model_index,
}
