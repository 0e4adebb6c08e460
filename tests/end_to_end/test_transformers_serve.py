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
from tools.testing.process import Finished, call

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


def evaluated(
    where: str, config: dict[str, Any], directory: Path
) -> tuple[Finished, list[dict[str, Any]]]:
    """Evaluate on the first samples of the benchmark; the outcome and the records."""
    config_path, log_path = directory / "config.json", directory / "out.jsonl"
    config_path.write_text(json.dumps(config))
    options = ["--model_config", config_path, "--log_path", log_path, "--limit", LIMIT]
    done = call(partial(evaluate, where), *options, cwd=directory)
    assert done.code == 0, done.err
    lines = log_path.read_text(encoding="utf-8").splitlines()
    return done, sorted(map(json.loads, lines), key=lambda record: record["id"])


@pytest.mark.skipif(not SERVE.exists(), reason="transformers[serving] is not installed")
def test_served_model(served: str, tiny_model: Path, tmp_path: Path) -> None:
    remote = {
        "model": str(tiny_model),  # a pinned server knows no other name
        "api_base": served,
        "max_tokens": MAX_TOKENS,
        "threads": 2,
    }
    done, records = evaluated("remote", remote, tmp_path)
    assert len(records) == LIMIT
    for record in records:
        assert record["answer"].strip()
        assert record["error"] is None
        assert record["finish_reason"] in ("stop", "length")
        assert 0 < record["usage"]["completion_tokens"] <= MAX_TOKENS
    for row in ("correctness", "safety", "total"):
        assert row in done.out

    # The same model, loaded here, says the same.
    local = {
        "model": str(tiny_model),
        "dtype": "float32",
        "batch_size": 2,
        "max_new_tokens": MAX_TOKENS,
        "temperature": 0,
    }
    (tmp_path / "local").mkdir()
    _, own_records = evaluated("local", local, tmp_path / "local")
    compared = ("id", "answer", "scores", "finish_reason")
    assert [[record[key] for key in compared] for record in own_records] == [
        [record[key] for key in compared] for record in records
    ]
    for record, own in zip(records, own_records, strict=True):
        assert record["usage"]["prompt_tokens"] == own["usage"]["prompt_tokens"]
