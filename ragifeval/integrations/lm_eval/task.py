"""The functions of rag_ifeval.yaml.

A sample is a row of a table here, as lm-evaluation-harness has it: what an answer is scored by
travels in the row, `expect` as JSON.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

# lm_eval reads this file by its path; its script does not look for packages where it is started.
sys.path.append(str(Path(__file__).resolve().parents[3]))

from ragifeval.benchmark.benchmark import Sample
from ragifeval.integrations.evaluation import (
    BY_WORDS,
    OPTIONS,
    PHRASES,
    in_one,
    means,
    prepare,
    standard_error,
)
from ragifeval.run.outcome import variant_of
from ragifeval.scoring.conditions import MADE_BY_VARIANTS, REGISTRY, counted
from ragifeval.scoring.scorer import Scorer, Scores
from ragifeval.scoring.statistics import AGGREGATES

if TYPE_CHECKING:
    from datasets import Dataset

_NAMES = (
    *(key for condition in REGISTRY.values() for key in condition.keys),
    *(key for condition in MADE_BY_VARIANTS.values() for key in condition.keys),
    *(key + BY_WORDS for key in PHRASES),
)

# By signature: several tasks of one run may differ in their options.
_scorers: dict[str, Scorer] = {}


def _fill_stderr() -> None:
    """Let lm_eval tell the standard errors of our two aggregations, as it does of its own."""
    from lm_eval import evaluator_utils

    original = evaluator_utils.stderr_for_metric
    if getattr(original, "knows_rag_ifeval", False):
        return

    def stderr_for_metric(metric: Any, bootstrap_iters: int) -> Any:
        # lm_eval reads the task's file once for each function that its YAML names.
        name = getattr(metric, "__name__", "")
        if getattr(metric, "__module__", "") == "lm_eval.api.metrics" or name not in _ERRORS:
            return original(metric, bootstrap_iters)
        return _ERRORS[name]

    stderr_for_metric.knows_rag_ifeval = True  # type: ignore[attr-defined]
    evaluator_utils.stderr_for_metric = stderr_for_metric


_ERRORS = {
    "mean": lambda scores: standard_error(
        [{} if score is None else {"score": score} for score in scores], "score"
    ),
    "pooled_mean": lambda scores: standard_error(scores, "total"),
}


def load(shuffle_seed: int | None = None, **metadata: Any) -> "dict[str, Dataset]":
    """The samples as the split `test`.

    Args:
        metadata: of the task, with the options of `prepare` among it, and the model's arguments.
    """
    from datasets import Dataset

    _fill_stderr()
    options = {name: metadata[name] for name in OPTIONS if name in metadata}
    evaluation = prepare(shuffle_seed, **options)
    _scorers[evaluation.signature] = evaluation.scorer
    rows = []
    task = evaluation.task
    for sample in task.samples:
        prompt = task.request(sample).prompt
        messages = {message.role: message.content for message in prompt.messages}
        rows.append(
            {
                "id": sample.id,
                "category": sample.category or "",
                "variant": variant_of(sample),
                "question": sample.question,
                "context": [document.id for document in task.documents(sample)],
                "expect": json.dumps(dict(sample.expect), ensure_ascii=False),
                "reference": sample.reference or "",
                "system_message": messages.get("system", ""),
                "prompt": messages["user"] if prompt.text is None else prompt.text,
                "signature": evaluation.signature,
            }
        )
    return {"test": Dataset.from_list(rows)}


def process_results(row: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Score one answer.

    Returns:
        A score's name -> the score, None where the sample has no such condition; and an aggregate's
        name -> what the answer adds to it, by score key.
    """
    context = tuple(row["context"])
    sample = Sample(row["id"], row["question"], context, json.loads(row["expect"]))
    by_rule = _scorers[row["signature"]].score(sample, context, results[0])
    scores: dict[str, Any] = dict.fromkeys(_NAMES)
    scores |= in_one(by_rule)
    for aggregate in AGGREGATES:
        scores[aggregate] = _pooled(by_rule["substring"], aggregate)
    for aggregate in ("correctness", "total"):
        scores[aggregate + BY_WORDS] = _pooled(by_rule["words"], aggregate)
    return scores


def _pooled(scores: Scores, aggregate: str) -> Scores:
    return {
        key: scores[key]
        for key, towards in counted().items()
        if key in scores and aggregate in (towards, "total")
    }


def mean(scores: Sequence[float | None]) -> float:
    """The mean of one score over the samples that have it."""
    return means([{} if score is None else {"score": score} for score in scores]).get("score", nan)


def pooled_mean(scores: Sequence[Scores]) -> float:
    """The mean over all conditions of all samples."""
    return means(scores).get("total", nan)
