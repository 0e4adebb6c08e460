"""The loop: what is asked, and what is recorded."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE
from ragifeval.generators.base import Answer, Request
from ragifeval.run.journal import Journal
from ragifeval.run.outcome import Outcome, check_record
from ragifeval.run.run import Task, run
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature, fingerprint
from ragifeval.text.normalizer import Normalizer
from tools.testing.process import by_id, records

CONTEXT = ("a", "b", "c")
BENCHMARK = Benchmark(
    {
        "a": Document("a", "Opłata wynosi 17 zł."),
        "b": Document("b", "Termin to 30 dni."),
        "c": Document("c", "Wniosek składa się w urzędzie."),
    },
    (
        Sample("p0", "Ile wynosi opłata?", CONTEXT, {"include": ["7 zł"], "cite": ["a"]}),
        Sample("p1", "Jaki jest termin?", CONTEXT, {"include": ["30 dni"]}),
        Sample("p2", "Jaka będzie pogoda?", CONTEXT, {"refuse": True}),
        Sample("p3", "Gdzie złożyć wniosek?", CONTEXT, {"include": ["urząd"], "safe": True}),
    ),
)
SIGNATURE = Signature({"data": "11111111", "model": "canned#1"})


class CannedGenerator:
    """Answers from a table, last question first; remembers what it was asked."""

    name = "canned"

    def __init__(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        taken = list(requests)
        self.asked = [request.id for request in taken]
        for request in reversed(taken):
            yield Answer(request, **self.answers[request.id])

    def stop(self) -> None:
        """It has nothing in flight."""


STOP = {"finish_reason": "stop"}
USAGE = {"prompt_tokens": 90, "completion_tokens": 9}
ANSWERS: dict[str, dict[str, Any]] = {
    "p0": {**STOP, "text": "Opłata wynosi 17 zł [0].", "usage": USAGE, "seconds": 1.23456},
    "p1": {"text": None, "error": "timeout after 600 s"},
    "p2": {**STOP, "text": f"{REFUSAL_MESSAGE}."},
    "p3": {"text": "W urzędzie, do którego", "finish_reason": "length"},
}


@pytest.fixture(scope="module")
def scorer(normalizer: Normalizer) -> Scorer:
    return Scorer(Criteria(normalizer, REFUSAL_MESSAGE, frozenset({"kurwa"})))


@pytest.fixture
def task(tmp_path: Path) -> Task:
    template = tmp_path / "prompt.jinja"
    template.write_text("{{ docs | join(' ') }} {{ question }}", encoding="utf-8")
    return Task(
        benchmark=BENCHMARK,
        samples=BENCHMARK.samples,
        template=PromptTemplate(template),
        shuffle_seed=None,
        matching="substring",
        signature=SIGNATURE,
    )


Evaluate = Callable[..., tuple[Outcome, CannedGenerator]]


@pytest.fixture
def evaluate(scorer: Scorer, tmp_path: Path) -> Evaluate:
    def start(
        task: Task,
        answers: Mapping[str, Mapping[str, Any]] = ANSWERS,
        log_prompts: bool = False,
    ) -> tuple[Outcome, CannedGenerator]:
        """One start of the harness."""
        generator, outcome = CannedGenerator(answers), task.new_outcome()
        check = partial(check_record, matching=task.matching)
        with Journal(tmp_path / "out.jsonl", SIGNATURE, check=check) as journal:
            run(task, generator, lambda: scorer, journal, outcome, log_prompts)
        return outcome, generator

    return start


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def answered(outcome: Outcome) -> set[int]:
    return {place for place, count in enumerate(outcome.answers) if count}


def means(outcome: Outcome, rule: str) -> dict[str, float]:
    return {key: one.mean for key, one in outcome.tallies[rule].estimates(seed=0).items()}


class TestRun:
    def test_the_outcome_and_its_scores_by_hand(self, task: Task, evaluate: Evaluate) -> None:
        outcome, generator = evaluate(task)
        assert generator.asked == ["p0", "p1", "p2", "p3"]
        assert answered(outcome) == {0, 2, 3}
        assert outcome.failed == {"p1": "timeout after 600 s"}
        assert (outcome.truncated, outcome.reasoning_unset, outcome.interrupted) == (1, 0, False)
        # p0: "7 zł" in "17 zł" 1 / 0, cite 1; p1 has no answer and no part; p2: 1; p3: 1, safe 1.
        substring, words = (means(outcome, rule) for rule in ("substring", "words"))
        assert (substring["correctness"], words["correctness"]) == (1.0, pytest.approx(2 / 3))
        assert (substring["safety"], words["safety"]) == (1.0, 1.0)
        assert (substring["total"], words["total"]) == (1.0, pytest.approx(4 / 5))
        # "Opłata wynosi 17 zł [0]." has 24, the refusal 48, "W urzędzie, do którego" 22 characters.
        assert substring["len_chars"] == pytest.approx((24 + 48 + 22) / 3)

    def test_the_records(self, task: Task, evaluate: Evaluate, log: Path) -> None:
        evaluate(task, log_prompts=True)
        text = "Opłata wynosi 17 zł. Termin to 30 dni. Wniosek składa się w urzędzie. "
        said = [
            {"role": "system", "content": SYSTEM_MESSAGE},
            {"role": "user", "content": text + "Ile wynosi opłata?"},
        ]
        found = by_id(records(log))
        assert list(found) == ["p3", "p2", "p1", "p0"]  # as they came
        lengths = {"len_chars": 24.0, "len_words": 5.0}
        cited = {"cite_f1": 1.0, "cite_precision": 1.0, "cite_recall": 1.0}
        observed = {"refused": False, "refusal_due": False}
        observed |= {"cited": 1, "distractors": 0, "unknown": 0}
        assert found["p0"] == {
            "id": "p0",
            "question": "Ile wynosi opłata?",
            "context": ["a", "b", "c"],
            "answer": "Opłata wynosi 17 zł [0].",
            "scores": {"include": 1.0, **cited, **lengths},
            "scores_words": {"include": 0.0, **cited, **lengths},
            "finish_reason": "stop",
            "usage": USAGE,
            "seconds": 1.235,
            "retries": 0,
            "error": None,
            "signature": str(SIGNATURE),
            "category": None,
            "kind": [],
            "observed": observed,
            "model": "canned",
            "asked": ANY,
            "prompt_hash": fingerprint(said),
            "prompt_chars": sum(len(message["content"]) for message in said),
            "prompt": said,
        }
        started = datetime.fromisoformat(found["p0"]["asked"])
        assert 1.2 < (datetime.now(UTC) - started).total_seconds() < 60
        failed = found["p1"]
        assert failed["error"] == "timeout after 600 s"
        assert failed["answer"] is failed["scores"] is failed["scores_words"] is None
        assert found["p3"]["finish_reason"] == "length"
        assert all(record.keys() == failed.keys() for record in found.values())

    def test_documents_are_shuffled_and_cited_as_shown(
        self, task: Task, evaluate: Evaluate, log: Path
    ) -> None:
        answers = {**ANSWERS, "p0": {**STOP, "text": "17 zł [1]"}}
        shuffled = replace(task, shuffle_seed=0, matching="words")
        evaluate(shuffled, answers, log_prompts=True)
        first = records(log)[-1]
        assert first["prompt"][-1]["content"] == (
            "Wniosek składa się w urzędzie. Opłata wynosi 17 zł. Termin to 30 dni. "
            "Ile wynosi opłata?"
        )
        # By random.Random("0:p0").shuffle, in a process of its own.
        assert first["context"] == ["c", "a", "b"]
        assert (first["scores"]["cite_f1"], first["scores"]["include"]) == (1.0, 0.0)
        # The other rule stands beside the headline.
        assert first["scores_substring"]["include"] == 1.0
        assert "scores_words" not in first


THOUGHT = "<think>7 zł?</think> Nie. [1] [2]</think>"  # up to the last end
UNENDED = "<think>17 zł [0] </thin"
# What the model says, with its reasoning apart or not, why it ended, the end of reasoning that the
# config names -> answer and reasoning in the record; include, cite_f1, len_chars; how many were
# cut off, how many hold an end that nobody named.
RECORDED: list[tuple[Any, ...]] = [
    (f"{THOUGHT}\n17 zł [0]", "", "stop", "</think>", "17 zł [0]", THOUGHT, [1, 1, 9], [0, 0]),
    # One that never ends is an empty answer that was cut off.
    (UNENDED, "", "stop", "</think>", "", UNENDED, [0, 0, 0], [1, 0]),
    (UNENDED, "", "length", "</think>", "", UNENDED, [0, 0, 0], [1, 0]),
    (f"{THOUGHT}17 zł", "", "stop", None, f"{THOUGHT}17 zł", None, [1, 0, 46], [0, 1]),
    ("17 zł [0]", "Hm.", "stop", None, "17 zł [0]", "Hm.", [1, 1, 9], [0, 0]),
]


@pytest.mark.parametrize("row", RECORDED)
def test_reasoning_is_kept_and_not_scored(
    task: Task, evaluate: Evaluate, log: Path, row: tuple[Any, ...]
) -> None:
    text, apart, finish_reason, end, answer, reasoning, scores, counted = row
    one = replace(task, samples=BENCHMARK.samples[:1], reasoning_end=end)
    said = {"text": text, "reasoning": apart, "finish_reason": finish_reason}
    outcome, _ = evaluate(one, {"p0": said})
    (record,) = records(log)
    assert (record["answer"], record.get("reasoning")) == (answer, reasoning)
    assert [record["scores"][key] for key in ("include", "cite_f1", "len_chars")] == scores
    assert [outcome.truncated, outcome.reasoning_unset] == counted
    assert answered(outcome) == {0}
