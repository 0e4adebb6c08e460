"""python -m ragifeval judge: a scripted judge, replies of many shapes, killed and resumed."""

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from ragifeval.__main__ import main
from ragifeval.judge.embeddings import public_name
from tests.judge.test_embeddings import make_bert
from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import (
    Finished,
    call,
    finish,
    questions,
    records,
    start_command,
    wait_until,
    write_records,
)
from tools.testing.scripted import write_config

COUNT, THREADS = 60, 16

CLAIMS = {
    "explanation": "Jedno więcej.",
    **{"reference_claims": [*"abcd"], "candidate_claims": [*"abcde"], "common_claims": [*"abcd"]},
    **{"reference_count": 4, "candidate_count": 5, "common_count": 4},
}
# What each metric's judge says, in turn; the last reply is not read.
REPLIES = {
    "correctness": [
        '{"reason": "Zgodna.", "score": 4}',
        "**Ocena:** 3.5\n**Uzasadnienie:** Brakuje terminu.",
        "Trudno powiedzieć.",
    ],
    "faithfulness": [
        '{"reason": "Mówi o tym.", "supported": true}',
        '{"reason": "Mówi o czym innym.", "supported": false}',
        "Może.",
    ],
    "claims": [json.dumps(CLAIMS), "I cannot compare them."],
}
# The mean of what is read, and how many are and are not.
MEANS = {
    **{"correctness": ["3.7500", "40", "20"], "passing": ["0.5000", "40", "20"]},
    **{"faithfulness": ["0.5000", "40", "20"], "recall": ["1.0000", "30", "30"]},
    **{"precision": ["0.8000", "30", "30"], "f1": ["0.8889", "30", "30"]},
}


def reply_to(metric: str, number: int) -> str:
    return REPLIES[metric][number % len(REPLIES[metric])]


def asked_of(call: Call) -> tuple[str, int]:
    """Which metric, by the words of its Polish prompt, and which answer, by its number."""
    text = " ".join(message["content"] for message in call.json["messages"])
    number = int(text.rpartition("(odp. ")[2].partition(")")[0])
    if "Skala ocen" in text:
        return "correctness", number
    return "claims" if "Porównaj dwie odpowiedzi" in text else "faithfulness", number


@dataclass
class Judge:
    """A scripted judge, which kills who asks at one moment."""

    delay: float = 0.0
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    with_schema: int = 0
    process: "subprocess.Popen[bytes] | None" = None
    kill_at: int = -1

    def __call__(self, call: Call) -> Response:
        self.with_schema += "response_format" in call.json
        metric, number = asked_of(call)
        self.asked[metric, number] += 1
        if self.process is not None and self.asked.total() == self.kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
        return chat(reply_to(metric, number), delay=self.delay)


def lay_out(folder: Path, url: str = "http://127.0.0.1:9/v1", count: int = COUNT) -> Path:
    """A log of so many answers, and the config of the judge."""
    write_config(folder / "judge.json", url, THREADS, model="judge")
    same = {"reference": "Opłata wynosi 30 zł", "contexts": ["Pierwszy kontekst."], "error": None}
    found = [
        {
            **same,
            **{"id": question["id"], "question": question["question"]},
            "answer": f"Opłata wynosi 30 zł (odp. {number})",
            "scores": {"include": number % 2, "cite_f1": float(number % 3 > 0)},
        }
        for number, question in enumerate(questions(count))
    ]
    write_records(folder / "log.jsonl", found)
    return folder


def judge(folder: Path, *options: str) -> Finished:
    return call(main, "judge", *options, cwd=folder)


def rows_of(out: str) -> dict[str, list[str]]:
    """Name of a score -> mean, judged, unjudged."""
    lines = (line.split() for line in out.splitlines())
    return {cells[0]: cells[1:4] for cells in lines if len(cells) >= 4 and cells[2].isdigit()}


ALL = ("log.jsonl", "--model_config", "judge.json", "-o", "judged.jsonl")
METRICS = "correctness,faithfulness,claims,lexical"


@dataclass
class Judged:
    folder: Path
    run: Finished
    judge: Judge
    at_once: int


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    script = Judge(delay=0.1)
    with Loopback(script) as server:
        folder = lay_out(tmp_path_factory.mktemp("judged"), server.url)
        run = judge(folder, *ALL, "--metrics", METRICS, "--agreement")
        yield Judged(folder, run, script, server.at_once)


class TestReplies:
    def test_the_table(self, judged: Judged) -> None:
        assert judged.run.code == 1, judged.run.err  # some are unjudged
        found = rows_of(judged.run.out)
        assert {name: found[name] for name in MEANS} == MEANS
        assert found["rougeL"][1:] == [str(COUNT), "0"]
        assert "correctness: 20 unjudged: the reply cannot be read" in judged.run.err
        assert "correctness and passing against correctness by rules, 40 answers:" in judged.run.out
        summary = json.loads((judged.folder / "judged.summary.json").read_text(encoding="utf-8"))
        assert summary["judged"]["precision"]["mean"] == pytest.approx(0.8)

    def test_what_is_not_read_is_asked_again_once(self, judged: Judged) -> None:
        assert judged.at_once == THREADS
        assert judged.judge.with_schema >= 3 * COUNT
        for (metric, number), times in judged.judge.asked.items():
            assert times == (2 if reply_to(metric, number) == REPLIES[metric][-1] else 1)

    def test_the_judged_log_is_the_log_and_more(self, judged: Judged) -> None:
        before = records(judged.folder / "log.jsonl")
        after = records(judged.folder / "judged.jsonl")
        for old, new in zip(before, after, strict=True):
            assert {key: new[key] for key in old} == old
        first, unread = after[0], after[2]
        assert first["judged"]["correctness"] == 4.0
        assert first["judgements"]["correctness"] == {
            "reason": "Zgodna.",
            "replies": REPLIES["correctness"][:1],
        }
        assert "correctness" not in unread["judged"]
        assert unread["judgements"]["correctness"]["replies"] == ["Trudno powiedzieć."]
        # The signature names judge, prompts and settings.
        (signature,) = {one["judge_signature"] for one in after}
        for part in ("|model:judge#", "|prompts:", "|threshold:4|", "|window:", "|language:pl|"):
            assert part in signature

    def test_again_only_the_unread_are_asked(self, judged: Judged) -> None:
        judged.judge.asked.clear()
        run = judge(judged.folder, *ALL, "--metrics", METRICS)
        assert rows_of(run.out) == rows_of(judged.run.out)
        assert len(judged.judge.asked) == 20 + 20 + 30
        # Twice, and those once more of which nobody knew whether the schema was to blame.
        assert set(judged.judge.asked.values()) <= {2, 3}


def test_without_a_schema(tmp_path: Path) -> None:
    script = Judge()
    with Loopback(script) as server:
        folder = lay_out(tmp_path, server.url, 5)
        judge(folder, *ALL, "--metrics", "claims", "--structured", "off")
    assert script.asked
    assert script.with_schema == 0


class TestKilled:
    def test_goes_on_where_it_ended(self, tmp_path: Path, judged: Judged) -> None:
        script = Judge(delay=0.005)
        metrics = ("--metrics", METRICS)
        with Loopback(script) as server:
            folder = lay_out(tmp_path, server.url)
            kept: set[tuple[str, int]] = set()
            for kill_at in (40, 50):
                script.asked.clear()
                script.kill_at = kill_at
                script.process = start_command("judge", *ALL, *metrics, cwd=folder)
                assert finish(script.process).code == -signal.SIGKILL
                assert not kept & set(script.asked)
                kept = self.kept(folder)
                with (folder / "judged.replies.jsonl").open("a") as file:
                    file.write('{"id": "torn')
            script.asked.clear()
            script.process = None
            run = judge(folder, *ALL, *metrics)
            assert not kept & set(script.asked)
        assert kept
        assert rows_of(run.out) == rows_of(judged.run.out)
        assert "judged.replies.jsonl: the last line was cut off and is dropped" in run.err
        assert f"{len(kept)} replies were already there" in run.err
        assert records(folder / "judged.jsonl") == records(judged.folder / "judged.jsonl")

    @staticmethod
    def kept(folder: Path) -> set[tuple[str, int]]:
        """What is not to be asked again, as Judge.asked has it."""
        lines = (folder / "judged.replies.jsonl").read_bytes().splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line.endswith(b"\n")]
        places = [record["id"] for record in records(folder / "log.jsonl")]
        names = [record["id"].split("/") for record in found if record["error"] is None]
        return {(metric, places.index(key)) for key, metric, _ in names}

    def test_ctrl_c_keeps_what_is_there(self, tmp_path: Path) -> None:
        script = Judge(delay=0.1)
        with Loopback(script) as server:
            folder = lay_out(tmp_path, server.url)
            process = start_command("judge", *ALL, "--metrics", "correctness,claims", cwd=folder)
            wait_until(lambda: len(server.calls) > THREADS, process)
            process.send_signal(signal.SIGINT)
            run = finish(process)
        assert run.code == 130, run.err
        assert "(interrupted)" in run.out
        assert 0 < int(rows_of(run.out)["correctness"][1]) <= COUNT
        assert len(records(folder / "judged.jsonl")) == COUNT


@pytest.fixture
def judge_here(tmp_path: Path) -> Callable[..., Finished]:
    """The command in a folder that holds a log and the config of a judge."""
    lay_out(tmp_path, count=5)  # nobody listens at the judge's URL
    return partial(judge, tmp_path)


Judging = Callable[..., Finished]


def test_one_answer_and_what_it_is_based_on(tmp_path: Path, judge_here: Judging) -> None:
    """Contexts are shown in parts until one supports it; what is blank is as if not given."""

    def script(call: Call) -> Response:
        return chat(json.dumps({"reason": "", "supported": "trzeci" in call.prompt}))

    # The second is split in two; the third stands with its end.
    contexts = ["pierwszy", "drugi " * 30, "trzeci", "czwarty", ""]
    options = [option for text in contexts for option in ("--context", text)]
    options += ["--question", "Ile?", "--reference", "  ", "--window", "100"]
    with Loopback(script) as server:
        lay_out(tmp_path, server.url, 1)
        run = judge_here("--answer", "A", *options, *ALL[1:3], "--metrics", METRICS)
    assert run.code == 1
    told = json.loads(run.out[: run.out.index("\n}\n") + 2])
    assert (told["faithfulness"]["parts"], told["faithfulness"]["asked"]) == (4, 3)
    assert len(server.calls) == 3
    for metric in ("correctness", "claims", "lexical"):
        assert told[metric] == {"unjudged": "no reference"}


def test_dry_run_shows_the_prompts_and_writes_nothing(tmp_path: Path, judge_here: Judging) -> None:
    before = sorted(tmp_path.iterdir())
    run = judge_here("log.jsonl", "--dry_run", "-o", "new", "--language", "en")
    assert run.code == 0, run.err
    assert "How to grade" in run.out
    assert run.out.count("=== ") == 5 * 3
    assert "Opłata wynosi 30 zł (odp. 1)" in run.out
    assert sorted(tmp_path.iterdir()) == before


MISTAKES = {
    "": "name a log, or --question, --reference and --answer",
    "log.jsonl --metrics bleu": "'bleu' is none of: correctness, faithfulness",
    "log.jsonl --metrics claims": "--model_config: is missing",
    "log.jsonl --question ?": "are for one answer, no log",
    "--question ?": "--answer: is missing",
    "log.jsonl -o judge.json": "was not made by this harness and is never replaced",
    "log.jsonl --threshold 7": "must be from 1 to 5, not '7'",
    "log.jsonl --metrics retrieval --embedding_model x": "--embedding_model: is for --metrics",
}


@pytest.mark.parametrize(("options", "message"), MISTAKES.items())
def test_mistakes_are_one_line(judge_here: Judging, options: str, message: str) -> None:
    run = judge_here(*options.split())
    assert (run.code, message in run.last_line) == (2, True), run.err


def test_a_folder_serves_bertscore_and_cosine(tmp_path: Path, judge_here: Judging) -> None:
    make_bert(tmp_path / "tiny", 64)
    options = ("--bertscore_model", "tiny", "--embedding_model", str(tmp_path / "tiny"))
    run = judge_here("log.jsonl", *options, "-o", "judged.jsonl")
    assert run.code == 0, run.err
    found = rows_of(run.out)
    for name in ("bertscore_f1", "cosine"):
        assert found[name][1:] == ["5", "0"]
        assert 0 < float(found[name][0]) <= 1
    name = public_name(str(tmp_path / "tiny"))
    assert f"|bertscore_model:{name}|embedding_model:{name}|" in run.out
    assert str(tmp_path) not in run.out
    again = judge_here("log.jsonl", "-o", "judged.jsonl", *options[:2])
    assert "was judged by a run that differs in: embedding_model" in again.last_line


def test_a_local_model_judges(tmp_path: Path, judge_here: Judging, tiny_model: Path) -> None:
    """It answers in word salad, so that all is unjudged: asked twice each, and said why."""
    config = {"model": str(tiny_model), "dtype": "float32", "max_new_tokens": 8}
    (tmp_path / "judge.json").write_text(json.dumps(config), encoding="utf-8")
    run = judge_here(*ALL, "--metrics", "claims")
    assert run.code == 1, run.err
    assert rows_of(run.out)["f1"] == ["-", "0", "5"]
    assert {record["tries"] for record in records(tmp_path / "judged.replies.jsonl")} == {2}
