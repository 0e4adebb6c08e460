"""The harness against a server that others wrote: `transformers serve`, with a real model."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate
from tools.testing.process import call, records

SERVE = Path(sys.executable).parent / "transformers"
LIMIT = 5
MAX_TOKENS = 16


@pytest.fixture(scope="module")
def served(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base of the API of a server that is pinned to the tiny model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    output = tmp_path_factory.mktemp("serve") / "output.txt"
    with output.open("wb") as file:
        server = subprocess.Popen(
            [SERVE, "serve", tiny_model, "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + 60
        while not is_healthy(f"http://127.0.0.1:{port}/health"):
            assert server.poll() is None, output.read_text(errors="replace")
            assert time.monotonic() < deadline, output.read_text(errors="replace")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


def is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def evaluated(where: str, folder: Path, **settings: Any) -> list[dict[str, Any]]:
    """Evaluate on the first samples of the benchmark."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(settings))
    options = ["--model_config", "config.json", "--log_path", "out.jsonl", "--limit", LIMIT]
    done = call(partial(evaluate, where), *options, cwd=folder)
    assert done.code == 0, done.err
    return sorted(records(folder / "out.jsonl"), key=lambda record: str(record["id"]))


@pytest.mark.skipif(not SERVE.exists(), reason="transformers[serving] is not installed")
def test_served_model(served: str, tiny_model: Path, tmp_path: Path) -> None:
    name = str(tiny_model)  # a pinned server knows no other
    remote = {"api_base": served, "max_tokens": MAX_TOKENS, "threads": 2}
    found = evaluated("remote", tmp_path / "remote", model=name, **remote)
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
