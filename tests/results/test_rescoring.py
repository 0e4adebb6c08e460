"""`python -m ragifeval score`: old answers, new scores, a log that says what is true of them."""

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragifeval import __version__, defaults, paths
from ragifeval.__main__ import evaluate, main
from ragifeval.results.signatures import rescored_signature, whole_signature
from ragifeval.scoring.signature import Signature, fingerprint
from tests.build.files import write_csv
from tools.testing.process import call, finish, records, start_command, wait_until, write_records

Records = list[dict[str, Any]]


# ------------------------------------------------------------------ logs of the baselines


@pytest.fixture(scope="module")
def extractive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of baseline/extractive over 20 of the project's own samples, their context shuffled."""
    folder = tmp_path_factory.mktemp("logs")
    few = write_records(folder / "few.jsonl", records(paths.SAMPLES)[:20])
    log = folder / "extractive.jsonl"
    options = ["--eval_path", str(few), "--log_path", str(log), "--shuffle_context"]
    assert evaluate("local", [*options, "--price", "0.4,1.6"]) == 0
    return log


def test_a_log_scored_again_is_the_same_log(
    extractive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the byte: scores, contexts as logged, signature; and the old one is as it was."""
    before = extractive.read_bytes()
    assert main(["score", str(extractive), "-o", str(tmp_path / "new.jsonl"), "--wide"]) == 0
    assert (tmp_path / "new.jsonl").read_bytes() == extractive.read_bytes() == before
    old = json.loads(extractive.with_suffix(".summary.json").read_text(encoding="utf-8"))
    new = json.loads((tmp_path / "new.summary.json").read_text(encoding="utf-8"))
    keys = ("status", "samples", "answered", "matching", "scores", "scores_words", "signature")
    for key in (*keys, "price", "signature_parts"):
        assert new[key] == old[key], key
    printed = capsys.readouterr().out
    assert f"{extractive} (baseline/extractive): 20 of 20 samples answered" in printed
    assert f"total{old['scores']['total']['mean'] * 100:23.2f}" in printed


def test_the_other_rule(extractive: Path, tmp_path: Path) -> None:
    assert main(["score", str(extractive), "--matching", "words", "-o", f"{tmp_path}/w.jsonl"]) == 0
    for old, new in zip(records(extractive), records(tmp_path / "w.jsonl"), strict=True):
        assert new["scores"] == old["scores_words"]
        assert new["scores_substring"] == old["scores"]
        assert "scores_words" not in new
        assert new["signature"] == old["signature"].replace("substring", "words")


# ------------------------------------------------------------------ a data set by hand

DOCUMENTS = [{"id": "a", "contents": "Opłata wynosi 17 zł."}, {"id": "b", "contents": "30 dni."}]
SAMPLES = [
    {
        **{"id": "p1", "question": "Ile wynosi opłata?", "context": ["a", "b"]},
        "expect": {"include": ["17 zł"], "cite": ["a"]},
    },
    {"id": "p2", "question": "Jaki termin?", "context": ["a", "b"], "expect": {"refuse": False}},
    {"id": "p3", "question": "Kto wygra?", "context": ["b", "a"], "expect": {"refuse": True}},
]
REFUSAL = defaults.REFUSAL_MESSAGE
ANSWERS = [
    {"id": "p1", "answer": "Opłata to 17 zł [0]."},
    {"id": "p2", "answer": "30 dni [1]"},
    {"id": "p3", "answer": f"{REFUSAL}."},
]


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    """The options that name the data."""
    docs = write_records(tmp_path / "docs.jsonl", DOCUMENTS)
    samples = write_records(tmp_path / "eval.jsonl", SAMPLES)
    return ["--docs_path", str(docs), "--eval_path", str(samples)]


@dataclass
class Scored:
    """What comes of scoring a log."""

    code: int
    log: Path
    new: Path
    err: str

    @property
    def records(self) -> Records:
        return records(self.new)

    @property
    def summary(self) -> Any:
        return json.loads(self.new.with_suffix(".summary.json").read_text(encoding="utf-8"))


@pytest.fixture
def score(data: list[str], tmp_path: Path) -> Callable[..., Scored]:
    def scored(answers: Records | Path, *options: str) -> Scored:
        log = write_records(tmp_path / "log.jsonl", answers) if type(answers) is list else answers
        done = call(main, "score", log, *data, "-o", "new.jsonl", *options, cwd=tmp_path)
        return Scored(done.code, log, tmp_path / "new.jsonl", done.err)

    return scored


Score = Callable[..., Scored]
THINK = "</think>"


def test_answers_from_elsewhere(score: Score, tmp_path: Path) -> None:
    """They tell neither the order of the documents, nor how they came about."""
    questions = {sample["id"]: sample["question"] for sample in SAMPLES}
    rows = [[questions[row["id"]], row["answer"], "1"] for row in ANSWERS]
    done = score(write_csv(tmp_path / "system.csv", [["question", "answer", "s"], *rows]))
    assert done.code == 0
    first, *others = done.records
    assert (first["scores"]["include"], first["scores"]["cite_f1"]) == (1, 1)
    assert [one["scores"]["refuse"] for one in others] == [1, 1]
    assert (first["context"], first["usage"], first["s"]) == (["a", "b"], None, "1")
    assert (first["observed"]["cited"], first["observed"]["refused"]) == (1, False)
    assert f"|version:{__version__}|model:unknown" in first["signature"]
    # What is written can be read, scored and written again.
    old = done.new.rename(tmp_path / "old.jsonl")
    assert score(old, "--overwrite").new.read_bytes() == old.read_bytes()


def test_unknown_repeated_and_missing(score: Score, tmp_path: Path) -> None:
    done = score(
        [
            ANSWERS[0],
            *({"id": f"x{number}", "answer": "?"} for number in range(7)),
            # Half right: the share of p1 is the mean of two answers, and it counts once.
            {"id": "p1", "answer": "Opłata to 17 zł."},
            {"id": "p1", "answer": None, "error": "HTTP 500"},
            {"id": "p2", "answer": None, "error": "HTTP 500"},
            {"question": "Kto pyta?", "answer": "!"},
        ]
    )
    assert done.code == 1
    for line in (
        f"8 answers are to no sample of {tmp_path}/eval.jsonl: x0, x1, x2, x3, x4 and 3 more",
        "1 sample is answered more than once, and the mean of the answers counts: p1",
        "2 of 3 samples have no answer and are no part of the scores: p2, p3",
        "no answer to 1 of them: HTTP 500",
    ):
        assert f"{done.log}: {line}\n" in done.err
    told = done.summary
    assert told["scores"]["cite_f1"]["mean"] == 0.5
    assert (told["scores"]["total"]["mean"], told["scores"]["total"]["count"]) == (0.75, 2)
    assert (told["status"], told["answered"], told["failed"]) == ("incomplete", 1, 1)
    assert (told["repeated"], told["unknown"]) == (1, 8)
    # Every answer to a sample has its record; one without an answer has no scores.
    assert [record["id"] for record in done.records] == ["p1", "p1", "p1", "p2"]
    last = done.records[-1]
    assert (last["answer"], last["scores"], last["error"]) == (None, None, "HTTP 500")


def test_citations_go_by_the_order_that_the_model_saw(score: Score) -> None:
    answer = {"id": "p1", "answer": "Opłata to 17 zł [1]."}
    done = score([answer | {"context": ["b", "a"]}, answer])
    assert [record["scores"]["cite_f1"] for record in done.records] == [1, 0]


def test_reasoning_is_no_part_of_the_answer(score: Score) -> None:
    """Unless it is named; that of p2 was parted when it was logged."""
    answers = [
        {"id": "p1", "answer": f"Hm. 18?{THINK} 17 zł [0]", "finish_reason": "length"},
        {"id": "p2", "answer": "30 dni [1]", "reasoning": f"Hm.{THINK}"},
        ANSWERS[2],
    ]
    done = score(answers)
    assert f"{done.log}: warning: 1 answer was cut off by the limit of tokens" in done.err
    assert f"{done.log}: warning: 1 answer holds </think>, and the reasoning" in done.err
    parted = score(answers, "--reasoning_end", THINK, "--overwrite").records[:2]
    assert [(record["answer"], record["reasoning"]) for record in parted] == [
        *(("17 zł [0]", f"Hm. 18?{THINK}"), ("30 dni [1]", f"Hm.{THINK}"))
    ]


def test_half_of_a_surrogate_pair(score: Score, tmp_path: Path) -> None:
    """JSON can escape what UTF-8 cannot write."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"id": "p1", "answer": "17 zł \\ud83d [0]"}\n', encoding="utf-8")
    (record,) = score(log).records
    assert (record["answer"], record["scores"]["include"]) == ("17 zł \ud83d [0]", 1)


# ------------------------------------------------------------------ what the new signature says

NOW = {
    **{"data": "11111111", "normalizer": "1-22222222", "badwords": "33333333"},
    **{"matching": "words", "refusal": "default", "version": "2"},
}
OLD = (
    "data:11111111|prompt:aaaaaaaa|normalizer:0-00000000|badwords:00000000|matching:substring|"
    "shuffle:seed7|refusal:default|system:bbbbbbbb|mode:completion|version:1|model:m#cccccccc"
)
NEW = (
    "data:11111111|prompt:aaaaaaaa|normalizer:1-22222222|badwords:33333333|matching:words|"
    "shuffle:seed7|refusal:default|system:bbbbbbbb|mode:completion|version:2|model:m#cccccccc"
)


def other_data(line: str, asked: str) -> str:
    return line.replace("mode:completion", f"mode:completion|asked:{asked}")


# The old signature -> the new one.
SIGNATURES: list[tuple[str | None, str]] = [
    (OLD, NEW),
    (NEW, NEW),
    # The model saw other documents, or was told another refusal message.
    (OLD.replace("data:1", "data:9"), other_data(NEW, "91111111/default")),
    (OLD.replace("refusal:default", "refusal:9"), other_data(NEW, "11111111/9")),
    # An older log, that does not name its data.
    (OLD.replace("data:", "data:urzad-1.0-"), NEW),
    # It stays so, however often it is scored; and is gone with the old data.
    (other_data(NEW, "91111111/default"), other_data(NEW, "91111111/default")),
    (other_data(NEW, "11111111/default"), NEW),
    (
        None,
        "data:11111111|prompt:unknown|normalizer:1-22222222|badwords:33333333|matching:words|"
        "shuffle:unknown|refusal:default|system:unknown|mode:unknown|version:2|model:unknown",
    ),
]


@pytest.mark.parametrize(("old", "new"), SIGNATURES)
def test_signature(old: str | None, new: str) -> None:
    parsed = Signature.parse(old) if old is not None else None
    assert str(rescored_signature(parsed, NOW)) == new


def test_signature_of_a_mixed_log() -> None:
    lines = ("data:1|mode:chat|model:a#1", "data:1|mode:chat|model:b#1", "data:1|model:b#1")
    whole = whole_signature([Signature.parse(line) for line in lines])
    assert str(whole) == "data:1|mode:mixed|model:mixed"


def test_another_refusal_message_and_badwords(score: Score, tmp_path: Path) -> None:
    badwords = tmp_path / "badwords.txt"
    badwords.write_text("opłata\n", encoding="utf-8")
    options = ["--refusal_message", "nie wiem", "--badwords_path", str(badwords)]
    (record,) = score([{"id": "p3", "answer": "Nie wiem."}], *options).records
    assert record["scores"]["refuse"] == 1
    parts = Signature.parse(record["signature"]).parts
    assert parts["refusal"] == fingerprint("nie wiem")
    assert parts["badwords"] == fingerprint(["opłata"])


# ------------------------------------------------------------------ several logs


def test_several_logs_go_to_a_folder(
    data: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "one.jsonl", ANSWERS)
    (tmp_path / "two.csv").write_text(f"id,answer\np3,{REFUSAL}\n", encoding="utf-8")
    arguments = [f"{tmp_path}/one.jsonl", f"{tmp_path}/two.csv", *data, "-o", f"{tmp_path}/new"]
    assert main(["score", *arguments]) == 1
    made = [f"{name}.{end}" for name in ("one", "two") for end in ("jsonl", "summary.json")]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == made
    printed = capsys.readouterr().out
    assert [printed.count(f"{n} of 3 samples answered") for n in (1, 3)] == [1, 1]
    # Not a second time, unless it is meant.
    assert main(["score", *arguments]) == 2
    assert main(["score", *arguments, "--overwrite"]) == 1


@pytest.mark.skipif(os.name != "posix", reason="sends a signal as a terminal does")
def test_an_interrupted_command_leaves_nothing_behind(data: list[str], tmp_path: Path) -> None:
    log = write_records(tmp_path / "log.jsonl", [{"id": "p1", "answer": "17 zł " * 200}] * 6_000)
    process = start_command("score", log, *data, "-o", "new.jsonl", cwd=tmp_path)
    wait_until(lambda: (tmp_path / "new.jsonl.tmp").exists(), process)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert (done.code, "Traceback" in done.err) == (130, False)
    assert not list(tmp_path.glob("new*"))


# ------------------------------------------------------------------ mistakes

# Options (<log> stands for a log, <dir> for its folder) -> the line on stderr, without the command.
MISTAKES: list[tuple[list[str], str]] = [
    (["<log>", "<dir>/none.jsonl"], "<dir>/none.jsonl: cannot be read: no such file"),
    (["<dir>"], "<dir>: cannot be read: is a folder"),
    (["<dir>/empty.jsonl"], "<dir>/empty.jsonl: holds no answers"),
    (
        ["<dir>/other.jsonl"],
        "<dir>/other.jsonl: holds answers to another set than <dir>/eval.jsonl (x1); name theirs "
        "with --data",
    ),
    (["<log>", "-o", "<dir>/none/new.jsonl"], "-o: there is no folder <dir>/none"),
    (
        ["<log>", "<log>", "-o", "<dir>/new"],
        "-o: logs of the same name would be one file in <dir>/new",
    ),
    (["<log>", "<log>", "-o", "<dir>/eval.jsonl"], "-o: <dir>/eval.jsonl is a file; several"),
    (["<log>", "--refusal_message", " "], "--refusal_message: is empty"),
    (["<log>", "--reasoning_end", ""], "--reasoning_end: is empty"),
    (
        ["<dir>/context.jsonl"],
        "<dir>/context.jsonl:1: the model saw other documents (a, c) than sample 'p1' has (a, b)",
    ),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES)
def test_mistakes(
    data: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    log = write_records(tmp_path / "log.jsonl", ANSWERS)
    (tmp_path / "empty.jsonl").touch()
    write_records(tmp_path / "other.jsonl", [{"id": "x1", "answer": "?"}])
    write_records(tmp_path / "context.jsonl", [ANSWERS[0] | {"context": ["a", "c"]}])

    def named(text: str) -> str:
        return text.replace("<log>", str(log)).replace("<dir>", str(tmp_path))

    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert main(["score", *data, *map(named, options)]) == 2
    (line,) = [row for row in capsys.readouterr().err.splitlines() if "error: " in row]
    assert line.partition("error: ")[2].startswith(named(message))
    after = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    after.pop(tmp_path / "new", None)
    assert after == before
