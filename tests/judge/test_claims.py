"""Claims: what is read from replies, and what is computed of it, by hand."""

import json
from collections.abc import Mapping

import pytest

from ragifeval.judge.claims import judged_claims, overlap, read_claims
from ragifeval.run.old.replies import Unparsed

# (reference, candidate, common) -> recall, precision, f1
OVERLAPS = [
    ((4, 5, 4), (1.0, 0.8, 8 / 9)),
    ((2, 4, 1), (0.5, 0.25, 1 / 3)),
    ((3, 3, 3), (1.0, 1.0, 1.0)),
    ((2, 2, 0), (0.0, 0.0, 0.0)),
    ((2, 0, 0), (0.0, 0.0, 0.0)),  # the answer claims nothing
    ((3, 2, 3), (1.0, 1.0, 1.0)),  # the candidate has at least what is common
    ((19, 11, 0), (0.0, 0.0, 0.0)),
    ((2, 5, 3), (1.0, 0.6, 0.75)),  # no more in common than the reference has
]


@pytest.mark.parametrize(("counts", "scores"), OVERLAPS)
def test_overlap(counts: tuple[int, int, int], scores: tuple[float, float, float]) -> None:
    found = overlap(*counts)
    assert list(found) == ["recall", "precision", "f1"]
    assert tuple(found.values()) == pytest.approx(scores)


def test_a_reference_without_claims_is_unjudged() -> None:
    reply = {"reference_claims": [], "candidate_claims": ["a"], "common_claims": []}
    judged = judged_claims(read_claims(json.dumps(reply)))
    assert judged.scores == {}
    assert judged.unjudged == "the reference makes no claim that the question does not"


ASKED_FOR = {
    "explanation": "One fee differs.",
    "reference_claims": ["A kosztuje 30 zł.", "Trwa 14 dni."],
    "candidate_claims": ["A kosztuje 30 zł.", "Trwa 30 dni.", "Jest online."],
    "common_claims": ["A kosztuje 30 zł."],
    "reference_count": 2,
    "candidate_count": 3,
    "common_count": 1,
}
# As in the published prompt: the lists as objects.
PUBLISHED = """Here is the evaluation.
```json
{
    "Golden Response Claims": {"1": "A kosztuje 30 zł.", "2": "Trwa 14 dni."},
    "Candidate Response Claims": {"1": "A kosztuje 30 zł.", "2": "Trwa 30 dni.", "3": "Jest.",},
    "Common Claims": {"1": "A kosztuje 30 zł."},
    "No of Golden Response Claims": 2,
    "No of Candidate Response Claims": 3,
    "No of Common Claims": 1,
}
```"""
UNQUOTED = """{
    "Golden Response Claims": {
        "1": The Mac line includes laptops.,
        "2": The laptops are MacBook Air and MacBook Pro.
    },
    "Candidate Response Claims": {
        "1": It includes laptops.,
        "2": It includes desktops.,
        "3": It includes tablets.,
    },
    "No of Golden Response Claims": 2,
    "No of Candidate Response Claims": 3,
    "No of Common Claims": 1
}"""
POLISH = """<think>Najpierw wzorzec...</think>
{"Twierdzenia wzorca": ["a", "b"], "Twierdzenia odpowiedzi": "1. a\\n2. c\\n3. d",
 "Wspólne twierdzenia": ["a"], "Liczba twierdzeń wzorca": "2",
 "Liczba twierdzeń odpowiedzi": 3, "Liczba wspólnych twierdzeń": 1.0}"""
COUNTS_ALONE = '{"reference_count": 2, "candidate_count": 3, "common_count": 1}'
LISTS_ALONE = {key: ASKED_FOR[key] for key in ASKED_FOR if key.endswith("_claims")}
SETS = (
    "{'reference_claims': {'a', 'b'}, 'candidate_claims': {'a', 'c', 'd'}, 'common_claims': {'a'}}"
)
OBJECTS = json.dumps(
    {
        "evaluation": {
            "reference_claims": [{"claim": "a"}, {"claim": "b"}],
            "candidate_claims": [{"claim": "a"}, {"claim": "c"}, {"claim": "d"}],
            "common_claims": [{"claim": "a"}],
        }
    }
)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(ASKED_FOR),
        f"Wyjaśnienie: kwoty są zgodne.\n```json\n{json.dumps(ASKED_FOR, indent=2)}\n```\nKoniec.",
        PUBLISHED,
        UNQUOTED,
        POLISH,
        COUNTS_ALONE,
        json.dumps(LISTS_ALONE),
        SETS,
        OBJECTS,
        json.dumps([ASKED_FOR]),
        '{"referenceCount": 2, "candidateClaimsCount": 3, "noOfCommonClaims": 1}',
        json.dumps({"claims": {key: ASKED_FOR[key] for key in ASKED_FOR}, "x": 1}),
        '{"claims": {"reference": 2, "candidate": 3, "common": 1}, "x": 1}',
        '{"reference": ["a", "b"], "answer": ["a", "c", "d"], "common": ["a"]}',
        '{"liczba_twierdzeń_wzorcowych": 2, "liczba_twierdzeń_kandydata": 3,'
        ' "liczba_twierdzeń_wspólnych": 1}',
        '{"twierdzenia referencyjne": ["a", "b"], "twierdzenia ocenianej odpowiedzi": '
        '["a", "c", "d"], "overlapping claims": ["a"]}',
        '{"ile twierdzeń odpowiedzi referencyjnej": 2, "ile twierdzeń odpowiedzi": 3,'
        ' "num_overlap": 1}',
        "No of golden response claims: 2\nNo of candidate response claims: 3\n"
        "No of common claims: 1",
        "Policzyłem.\n1. **Liczba twierdzeń wzorcowych:** 2\n2. **Liczba twierdzeń kandydata:** 3\n"
        "3. **Liczba twierdzeń wspólnych**: 1.",
    ],
)
def test_shapes_of_a_reply(reply: str) -> None:
    """Two claims, three claims, one in common: recall 1/2, precision 1/3, F1 2/5."""
    judged = judged_claims(read_claims(reply))
    found = {name: judged.scores[name] for name in ("recall", "precision", "f1")}
    assert found == pytest.approx({"recall": 1 / 2, "precision": 1 / 3, "f1": 2 / 5})


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Odpowiedzi są zgodne.",
        "{}",
        "[1, 2]",
        '{"reference_count": 2, "candidate_count": 3}',
        '{"reference_count": -2, "candidate_count": 3, "common_count": 1}',
        '{"reference_count": 2.5, "candidate_count": 3, "common_count": 1}',
        '{"reference_count": NaN, "candidate_count": 3, "common_count": 1}',
        '{"reference_count": true, "candidate_count": 3, "common_count": 1}',
        '{"reference_count": 2, "candidate_count": 3, "common',
        f'{{"reference_count": "{"9" * 5000}", "candidate_count": 3, "common_count": 1}}',
        f'{{"reference_count": {"9" * 5000}, "candidate_count": 3, "common_count": 1}}',
        '{"reference_count": 1e999, "candidate_count": 3, "common_count": 1}',
        '{"reference_count": "1000000", "candidate_count": 3, "common_count": 1}',
        # A key of two sides, a word that turns the meaning, two keys of one side.
        '{"reference_count": 2, "candidate_count": 3, "common reference claims": 1}',
        '{"reference_count": 2, "candidate_count": 3, "missing common claims": 1}',
        '{"reference_count": 2, "candidate_count": 3, "wspólnych": 1, "num_common": 2}',
        '{"reference": "Paszport kosztuje 140 zł.", "candidate_count": 3, "common_count": 1}',
        '{"a": {"reference": 2, "candidate": 3, "common": 1},'
        ' "b": {"reference": 2, "candidate": 4, "common": 1}}',
        "No of golden claims: 2\nNo of candidate claims: 3\nNo of common claims: 1\n"
        "No of common claims: 2",
        f"No of golden claims: {'9' * 5000}\nNo of candidate claims: 3\nNo of common claims: 1",
        "[{}]",
    ],
)
def test_what_is_not_read(reply: str) -> None:
    with pytest.raises(Unparsed):
        read_claims(reply)


DISAGREEMENTS: list[tuple[Mapping[str, object], list[str]]] = [
    (ASKED_FOR, []),
    ({**ASKED_FOR, "common_count": 2}, ["common: 2 counted, 1 listed"]),
    ({**ASKED_FOR, "candidate_claims": []}, ["candidate: 3 counted, 0 listed"]),
    (
        {"reference_count": 2, "candidate_count": 3, "common_count": 3},
        ["common: 3 of 2 claims of the reference"],
    ),
]


@pytest.mark.parametrize(("reply", "told"), DISAGREEMENTS)
def test_counts_and_lists_that_disagree(reply: Mapping[str, object], told: list[str]) -> None:
    judged = judged_claims(read_claims(json.dumps(reply)))
    assert judged.detail.get("disagreements", []) == told


def test_both_ways_are_kept() -> None:
    judged = judged_claims(read_claims(json.dumps({**ASKED_FOR, "common_count": 2})))
    assert judged.scores == pytest.approx(
        {
            "recall": 1.0,
            "precision": 2 / 3,
            "f1": 0.8,
            "recall_listed": 1 / 2,
            "precision_listed": 1 / 3,
            "f1_listed": 2 / 5,
        }
    )
