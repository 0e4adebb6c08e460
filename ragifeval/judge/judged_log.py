"""A judged log: the records of the log as they were, each with what the metrics say of it.

    judged           name of a score -> value
    judgements       metric -> what else it says: reason, lists, the model's replies; or `unjudged`
    judge_signature  of the judging

So a judged log is a log: `compare` and `report` read it like the one that it was made from, and
show the judged scores beside the others. The model's replies stand, as they came, in
OUT.replies.jsonl beside it; from there a judging that was stopped goes on.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragifeval.errors import UserError
from ragifeval.judge.chains import Judgement
from ragifeval.judge.items import Item
from ragifeval.rescore.log import RescoredLog
from ragifeval.signature import Signature

Judgements = Mapping[str, Judgement]
"""Metric -> what it says of one answer."""


def replies_path(path: Path) -> Path:
    """OUT.replies.jsonl beside OUT.jsonl."""
    return path.with_name(path.name.removesuffix(".jsonl") + ".replies.jsonl")


def check_replaceable(path: Path, signature: Signature) -> None:
    """Refuse to replace anything but a judged log that says no more than the new one will.

    Raises:
        UserError: the file is another one, or was judged otherwise.
    """
    try:
        with path.open(encoding="utf-8") as file:
            line = file.readline()
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError):
        raise UserError(f"-o: {path} cannot be read; name another one, or --overwrite it") from None
    if not line:
        return
    try:
        record = json.loads(line)
        old = Signature.parse(record["judge_signature"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UserError(
            f"-o: {path} is no judged log; name another one, or --overwrite it"
        ) from None
    apart = list(signature.differences(old))
    before, now = (parts.parts.get("metrics", "").split("+") for parts in (old, signature))
    if "metrics" in apart and set(before) <= set(now):
        apart.remove("metrics")
    if apart:
        raise UserError(
            f"-o: {path} was judged by a run that differs in: {', '.join(apart)}; name another "
            "one, or --overwrite it"
        )


def write_judged(
    path: Path,
    items: Sequence[Item],
    judged: Sequence[Judgements],
    signature: Signature,
    summary: Mapping[str, Any],
) -> None:
    """Write the judged log, and OUT.summary.json; each takes its name once it is whole."""
    log = RescoredLog(path)
    try:
        log.write(list(_lines(items, judged, signature)))
        log.finish(summary)
    except BaseException:
        log.discard()
        raise


def _lines(
    items: Sequence[Item], judged: Sequence[Judgements], signature: Signature
) -> Iterator[bytes]:
    for item, judgements in zip(items, judged, strict=True):
        record = {
            **item.record,
            "id": item.id,
            "judged": {
                name: value for found in judgements.values() for name, value in found.scores.items()
            },
            "judgements": {name: _kept(found) for name, found in judgements.items()},
            "judge_signature": str(signature),
        }
        text = json.dumps(record, ensure_ascii=False) + "\n"
        yield text.encode(errors="backslashreplace")


def _kept(judgement: Judgement) -> dict[str, Any]:
    kept = dict(judgement.detail)
    if judgement.unjudged is not None:
        kept["unjudged"] = judgement.unjudged
    if judgement.replies:
        kept["replies"] = list(judgement.replies)
    return kept
