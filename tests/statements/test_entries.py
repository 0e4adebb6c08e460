"""The form of statements: what is refused, and with which words."""

import re
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.entries import Criteria, Response
from ragifeval.statements import wordings
from ragifeval.text.matching import RULES
from ragifeval.text.normalizer import Normalizer

NO_CLASS = "names the class '@gratis', which data/wordings.toml does not have"


@pytest.mark.parametrize(
    ("condition", "entry", "reason"),
    [
        ("include", {"say": ["45 zł"], "off": ["kajak*"]}, "unknown key 'off'; known are: say, of"),
        ("include", {"of": ["kajak*"]}, "a statement without 'say'"),
        ("include", {"say": []}, "'say' is not a wording or a list of wordings: []"),
        ("include", {"say": 45}, "'say' is not a wording or a list of wordings: 45"),
        ("include", {"say": [45]}, "'say' holds 45, which is no text"),
        ("include", {"say": ["45 zł"], "is": "no"}, "'is' is not true or false: 'no'"),
        ("include", {"say": ["@gratis"]}, NO_CLASS),
        ("include", {"say": ["płaci & @gratis"]}, NO_CLASS),
        ("include", {"say": ["jest @free"]}, "a class among other words"),
        ("include", {"say": ["ka*jak"]}, "misplaced '*'"),
        ("include", {"say": ["k*"]}, "misplaced '*'"),
        ("include", {"say": ["45 zł & "]}, "without a letter or a digit"),
        ("include", {"say": ["za kajak| & 45 zł"]}, "without a letter or a digit"),
        ("include", {"say": ["@free|@gratis"]}, NO_CLASS),
        ("include", {"say": ["tani*"], "total": True}, "'say' holds no amount"),
        ("include", {"never": ["37 zł"]}, "unknown key 'never'"),
        ("include", {"any": []}, "must be a non-empty list"),
        ("include", {"any": [{"say": ["45 zł"], "x": 1}]}, "unknown key 'x'"),
        ("include", {"any": ["45 zł"], "is": True}, "more than 'any'"),
        ("include", {"all": [{"never": ["37 zł"]}]}, "must be a non-empty list"),
        ("include", {"all": ["45 zł", {"never": ["37 zł"], "is": True}]}, "unknown key 'is'"),
        ("exclude", {"all": [{"never": ["37 zł"]}]}, "unknown key 'all'"),
        ("exclude", {"say": ["37 zł"]}, "unknown key 'say'; known are: never, but, of, rivals"),
        ("exclude", {"never": ["37 zł"], "is": True}, "unknown key 'is'"),
        ("include", {"say": ["37 zł"], "but": ["60 zł"]}, "unknown key 'but'"),
        ("exclude", {"only": ["37 zł"], "never": ["60 zł"]}, "unknown key 'never'"),
        ("exclude", {"only": ["tani*"]}, "'only' holds no amount"),
        ("exclude", {"only": ["37 zł"], "last": "yes"}, "'last' is not true or false"),
        ("exclude", {"never": ["37 zł"], "last": True}, "unknown key 'last'"),
        ("include", {"only": ["37 zł"]}, "unknown key 'only'"),
        ("include", {"all": ["45 zł", {"only": []}]}, "'only' is not a wording or a list"),
    ],
)
def test_what_is_refused(condition: str, entry: object, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        REGISTRY[condition].check([entry], ())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("expect", "answer", "scores"),
    [
        # One statement of two is said, and one phrase of one is found.
        (
            {"include": [{"say": ["45 zł"]}, {"say": ["60 zł"], "of": ["rower*"]}, "kajak"]},
            "Kajak kosztuje 45 zł.",
            {"include": 2 / 3},
        ),
        # The thing of a statement in include is a rival of what must never be said.
        (
            {
                "include": [{"say": ["60 zł"], "of": ["rower*"]}],
                "exclude": [{"never": ["60 zł"], "of": ["kajak*"]}, "75 zł"],
            },
            "Za kajak 45 zł, za rower 60 zł.",
            {"include": 1, "exclude": 1},
        ),
        (
            {"exclude": [{"never": ["60 zł"], "of": ["kajak*"]}, "75 zł"]},
            "Za kajak 60 zł.",
            {"exclude": 1 / 2},
        ),
        (
            {"include": [{"any": [{"say": ["@free"]}, "12 zł"]}]},
            "Wstęp kosztuje 12 zł.",
            {"include": 1},
        ),
        ({"include": [{"any": [{"say": ["@free"]}]}]}, "Wstęp kosztuje 12 zł.", {"include": 0}),
        (
            {"include": [{"all": [{"say": ["45 zł"]}, {"never": ["60 zł"], "of": ["rower*"]}]}]},
            "Kajak kosztuje 45 zł.",
            {"include": 1},
        ),
        (
            {"include": [{"all": [{"say": ["45 zł"]}, {"never": ["60 zł"], "of": ["kajak*"]}]}]},
            "Kajak kosztuje 45 zł, a w niedzielę kajak kosztuje 60 zł.",
            {"include": 0},
        ),
        (
            {"include": [{"all": [{"say": ["45 zł"]}, {"never": ["60 zł"]}]}]},
            "Nie wiem.",
            {"include": 0},
        ),
        (
            {"include": [{"all": [{"say": ["45 zł"]}, {"only": ["45 zł"]}]}]},
            "Kajak kosztuje 45 zł, ale zapłacisz 60 zł.",
            {"include": 0},
        ),
        # A wording may stand alone, without a list.
        ({"include": [{"say": "45 zł"}]}, "Kajak: 45 zł.", {"include": 1}),
    ],
)
def test_scores(
    expect: dict[str, Any],
    answer: str,
    scores: dict[str, float],
    rule: str,
    normalizer: Normalizer,
) -> None:
    criteria = Criteria(normalizer, "Nie wiem.", frozenset())
    response = Response(answer, normalizer, ())
    for name, score in scores.items():
        condition = REGISTRY[name].of(expect, criteria)
        condition.check(expect[name], ())
        assert condition.score(response, RULES[rule]) == (pytest.approx(score),)


def test_the_wordings_count_where_there_are_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprints(entry: object) -> set[str]:
        sample = Sample("p01", "Ile?", ("a",), {"include": [entry]})
        found = set()
        for wordings_fingerprint in ("1", "2"):
            monkeypatch.setattr(wordings, "fingerprint", lambda value=wordings_fingerprint: value)
            found.add(Benchmark({}, [sample]).fingerprint())
        return found

    assert len(fingerprints("45 zł")) == 1
    assert len(fingerprints({"say": ["45 zł"]})) == 2
    assert len(fingerprints({"any": [{"say": ["45 zł"]}]})) == 2
