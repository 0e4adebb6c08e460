"""eval_local.py as a process, with a small language model, over all questions of the benchmark."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragifeval.paths import ROOT

Records = dict[str, dict[str, object]]


@pytest.fixture(scope="module")
def logs(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Records]:
    """The records of four runs by name: chat or completion, batches of 1 or 8."""
    folder = tmp_path_factory.mktemp("logs")
    found: dict[str, Records] = {}
    for mode in ("chat", "completion"):
        running = {
            size: _start(tiny_model, folder / f"{mode}{size}", mode, size) for size in (1, 8)
        }
        for size, process in running.items():
            stdout, stderr = process.communicate(timeout=300)
            assert process.returncode == 0, stderr
            assert stdout.startswith("tiny-llama: 100 of 100 samples answered\n"), stdout
            log = (folder / f"{mode}{size}.jsonl").read_text("utf-8")
            records = [json.loads(line) for line in log.splitlines()]
            found[f"{mode}{size}"] = {record["id"]: record for record in records}
    return found


def _start(model: Path, path: Path, mode: str, batch_size: int) -> subprocess.Popen[str]:
    config = path.with_suffix(".json")
    settings = {
        "model": str(model),
        "dtype": "float32",
        "batch_size": batch_size,
        "max_new_tokens": 8,
        "temperature": 0,
    }
    config.write_text(json.dumps(settings))
    command = [sys.executable, ROOT / "eval_local.py", "--model_config", config]
    options = ["--log_path", path.with_suffix(".jsonl")]
    options += ["--text_completion"] if mode == "completion" else []
    return subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )


def test_every_question_is_answered(logs: dict[str, Records]) -> None:
    for name, records in logs.items():
        assert len(records) == 100, name
        assert all(record["answer"] for record in records.values()), name
        assert len({record["answer"] for record in records.values()}) > 20, name


@pytest.mark.parametrize("mode", ["chat", "completion"])
def test_the_batch_changes_no_greedy_answer_in_float32(logs: dict[str, Records], mode: str) -> None:
    alone, together = logs[f"{mode}1"], logs[f"{mode}8"]
    for key, record in alone.items():
        for part in ("answer", "scores", "scores_words", "finish_reason", "usage"):
            assert together[key][part] == record[part], (key, part)


def test_completion_is_another_prompt(logs: dict[str, Records]) -> None:
    """The chat template adds its marks around the same texts."""
    for key, record in logs["chat1"].items():
        usage, other = record["usage"], logs["completion1"][key]["usage"]
        assert isinstance(usage, dict)
        assert isinstance(other, dict)
        assert usage["prompt_tokens"] > other["prompt_tokens"]
