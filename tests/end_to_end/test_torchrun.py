"""eval_local.py in two processes that torchrun starts, on the CPU: one log, one table."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from ragifeval.paths import ROOT

TORCHRUN = Path(sys.executable).with_name("torchrun")
pytestmark = pytest.mark.skipif(not TORCHRUN.exists(), reason="torchrun is not installed")

SCRIPT = str(ROOT / "eval_local.py")
SAMPLES = 12


@pytest.fixture(scope="module")
def model_config(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("torchrun") / "model.json"
    settings = {"dtype": "float32", "temperature": 0, "batch_size": 3, "max_new_tokens": 24}
    path.write_text(json.dumps({"model": str(tiny_model), **settings}))
    return path


def command(processes: int, *options: str | Path) -> list[str]:
    start = [sys.executable]
    if processes > 1:
        start = [str(TORCHRUN), "--standalone", "--nproc_per_node", str(processes)]
    return [*start, SCRIPT, *map(str, options)]


def evaluate(processes: int, *options: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(processes, *options), capture_output=True, text=True, timeout=300, check=False
    )


def records(log: Path) -> dict[str, dict[str, Any]]:
    """The records of a log by their samples, without the time that they took."""
    found = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        del record["seconds"]
        assert record["id"] not in found
        found[record["id"]] = record
    return found


@pytest.fixture(scope="module")
def alone(model_config: Path) -> tuple[str, Path]:
    """What one process prints, and its log."""
    log = model_config.with_name("alone.jsonl")
    options = ("--model_config", model_config, "--log_path", log, "--limit", str(SAMPLES))
    done = evaluate(1, *options)
    assert done.returncode == 0, done.stderr
    assert len(records(log)) == SAMPLES
    return done.stdout, log


def test_two_processes_are_as_one(model_config: Path, alone: tuple[str, Path]) -> None:
    log = model_config.with_name("together.jsonl")
    options = ("--model_config", model_config, "--log_path", log, "--limit", str(SAMPLES))
    done = evaluate(2, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == alone[0]
    assert records(log) == records(alone[1])
    assert done.stderr.count("Loading weights: 100%") == 1
    # All answered: nothing is loaded, and the table is printed once more.
    again = evaluate(2, *options)
    assert (again.returncode, again.stdout) == (0, alone[0])
    assert "Loading weights" not in again.stderr


def test_a_run_goes_on_where_it_ended(model_config: Path, alone: tuple[str, Path]) -> None:
    log = model_config.with_name("resumed.jsonl")
    lines = alone[1].read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join(lines[:5]), encoding="utf-8")
    options = ("--model_config", model_config, "--log_path", log, "--limit", str(SAMPLES))
    done = evaluate(2, *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("5 answers are already there") == 1
    assert done.stdout == alone[0]
    assert records(log) == records(alone[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--no_such_option"], "error: unrecognized arguments"),
        (["--model_config", "/nowhere.json"], "error: /nowhere.json: the model config cannot"),
        (["--model_config", "{folder}/broken.json"], "error: model: the model of"),
    ],
    ids=["option", "config", "weights"],
)
def test_what_is_wrong_is_said_once(
    model_config: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    config = json.loads(model_config.read_text())
    shutil.copytree(config["model"], tmp_path / "broken")
    (tmp_path / "broken" / "model.safetensors").unlink()
    broken = {**config, "model": str(tmp_path / "broken")}
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    done = evaluate(2, *(option.replace("{folder}", str(tmp_path)) for option in options))
    assert done.returncode == 1  # torchrun's own, whatever the process returned
    assert done.stdout == ""
    assert done.stderr.count(message) == 1
    assert "exitcode  : 2" in done.stderr


def test_a_baseline_has_no_use_for_a_second_process(tmp_path: Path) -> None:
    log = tmp_path / "out.jsonl"
    done = evaluate(2, "--log_path", log, "--limit", "5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("5 of 5 samples answered") == 1
    assert len(records(log)) == 5


@contextmanager
def started(log: Path, model_config: Path, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run of two processes that takes long, with some of its answers in the log."""
    config = json.loads(model_config.read_text())
    model = tmp_path / "endless"
    shutil.copytree(config["model"], model)
    settings = json.loads((model / "generation_config.json").read_text())
    settings["min_new_tokens"] = 300  # nearly half a second an answer
    (model / "generation_config.json").write_text(json.dumps(settings))
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps({**config, "model": str(model), "max_new_tokens": 300}))
    process = subprocess.Popen(
        command(2, "--model_config", slow, "--log_path", log),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 120
        while not log.exists() or log.read_text(encoding="utf-8").count("\n") < 2:
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.communicate()


def ranks(torchrun: "subprocess.Popen[str]") -> dict[str, psutil.Process]:
    found = {}
    for child in psutil.Process(torchrun.pid).children(recursive=True):
        if SCRIPT in child.cmdline():
            found[child.environ()["RANK"]] = child
    return found


def test_the_death_of_one_ends_both(model_config: Path, tmp_path: Path) -> None:
    log = tmp_path / "out.jsonl"
    with started(log, model_config, tmp_path) as process:
        both = ranks(process)
        assert set(both) == {"0", "1"}
        os.kill(both["1"].pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode == 1
        assert not any(one.is_running() for one in both.values())
    assert 2 <= len(records(log)) < 100


def test_ctrl_c_ends_the_run_in_order(model_config: Path, tmp_path: Path) -> None:
    log = tmp_path / "out.jsonl"
    with started(log, model_config, tmp_path) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode != 0
    answered = len(records(log))
    assert 2 <= answered < 100
    assert f"{answered} of 100 samples answered" in out
    assert err.count("Waiting for the answers in flight") == 1
    assert json.loads(log.with_name("out.summary.json").read_text(encoding="utf-8"))
