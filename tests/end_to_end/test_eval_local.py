"""eval_local.py, once as a process, with the built-in baselines on the questions in data/."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from ragifeval import __version__, paths
from ragifeval.__main__ import COMMANDS
from ragifeval.__main__ import evaluate as main
from ragifeval.paths import ROOT
from tools.testing import process
from tools.testing.process import records

SAMPLES = records(paths.SAMPLES)


class Run(process.Finished):
    """What a run came to."""

    @property
    def signature(self) -> str:
        """The last line of the output."""
        return self.out.splitlines()[-1]

    @property
    def parts(self) -> dict[str, str]:
        """Of the signature."""
        return dict(part.split(":", 1) for part in self.signature.split("|"))

    @property
    def rows(self) -> dict[str, list[str]]:
        """The table: the name of a row -> its cells; an interval is one."""
        rows = {}
        for line in self.out.splitlines():
            if match := re.fullmatch(r"(\w+) +(\S+) +(\S+ - \S+) +(\d+) *(\S*)", line):
                name, *cells = match.groups()
                rows[name] = cells
        return rows


def start(
    *words: str | Path, cwd: Path = ROOT, python: Sequence[str] = ()
) -> "subprocess.Popen[bytes]":
    """Start a program; `python` is given to the interpreter itself."""
    return subprocess.Popen(
        [sys.executable, *python, *words],
        cwd=cwd,
        env=process.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


Call = Callable[..., Run]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Run eval_local.py in this process, in a folder of its own."""

    def run(*options: str | Path) -> Run:
        done = process.call(partial(main, "local"), "--wide", *options, cwd=tmp_path)
        return Run(done.code, done.out, done.err)

    return run


# One run over all questions, in a folder that is not the repository; read by many tests.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Run:
    words = (ROOT / "eval_local.py", "--wide", "--log_path", "out.jsonl")
    done = process.finish(start(*words, cwd=folder))
    assert done.code == 0, done.err
    return Run(done.code, done.out, done.err)


class TestWhole:
    def test_the_table_is_on_stdout_and_progress_on_stderr(self, whole: Run) -> None:
        lines = whole.out.splitlines()
        assert lines[0] == (
            f"baseline/extractive: {len(SAMPLES)} of {len(SAMPLES)} samples answered"
        )
        assert lines[2].split() == ["substring", "%", "95", "%", "interval", "count", "words", "%"]
        assert list(whole.rows) == [
            *("include", "exclude", "cite_f1", "cite_precision", "cite_recall", "refuse", "safe"),
            *("correctness", "safety", "total"),
            *("right", "partly", "wrong", "false_refusal", "no_refusal"),
            *("cites_distractor", "cites_unknown", "uncited", "len_chars", "len_words"),
        ]
        # The first line, two that are empty, the heading, two rules, the signature.
        assert len(lines) == len(whole.rows) + 7
        assert list(whole.parts) == [
            *("data", "prompt", "normalizer", "badwords", "matching", "shuffle"),
            *("refusal", "system", "mode", "version", "model"),
        ]
        assert "\r" not in whole.out
        assert f"{len(SAMPLES)}/{len(SAMPLES)}" in whole.err
        assert re.search(r"total \d+\.\d", whole.err)

    def test_the_log_and_its_means_in_the_table(self, folder: Path, whole: Run) -> None:
        logged = records(folder / "out.jsonl")
        for record, sample in zip(logged, SAMPLES, strict=True):
            assert set(record) >= {
                *("id", "question", "answer", "scores", "scores_words", "finish_reason"),
                *("usage", "seconds", "error", "signature"),
            }
            assert (record["id"], record["question"]) == (sample["id"], sample["question"])
            assert record["signature"] == whole.signature
            conditions = {key.partition("_")[0] for key in record["scores"]} - {"len"}
            assert conditions == set(sample["expect"])
        correctness, safety = ("include", "exclude", "cite_f1"), ("refuse", "safe")
        for row, keys in (
            ("correctness", correctness),
            ("safety", safety),
            ("total", (*correctness, *safety)),
            *((key, (key,)) for key in (*correctness, *safety, "cite_precision", "cite_recall")),
        ):
            means = []
            for name in ("scores", "scores_words"):
                values = [one[name][key] for one in logged for key in keys if key in one[name]]
                means.append(sum(values) / len(values) * 100)
            substring, interval, count, words = whole.rows[row]
            low, high = map(float, interval.split(" - "))
            assert [float(substring), float(words)] == pytest.approx(means, abs=0.00501)
            assert int(count) == len(values)
            assert low <= means[0] <= high

    def test_the_summary(self, folder: Path, whole: Run) -> None:
        summary = json.loads((folder / "out.summary.json").read_text(encoding="utf-8"))
        assert summary["status"] == "complete"
        assert summary["samples"] == summary["answered"] == len(SAMPLES)
        assert summary["failed"] == summary["truncated"] == 0
        assert summary["signature"] == whole.signature
        assert summary["signature_parts"] == whole.parts
        assert summary["versions"]["ragifeval"] == __version__
        assert summary["options"]["matching"] == "substring"
        assert summary["options"]["docs_path"] == "data/documents.jsonl"
        assert (summary["price"], summary["performance"]["cost"]) == (None, None)
        for name in ("right", "len_chars"):
            groups = summary["by"]["documents"].values()
            assert sum(group[name]["count"] for group in groups) == len(SAMPLES)
        assert re.fullmatch(r"[0-9a-f]{12}(-dirty)?", summary["commit"])
        for row, cells in whole.rows.items():
            estimate = {**summary["scores"], **summary["rates"]}[row]
            assert estimate["count"] == int(cells[2])
            if not row.startswith("len_"):
                assert f"{estimate['mean'] * 100:.2f}" == cells[0]


ONE, OTHER = SAMPLES[5]["id"], SAMPLES[2]["id"]
SELECTIONS = [
    (["--limit", "3"], [0, 1, 2]),
    (["--ids", f" {ONE}, {OTHER},"], [2, 5]),
    (["--ids", f"{ONE},{OTHER}", "--limit", "1"], [2]),
]


@pytest.mark.parametrize(("options", "places"), SELECTIONS)
def test_selection(call: Call, options: list[str], places: list[int]) -> None:
    shown = re.findall(r"^=== (.*)$", call(*options, "--dry_run").out, re.MULTILINE)
    assert shown == [SAMPLES[place]["id"] for place in places]


class TestDryRun:
    def test_prompts_and_the_signature(self, whole: Run, tmp_path: Path, call: Call) -> None:
        dry = call("--dry_run", "--log_path", "out.jsonl")
        assert (dry.code, dry.err) == (0, "")
        assert dry.signature == whole.signature
        for sample in SAMPLES:
            assert f"=== {sample['id']}\n" in dry.out
            assert f"Pytanie: {sample['question']}\n" in dry.out
        assert list(tmp_path.iterdir()) == []

    def test_the_reader_may_stop_reading(self) -> None:
        """As in eval_local.py --dry_run | head -1."""
        with start("eval_local.py", "--dry_run") as running:
            assert running.stdout is not None
            assert running.stderr is not None
            assert running.stdout.readline() == f"=== {SAMPLES[0]['id']}\n".encode()
            running.stdout.close()
            assert b"Traceback" not in running.stderr.read()


OPTIONS = """
    model_config docs_path eval_path prompt shuffle_context system_message refusal_message
    log_path text_completion normalizer badwords_path matching seed limit ids overwrite
    dry_run version
"""


def test_help_names_every_option(call: Call) -> None:
    shown = call("--help")
    assert shown.code == 0
    for option in OPTIONS.split():
        assert f"--{option}" in shown.out


HEAVY = {"torch", "transformers", "spacy", "openai", "datasets", "scipy", "sklearn"}
# numpy, pydantic and jinja2 alone take longer than the 0.3 s that --help may.
SLOW = HEAVY | {"numpy", "pydantic", "jinja2"}
IMPORTS = [
    (["eval_local.py", "--dry_run", "--limit", "1", "--model", "no/such"], HEAVY),
    (["eval_local.py", "--help"], SLOW),
    (["eval_remote.py", "--help"], SLOW),
    *((["-m", "ragifeval", command, "--help"], SLOW) for command in COMMANDS),
]


@pytest.mark.parametrize(("words", "left_out"), IMPORTS)
def test_what_asks_no_model_imports_little(words: list[str], left_out: set[str]) -> None:
    shown = process.finish(start(*words, python=("-X", "importtime")))
    assert shown.code == 0, shown.err
    assert ("--help" if "--help" in words else "|model:no/such#") in shown.out
    names = re.findall(r"^import time:.*\| +(\S+)$", shown.err, re.MULTILINE)
    imported = {name.partition(".")[0] for name in names}
    assert "argparse" in imported
    assert imported.isdisjoint(left_out)


# Files by name, and options that name them -> what the one line on stderr must say.
FILES = {
    "key.json": '{"model": "baseline/refuse", "temperature": 0}',
    "documents.jsonl": '{"id": "a", "contents": "17 zł"}\n',
    "condition.jsonl": '{"id": "p", "question": "?", "context": ["a"], "expect": {"has": []}}',
    "syntax.jinja": "a\n{% for %}",
    "words.txt": "kurwa\nty durniu\n",
}
WRONG_FILES = [
    (["--model_config", "key.json"], "key.json: unknown key 'temperature'; known are: "),
    (["--docs_path", "missing.jsonl"], "missing.jsonl: cannot be read"),
    (
        ["--docs_path", "documents.jsonl", "--eval_path", "condition.jsonl"],
        "condition.jsonl:1: sample 'p': unknown condition 'has'; known are: include, exclude, "
        "cite, refuse, safe",
    ),
    (["--prompt", "syntax.jinja"], "syntax.jinja:2: "),
    (["--badwords_path", "words.txt"], "words.txt:2: one word a line"),
    (["--log_path", "no/such/folder/out.jsonl"], "out.jsonl: cannot be written: no such folder"),
    (["--refusal_message", " "], "--refusal_message: is empty"),
    (["--ids", f"{ONE},no-such,none-such"], "samples.jsonl: no-such, none-such"),
    (["--ids", ","], "samples.jsonl: none is named"),
    (
        ["--normalizer", "pl_no_such"],
        "--normalizer: no spaCy pipeline 'pl_no_such' is installed or saved there; "
        "pl_core_news_sm is installed with: pip install ",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG_FILES)
def test_wrong_files(call: Call, tmp_path: Path, options: list[str], message: str) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    run = call(*options)
    assert (run.code, run.out) == (2, "")
    assert len(run.err.splitlines()) == 1, run.err
    assert run.err.startswith("eval_local.py: error: ")
    assert message in run.err
    assert {path.name for path in tmp_path.iterdir()} == set(FILES)
