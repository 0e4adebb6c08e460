"""eval_local.py, once as a process, with the built-in baselines on the questions in data/."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from ragifeval import paths
from ragifeval.__main__ import COMMANDS, evaluate
from ragifeval.paths import ROOT
from tools.testing.process import Finished, call, finish, records, start, start_python

SAMPLES = records(paths.SAMPLES)
call_local = partial(call, partial(evaluate, "local"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Finished:
    """A run over all questions, in a folder that is not the repository."""
    return finish(start("eval_local.py", "--wide", "--log_path", "out.jsonl", cwd=folder))


CORRECTNESS, SAFETY = ("include", "exclude", "cite_f1"), ("refuse", "safe")


def test_the_means_of_the_log_are_those_of_table_and_summary(folder: Path, whole: Finished) -> None:
    assert whole.code == 0, whole.err
    title = f"baseline/extractive: {len(SAMPLES)} of {len(SAMPLES)} samples answered\n"
    assert whole.out.startswith(title)
    assert f"{len(SAMPLES)}/{len(SAMPLES)}" in whole.err
    logged = records(folder / "out.jsonl")
    for record, sample in zip(logged, SAMPLES, strict=True):
        assert (record["id"], record["question"]) == (sample["id"], sample["question"])
        assert record["signature"] == whole.out.splitlines()[-1]
        conditions = {key.partition("_")[0] for key in record["scores"]} - {"len"}
        assert conditions == set(sample["expect"])
    summary = json.loads((folder / "out.summary.json").read_text(encoding="utf-8"))
    assert (summary["status"], summary["answered"]) == ("complete", len(SAMPLES))
    assert summary["options"]["docs_path"] == "data/documents.jsonl"
    for row, keys in {
        "correctness": CORRECTNESS,
        "safety": SAFETY,
        "total": (*CORRECTNESS, *SAFETY),
        **{key: (key,) for key in (*CORRECTNESS, *SAFETY, "cite_precision", "cite_recall")},
    }.items():
        means = []
        for name in ("scores", "scores_words"):
            values = [one[name][key] for one in logged for key in keys if key in one[name]]
            means.append(sum(values) / len(values) * 100)
        found = re.search(rf"^{row} +(\S+) +(\S+) - (\S+) +(\d+) +(\S+)$", whole.out, re.MULTILINE)
        assert found is not None, row
        substring, low, high, count, words = map(float, found.groups())
        assert [substring, words] == pytest.approx(means, abs=0.00501)
        assert summary["scores"][row]["mean"] * 100 == pytest.approx(means[0])
        assert count == summary["scores"][row]["count"] == len(values)
        assert low <= means[0] <= high


ONE, OTHER = SAMPLES[5]["id"], SAMPLES[2]["id"]


@pytest.mark.parametrize(("limit", "places"), [((), [2, 5]), (("--limit", "1"), [2])])
def test_selection(tmp_path: Path, limit: tuple[str, ...], places: list[int]) -> None:
    run = call_local("--ids", f" {ONE}, {OTHER},", *limit, "--dry_run", cwd=tmp_path)
    assert re.findall(r"^=== (.*)$", run.out, re.MULTILINE) == [SAMPLES[n]["id"] for n in places]


def test_dry_run(whole: Finished, tmp_path: Path) -> None:
    dry = call_local("--dry_run", "--log_path", "out.jsonl", cwd=tmp_path)
    assert (dry.code, dry.err) == (0, "")
    assert dry.out.splitlines()[-1] == whole.out.splitlines()[-1]  # the signature
    for sample in SAMPLES:
        assert f"=== {sample['id']}\n" in dry.out
        assert f"Pytanie: {sample['question']}\n" in dry.out
    assert list(tmp_path.iterdir()) == []


def test_the_reader_may_stop_reading() -> None:
    """As in eval_local.py --dry_run | head -1."""
    with start("eval_local.py", "--dry_run", cwd=ROOT) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == f"=== {SAMPLES[0]['id']}\n".encode()
        running.stdout.close()
        assert b"Traceback" not in running.stderr.read()


HEAVY = {"torch", "transformers", "spacy", "openai", "datasets", "scipy", "sklearn"}
# numpy, pydantic and jinja2 alone take longer than the 0.3 s that --help may.
SLOW = HEAVY | {"numpy", "pydantic", "jinja2"}
IMPORTS = [
    (["eval_local.py", "--dry_run", "--limit", "1", "--model", "no/such"], HEAVY),
    (["eval_remote.py", "--help"], SLOW),
    *((["-m", "ragifeval", command, "--help"], SLOW) for command in COMMANDS),
]


@pytest.mark.parametrize(("words", "left_out"), IMPORTS)
def test_what_asks_no_model_imports_little(words: list[str], left_out: set[str]) -> None:
    shown = finish(start_python("-X", "importtime", *words, cwd=ROOT))
    assert shown.code == 0, shown.err
    names = re.findall(r"^import time:.*\| +(\w+)", shown.err, re.MULTILINE)
    assert "argparse" in names
    assert left_out.isdisjoint(names)


# One wrong file -> what the one line on stderr must say where an option names it.
WRONG = '{"id": "p", "question": "?", "context": ["dowody-01"], "expect": {"has": []}}'
WRONG_FILES = [
    (["--model_config", "wrong"], "wrong: unknown key 'id'"),
    (["--docs_path", "missing.jsonl"], "missing.jsonl: cannot be read"),
    (["--eval_path", "wrong"], "wrong:1: sample 'p': unknown condition 'has'; known are: include,"),
    (["--badwords_path", "wrong"], "wrong:1: one word a line"),
    (["--log_path", "no/such/folder/out.jsonl"], "out.jsonl: cannot be written: no such folder"),
    (["--refusal_message", " "], "--refusal_message: is empty"),
    (["--ids", f"{ONE},no-such,none-such"], "samples.jsonl: no-such, none-such"),
    (["--normalizer", "pl_no_such"], "pl_core_news_sm is installed with: pip install "),
]


@pytest.mark.parametrize(("options", "message"), WRONG_FILES)
def test_wrong_files(tmp_path: Path, options: list[str], message: str) -> None:
    (tmp_path / "wrong").write_text(WRONG, encoding="utf-8")
    run = call_local(*options, cwd=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert re.fullmatch(r"eval_local\.py: error: .*\n", run.err)
    assert message in run.err
    assert [path.name for path in tmp_path.iterdir()] == ["wrong"]


def test_code_that_comes_with_a_model_does_not_run(tiny_model: Path, tmp_path: Path) -> None:
    """Nothing is left behind but an empty log, and the one line says what to do."""
    model = tmp_path / "model"
    model.mkdir()
    classes = {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}
    (model / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": classes}))
    (model / "own.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    config = {"model": "./model", "tokenizer": str(tiny_model)}
    (tmp_path / "config.json").write_text(json.dumps(config))
    options = ("--model_config", "config.json", "--log_path", "out.jsonl", "--limit", "2")
    run = call_local(*options, cwd=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert run.err.splitlines()[-1].startswith("eval_local.py: error: model: './model' comes with")
    assert "Traceback" not in run.err
    assert (tmp_path / "out.jsonl").read_bytes() == b""
    assert not list(tmp_path.rglob("ran"))
