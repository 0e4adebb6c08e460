"""Results in the forms that others read: a folder for a web page, the Hub's, Every Eval Ever's."""

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ragifeval import __version__
from ragifeval.results.compare.comparison import Comparison, Model
from ragifeval.results.compare.formats import as_json
from ragifeval.scoring.rates import RATES

EEE_VERSION = "0.3.0"
"""Of the schema of Every Eval Ever that `every_eval_ever` follows."""


def file_name(model: str) -> str:
    """A model's name as a path: OWNER/NAME keeps its slash."""
    parts = model.split("/", maxsplit=1)
    return "/".join(re.sub(r"[^\w.-]+", "_", part).strip("._") or "model" for part in parts)


def files(comparison: Comparison, now: datetime, dataset: str | None) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of each file of the folder, the report aside.

    Args:
        dataset: the benchmark's id on the Hub, OWNER/NAME; None leaves out what the Hub reads.
    """
    yield "results.json", as_json(comparison) + "\n"
    signature = comparison.setting.signature
    best = max(comparison.models, key=lambda model: model.scores["total"].mean)
    yield "badge.json", _text(badge(best))
    for model in comparison.models:
        yield (
            f"every_eval_ever/{datastore_path(model, signature)}",
            _text(every_eval_ever(model, comparison, now)),
        )
        if dataset is not None:
            # JSON is YAML.
            path = f"eval_results/{file_name(model.name)}.yaml"
            yield path, _text(hub_results(model, signature, now, dataset))


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def badge(model: Model) -> dict[str, Any]:
    """What shields.io makes a badge of: https://img.shields.io/endpoint?url=..."""
    percent = model.scores["total"].mean * 100
    label = f"RAG-IFEval: {model.name}"
    return {"schemaVersion": 1, "label": label, "message": f"{percent:.1f} %", "color": "blue"}


def hub_results(
    model: Model, signature: str | None, now: datetime, dataset: str
) -> list[dict[str, Any]]:
    """For .eval_results/ in the model's repository: its aggregates, in per cent."""
    return [
        {
            "dataset": {"id": dataset, "task_id": measure},
            "value": round(model.scores[measure].mean * 100, 2),
            "date": now.isoformat(timespec="seconds"),
            **({"notes": signature} if signature else {}),
        }
        for measure in ("total", "correctness", "safety")
        if measure in model.scores
    ]


def datastore_path(model: Model, signature: str | None) -> str:
    """Where the datastore of Every Eval Ever keeps a record: by the developer and the model.

    The name is the same whenever the same is written, so that a record replaces the one before.
    """
    named = model.name if "/" in model.name else f"unknown/{model.name}"
    digest = hashlib.sha256(f"{model.name} {signature}".encode()).digest()
    record = uuid.UUID(bytes=digest[:16], version=4)
    return f"data/rag-ifeval/{file_name(named)}/{record}.json"


def every_eval_ever(model: Model, comparison: Comparison, now: datetime) -> dict[str, Any]:
    """One model's scores and rates, as shares with their intervals.

    Who asked the model, where it ran, and whether its weights are open, no log tells.
    """
    source = {
        "dataset_name": "rag-ifeval",
        "source_type": "other",
        "additional_details": {"signature": comparison.setting.signature or "unknown"},
    }
    worse = {name for name in model.rates if name not in ("right", "partly", "reasoning")}
    found: Mapping[str, Any] = {
        **model.scores,
        **{name: rate for name, rate in model.rates.items() if name in RATES},
    }
    return {
        "schema_version": EEE_VERSION,
        "evaluation_id": f"rag-ifeval/{model.name}/{int(now.timestamp())}",
        "retrieved_timestamp": str(int(now.timestamp())),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "ragifeval", "version": __version__},
        "model_info": {
            **{"name": model.name, "id": model.name},
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [
            {
                "evaluation_name": name,
                "source_data": source,
                "metric_config": {
                    "lower_is_better": name in worse,
                    **{"score_type": "continuous", "min_score": 0, "max_score": 1},
                },
                "score_details": {
                    "score": score.mean,
                    "details": {
                        "conditions": str(score.count),
                        "rule": comparison.setting.matching,
                    },
                    "uncertainty": {
                        "confidence_interval": {
                            **{"lower": score.low, "upper": score.high},
                            **{"confidence_level": 0.95, "method": "bootstrap over questions"},
                        },
                        "num_samples": comparison.samples,
                        "num_bootstrap_samples": comparison.setting.draws,
                    },
                },
            }
            for name, score in found.items()
        ],
    }
