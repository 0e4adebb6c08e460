"""python -m ragifeval judge: a scripted judge, replies of many shapes, killed and resumed."""

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean

import pytest

from ragifeval.__main__ import main
from ragifeval.judge.embeddings import public_name
from tests.judge.test_embeddings import make_bert
from tools.testing.loopback import Call, Loopback, Response, chat, failure
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

COUNT, THREADS = 60, 16

CLAIMS = {
    "explanation": "Jedno więcej.",
    **{"reference_claims": [*"abcd"], "candidate_claims": [*"abcde"], "common_claims": [*"abcd"]},
    **{"reference_count": 4, "candidate_count": 5, "common_count": 4},
}
# What each metric's judge says, in turn -> the score read of it, the F1 of claims; None for a reply
# that is not read.
REPLIES: dict[str, list[tuple[str, float | None]]] = {
    "correctness": [
        ('{"reason": "Zgodna.", "score": 4}', 4.0),
        ('```json\n{"reason": "Pełna.", "score": 5,}\n```', 5.0),
        ("**Ocena:** 3.5\n**Uzasadnienie:** Brakuje terminu.", 3.5),
        ('Kwota jest inna.\n\n{"uzasadnienie": "Inna kwota.", "ocena": 2}', 2.0),
        ('<think>{"score": 1}? Nie.</think>\n{"reason": "", "score": 5}', 5.0),
        ("Trudno powiedzieć.", None),
    ],
    "faithfulness": [
        ('{"reason": "Mówi o tym.", "supported": true}', 1.0),
        ('{"reason": "Mówi o czym innym.", "supported": false}', 0.0),
        ("Może.", None),
    ],
    "claims": [
        (json.dumps(CLAIMS), 8 / 9),
        (f"Oto wynik:\n```json\n{json.dumps(CLAIMS)[:-1]},}}\n```", 8 / 9),
        ("I cannot compare them.", None),
    ],
}


def value_of(metric: str, number: int) -> float | None:
    """What is read of the first reply about an answer."""
    return REPLIES[metric][number % len(REPLIES[metric])][1]


def metric_of(call: Call) -> str:
    """Which prompt it is, by the words of the Polish prompts."""
    text = " ".join(message["content"] for message in call.json["messages"])
    if "Skala ocen" in text:
        return "correctness"
    return "claims" if "Porównaj dwie odpowiedzi" in text else "faithfulness"


def number_of(call: Call) -> int:
    """Which answer is judged: the harness's own questions are numbered, and so are its answers."""
    text = " ".join(message["content"] for message in call.json["messages"])
    return int(text.rpartition("(odp. ")[2].partition(")")[0])


@dataclass
class Judge:
    """A scripted judge; refuses a schema where told to, and kills who asks at one moment."""

    takes_schema: bool = True
    delay: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    with_schema: int = 0
    process: "subprocess.Popen[bytes] | None" = None
    kill_at: int = -1

    def __call__(self, call: Call) -> Response:
        if "response_format" in call.json:
            self.with_schema += 1
            if not self.takes_schema:
                return failure(400, "response_format is not supported")
        metric, number = metric_of(call), number_of(call)
        self.asked[f"{metric} {number}"] += 1
        if self.process is not None and self.asked.total() == self.kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
        replies = REPLIES[metric]
        return chat(replies[number % len(replies)][0], delay=self.delay)


def lay_out(folder: Path, url: str = "http://127.0.0.1:9/v1", count: int = COUNT) -> Path:
    """A log of so many answers, and the config of the judge."""
    config = {"model": "judge", "api_base": url, "threads": THREADS, "max_retries": 0}
    (folder / "judge.json").write_text(json.dumps(config), encoding="utf-8")
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


def expected_means() -> Mapping[str, tuple[float, int]]:
    """Name of a score -> its mean, and how many answers have it."""
    read = {
        metric: [value for n in range(COUNT) if (value := value_of(metric, n)) is not None]
        for metric in REPLIES
    }
    grades, claims = read["correctness"], len(read["claims"])
    return {
        "correctness": (fmean(grades), len(grades)),
        "passing": (fmean(grade >= 4 for grade in grades), len(grades)),
        "faithfulness": (fmean(read["faithfulness"]), len(read["faithfulness"])),
        "recall": (1.0, claims),
        "precision": (0.8, claims),
        "f1": (8 / 9, claims),
    }


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
        for name, (mean, count) in expected_means().items():
            assert found[name] == [f"{mean:.4f}", str(count), str(COUNT - count)]
        assert found["rougeL"][1:] == [str(COUNT), "0"]
        assert "nan" not in judged.run.out.lower()
        assert "correctness: 10 unjudged: the reply cannot be read: it is not a JSON object" in (
            judged.run.err
        )
        assert "Traceback" not in judged.run.err
        assert "correctness and passing against correctness by rules, 50 answers:" in judged.run.out
        assert "Cohen's kappa" in judged.run.out
        assert "Spearman's rho" in judged.run.out

    def test_what_is_not_read_is_asked_again_once(self, judged: Judged) -> None:
        assert judged.at_once == THREADS
        assert judged.judge.with_schema >= 3 * COUNT
        for asked, times in judged.judge.asked.items():
            metric, number = asked.split()
            assert times == (2 if value_of(metric, int(number)) is None else 1), asked

    def test_the_judged_log_is_the_log_and_more(self, judged: Judged) -> None:
        before = records(judged.folder / "log.jsonl")
        after = records(judged.folder / "judged.jsonl")
        assert len(after) == COUNT
        for old, new in zip(before, after, strict=True):
            assert {key: new[key] for key in old} == old
        first = after[0]
        assert first["judged"]["correctness"] == 4.0
        assert first["judgements"]["correctness"] == {
            "reason": "Zgodna.",
            "replies": [REPLIES["correctness"][0][0]],
        }
        assert first["judgements"]["claims"]["reference_count"] == 4
        unread = after[5]
        assert "correctness" not in unread["judged"]
        assert unread["judgements"]["correctness"]["replies"] == ["Trudno powiedzieć."]
        assert unread["judgements"]["correctness"]["unjudged"].startswith("the reply cannot be")

    def test_summary_and_signature(self, judged: Judged) -> None:
        text = (judged.folder / "judged.summary.json").read_text(encoding="utf-8")
        summary = json.loads(text)
        assert summary["judged"]["precision"]["mean"] == pytest.approx(0.8)
        assert summary["unjudged"]["claims"]
        assert "NaN" not in text
        # The signature names judge, prompts and settings.
        (signature,) = {one["judge_signature"] for one in records(judged.folder / "judged.jsonl")}
        assert signature in judged.run.out
        for part in ("|model:judge#", "|prompts:", "|threshold:4|", "|window:", "|language:pl|"):
            assert part in signature
        assert "127.0.0.1" not in signature

    def test_again_only_the_unread_are_asked(self, judged: Judged) -> None:
        judged.judge.asked.clear()
        run = judge(judged.folder, *ALL, "--metrics", METRICS)
        assert rows_of(run.out) == rows_of(judged.run.out)
        unread = 10 + 20 + 20
        assert len(judged.judge.asked) == unread
        # Twice, and those once more of which nobody knew whether the schema was to blame.
        assert set(judged.judge.asked.values()) <= {2, 3}

    def test_another_judge_is_refused(self, judged: Judged, tmp_path: Path) -> None:
        config = {**json.loads((judged.folder / "judge.json").read_text()), "model": "other"}
        other = tmp_path / "other.json"
        other.write_text(json.dumps(config), encoding="utf-8")
        options = ("log.jsonl", "--model_config", str(other), "-o", "judged.jsonl")
        run = judge(judged.folder, *options, "--metrics", METRICS)
        assert run.code == 2
        assert "differs in: model; name another one, or --overwrite it" in run.last_line


class TestStructuredOutput:
    def test_off(self, tmp_path: Path) -> None:
        script = Judge()
        with Loopback(script) as server:
            folder = lay_out(tmp_path, server.url, 5)
            judge(folder, *ALL, "--metrics", "claims", "--structured", "off")
        assert script.with_schema == 0
        assert script.asked


class TestKilled:
    def test_goes_on_where_it_ended(self, tmp_path: Path, judged: Judged) -> None:
        script = Judge(delay=0.005)
        metrics = ("--metrics", METRICS)
        with Loopback(script) as server:
            folder = lay_out(tmp_path, server.url)
            kept: set[str] = set()
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
    def kept(folder: Path) -> set[str]:
        """What is not to be asked again, as Judge.asked has it."""
        lines = (folder / "judged.replies.jsonl").read_bytes().splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line.endswith(b"\n")]
        places = [record["id"] for record in records(folder / "log.jsonl")]
        names = [record["id"].split("/") for record in found if record["error"] is None]
        return {f"{metric} {places.index(key)}" for key, metric, _ in names}

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
        assert "Waiting for the answers in flight" in run.err
        judged_so_far = int(rows_of(run.out)["correctness"][1])
        assert 0 < judged_so_far <= COUNT
        assert len(records(folder / "judged.jsonl")) == COUNT


@pytest.fixture
def judge_here(tmp_path: Path) -> Callable[..., Finished]:
    """The command in a folder that holds a log and the config of a judge."""
    lay_out(tmp_path, count=5)  # nobody listens at the judge's URL
    return partial(judge, tmp_path)


Judging = Callable[..., Finished]


def test_create_and_refine(tmp_path: Path, judge_here: Judging) -> None:
    """Four parts of five are asked about, as the fourth supports the answer."""
    seen: list[str] = []

    def script(call: Call) -> Response:
        seen.append(call.prompt)
        return chat(json.dumps({"reason": "", "supported": "trzeci" in call.prompt}))

    # The second is split in two; the third stands with its end.
    contexts = ["pierwszy", "drugi " * 30, "trzeci", "czwarty"]
    options = [option for text in contexts for option in ("--context", text)]
    with Loopback(script) as server:
        lay_out(tmp_path, server.url, 1)
        run = judge_here(
            *("--answer", "A", *options, "--metrics", "faithfulness", "--window", "100"),
            *("--model_config", "judge.json"),
        )
    assert run.code == 0, run.err
    assert "pierwszy" in seen[0]
    assert "Poprzednie fragmenty go nie potwierdziły" in seen[1]
    assert rows_of(run.out)["faithfulness"] == ["1.0000", "1", "0"]
    found = json.loads(run.out[: run.out.index("\n}\n") + 2])["faithfulness"]
    assert (found["parts"], found["asked"], len(seen)) == (4, 3, 3)


def test_one_question_prints_the_claims(tmp_path: Path, judge_here: Judging) -> None:
    reply = {
        "explanation": "",
        "reference_claims": ["30 zł", "14 dni"],
        "candidate_claims": ["30 zł"],
        "common_claims": ["30 zł"],
        **{"reference_count": 2, "candidate_count": 1, "common_count": 2},
    }
    with Loopback(lambda call: chat(json.dumps(reply, ensure_ascii=False))) as server:
        lay_out(tmp_path, server.url, 1)
        options = ("--question", "Ile?", "--reference", "30 zł, 14 dni", "--answer", "30 zł")
        run = judge_here(*options, "--model_config", "judge.json")
    assert run.code == 0, run.err
    assert '"reference_claims": [\n      "30 zł",\n      "14 dni"\n    ]' in run.out
    assert "common: 2 counted, 1 listed" in run.out
    assert rows_of(run.out)["recall"] == ["1.0000", "1", "0"]
    assert rows_of(run.out)["recall_listed"] == ["0.5000", "1", "0"]
    assert "claims: 1 reply counts other claims than listed there" in run.err


def test_missing_and_blank_texts_are_unjudged_and_nothing_is_asked(
    tmp_path: Path, judge_here: Judging
) -> None:
    (tmp_path / "bare.jsonl").write_text('{"question": "?", "answer": "x"}\n', encoding="utf-8")
    blank = ("--question", "Ile?", "--reference", "  ", "--context", "", "--answer", "30 zł")
    for options in (("bare.jsonl",), blank):
        run = judge_here(*options, "--model_config", "judge.json", "--metrics", METRICS)
        assert run.code == 1, run.err
        for metric in METRICS.split(","):
            absent = "contexts" if metric == "faithfulness" else "reference"
            assert f"{metric}: 1 unjudged: no {absent}" in run.err


def test_lexical_needs_no_config_and_a_blank_answer_is_one(
    tmp_path: Path, judge_here: Judging
) -> None:
    (tmp_path / "answers.csv").write_text(
        "question;answer;reference\nIle?;Opłata wynosi 30 zł.;Opłata wynosi 30 zł.\n"
        "Kiedy?;Jutro.;\nGdzie?; ;W urzędzie.\n",
        encoding="utf-8",
    )
    run = judge_here("answers.csv", "--metrics", "lexical")
    assert run.code == 1
    for name in ("bleu", "chrf", "rougeL"):
        assert rows_of(run.out)[name] == ["0.5000", "2", "1"]
    assert "lexical: 1 unjudged: no reference" in run.err


@pytest.mark.parametrize(("language", "words"), [("pl", "Skala ocen"), ("en", "How to grade")])
def test_dry_run_shows_the_prompts_and_writes_nothing(
    tmp_path: Path, judge_here: Judging, language: str, words: str
) -> None:
    record = {"question": "Ile?", "answer": "\ud83d 30 zł", "reference": "30 zł", "contexts": ["x"]}
    (tmp_path / "b.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    run = judge_here("log.jsonl", "b.jsonl", "--dry_run", "-o", "new", "--language", language)
    assert run.code == 0, run.err
    assert words in run.out
    assert run.out.count("=== ") == (5 + 1) * 3
    assert "Opłata wynosi 30 zł (odp. 1)" in run.out
    assert "\ufffd 30 zł" in run.out  # half of a surrogate pair
    assert sorted(tmp_path.iterdir()) == before


MISTAKES = {
    "": "name a log, or --question, --reference and --answer",
    "log.jsonl --metrics bleu": "'bleu' is none of: correctness, faithfulness",
    "log.jsonl --metrics claims": "--model_config: is missing",
    "log.jsonl --question ?": "are for one answer, no log",
    "--question ?": "--answer: is missing",
    "log.jsonl -o log.jsonl": "is one of the logs that are read",
    "log.jsonl -o judge.json": "was not made by this harness and is never replaced",
    "none.jsonl": "none.jsonl: cannot be read: No such file",
    "log.jsonl --threshold 7": "must be from 1 to 5, not '7'",
    "log.jsonl --metrics retrieval --embedding_model x": (
        "--embedding_model: is for --metrics lexical, which is not asked for"
    ),
    "log.jsonl --dry_run --metrics claims --prompts .": "claims.jinja: cannot be read",
}


@pytest.mark.parametrize(("options", "message"), MISTAKES.items())
def test_mistakes_are_one_line(judge_here: Judging, options: str, message: str) -> None:
    run = judge_here(*options.split())
    assert run.code == 2
    assert message in run.last_line
    assert "Traceback" not in run.err


def test_a_folder_serves_bertscore_and_cosine(tmp_path: Path, judge_here: Judging) -> None:
    make_bert(tmp_path / "tiny", 64)
    options = ("--bertscore_model", "tiny", "--embedding_model", str(tmp_path / "tiny"))
    run = judge_here("log.jsonl", *options, "-o", "judged.jsonl")
    assert run.code == 0, run.err
    found = rows_of(run.out)
    for name in ("bertscore_precision", "bertscore_recall", "bertscore_f1", "cosine"):
        assert found[name][1:] == ["5", "0"]
        assert 0 < float(found[name][0]) <= 1
    name = public_name(str(tmp_path / "tiny"))
    assert f"|bertscore_model:{name}|embedding_model:{name}|" in run.out
    assert str(tmp_path) not in run.out
    again = judge_here("log.jsonl", "-o", "judged.jsonl", *options[:2])
    assert "was judged by a run that differs in: embedding_model" in again.last_line
    (tmp_path / "tiny" / "model.safetensors").write_bytes(b"")
    broken = judge_here("log.jsonl", *options)
    assert broken.code == 2
    assert "--bertscore_model: tiny cannot be loaded: " in broken.last_line


def test_a_local_model_judges(tmp_path: Path, judge_here: Judging, tiny_model: Path) -> None:
    """It answers in word salad, so that all is unjudged: asked twice each, and said why."""
    config = {"model": str(tiny_model), "dtype": "float32", "max_new_tokens": 8}
    (tmp_path / "judge.json").write_text(json.dumps(config), encoding="utf-8")
    run = judge_here(*ALL, "--metrics", "claims")
    assert run.code == 1, run.err
    names = [name + listed for listed in ("", "_listed") for name in ("recall", "precision", "f1")]
    assert rows_of(run.out) == {name: ["-", "0", "5"] for name in names}
    assert "it is not a JSON object" in run.err
    assert {record["tries"] for record in records(tmp_path / "judged.replies.jsonl")} == {2}
