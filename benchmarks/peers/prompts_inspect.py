"""Prompts from a file as a task of inspect_ai, with the cheapest of its scorers."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


@task
def prompts(prompts: str) -> Task:
    """The prompts of a JSONL file."""
    rows = [json.loads(line) for line in Path(prompts).read_text(encoding="utf-8").splitlines()]
    samples = [
        Sample(
            id=row["id"],
            input=[ChatMessageSystem(content=row["system"]), ChatMessageUser(content=row["user"])],
            target=row["refusal"],
        )
        for row in rows
    ]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
