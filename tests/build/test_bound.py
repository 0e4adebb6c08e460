"""Statements for the phrases of built samples: of which thing, and what is left a phrase."""

from dataclasses import replace
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.bound import with_statements
from ragifeval.scoring.scorer import Scorer

TICKETS = "Bilet normalny kosztuje 19 zł, a ulgowy 9 zł. Karta jest ważna 2 lata."
LOANS = "Książki wypożycza się na 30 dni. Filmy wypożycza się na 7 dni. Kara to 2 zł."
PAID_DAILY = "Bilet normalny kosztuje 19 zł. Płaci się dziennie 9 zł."
OF_BOTH = "Bilet normalny kosztuje 19 zł. Ulgowy kosztuje 9 zł albo 19 zł."
TERMS = "Termin wynosi 30 dni. Sprzeciw wnosi się w terminie 14 dni."
CARDS = "Za kartę płaci się 10 zł. Duplikat karty kosztuje 20 zł."
NORMAL = "Ile kosztuje bilet normalny?"
BOTH_THINGS = "O ile droższy jest bilet normalny od ulgowego i ile kosztuje?"
BOUND = {"say": ["19 zł"], "of": ["bilet", "normalny"], "rivals": ["ulgowy"]}
LOAN = {"say": ["7 dni", "tydzień"], "of": ["film"], "rivals": ["książka"]}

# Document, question, gold answer, phrase -> entry.
CASES: dict[str, tuple[str, str, str, Any, Any]] = {
    "values of two things in one sentence": (TICKETS, NORMAL, "To 19 zł.", "19 zł", BOUND),
    "in two sentences": (LOANS, "Na ile jest film?", "Na 7 dni.", ["7 dni", "tydzień"], LOAN),
    "no other value of its kind": (
        *(TICKETS, "Jak długo jest ważna karta?", "2 lata."),
        *("2 lata", {"say": ["2 lata"]}),
    ),
    "no value": (TICKETS, "Co jest ważne?", "Karta.", "karta", "karta"),
    "more than a value": (TICKETS, NORMAL, "19 zł.", "kosztuje 19 zł", "kosztuje 19 zł"),
    "alternatives that are two values": (
        *(TICKETS, NORMAL, "19 zł."),
        *(["19 zł", "9 zł"], ["19 zł", "9 zł"]),
    ),
    "the other clause names no thing": (PAID_DAILY, NORMAL, "19 zł.", "19 zł", {"say": ["19 zł"]}),
    "a value of both things": (OF_BOTH, NORMAL, "19 zł.", "19 zł", {"say": ["19 zł"]}),
    "what any value may be called tells nothing apart": (
        *(TERMS, "Jaki jest termin na wniosek?", "Termin wynosi 30 dni."),
        *("30 dni", {"say": ["30 dni"]}),
    ),
    "the things have one name": (
        *(CARDS, "Ile kosztuje duplikat?", "20 zł."),
        *("20 zł", {"say": ["20 zł"]}),
    ),
    "the question names both things": (
        *(TICKETS, BOTH_THINGS, "Normalny: 19 zł."),
        *("19 zł", {"say": ["19 zł"]}),
    ),
    "a gold answer that denies it": (TICKETS, NORMAL, "Nie 19 zł.", "19 zł", "19 zł"),
}


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer.load()


@pytest.mark.parametrize(
    ("contents", "question", "reference", "phrase", "entry"), CASES.values(), ids=CASES
)
def test_statements(
    scorer: Scorer, contents: str, question: str, reference: str, phrase: Any, entry: Any
) -> None:
    expect = {"include": [phrase], "cite": ["a"]}
    sample = Sample("q", question, ("a",), expect, reference=f"{reference} [0]")
    made = with_statements(sample, Document("a", contents), scorer)
    assert made == replace(sample, expect={"include": [entry], "cite": ["a"]})
