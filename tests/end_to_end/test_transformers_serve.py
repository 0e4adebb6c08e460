"""The harness against a server that others wrote: `transformers serve`, with a real model."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate
from tools.testing.process import call, records

LIMIT = 5
MAX_TOKENS = 16


def evaluated(where: str, folder: Path, **settings: Any) -> list[dict[str, Any]]:
    """Evaluate on the first samples of the benchmark."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(settings))
    options = ["--model_config", "config.json", "--log_path", "out.jsonl", "--limit", LIMIT]
    done = call(partial(evaluate, where), *options, cwd=folder)
    assert done.code == 0, done.err
    return sorted(records(folder / "out.jsonl"), key=lambda record: str(record["id"]))


@pytest.mark.skipif(
    not (Path(sys.executable).parent / "transformers").exists(),
    reason="transformers[serving] is not installed",
)
def test_served_model(tiny_model: Path, tmp_path: Path) -> None:
    from tools.servers.check import serving

    name = str(tiny_model)  # a pinned server knows no other
    remote = {"max_tokens": MAX_TOKENS, "threads": 2}
    with serving("transformers", tmp_path, tiny_model) as url:
        found = evaluated("remote", tmp_path / "remote", model=name, api_base=url, **remote)
    assert len(found) == LIMIT
    for record in found:
        assert record["answer"].strip()
        assert 0 < record["usage"]["completion_tokens"] <= MAX_TOKENS
    # The same model, loaded here, says the same.
    local = {"dtype": "float32", "batch_size": 2, "max_new_tokens": MAX_TOKENS, "temperature": 0}
    own = evaluated("local", tmp_path / "local", model=name, **local)
    for one, other in zip(found, own, strict=True):
        for key in ("id", "answer", "scores", "finish_reason"):
            assert one[key] == other[key]
        assert one["usage"]["prompt_tokens"] == other["usage"]["prompt_tokens"]
