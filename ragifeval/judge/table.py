"""The means of judged scores, over the answers that were judged, and how many were not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from ragifeval.judge.chains import Judgement


@dataclass(frozen=True)
class Row:
    """One score.

    Attributes:
        mean: None where no answer was judged.
        settings: how it is computed, in words.
    """

    metric: str
    name: str
    mean: float | None
    judged: int
    unjudged: int
    settings: str


def rows(
    metrics: Mapping[str, Mapping[str, str]], judged: Sequence[Mapping[str, Judgement]]
) -> list[Row]:
    """One row a score.

    Args:
        metrics: metric -> name of a score -> its settings.
        judged: metric -> judgement, for each answer.
    """
    found = []
    for metric, names in metrics.items():
        for name, settings in names.items():
            values = [
                row[metric].scores[name]
                for row in judged
                if metric in row and name in row[metric].scores
            ]
            mean = fsum(values) / len(values) if values else None
            found.append(Row(metric, name, mean, len(values), len(judged) - len(values), settings))
    return found


def table(title: str, found: Sequence[Row], signature: str) -> str:
    """A title, the rows, the signature."""
    header = ["", "mean", "judged", "unjudged"]
    cells = [
        [
            row.name,
            "-" if row.mean is None else f"{row.mean:.4f}",
            str(row.judged),
            str(row.unjudged),
        ]
        for row in found
    ]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    lines = [title, ""]
    for row, settings in zip([header, *cells], ["", *(row.settings for row in found)], strict=True):
        texts = [row[0].ljust(widths[0])]
        texts += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([*texts, settings]).rstrip())
    return "\n".join([*lines, "", signature])


def reasons(judged: Sequence[Mapping[str, Judgement]], metric: str) -> list[tuple[str, int]]:
    """Why answers are unjudged by a metric, the most frequent reason first."""
    found = (row[metric].unjudged if metric in row else "not asked" for row in judged)
    return Counter(reason for reason in found if reason is not None).most_common()
