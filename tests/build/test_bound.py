"""Statements for the phrases of built samples: of which thing, and what is left a phrase."""

from dataclasses import replace
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.bound import with_statements
from ragifeval.scoring.scorer import Scorer

TICKETS = "Bilet normalny kosztuje 19 zł, a ulgowy 9 zł. Karta jest ważna 2 lata."
LOANS = "Książki wypożycza się na 30 dni. Filmy wypożycza się na 7 dni. Kara to 2 zł."
NORMAL = {"say": ["19 zł"], "of": ["bilet", "normalny"], "rivals": ["ulgowy"]}

# Document, question, gold answer, phrases -> entries.
CASES: dict[str, tuple[str, str, str, list[Any], list[Any]]] = {
    "values of two things in one sentence": (
        TICKETS,
        "Ile kosztuje bilet normalny?",
        "Bilet normalny kosztuje 19 zł. [0]",
        ["19 zł"],
        [NORMAL],
    ),
    "in two sentences": (
        LOANS,
        "Na jak długo można wypożyczyć film?",
        "Filmy wypożycza się na 7 dni. [0]",
        [["7 dni", "tydzień"]],
        [{"say": ["7 dni", "tydzień"], "of": ["film"], "rivals": ["książka"]}],
    ),
    "no other value of its kind": (
        TICKETS,
        "Jak długo jest ważna karta?",
        "Karta jest ważna 2 lata. [0]",
        ["2 lata"],
        [{"say": ["2 lata"]}],
    ),
    "no value": (TICKETS, "Co jest ważne?", "Karta. [0]", ["karta"], ["karta"]),
    "more than a value": (
        TICKETS,
        "Ile kosztuje bilet normalny?",
        "Normalny: 19 zł. [0]",
        ["normalny kosztuje 19 zł"],
        ["normalny kosztuje 19 zł"],
    ),
    "alternatives that are two values": (
        TICKETS,
        "Ile kosztuje bilet normalny?",
        "19 zł. [0]",
        [["19 zł", "9 zł"]],
        [["19 zł", "9 zł"]],
    ),
    "the other clause names no thing": (
        "Bilet normalny kosztuje 19 zł. Płaci się dziennie 9 zł.",
        "Ile kosztuje bilet normalny?",
        "19 zł. [0]",
        ["19 zł"],
        [{"say": ["19 zł"]}],
    ),
    "a value of both things": (
        "Bilet normalny kosztuje 19 zł. Ulgowy kosztuje 9 zł albo 19 zł.",
        "Ile kosztuje bilet normalny?",
        "19 zł. [0]",
        ["19 zł"],
        [{"say": ["19 zł"]}],
    ),
    "what any value may be called tells nothing apart": (
        "Termin wynosi 30 dni. Sprzeciw wnosi się w terminie 14 dni.",
        "Jaki jest termin na wniosek?",
        "Termin wynosi 30 dni. [0]",
        ["30 dni"],
        [{"say": ["30 dni"]}],
    ),
    "written otherwise": (
        "Wyżywienie kosztuje 13,00 zł.",
        "Ile kosztuje wyżywienie?",
        "13 zł. [0]",
        ["13,00 zł"],
        [{"say": ["13,00 zł"]}],
    ),
    "the things have one name": (
        "Za kartę płaci się 10 zł. Duplikat karty kosztuje 20 zł.",
        "Ile kosztuje duplikat?",
        "20 zł. [0]",
        ["20 zł"],
        [{"say": ["20 zł"]}],
    ),
    "the question names both things": (
        TICKETS,
        "O ile droższy jest bilet normalny od ulgowego i ile kosztuje?",
        "Bilet normalny kosztuje 19 zł. [0]",
        ["19 zł"],
        [{"say": ["19 zł"]}],
    ),
    "a gold answer that denies it by the rule of statements": (
        TICKETS,
        "Ile kosztuje bilet normalny?",
        "Nie 19 zł. [0]",
        ["19 zł"],
        ["19 zł"],
    ),
}


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer.load()


@pytest.mark.parametrize(
    ("contents", "question", "reference", "phrases", "include"), CASES.values(), ids=CASES
)
def test_statements(
    scorer: Scorer,
    contents: str,
    question: str,
    reference: str,
    phrases: list[Any],
    include: list[Any],
) -> None:
    expect = {"include": phrases, "cite": ["a"]}
    sample = Sample("q", question, ("a",), expect, reference=reference)
    made = with_statements(sample, Document("a", contents), scorer)
    assert made == replace(sample, expect={"include": include, "cite": ["a"]})


# Answers in other words -> what a sample about the normal ticket gives for include.
ANSWERS = {
    "Normalny bilet to wydatek dziewiętnastu złotych.": 1,
    "Ulgowy 9 zł, normalny 19 zł.": 1,
    "19 zł": 1,
    "Ulgowy kosztuje 19 zł, normalny 9 zł.": 0,
    "Bilet ulgowy kosztuje 19 zł.": 0,
    "Bilet normalny nie kosztuje 19 zł.": 0,
}


@pytest.mark.parametrize(("answer", "score"), ANSWERS.items())
def test_what_they_find(scorer: Scorer, answer: str, score: float) -> None:
    sample = Sample("q", "Ile?", ("a",), {"include": [NORMAL]})
    scores = scorer.score(sample, ("a",), answer)
    assert {rule: found["include"] for rule, found in scores.items()} == {
        "substring": score,
        "words": score,
    }
