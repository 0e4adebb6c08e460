"""What a judging came to, besides its table: notes for the screen, and OUT.summary.json."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from ragifeval.judge.chains import Judgement
from ragifeval.judge.plan import JudgePlan
from ragifeval.judge.table import Row, reasons
from ragifeval.run.summary import versions

_REASONS_SHOWN = 5


def notes(plan: JudgePlan, judged: Sequence[Mapping[str, Judgement]]) -> Iterator[str]:
    """Yield what the reader of the table ought to know."""
    for metric in plan.metrics:
        found = reasons(judged, metric)
        for reason, count in found[:_REASONS_SHOWN]:
            yield f"{metric}: {count} unjudged: {reason}"
        if len(found) > _REASONS_SHOWN:
            rest = sum(count for _, count in found[_REASONS_SHOWN:])
            yield f"{metric}: {rest} unjudged for other reasons"
    apart = sum("disagreements" in row["claims"].detail for row in judged if "claims" in row)
    if apart:
        yield f"claims: {apart} replies count other claims than they list; see the judged log"
    bare = sum(
        "recall" in row["claims"].scores and "recall_listed" not in row["claims"].scores
        for row in judged
        if "claims" in row
    )
    if bare:
        yield f"claims: {bare} replies count claims without listing them"
    failed = {
        text
        for row in judged
        if "lexical" in row and not row["lexical"].unjudged
        for text in row["lexical"].detail.values()
    }
    yield from sorted(f"unjudged: {text}" for text in failed)


def summary(
    plan: JudgePlan,
    found: Sequence[Row],
    judged: Sequence[Mapping[str, Judgement]],
    interrupted: bool,
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
