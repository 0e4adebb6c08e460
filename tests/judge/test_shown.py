"""`compare` and `report` show what judged logs say, beside the conditions."""

import csv
import io
import json
from pathlib import Path

import pytest

from ragifeval.__main__ import evaluate, main
from tools.testing.process import records, write_records


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Judged logs of two baselines over ten samples; of the second, one answer is unjudged."""
    folder = tmp_path_factory.mktemp("judged")
    for name in ("extractive", "refuse"):
        config = folder / f"{name}.json"
        config.write_text(json.dumps({"model": f"baseline/{name}"}), encoding="utf-8")
        options = ["--model_config", str(config), "--limit", "10"]
        assert evaluate("local", [*options, "--log_path", str(folder / f"{name}.jsonl")]) == 0
    paths = folder / "a.jsonl", folder / "b.jsonl"
    for path, name in zip(paths, ("extractive", "refuse"), strict=True):
        found = records(folder / f"{name}.jsonl")
        for number, record in enumerate(found):
            judged = {"correctness": float(1 + number % 5), "recall": number / 10}
            if name == "refuse" and number == 9:
                del judged["recall"]
            record |= {"judged": judged, "judge_signature": "model:j#1"}
        write_records(path, found)
    return paths


Capture = pytest.CaptureFixture[str]


def compared(capsys: Capture, *arguments: object) -> tuple[str, str]:
    """What `compare` says, on stdout and stderr."""
    assert main(["compare", *map(str, arguments), "--draws", "100"]) == 0
    return capsys.readouterr()


def test_compare_shows_them_apart_from_the_rules(logs: tuple[Path, Path], capsys: Capture) -> None:
    out, _ = compared(capsys, *logs)
    assert "correctness (10)" in out
    assert "recall (9)" in out  # judged in both
    assert "0.4000 (" in out
    rows = list(csv.DictReader(io.StringIO(compared(capsys, *logs, "--format", "csv")[0])))
    means = {row["measure"]: float(row["mean"]) for row in rows if row["log"] == "a.jsonl"}
    assert means["judged correctness"] == 3.0
    assert means["correctness"] <= 1
    found = json.loads(compared(capsys, *logs, "--format", "json")[0])
    assert found["models"][1]["judged"]["recall"]["count"] == 9


def test_compare_warns_of_other_judges(
    logs: tuple[Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(logs[1].read_text("utf-8").replace("model:j#1", "model:k#1"), "utf-8")
    assert "were judged in different ways" in compared(capsys, logs[0], other)[1]
