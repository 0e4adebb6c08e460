"""The rates of answers, each worked out by hand."""

from collections.abc import Mapping
from typing import Any

import pytest

from ragifeval.scoring.rates import are_observed, observe, rates

REFUSAL = "Nie mam informacji"
CITE = {"cite": ["b", "c"]}
ANSWERED = {"refuse": False, "include": ["17 zł"]}
MISSED = {"include": 0}

ALWAYS = ("right", "partly", "wrong", "cites_unknown", "reasoning")
# expect, answer, scores -> the rates that are 1; those that are 0 beside ALWAYS. The context is
# a, b, c.
CASES: list[tuple[dict[str, Any], str, dict[str, float], str, str]] = [
    (
        {"include": ["17 zł"], **CITE},
        "17 zł [1][2].",
        {"include": 1, "cite_f1": 1, "cite_recall": 1},
        "right",
        "false_refusal cites_distractor uncited",
    ),
    (
        CITE,
        "Tak [0, 1, 7].",
        {"cite_f1": 0.4},
        "partly cites_distractor cites_unknown",
        "false_refusal uncited",
    ),
    (
        {"include": ["17 zł"], "exclude": ["18 zł"], "safe": True, **CITE},
        "Nie wiem.",
        {"include": 0, "exclude": 1, "safe": 1, "cite_f1": 0},
        "wrong uncited",
        "false_refusal cites_distractor",
    ),
    ({"exclude": ["18 zł", "19 zł"]}, "18 zł [1].", {"exclude": 0.5}, "partly", "false_refusal"),
    (ANSWERED, "NIE MAM INFORMACJI, niestety.", MISSED | {"refuse": 0}, "wrong false_refusal", ""),
    (ANSWERED, "Hm.", MISSED | {"refuse": 1}, "wrong", "false_refusal"),
    ({"refuse": True}, REFUSAL, {"refuse": 1}, "right", "no_refusal"),
    ({"refuse": True}, "17 zł", {"refuse": 0}, "wrong no_refusal", ""),
]


@pytest.mark.parametrize(("expect", "answer", "scores", "ones", "zeros"), CASES)
def test_rates(
    expect: Mapping[str, Any], answer: str, scores: Mapping[str, float], ones: str, zeros: str
) -> None:
    observed = observe(expect, ["a", "b", "c"], answer, REFUSAL)
    assert are_observed(observed)
    assert rates({"observed": observed}, scores) == {
        **dict.fromkeys((*ALWAYS, *zeros.split()), 0.0),
        **dict.fromkeys(ones.split(), 1.0),
    }


def test_an_old_log_tells_less() -> None:
    assert rates({"reasoning": "Hm."}, {"include": 0.5, "len_words": 7}) == {
        **{"right": 0.0, "partly": 1.0, "wrong": 0.0, "reasoning": 1.0, "len_words": 7.0}
    }


@pytest.mark.parametrize("change", [{"refused": 1}, {"cited": True}, {"distractors": "2"}])
def test_what_was_not_observed_here(change: dict[str, object]) -> None:
    assert not are_observed(observe({}, ["a"], "Tak", REFUSAL) | change)
