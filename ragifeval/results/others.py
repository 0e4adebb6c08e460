"""Logs of other harnesses as records of ours: samples of lm_eval, .eval and .json of inspect_ai.

They hold what our tasks put there: the sample, its context, the signature, scores by both rules.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragifeval.benchmark.variants.variants import CORE
from ragifeval.errors import UserError
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.rates import LENGTHS, OF_VARIANTS, observe

_BY_WORDS = "_by_words"


def is_inspect_log(path: Path) -> bool:
    """Whether a file is a log of inspect_ai, by its ending and its first bytes."""
    if path.suffix == ".eval":
        return path.is_file() and zipfile.is_zipfile(path)
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(400)
    return head.lstrip().startswith(b"{") and b'"eval"' in head and b'"version"' in head


def read_inspect_log(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, record) of each answer, in the order of the data.

    Raises:
        UserError: it cannot be read, or is of another task than ours.
    """
    try:
        log = _archive(path) if path.suffix == ".eval" else json.loads(path.read_bytes())
        told, samples = log["eval"], log["samples"]
        signature = f"{told['metadata']['signature']}|model:{told['model']}#inspect"
        ordered = sorted(samples, key=lambda sample: (sample["epoch"], sample["metadata"]["place"]))
        records = [_from_inspect(sample, signature, told) for sample in ordered]
    except (KeyError, TypeError, IndexError, AttributeError):
        raise UserError(f"{path}: is no log of the task rag_ifeval of inspect_ai") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    yield from enumerate(records, start=1)


def _archive(path: Path) -> dict[str, Any]:
    """An .eval file as one object; its packing is inspect_ai's own affair."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise UserError(
            f"{path}: needs inspect_ai to be read; or name what `inspect log dump` makes of it, "
            "a .json file"
        ) from None
    log: dict[str, Any] = read_eval_log(str(path)).model_dump(mode="json")
    return log


def _from_inspect(
    sample: Mapping[str, Any], signature: str, told: Mapping[str, Any]
) -> dict[str, Any]:
    asked, output = sample["metadata"], sample["output"]
    choices = output.get("choices") or [{}]
    usage = output.get("usage") or {}
    text = output.get("completion") if not sample.get("error") else None
    error = (sample.get("error") or {}).get("message")
    scored = (sample.get("scores") or {}).get("conditions", {}).get("value")
    reason = {"max_tokens": "length"}.get(str(choices[0].get("stop_reason")))
    return {
        "id": sample["id"],
        "question": asked["question"],
        "category": asked.get("category"),
        "variant": asked.get("variant", CORE),
        "context": asked["context"],
        "answer": text,
        **_scores(scored),
        "observed": None
        if text is None
        else observe(asked["expect"], asked["context"], text, asked["refusal_message"]),
        "finish_reason": reason or choices[0].get("stop_reason"),
        "usage": {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
        },
        "seconds": output.get("time"),
        "error": error,
        "signature": signature,
        "model": told["model"],
    }


def from_lm_eval(record: Mapping[str, Any], path: Path) -> dict[str, Any] | None:
    """The record of a line of lm_eval's --log_samples; None where it is none of our task's.

    Args:
        path: of the file; its folder is named after the model.
    """
    row, answers = record.get("doc"), record.get("filtered_resps")
    if not isinstance(row, dict) or not isinstance(answers, list) or "signature" not in row:
        return None
    return {
        "id": row.get("id"),
        "question": row.get("question"),
        "category": row.get("category") or None,
        "variant": row.get("variant", CORE),
        "context": row.get("context"),
        "answer": answers[0] if answers and isinstance(answers[0], str) else None,
        **_scores(record),
        "error": None if answers else "lm_eval logged no answer",
        "signature": f"{row['signature']}|model:{path.parent.name}#lm_eval",
        "model": path.parent.name,
    }


def _scores(found: object) -> dict[str, Any]:
    """The scores under both rules, of one object that holds them side by side."""
    if not isinstance(found, dict):
        return {"scores": None, "scores_words": None}
    known = (*LENGTHS, *OF_VARIANTS, *(k for c in REGISTRY.values() for k in c.keys))
    scores = {key: found[key] for key in known if isinstance(found.get(key), int | float)}
    words = {key: found.get(key + _BY_WORDS, value) for key, value in scores.items()}
    return {"scores": scores, "scores_words": words}
