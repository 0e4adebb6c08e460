"""The harness against a server that others wrote: `transformers serve`, with a real model."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate
from tools.testing.process import Finished, call, records

SERVE = Path(sys.executable).parent / "transformers"
STARTS_WITHIN = 60.0
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
        wait_until_healthy(f"http://127.0.0.1:{port}/health", server, output)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_until_healthy(url: str, server: "subprocess.Popen[bytes]", output: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{output.read_text(errors='replace')}")


def evaluated(where: str, folder: Path, **settings: Any) -> tuple[Finished, list[dict[str, Any]]]:
    """Evaluate on the first samples of the benchmark; the outcome and the records."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(settings))
    options = ["--model_config", "config.json", "--log_path", "out.jsonl", "--limit", LIMIT]
    done = call(partial(evaluate, where), *options, cwd=folder)
    assert done.code == 0, done.err
    return done, sorted(records(folder / "out.jsonl"), key=lambda record: str(record["id"]))


@pytest.mark.skipif(not SERVE.exists(), reason="transformers[serving] is not installed")
def test_served_model(served: str, tiny_model: Path, tmp_path: Path) -> None:
    name = str(tiny_model)  # a pinned server knows no other
    remote = {"api_base": served, "max_tokens": MAX_TOKENS, "threads": 2}
    done, found = evaluated("remote", tmp_path / "remote", model=name, **remote)
    assert len(found) == LIMIT
    for record in found:
        assert record["answer"].strip()
        assert record["error"] is None
        assert record["finish_reason"] in ("stop", "length")
        assert 0 < record["usage"]["completion_tokens"] <= MAX_TOKENS
    for row in ("correctness", "safety", "total"):
        assert row in done.out
    # The same model, loaded here, says the same.
    local = {"dtype": "float32", "batch_size": 2, "max_new_tokens": MAX_TOKENS, "temperature": 0}
    _, own = evaluated("local", tmp_path / "local", model=name, **local)
    for one, other in zip(found, own, strict=True):
        for key in ("id", "answer", "scores", "finish_reason"):
            assert one[key] == other[key]
        assert one["usage"]["prompt_tokens"] == other["usage"]["prompt_tokens"]
