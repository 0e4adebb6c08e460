"""Variants from the command line to the log, its summary, a second run and a new scoring."""

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
from ragifeval.paths import SAMPLES
from tools.testing.process import records

Capture = pytest.CaptureFixture[str]
VARIANTS = "core,twin,noise:8"
COUNTED = ("include", "exclude", "cite_f1", "refuse", "safe")
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
    assert (
        "twin: leaves out 1 (it is to be refused as it is): dowody-p05" in capsys.readouterr().err
    )
    # The core is what it is without variants, but for the signature and the time.
    for one, other in zip(records(plain), found, strict=False):
        for key in one.keys() - {"signature", "seconds", "asked"}:
            assert one[key] == other[key]
    assert "variants" not in records(plain)[0]["signature"]
    assert f"|variants:{VARIANTS}#" in found[0]["signature"]
    content = summary(log)
    assert content["scores"] == summary(plain)["scores"]
    assert [variant["name"] for variant in content["variants"]] == VARIANTS.split(",")
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
    found = []
    for name, variants in (("extractive", "core,twin,noise:8"), ("refuse", "twin,order:1,core")):
        found.append(folder / f"{name}.jsonl")
        assert run(found[-1], "--limit", "5", "--variants", variants, model=name) == 0
    return found[0], found[1]


def compared(logs: tuple[Path, Path], capsys: Capture, *options: str) -> Any:
    capsys.readouterr()
    assert main(["compare", *map(str, logs), "--format", "json", "--draws", "100", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_compare(logs: tuple[Path, Path], capsys: Capture) -> None:
    core = compared(logs, capsys)
    assert (core["samples"], "variants" in core["signature"]) == (5, False)
    twin = compared(logs, capsys, "--variant", "twin")
    assert (twin["samples"], "|variants:twin#" in twin["signature"]) == (4, True)
    assert twin["models"][1]["scores"]["total"]["mean"] == 1
    partial = [model["rates"]["partial"]["mean"] for model in twin["models"]]
    assert partial == [summary(logs[0])["variants"][1]["scores"]["partial"]["mean"], 0]
    # What both logs have, in the order of the first.
    assert compared(logs, capsys, "--variant", "all") == {"core": core, "twin": twin}
    assert main(["compare", *map(str, logs), "--variant", "all", "--draws", "100"]) == 0
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()[4:]]
    assert rows == [
        ["core", "baseline/extractive", "5"],
        ["core", "baseline/refuse", "5"],
        ["twin", "baseline/extractive", "4"],
        ["twin", "baseline/refuse", "4"],
    ]
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
    rows = re.findall(r'<span class="name">([^<]+)</span> <code>([^<]+)</code>', head)
    assert rows == [
        ("Total", "core"),
        ("Total", "twin"),
        ("Pair: right there, refused here", "twin"),
        ("Invented instead of a refusal", "twin"),
        ("A part instead of a refusal", "twin"),
        ("Total", "noise:8"),
        ("Total", "order:1"),
    ]
    # One log has answers among more documents.
    captions = re.findall(r"<figcaption>([^<]+)", head)
    assert captions[1:] == [
        "Total over the number of documents: ",
        "Score over the place of the first needed document: ",
    ]
    totals, places = (dict(points) for points in map(POINTS.findall, head.split("<figure")[2:4]))
    shown = summary(logs[0])["variants"]
    assert totals == {
        name: f"{shown[place]['scores']['total']['mean']:.1%}"
        for name, place in (("core", 0), ("8", 2))
    }
    # Of what is to cite, the place of the first such document, and the mean of what counts.
    cited = {one["id"]: one["expect"].get("cite", []) for one in records(SAMPLES)}
    scores: dict[str, list[float]] = {}
    for record in records(logs[0]):
        needed = cited[record["id"].split("@")[0]]
        if needed and record["variant"] != "twin":
            first = min(record["context"].index(key) + 1 for key in needed)
            label = str(first) if first < 3 else "3–4" if first < 5 else "5–8"
            kept = [record["scores"].get(name) for name in COUNTED]
            scores.setdefault(label, []).append(fmean(one for one in kept if one is not None))
    assert places == {label: f"{fmean(values):.1%}" for label, values in scores.items()}
    assert len(places) > 2


def test_twins_to_look_at(capsys: Capture) -> None:
    assert main(["validate", "--twins"]) == 0
    *lines, count = capsys.readouterr().out.splitlines()
    assert count == f"{len(lines)} to look at"
    (together,) = [line for line in lines if "@twin: nearer to the question than" not in line]
    assert together == "zdrowie-p02@twin: its documents in one text say: @free"


def test_another_list_of_variants_is_another_run(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log.jsonl"
    assert run(log, "--limit", "1", "--variants", "core,order:1") == 0
    assert run(log, "--limit", "1", "--variants", "core,order:2") == 2
    assert "differs in: variants" in capsys.readouterr().err


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


def test_dry_run(tmp_path: Path, capsys: Capture) -> None:
    options = ["--ids", "dowody-p01,dowody-p05", "--variants", "core,twin,noise:16", "--dry_run"]
    assert run(tmp_path / "log.jsonl", *options) == 0
    *_, core, twin, noise, _ = capsys.readouterr().out.splitlines()
    assert core.startswith("core: 2 prompts, about ")
    assert twin.startswith("twin: 1 prompt, about ")
    assert noise.startswith("noise:16: 2 prompts, about ")
    tokens = [int(line.split()[-2].replace(",", "")) for line in (core, noise)]
    assert tokens[1] > 3 * tokens[0]
