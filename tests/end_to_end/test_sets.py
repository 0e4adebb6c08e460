"""Several sets side by side: the core questions and the hard ones, of two models."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ragifeval.__main__ import evaluate, main

MODELS = ("extractive", "reference")
Logs = dict[tuple[str, str], str]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
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


def test_compare(logs: Logs, capsys: Capture) -> None:
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
    for options in (["--variant", "all"], ["--by", "kind"]):
        assert main([*command, *options]) == 0
        shown = capsys.readouterr().out
        assert shown.index("urzad") < shown.index("urzad-hard")
    # Each set must reach the floor: the sentences nearest to a question do in neither.
    assert main([*command, "--fail_under", "total=90"]) == 1
    told = [line.partition(" is ")[0] for line in capsys.readouterr().err.splitlines()]
    assert [line for line in told if "total" in line] == [
        f"{name}: baseline/extractive: total" for name in ("urzad", "urzad-hard")
    ]
    assert main([*command, "--format", "csv"]) == 2
    assert "several variants or sets: have no format csv" in capsys.readouterr().err


def test_results_of_several_sets_are_not_exported_together(
    logs: Logs, capsys: Capture, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    assert main(["export", str(folder), "--format", "results", "--logs", *logs.values()]) == 2
    reason = "--logs: are of several sets: urzad, urzad-hard; write a folder for each"
    assert capsys.readouterr().err.splitlines()[-1] == f"ragifeval export: error: {reason}"
    assert not folder.exists()


def test_report(logs: Logs, tmp_path: Path) -> None:
    """A model's logs are one row, with the total of each set; its questions are filtered by set."""
    page = tmp_path / "report.html"
    assert main(["report", *logs.values(), "-o", str(page), "--lang", "en"]) == 0
    text = page.read_text("utf-8")
    (embedded,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    shown = json.loads(embedded)
    assert shown["runs"] == ["baseline/extractive", "baseline/reference"]
    variants = Counter(question.get("variant") for question in shown["questions"])
    assert set(variants) == {None, "twin", "urzad-hard core", "urzad-hard twin"}
    assert variants[None] == variants["urzad-hard core"] == 4
    (board,) = re.findall(r'<table class="leaderboard">.*?</table>', text, re.DOTALL)
    heads = re.findall(r'<th scope="col"[^>]*>([^<]+)', board)
    row = next(row for row in board.split("<tr>") if "baseline/extractive" in row)
    values = dict(zip(heads, re.findall(r'data-value="([^"]+)"', row), strict=False))
    for title, name in (("Total, urzad", "core"), ("Total, urzad-hard", "hard")):
        assert float(values[title]) == summary(logs["extractive", name])["core"]
    # Each set is scored by its own data: nothing is doubtful but what was not asked.
    notices = re.findall(r"<li><bdi>(baseline/[^<]+)", text)
    assert len(notices) == 2
    assert all("have no answer" in notice for notice in notices)
