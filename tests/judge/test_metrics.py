"""The metrics that ask a judge: prompts, replies, and the scores that come of replies, by hand."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from ragifeval.judge.items import Item, Judgement
from ragifeval.judge.metrics import (
    ClaimOverlap,
    Claims,
    Correctness,
    Faithfulness,
    Grade,
    Metric,
    Support,
    overlap,
)
from ragifeval.judge.summary import reasons, rows, table
from ragifeval.paths import JUDGE_PROMPTS
from ragifeval.run.structured import Unparsed, read_reply, strict_schema
from ragifeval.run.template import Template

ITEM = Item("1", "<Q> {{ x }}", "A", reference="R", contexts=["C1", "C2", "C3"])


def metrics_of(language: str, window: int = 100) -> Mapping[str, Metric[Any]]:
    templates = {path.stem: Template(path) for path in (JUDGE_PROMPTS / language).glob("*.jinja")}
    made = (Correctness(templates), Faithfulness(templates, window), ClaimOverlap(templates))
    return {metric.name: metric for metric in made}


def judged(metric: Metric[Any], item: Item, *replies: str) -> tuple[list[str], Judgement]:
    """The prompts that were put, and what came of the replies to them."""
    steps, said = metric.steps(item), iter(replies)
    prompts, value = [], None
    while True:
        try:
            prompts.append(str(steps.send(value)))
        except StopIteration as end:
            return prompts, end.value
        value = read_reply(next(said), metric.reply, metric.labels)


COUNTS = {"reference_count": 2, "candidate_count": 3, "common_count": 1}
LISTS = {
    "reference_claims": ["A kosztuje 30 zł.", "Trwa 14 dni."],
    "candidate_claims": ["A kosztuje 30 zł.", "Trwa 30 dni.", "Jest online."],
    "common_claims": ["A kosztuje 30 zł."],
}
CLAIMS = {"explanation": "Jedna kwota się różni.", **LISTS, **COUNTS}


@pytest.mark.parametrize("language", ["pl", "en"])
def test_prompts_show_what_they_are_given_and_ask_for_json(language: str) -> None:
    replies = {
        "correctness": ['{"reason": "", "score": 4}'],
        "faithfulness": ['{"reason": "", "supported": false}'],
        "claims": [json.dumps(CLAIMS)],
    }
    for name, metric in metrics_of(language).items():
        prompts, _ = judged(metric, ITEM, *replies[name])
        for prompt in prompts:
            given = "R" if name != "faithfulness" else "C1\n\n---\n\nC2\n\n---\n\nC3"
            assert all(text in prompt for text in ("<Q> {{ x }}", "A", given))
            assert "{%" not in prompt
            assert "JSON" in prompt
            for key in strict_schema(metric.reply)["required"]:
                assert f'"{key}"' in prompt


# What a judge replies -> what is read; None for what is asked again.
COUNTED = {"counted": (2, 3, 1), "listed": (2, 3, 1)}
READ: list[tuple[type[BaseModel], str, dict[str, Any] | None]] = [
    (Grade, '```json\n{"uzasadnienie": "tak", "ocena": "4",}\n```', {"score": 4, "reason": "tak"}),
    (Grade, "Ocena: 2.5\nUzasadnienie: Inna.", {"score": 2.5, "reason": "Inna."}),
    (Grade, '{"score": 0}', None),
    (Grade, '{"score": true}', None),
    (Grade, '{"score": NaN}', None),
    (Support, '{"reason": "30 zł.", "supported": true}', {"supported": True, "reason": "30 zł."}),
    (Support, '{"potwierdza": false, "uzasadnienie": "x"}', {"supported": False, "reason": "x"}),
    (Support, '{"supported": "częściowo"}', None),
    (Claims, f"Oto wynik:\n```json\n{json.dumps(CLAIMS)[:-1]},}}\n```", COUNTED),
    (Claims, json.dumps(LISTS), None),
    (Claims, json.dumps({**CLAIMS, "common_count": -1}), None),
    (Claims, json.dumps({**CLAIMS, "common_count": 1.5}), None),
    (Claims, json.dumps({**CLAIMS, "common_count": 10**7}), None),
]


@pytest.mark.parametrize(("model", "reply", "value"), READ)
def test_replies(model: type[BaseModel], reply: str, value: dict[str, Any] | None) -> None:
    labels = metrics_of("pl")["correctness"].labels if model is Grade else {}
    if value is None:
        with pytest.raises(Unparsed):
            read_reply(reply, model, labels)
    else:
        read = read_reply(reply, model, labels)
        assert {name: getattr(read, name) for name in value} == value


@pytest.mark.parametrize(("grade", "passing"), [(3.9, 0.0), (4, 1.0), (5, 1.0)])
def test_correctness(grade: float, passing: float) -> None:
    reply = json.dumps({"reason": "x", "score": grade})
    _, found = judged(metrics_of("pl")["correctness"], ITEM, reply)
    assert found == Judgement({"correctness": grade, "passing": passing}, {"reason": "x"})


# Whether each of three contexts supports the answer -> score, how many were asked about.
SUPPORTS = [([True], 1.0, 1), ([False, False, True], 1.0, 3), ([False, False, False], 0.0, 3)]


@pytest.mark.parametrize(("supports", "score", "asked"), SUPPORTS)
def test_create_and_refine(supports: list[bool], score: float, asked: int) -> None:
    """Once a context supports the answer, no more is asked."""
    replies = [json.dumps({"reason": f"{n}", "supported": s}) for n, s in enumerate(supports)]
    prompts, found = judged(metrics_of("pl", 3)["faithfulness"], ITEM, *replies)
    assert found.scores == {"faithfulness": score}
    assert found.detail == {"reason": str(asked - 1), "parts": 3, "asked": asked}
    assert ["Dwa przykłady" in prompt for prompt in prompts] == [True] + [False] * (asked - 1)


def test_long_contexts_are_split_at_sentences_and_no_word_is_lost() -> None:
    text = "Opłata wynosi 30 zł. Termin to 14 dni.\n\n" + " ".join(f"s{n}." for n in range(300))
    item = Item("1", "q", "A", contexts=["C" * 58, text])
    reply = '{"supported": false}'
    prompts, found = judged(metrics_of("pl", 60)["faithfulness"], item, *[reply] * 200)
    parts = [prompt.partition("------------\n")[2].partition("\n---")[0] for prompt in prompts[1:]]
    assert found.detail["parts"] == len(prompts) == len(parts) + 1
    assert parts[0] == "Opłata wynosi 30 zł. Termin to 14 dni."
    assert " ".join(parts).split() == text.split()
    assert max(map(len, parts)) <= 60


# (reference, candidate, common) -> recall, precision, f1
OVERLAPS = [
    ((2, 4, 1), (0.5, 0.25, 1 / 3)),
    ((2, 0, 0), (0.0, 0.0, 0.0)),  # the answer claims nothing
    ((3, 2, 3), (1.0, 1.0, 1.0)),  # the candidate has at least what is common
    ((2, 5, 3), (1.0, 0.6, 0.75)),  # no more in common than the reference has
]


@pytest.mark.parametrize(("counts", "scores"), OVERLAPS)
def test_overlap(counts: tuple[int, int, int], scores: tuple[float, float, float]) -> None:
    found = overlap(*counts)
    assert list(found) == ["recall", "precision", "f1"]
    assert tuple(found.values()) == pytest.approx(scores)


LISTED = {"recall_listed": 1 / 2, "precision_listed": 1 / 3, "f1_listed": 2 / 5}
MORE = ["common: 3 counted, 1 listed", "common: 3 of 2 claims of the reference"]
# How many are counted in common -> scores, and how the counts and the lists disagree.
JUDGED = [
    (1, {"recall": 1 / 2, "precision": 1 / 3, "f1": 2 / 5, **LISTED}, None),
    (3, {"recall": 1.0, "precision": 1.0, "f1": 1.0, **LISTED}, MORE),
]


def claims_judged(**changes: object) -> Judgement:
    return judged(metrics_of("pl")["claims"], ITEM, json.dumps({**CLAIMS, **changes}))[1]


@pytest.mark.parametrize(("common", "scores", "disagreements"), JUDGED)
def test_claims_by_counts_and_by_lists(
    common: int, scores: dict[str, float], disagreements: list[str] | None
) -> None:
    found = claims_judged(common_count=common)
    assert found.scores == pytest.approx(scores)
    assert list(found.scores) == list(ClaimOverlap.scores)
    assert found.detail["common_claims"] == LISTS["common_claims"]
    assert found.detail.get("disagreements") == disagreements


def test_a_reference_without_claims_is_unjudged() -> None:
    found = claims_judged(reference_claims=[], reference_count=0)
    assert found.scores == {}
    assert found.unjudged == "the reference makes no claim that the question does not"


def test_unjudged_is_no_zero_and_no_nan() -> None:
    unjudged = {"correctness": Judgement(unjudged="no reference")}
    graded = {"correctness": Judgement({"correctness": 4.0, "passing": 1.0})}
    names = {"correctness": {"correctness": "from 1 to 5"}, "claims": {"recall": "of claims"}}
    found: list[Mapping[str, Judgement]] = [graded, unjudged, unjudged, {}]
    assert table("title", rows(names, found), "signature").splitlines()[3:5] == [
        "correctness  4.0000       1         3  from 1 to 5",
        "recall            -       0         4  of claims",
    ]
    assert reasons(found, "correctness") == [("no reference", 2), ("not asked", 1)]
