"""What is read from replies, case by case; tests/data/build_replies.jsonl is the table.

Each line: which reader, what is special about the reply, the reply, and the value that it must give
(null where it must be Unparsed; "no answer" where an answer says that there is none).
"""

import doctest
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ragifeval.build.replies import (
    Pair,
    pairs,
    phrases,
    questions,
    ratings,
    read_answer,
    read_pair,
    read_phrases,
    read_questions,
    read_rating,
    tidying,
    wording,
)
from ragifeval.build.replies.tidying import LONGEST
from ragifeval.run.old.replies import Score, Unparsed, parts

TABLE = Path(__file__).parent.parent / "data" / "build_replies.jsonl"
CASES: list[Mapping[str, Any]] = [
    json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()
]


def read(case: Mapping[str, Any]) -> Any:
    """The value of a case's reply, in the form in which the table gives it."""
    low, high = case.get("scale", (1, 5))
    match case["read"]:
        case "pair":
            pair = read_pair(case["reply"])
            return [pair.question, pair.answer]
        case "questions":
            return read_questions(case["reply"], 5)
        case "answer":
            answer = read_answer(case["reply"])
            return "no answer" if answer is None else answer
        case "rating":
            score = read_rating(case["reply"], low, high)
            return [score.value, score.reason]
        case "phrases":
            return read_phrases(case["reply"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['read']}: {case['case']}")
def test_reply(case: Mapping[str, Any]) -> None:
    if case["gives"] is None:
        with pytest.raises(Unparsed):
            read(case)
    else:
        assert read(case) == case["gives"]


REASONS = [
    (read_pair, "", "it is empty"),
    (read_pair, "I'm sorry, I can't.", "it refuses to ask"),
    (read_pair, "Pytanie: Ile?", "it holds no question with its answer"),
    (read_pair, "Pytanie: Ile?\nOdpowiedź: …", "its answer is empty, or what the prompt showed"),
    (read_pair, "Frage: Wer?\nAntwort: Keine Angabe", "its answer says that there is none"),
    (read_pair, '{"question": "x', "its JSON cannot be read"),
    (read_answer, "(your answer)", "it holds no answer"),
    (read_answer, "As an AI, I do not judge.", "it refuses to answer"),
    (read_phrases, '["…"]', "it proposes no phrase"),
    (read_phrases, '["30 zł", "7', "its list is cut off"),
    (read_pair, "x" * (LONGEST + 1), "it is longer than 20000 characters"),
]


@pytest.mark.parametrize(("reader", "reply", "reason"), REASONS)
def test_why_a_reply_is_not_read(reader: Callable[[str], object], reply: str, reason: str) -> None:
    with pytest.raises(Unparsed) as told:
        reader(reply)
    assert str(told.value).startswith(reason)


def test_types() -> None:
    assert read_pair("Q: Ile?\nA: 3") == Pair("Ile?", "3")
    assert read_rating("Begründung: Klar.\nBewertung: 2", 1, 5) == Score(2.0, "Klar.")


def test_every_part_in_order() -> None:
    labels = {"question": ["question"], "answer": ["answer"]}
    assert parts.read_parts("Well.\nQuestion: a?\nAnswer:\n**Question:** b?", labels) == [
        ("", "Well."),
        ("question", "a?"),
        ("answer", ""),
        ("question", "b?"),
    ]
    assert parts.read_parts("Nothing.", labels) == [("", "Nothing.")]


READERS: list[Callable[[str], object]] = [
    read_pair,
    lambda reply: read_questions(reply, 3),
    read_answer,
    lambda reply: read_rating(reply, 1, 5),
    read_phrases,
]
PIECES = some.sampled_from(
    [
        *("Question:", "**Odpowiedź:**", "Frage 1", "Respuesta", "A:", "1. ", "- ", "\n", "\n\n"),
        *("{", "}", "[", "]", '"', "'", ":", ",", "```", "```json\n", "**", "…", "(", ")", "?"),
        *(
            "Total rating:",
            "Ocena:",
            "4",
            "4/5",
            "1 + 1",
            "-",
            "I cannot",
            "Uwaga:",
            "the text",
            "does not",
            "NO ANSWER",
            "Source:",
            "ı",
            "\\",
        ),
        *("question", "Ile?", "30 zł", "null", "true", "NaN", "1e999", "\x00", "\u2028", "„", "”"),
        *("<think>", "</think>", "\ud800", '"\\ud800"', "<question>", "</s>"),
    ]
)


@given(some.lists(PIECES | some.text(max_size=8), max_size=30).map("".join))
def test_no_reply_is_more_than_unparsed(reply: str) -> None:
    for reader in READERS:
        with suppress(Unparsed):
            str(reader(reply)).encode()  # no half of a surrogate pair, which no file can hold


LONG = [
    *("*", "[", "{", '"', "`", "\n", " ", "-", "(", "<", "#", "_", "„", "4 ", "1. ", ", ", "?*"),
    *('\\"', '{"', '["', "[[1],", "[\n", "- a\n", "a?\n", "i\n", "a\r\n", "```\n", "**a", "a "),
    *("Q: a\n", "Answer: ", "Total rating: ", "Ocena: 4\n", "1 + ", "question", "nie ", "text "),
    *("<think>", "</think>", "<|", "<question>", "? A: ", "? Answer: ", "\nSource: ", "im Text "),
    *("the text ", "no answer ", "brak informacji ", "ich kann ", "[[]]\n", "brak "),
]


@pytest.mark.parametrize("piece", LONG)
def test_long_nonsense_is_read_in_no_time(piece: str) -> None:
    for length in (LONGEST - 20, 1_000_000):
        text = piece * (length // len(piece))
        for reply in (text, f"x\n{text}\nx", f"Question: {text}?", f"leider{text}"):
            for reader in READERS:
                began = time.process_time()
                with suppress(Unparsed):
                    reader(reply)
                assert time.process_time() - began < 1


@pytest.mark.parametrize("module", [pairs, phrases, questions, ratings, tidying, wording])
def test_examples(module: Any) -> None:
    assert not doctest.testmod(module).failed
