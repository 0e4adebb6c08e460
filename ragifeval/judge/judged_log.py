"""A judged log: the records of the log as they were, each with what the metrics say of it.

    judged           name of a score -> value
    judgements       metric -> what else it says: reason, lists, the model's replies; or `unjudged`
    judge_signature  of the judging

So a judged log of this harness is a log: `compare` and `report` read it like the one that it was
made from, and show the judged scores beside the others. The model's replies stand, as they came, in
OUT.replies.jsonl beside it; from there a judging that was stopped goes on.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragifeval.errors import UserError
from ragifeval.files import locked, write_json, written_beside
from ragifeval.judge.items import Item, Judgement
from ragifeval.judge.metrics import MODEL_METRICS
from ragifeval.results.outputs import summary_path
from ragifeval.scoring.signature import Signature
from ragifeval.tables import plural

Judgements = Mapping[str, Judgement]
"""Metric -> what it says of one answer."""

_DEPENDING: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("model", "prompts", "structured"), MODEL_METRICS),
    "language": (*MODEL_METRICS, "lexical"),
    "threshold": ("correctness",),
    "window": ("faithfulness",),
    "k": ("retrieval",),
    **dict.fromkeys(("bertscore_model", "embedding_model"), ("lexical",)),
}
"""Part of the signature -> the metrics that depend on it; one that is not here, all do."""


def replies_path(path: Path) -> Path:
    """OUT.replies.jsonl beside OUT.jsonl."""
    return path.with_name(path.name.removesuffix(".jsonl") + ".replies.jsonl")


def check_replaceable(path: Path, signature: Signature, items: Sequence[Item]) -> None:
    """Refuse to replace anything but a judged log that says no more than the new one will.

    Args:
        items: the answers of the new one.

    Raises:
        UserError: the file is another one, was judged otherwise, or holds other answers.
    """
    lost = Counter[tuple[str, str | None]]()
    signatures: dict[str, None] = {}
    try:
        with path.open(encoding="utf-8") as file:
            for record in map(json.loads, file):
                signatures.setdefault(str(record["judge_signature"]))
                if record["answer"] is not None:
                    lost[record["id"], record["answer"]] += 1
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError):
        raise UserError(f"-o: {path} cannot be read; name another one, or --overwrite it") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UserError(
            f"-o: {path} is no judged log; name another one, or --overwrite it"
        ) from None
    apart = [part for line in signatures for part in _apart(Signature.parse(line), signature)]
    if apart:
        raise UserError(
            f"-o: {path} was judged by a run that differs in: {', '.join(dict.fromkeys(apart))}; "
            "name another one, or --overwrite it"
        )
    lost.subtract((item.id, item.record.get("answer")) for item in items)
    if count := (+lost).total():
        raise UserError(
            f"-o: {path} would lose {plural(count, 'answer')}; name another one, or --overwrite it"
        )


def _apart(old: Signature, new: Signature) -> Iterator[str]:
    """The parts that make what the old judging says untrue of the new one."""
    before, now = (set(one.parts.get("metrics", "").split("+")) for one in (old, new))
    for part in new.differences(old):
        if part == "metrics" and before <= now:
            continue
        if part not in _DEPENDING or before & set(_DEPENDING[part]):
            yield part


def write_judged(
    path: Path,
    items: Sequence[Item],
    judged: Sequence[Judgements],
    signature: Signature,
    summary: Mapping[str, Any],
) -> None:
    """Write the judged log, and OUT.summary.json; each takes its name once it is whole.

    Raises:
        UserError: they cannot be written.
    """
    try:
        with locked(path, only_if_in_use=True), written_beside(path) as file:
            for record in _records(items, judged, signature):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        write_json(summary_path(path), summary)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def _records(
    items: Sequence[Item], judged: Sequence[Judgements], signature: Signature
) -> Iterator[Mapping[str, Any]]:
    for item, judgements in zip(items, judged, strict=True):
        yield {
            **item.record,
            "id": item.id,
            "judged": {
                name: value for found in judgements.values() for name, value in found.scores.items()
            },
            "judgements": {name: _kept(found) for name, found in judgements.items()},
            "judge_signature": str(signature),
        }


def _kept(judgement: Judgement) -> dict[str, Any]:
    kept = dict(judgement.detail)
    if judgement.unjudged is not None:
        kept["unjudged"] = judgement.unjudged
    if judgement.replies:
        kept["replies"] = list(judgement.replies)
    return kept
