"""Several sets side by side: the core questions and the hard ones, of two models."""

import json
from pathlib import Path

import pytest

from ragifeval.__main__ import evaluate, main

MODELS = ("extractive", "reference")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """(Model, set) -> the log of its first answers."""
    folder = tmp_path_factory.mktemp("logs")
    made = {}
    for model in MODELS:
        for name in ("core", "hard"):
            log = made[model, name] = str(folder / f"{model}-{name}.jsonl")
            options = ["--model", f"baseline/{model}", "--data", name, "--log_path", log]
            assert evaluate("local", [*options, "--limit", "4", "--variants", "core,twin"]) == 0
    return made


def summary(log: str) -> dict[str, float]:
    """Variant -> the total of a log."""
    told = json.loads(Path(log).with_suffix(".summary.json").read_text("utf-8"))
    return {one["name"]: one["scores"]["total"]["mean"] for one in told["variants"]}


def test_compare(
    logs: dict[tuple[str, str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Models are compared within a set, whatever the order of the logs."""
    capsys.readouterr()
    command = ["compare", *logs.values(), "--draws", "100"]
    assert main([*command, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["urzad", "urzad-hard"]
    for name, told in zip(("core", "hard"), found.values(), strict=True):
        one, other = told["models"]
        assert [one["name"], other["name"]] == [f"baseline/{model}" for model in MODELS]
        totals = [summary(logs[model, name])["core"] for model in MODELS]
        assert [model["scores"]["total"]["mean"] for model in (one, other)] == totals
        assert other["differences"]["total"]["mean"] == pytest.approx(totals[1] - totals[0])
    assert main([*command, "--variant", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [" ".join(line.split()[:3]) for line in lines[4:]] == [
        f"{name} {variant} baseline/{model}"
        for name in ("urzad", "urzad-hard")
        for variant in ("core", "twin")
        for model in MODELS
    ]
    # Each set must reach the floor: the sentences nearest to a question do in neither.
    assert main([*command, "--fail_under", "total=90"]) == 1
    told = [line.partition(" is ")[0] for line in capsys.readouterr().err.splitlines()]
    assert [line for line in told if "total" in line] == [
        f"{name}: baseline/extractive: total" for name in ("urzad", "urzad-hard")
    ]
    assert main([*command, "--format", "csv"]) == 2
    assert "several variants or sets: have no format csv" in capsys.readouterr().err
