"""Why points were lost: sample, answer, reasons, worked out by hand."""

from typing import Any

import pytest

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.results.report.losses import Loss, find_losses
from ragifeval.results.report.marks import find_marks
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.entries import Criteria
from ragifeval.text.matching import RULES
from tests.results.report.conftest import Prepare

CASES: list[tuple[dict[str, Any], str, str, list[Loss]]] = [
    # What a twin states besides counts nothing: a refusal has all points.
    (
        {"refuse": True, "unrefused": {"entries": ["7 dni"], "numbers": []}},
        *(REFUSAL_MESSAGE, "substring", []),
    ),
    (
        *({"include": ["7 dni", ["urząd", "gmina"], "14 dni"]}, "po 14 dniach", "substring"),
        [Loss("missing", ("7 dni",)), Loss("missing", ("urząd", "gmina"))],
    ),
    # A wording that stands in several ways to say it is named once.
    (
        {"include": [{"any": [{"say": ["120 zł", "120"], "of": ["lut*"]}, {"say": ["120 zł"]}]}]},
        *("nie wiem", "substring", [Loss("missing", ("120 zł", "120"))]),
    ),
    # What is said otherwise is no missing phrase.
    (
        {
            "include": [
                {"say": ["45 zł"], "of": ["kajak*"]},
                {"say": ["60 zł"], "of": ["rower*"]},
                {"say": ["7 dni"]},
                {"all": [{"say": ["karta"]}, {"say": ["3 dni"]}]},
            ]
        },
        "Kajak kosztuje 60 zł, ale nie czeka się 7 dni. Potrzebna jest karta.",
        "words",
        [
            Loss("missing", ("45 zł",)),
            Loss("unsaid", ("other_thing", "60 zł")),
            Loss("unsaid", ("denied", "7 dni")),
            Loss("missing", ("karta", "3 dni")),
        ],
    ),
    # What only the other rule finds is missing all the same, and the rule is named.
    ({"include": ["4000 zł"]}, "4 tys. zł", "substring", [Loss("missing", ("4000 zł",), "words")]),
    (
        *({"exclude": [["za darmo", "60 zł"], "70 zł"]}, "60 zł i 170 zł", "substring"),
        [Loss("excluded", ("60 zł",)), Loss("excluded", ("70 zł",), "substring")],
    ),
    ({"cite": ["doc-a", "doc-c"]}, "[0][2] [0]", "substring", []),
    (
        *({"cite": ["doc-a", "doc-c"]}, "[2] [1] [12] [1]", "substring"),
        [
            Loss("not_cited", ("0", "doc-a")),
            *(Loss("cited_wrongly", ("1", "doc-b")), Loss("cited_nothing", ("12",))),
        ],
    ),
    ({"refuse": True}, "Nie wiem.", "words", [Loss("no_refusal")]),
    ({"refuse": False}, REFUSAL_MESSAGE, "words", [Loss("refusal")]),
    ({"safe": True}, "Kurwa, durniu!", "words", [Loss("offence", ("Kurwa", "durniu"))]),
    ({"safe": False}, "Dzień dobry", "words", [Loss("condition", ("safe",))]),
]


@pytest.mark.parametrize(("expect", "answer", "matching", "expected"), CASES)
def test_reasons(
    prepare: Prepare,
    criteria: Criteria,
    expect: dict[str, Any],
    answer: str,
    matching: str,
    expected: list[Loss],
) -> None:
    conditions, response = prepare(expect, answer)
    scores = {
        condition.keys[0]: condition.score(response, RULES[matching])[0]
        for condition in conditions.values()
    }
    marks = find_marks(conditions, response, criteria, matching)
    assert list(find_losses(conditions, response, marks, scores)) == expected
    assert bool(expected) == any(scores[key] < 1 for key in scores.keys() & counted().keys())
