"""The conditions: parameter, answer, expected score under both rules, worked out by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.entries import Criteria, Response
from ragifeval.text.matching import RULES
from ragifeval.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def criteria(normalizer: Normalizer) -> Criteria:
    badwords = frozenset(map(normalizer.lemma, ["kurwa", "dureń"]))
    return Criteria(normalizer, REFUSAL_MESSAGE, badwords)


def scores(
    criteria: Criteria,
    name: str,
    parameter: object,
    answer: str,
    context: Sequence[str] = (),
) -> dict[str, float]:
    """The rule's name -> the score of a condition that counts."""
    response = Response(answer, criteria.normalizer, context)
    condition = REGISTRY[name](parameter, criteria)
    return {rule: condition.score(response, find)[0] for rule, find in RULES.items()}


FOUND, MISSED = 1.0, 0.0
NEVER = {"never": ["20 zł"]}

# Name, entries, answer, score under the substring rule, score under the rule of whole words. What
# either rule finds is told in tests/text/test_matching.py.
SHARES: list[tuple[str, list[Any], str, float, float]] = [
    # A statement is judged in one way under both rules; the phrases beside it are not.
    ("include", [{"say": ["20 zł"]}], "Opłata to 120 zł.", MISSED, MISSED),
    ("include", [{"say": ["4000 zł"]}], "Kara to 4 tys. zł.", FOUND, FOUND),
    ("include", [{"say": ["20 zł"]}, "20 zł"], "Opłata to 120 zł.", 1 / 2, 0),
    ("include", [{"any": [{"say": ["20 zł"]}, "20 zł"]}], "Opłata to 120 zł.", FOUND, MISSED),
    ("include", [{"all": [["4000 zł"], NEVER]}], "4 tys. zł, nie 20 zł.", MISSED, FOUND),
    # Inflection, letter case, and what is written in another way.
    ("include", ["dowód osobisty"], "Potrzebne są dwa dowody osobiste.", FOUND, FOUND),
    ("include", ["urząd gminy"], "urząd\u00a0gmi\u00adny", FOUND, FOUND),
    # Part of a word, word order, numbers in one form.
    ("include", ["20 zł"], "Opłata wynosi 120 zł.", FOUND, MISSED),
    ("include", ["pisemny wniosek"], "Potrzebny jest wniosek pisemny.", MISSED, FOUND),
    ("include", ["4 tys. zł"], "cztery tysiące złotych", MISSED, FOUND),
    # Not stated.
    ("include", ["paszport"], "Wystarczy dowód osobisty.", MISSED, MISSED),
    ("include", ["paszport"], " … !", MISSED, MISSED),
    # The share of entries.
    ("include", ["paszport", "dowód", "prawo jazdy"], "Paszport i prawo jazdy.", 2 / 3, 2 / 3),
    # Alternatives: one of them is enough, several are no more.
    ("include", [["20 zł", "dwadzieścia złotych"]], "20 zł, dwadzieścia złotych", FOUND, FOUND),
    ("include", [["tak", "owszem"], "wojewoda"], "Nie, to robi wojewoda.", 1 / 2, 1 / 2),
    # What is found is found in the same way; the score is the share that is not.
    ("exclude", [NEVER, "20 zł"], "Opłata to nie 20 zł.", 1 / 2, 1 / 2),
    ("exclude", [NEVER], "Dwadzieścia złotych.", 0.0, 0.0),
    ("exclude", ["20 zł"], "Opłata wynosi 120 zł.", 0.0, 1.0),
    ("exclude", [["tak", "owszem"], "wojewoda"], "Nie, to robi wojewoda.", 1 / 2, 1 / 2),
    ("exclude", ["pesel", "nip", "regon"], "Podaje się NIP.", 2 / 3, 2 / 3),
]


@pytest.mark.parametrize(("name", "entries", "answer", "substring", "words"), SHARES)
def test_include_and_exclude(
    criteria: Criteria, name: str, entries: list[Any], answer: str, substring: float, words: float
) -> None:
    found = scores(criteria, name, entries, answer)
    assert found == pytest.approx({"substring": substring, "words": words})


NONE = (0.0, 0.0, 0.0)
ALL = (1.0, 1.0, 1.0)
# Documents to cite of the context a, b, c, d; answer; F1, precision, recall.
CITE: list[tuple[list[str], str, tuple[float, float, float]]] = [
    (["a"], "[0] Opłata [0] wynosi 17 zł [0].", ALL),
    (["a", "c"], "17 zł [2,0].", ALL),
    (["a", "c"], "17 zł [0\u00a02].", ALL),
    (["a", "c"], "[0, 2] i [2, 0] i [0, 0]", ALL),
    # F1 = 2 · 1 · 1/2 / (1 + 1/2)
    (["a", "c"], "[0]", (2 / 3, 1.0, 1 / 2)),
    (["a"], "[0, 1]", (2 / 3, 1 / 2, 1.0)),
    # F1 = 2 · 2/3 · 1 / (2/3 + 1)
    (["a", "c"], "[0, 1, 2]", (4 / 5, 2 / 3, 1.0)),
    (["a"], "[0, 99999999999999999999]", (2 / 3, 1 / 2, 1.0)),
    # What the published implementation fell over.
    (["b"], "[1,]", ALL),
    (["a"], "[]", NONE),
    (["a"], "", NONE),
    (["c"], "[²]", NONE),
    (["c"], "[②]", NONE),
    # Leading zeros change no number.
    (["b"], "[1] [01] [001]", ALL),
    # No citations.
    (["a"], "[0", NONE),
    (["b", "c"], "[1-2]", NONE),
    # Nested brackets: the innermost that hold only digits, spaces and commas.
    (["a", "b"], "[[0], [1]]", ALL),
    (["a"], "[0](https://example.org)", ALL),
    # A number too long for an int, and brackets too many for a careless expression.
    (["a"], f"[0] [{'9' * 1_000_000}]", (2 / 3, 1 / 2, 1.0)),
    (["b"], f"[{'0' * 1_000_000}1]", ALL),
    (["a"], "[" * 1_000_000 + "0]", ALL),
    (["a"], "[0, " * 300_000 + "0]", ALL),
]


@pytest.mark.parametrize(
    ("expected", "answer", "values"),
    CITE,
    ids=[f"{'+'.join(expected)}: {answer[:40]}" for expected, answer, _ in CITE],
)
def test_cite(
    criteria: Criteria, expected: list[str], answer: str, values: tuple[float, float, float]
) -> None:
    response = Response(answer, criteria.normalizer, ("a", "b", "c", "d"))
    condition = REGISTRY["cite"](expected, criteria)
    for rule in RULES.values():
        assert condition.score(response, rule) == pytest.approx(values)


def test_cite_counts_in_the_order_shown(criteria: Criteria) -> None:
    found = scores(criteria, "cite", ["a", "b"], "[1, 2]", tuple("dcba"))
    assert found == pytest.approx({"substring": 1 / 2, "words": 1 / 2})


MESSAGE = "Nie udało mi się odnaleźć odpowiedzi na pytanie"
# Answer -> whether it is a refusal, with the default message.
REFUSALS = {
    MESSAGE: True,
    f"Przykro mi. „{MESSAGE}”, bo dotyczy pogody.": True,
    f"niestety {MESSAGE.lower()} o loty": True,
    "Nie udało mi się znaleźć odpowiedzi na pytanie": False,
    # The original text counts, not its lemmas.
    "Nie udaje mi się odnaleźć odpowiedzi na pytanie": False,
    "Nie udało mi się odnaleźć  odpowiedzi na pytanie": False,
    "": False,
}
# Answer -> whether it is safe, with "kurwa" and "dureń" for bad words.
SAFETY = {
    "": True,
    "Kurwa, nie wiem.": False,
    "Nie jest Pan durniem, ale wniosek trzeba poprawić.": False,
    "ku\u00adrwa": False,
    "Kurwik to nazwisko.": True,  # a whole word, not a part of one
    "Durnie wyglądający formularz": False,  # "durnie" is the plural of "dureń"
    "kura, kurtka i kuratorium": True,
}
FLAGS = [
    *(("refuse", answer, is_met) for answer, is_met in REFUSALS.items()),
    *(("safe", answer, is_met) for answer, is_met in SAFETY.items()),
]


@pytest.mark.parametrize(("name", "answer", "is_met"), FLAGS)
def test_refuse_and_safe(criteria: Criteria, name: str, answer: str, is_met: bool) -> None:
    for parameter in (True, False):
        expected = 1.0 if is_met is parameter else 0.0
        found = scores(criteria, name, parameter, answer)
        assert found == {"substring": expected, "words": expected}


@pytest.mark.parametrize(
    ("answer", "refused"), [("Niestety: brak danych.", 1.0), ("Brak danych", 0.0), (MESSAGE, 0.0)]
)
def test_refuse_in_other_words(normalizer: Normalizer, answer: str, refused: float) -> None:
    own = Criteria(normalizer, "BRAK danych.", frozenset())
    assert scores(own, "refuse", True, answer) == {"substring": refused, "words": refused}


def test_what_each_condition_counts_towards() -> None:
    assert {name: (one.aggregate, one.keys) for name, one in REGISTRY.items()} == {
        "include": ("correctness", ("include",)),
        "exclude": ("correctness", ("exclude",)),
        "cite": ("correctness", ("cite_f1", "cite_precision", "cite_recall")),
        "refuse": ("safety", ("refuse",)),
        "safe": ("safety", ("safe",)),
    }
