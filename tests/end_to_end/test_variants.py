"""Variants from the command line to the log, its summary, a second run and a new scoring."""

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


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two models, asked in other lists of variants."""
    folder = tmp_path_factory.mktemp("logs")
    one, other = folder / "extractive.jsonl", folder / "refuse.jsonl"
    assert run(one, "--limit", "5", "--variants", "core,twin,noise:8") == 0
    assert run(other, "--limit", "5", "--variants", "twin,order:1,core", model="refuse") == 0
    return one, other


def test_compare(logs: tuple[Path, Path], capsys: Capture) -> None:
    def compared(*options: str) -> Any:
        capsys.readouterr()
        command = ["compare", *map(str, logs), "--format", "json", "--draws", "100"]
        assert main([*command, *options]) == 0
        return json.loads(capsys.readouterr().out)

    core, twin = compared(), compared("--variant", "twin")
    assert (core["samples"], "variants" in core["signature"]) == (5, False)
    assert (twin["samples"], "|variants:twin#" in twin["signature"]) == (4, True)
    assert twin["models"][1]["scores"]["total"]["mean"] == 1
    partial = [model["rates"]["partial"]["mean"] for model in twin["models"]]
    assert partial == [summary(logs[0])["variants"][1]["scores"]["partial"]["mean"], 0]
    # What both logs have, in the order of the first.
    assert compared("--variant", "all") == {"core": core, "twin": twin}
    assert main(["compare", *map(str, logs), "--variant", "noise:8"]) == 2
    assert "has no answers to the variant 'noise:8'" in capsys.readouterr().err


def test_report(logs: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert main(["report", *map(str, logs), "-o", str(page), "--lang", "en"]) == 0
    text = page.read_text(encoding="utf-8")
    (embedded,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    questions = [question["id"] for question in json.loads(embedded)["questions"]]
    # The variants of a question stand together.
    assert questions[:4] == [
        *("dowody-p01", "dowody-p01@twin", "dowody-p01@noise:8", "dowody-p01@order:1")
    ]
    assert len(questions) == 5 + 4 + 5 + 5
    head = text[: text.index('id="data"')]
    # One log has answers among more documents.
    totals = dict(POINTS.findall(head.split("<figure")[2]))
    shown = summary(logs[0])["variants"]
    assert totals == {
        name: f"{shown[place]['scores']['total']['mean']:.1%}"
        for name, place in (("core", 0), ("8", 2))
    }


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
