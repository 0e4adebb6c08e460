"""Variants, and sets of questions side by side: from the command line to compare and the report."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
from tools.testing.process import records

Capture = pytest.CaptureFixture[str]
VARIANTS = "core,twin,noise:8"
# Of a curve: what stands under a point, what over it.
POINTS = re.compile(r'y="180">([^<]+)</text>\s*<text[^>]*>([^<]+)</text>')


def run(log: Path, *options: str, model: str = "extractive") -> int:
    return evaluate("local", ["--model", f"baseline/{model}", "--log_path", str(log), *options])


def summary(log: Path) -> dict[str, Any]:
    return dict(json.loads(log.with_suffix(".summary.json").read_text(encoding="utf-8")))


def test_run(tmp_path: Path, capsys: Capture) -> None:
    plain, log = tmp_path / "plain.jsonl", tmp_path / "log.jsonl"
    # The first five questions are to be answered but for one.
    assert run(plain, "--limit", "5") == 0
    assert run(log, "--limit", "5", "--variants", VARIANTS) == 0
    found = records(log)
    assert Counter(record["variant"] for record in found) == {"core": 5, "twin": 4, "noise:8": 5}
    assert "twin: leaves out 1 (it is to be refused as it is)" in capsys.readouterr().err
    # The core is what it is without variants, but for the signature and the time.
    for one, other in zip(records(plain), found, strict=False):
        for key in one.keys() - {"signature", "seconds", "asked"}:
            assert one[key] == other[key]
    assert "variants" not in records(plain)[0]["signature"]
    assert f"|variants:{VARIANTS}#" in found[0]["signature"]
    content = summary(log)
    assert content["scores"] == summary(plain)["scores"]
    assert content["variants"][1]["scores"]["refuse"]["count"] == 4
    # Again, after a line was lost: the same log, whatever is asked first.
    log.write_text("".join(f"{json.dumps(record)}\n" for record in found[:-3]), encoding="utf-8")
    assert run(log, "--limit", "5", "--variants", VARIANTS) == 0
    kept = [{**record, "seconds": 0, "asked": 0} for record in records(log)]
    assert kept == [{**record, "seconds": 0, "asked": 0} for record in found]
    capsys.readouterr()
    # Scored anew, the variants are found in the log.
    again = tmp_path / "again.jsonl"
    assert main(["score", str(log), "-o", str(again)]) == 1  # the other questions are missing
    assert [record["scores"] for record in records(again)] == [one["scores"] for one in found]
    assert records(again)[0]["signature"] == found[0]["signature"]


MODELS = {"extractive": VARIANTS, "refuse": "twin,order:1,core"}
Logs = dict[str, list[Path]]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    """Set -> the logs of two models, asked in other lists of variants."""
    folder = tmp_path_factory.mktemp("logs")
    made = {
        name: [folder / f"{model}-{name}.jsonl" for model in MODELS] for name in ("core", "hard")
    }
    for name, paths in made.items():
        for path, (model, variants) in zip(paths, MODELS.items(), strict=True):
            options = ("--data", name, "--limit", "5", "--variants", variants)
            assert run(path, *options, model=model) == 0
    return made


def total(log: Path) -> float:
    """That of the core, in a log's summary."""
    return float(summary(log)["scores"]["total"]["mean"])


def shown(page: Path, *logs: Path) -> tuple[str, Any]:
    """The head of a report, and the data of its questions."""
    assert main(["report", *map(str, logs), "-o", str(page), "--lang", "en"]) == 0
    head, _, rest = page.read_text("utf-8").partition('<script type="application/json" id="data">')
    return head, json.loads(rest.partition("</script>")[0])


def test_compare_variants(logs: Logs, capsys: Capture) -> None:
    paths = logs["core"]

    def compared(*options: str) -> Any:
        capsys.readouterr()
        command = ["compare", *map(str, paths), "--format", "json", "--draws", "100"]
        assert main([*command, *options]) == 0
        return json.loads(capsys.readouterr().out)

    core, twin = compared(), compared("--variant", "twin")
    assert (core["samples"], "variants" in core["signature"]) == (5, False)
    assert (twin["samples"], "|variants:twin#" in twin["signature"]) == (4, True)
    assert twin["models"][1]["scores"]["total"]["mean"] == 1
    partial = [model["rates"]["partial"]["mean"] for model in twin["models"]]
    assert partial == [summary(paths[0])["variants"][1]["scores"]["partial"]["mean"], 0]
    # What both logs have, in the order of the first.
    assert compared("--variant", "all") == {"core": core, "twin": twin}
    assert main(["compare", *map(str, paths), "--variant", "noise:8"]) == 2
    assert "has no answers to the variant 'noise:8'" in capsys.readouterr().err


def test_compare_sets(logs: Logs, capsys: Capture) -> None:
    """Models are compared within a set, whatever the order of the logs."""
    capsys.readouterr()
    paths = [path for pair in zip(*logs.values(), strict=True) for path in pair]
    command = ["compare", *map(str, paths), "--draws", "100"]
    assert main([*command, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["urzad", "urzad-hard"]
    for own, told in zip(logs.values(), found.values(), strict=True):
        one, other = told["models"]
        assert [one["name"], other["name"]] == [f"baseline/{model}" for model in MODELS]
        totals = list(map(total, own))
        assert [model["scores"]["total"]["mean"] for model in (one, other)] == totals
        assert other["differences"]["total"]["mean"] == pytest.approx(totals[1] - totals[0])
    for options in (["--variant", "all"], ["--by", "kind"]):
        assert main([*command, *options]) == 0
        shown = capsys.readouterr().out
        assert shown.index("urzad") < shown.index("urzad-hard")
    # Each set must reach the floor: the sentences nearest to a question do in neither.
    assert main([*command, "--fail_under", "total=90"]) == 1
    told = [line.partition(" is ")[0] for line in capsys.readouterr().err.splitlines()]
    assert [line for line in told if "extractive: total" in line] == [
        f"{name}: baseline/extractive: total" for name in ("urzad", "urzad-hard")
    ]
    assert main([*command, "--format", "csv"]) == 2
    assert "several variants or sets: have no format csv" in capsys.readouterr().err


def test_results_of_several_sets_are_not_exported_together(
    logs: Logs, capsys: Capture, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    paths = map(str, (*logs["core"], *logs["hard"]))
    assert main(["export", str(folder), "--format", "results", "--logs", *paths]) == 2
    reason = "--logs: are of several sets: urzad, urzad-hard; write a folder for each"
    assert capsys.readouterr().err.splitlines()[-1] == f"ragifeval export: error: {reason}"
    assert not folder.exists()


def test_report_of_variants(logs: Logs, tmp_path: Path) -> None:
    head, data = shown(tmp_path / "report.html", *logs["core"])
    questions = [question["id"] for question in data["questions"]]
    # The variants of a question stand together.
    assert questions[:4] == [
        *("dowody-p01", "dowody-p01@twin", "dowody-p01@noise:8", "dowody-p01@order:1")
    ]
    assert len(questions) == 5 + 4 + 5 + 5
    # One log has answers among more documents.
    totals = dict(POINTS.findall(head.split("<figure")[2]))
    variants = summary(logs["core"][0])["variants"]
    assert totals == {
        name: f"{variants[place]['scores']['total']['mean']:.1%}"
        for name, place in (("core", 0), ("8", 2))
    }


def test_report_of_sets(logs: Logs, tmp_path: Path) -> None:
    """A model's logs are one row, with the total of each set; its questions are filtered by set."""
    head, data = shown(tmp_path / "report.html", *logs["core"], *logs["hard"])
    assert data["runs"] == [f"baseline/{model}" for model in MODELS]
    variants = Counter(question.get("variant") for question in data["questions"])
    assert variants[None] == variants["urzad-hard core"] == 5
    assert {"twin", "urzad-hard twin"} < variants.keys()
    (board,) = re.findall(r'<table class="leaderboard">.*?</table>', head, re.DOTALL)
    heads = re.findall(r'<th scope="col"[^>]*>([^<]+)', board)
    row = next(row for row in board.split("<tr>") if "baseline/extractive" in row)
    values = dict(zip(heads, re.findall(r'data-value="([^"]+)"', row), strict=False))
    for title, name in (("Total, urzad", "core"), ("Total, urzad-hard", "hard")):
        assert float(values[title]) == total(logs[name][0])
    # Each set is scored by its own data: nothing is doubtful but what was not asked.
    notices = re.findall(r"<li><bdi>(baseline/[^<]+)", head)
    assert len(notices) == 2
    assert all("have no answer" in notice for notice in notices)


WRONG = {
    "--variants twins": "--variants: 'twins' is none of: core",
    "--variants changed:1 --ids dowody-p05": "leaves no sample: it has no facts",
    "--variants noise:1000 --limit 1": ("leaves no sample: no question has so many documents; "),
    "--repeats 2": "--repeats: needs a temperature above 0",
}


@pytest.mark.parametrize(("options", "message"), WRONG.items())
def test_what_is_wrong(tmp_path: Path, capsys: Capture, options: str, message: str) -> None:
    assert run(tmp_path / "log.jsonl", *options.split()) == 2
    assert message in capsys.readouterr().err
