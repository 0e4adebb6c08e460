"""The result of a judging: the table of means, notes for the screen, OUT.summary.json."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum

from ragifeval.judge.items import Judgement
from ragifeval.judge.judging import JudgePlan
from ragifeval.run.summary import versions
from ragifeval.tables import Grid, plural

_REASONS_SHOWN = 5

Judged = Sequence[Mapping[str, Judgement]]
"""Metric -> judgement, for each answer."""


@dataclass(frozen=True)
class Row:
    """One score.

    Attributes:
        mean: over the answers that were judged; None where none was.
        settings: how it is computed, in words.
    """

    metric: str
    name: str
    mean: float | None
    judged: int
    unjudged: int
    settings: str


def rows(settings: Mapping[str, Mapping[str, str]], judged: Judged) -> list[Row]:
    """One row a score.

    Args:
        settings: metric -> name of a score -> how it is computed.
    """
    found = []
    for metric, scores in settings.items():
        for name, words in scores.items():
            values = [
                row[metric].scores[name]
                for row in judged
                if metric in row and name in row[metric].scores
            ]
            mean = fsum(values) / len(values) if values else None
            found.append(Row(metric, name, mean, len(values), len(judged) - len(values), words))
    return found


def table(title: str, found: Sequence[Row], signature: str) -> str:
    """A title, the rows, the signature."""
    cells = [
        [
            row.name,
            "-" if row.mean is None else f"{row.mean:.4f}",
            *(str(row.judged), str(row.unjudged), row.settings),
        ]
        for row in found
    ]
    grid = Grid(title, ["", "mean", "judged", "unjudged", ""], cells, align="lrrrl")
    return f"{grid.text(ruled=False)}\n\n{signature}"


def reasons(judged: Judged, metric: str) -> list[tuple[str, int]]:
    """Why answers are unjudged by a metric, the most frequent reason first."""
    found = (row[metric].unjudged if metric in row else "not asked" for row in judged)
    return Counter(reason for reason in found if reason is not None).most_common()


def notes(metrics: Sequence[str], judged: Judged) -> Iterator[str]:
    """Yield what the reader of the table ought to know."""
    for metric in metrics:
        found = reasons(judged, metric)
        for reason, count in found[:_REASONS_SHOWN]:
            yield f"{metric}: {count} unjudged: {reason}"
        if len(found) > _REASONS_SHOWN:
            rest = sum(count for _, count in found[_REASONS_SHOWN:])
            yield f"{metric}: {rest} unjudged for other reasons"
    count = sum("disagreements" in row["claims"].detail for row in judged if "claims" in row)
    if count:
        told = plural(count, "reply counts", "replies count")
        yield f"claims: {told} other claims than listed there; see the judged log"
    lexical = [row["lexical"] for row in judged if "lexical" in row]
    failed = {text for one in lexical if not one.unjudged for text in one.detail.values()}
    yield from sorted(f"unjudged: {text}" for text in failed)


def summary(
    plan: JudgePlan, found: Sequence[Row], judged: Judged, interrupted: bool
) -> dict[str, object]:
    """What OUT.summary.json holds."""
    return {
        "status": "partial" if interrupted else "complete",
        "answers": len(judged),
        "judged": {row.name: asdict(row) for row in found},
        "unjudged": {metric: dict(reasons(judged, metric)) for metric in plan.metrics},
        "judge_signature": str(plan.signature),
        "signature_parts": dict(plan.signature.parts),
        "model_config": plan.config.public_settings() if plan.config is not None else None,
        "versions": versions(),
    }
