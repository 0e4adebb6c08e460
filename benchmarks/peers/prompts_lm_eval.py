"""The function of prompts.yaml."""

from typing import Any

from datasets import Dataset


def load(prompts: str, **_: Any) -> dict[str, Dataset]:
    """The prompts of a JSONL file as the split `test`."""
    return {"test": Dataset.from_json(prompts)}
