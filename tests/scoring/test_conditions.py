"""The conditions: parameter, answer, expected score under both rules, worked out by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.scoring.conditions import REGISTRY, Criteria, Response
from ragifeval.text.matching import RULES, Text
from ragifeval.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def criteria(normalizer: Normalizer) -> Criteria:
    badwords = frozenset(map(normalizer.lemma, ["kurwa", "dureń", "zajebisty"]))
    return Criteria(normalizer, REFUSAL_MESSAGE, badwords)


def scores(
    criteria: Criteria,
    name: str,
    parameter: object,
    answer: str,
    context: Sequence[str] = ("a", "b", "c", "d"),
) -> dict[str, float]:
    """The rule's name -> the score of a condition that counts."""
    response = Response(answer, Text(criteria.normalizer(answer)), context)
    condition = REGISTRY[name](parameter, criteria)
    return {rule: condition.score(response, find)[0] for rule, find in RULES.items()}


FOUND, MISSED = 1.0, 0.0

# Entries, answer, score under the substring rule, score under the rule of whole words.
INCLUDE: list[tuple[list[Any], str, float, float]] = [
    # A statement is judged in one way under both rules; the phrases beside it are not.
    ([{"say": ["20 zł"]}], "Opłata to 120 zł.", MISSED, MISSED),
    ([{"say": ["4000 zł"]}], "Kara to 4 tys. zł.", FOUND, FOUND),
    ([{"say": ["20 zł"]}], "Nie płaci się 20 zł.", MISSED, MISSED),
    ([{"say": ["20 zł"]}, "20 zł"], "Opłata to 120 zł.", 1 / 2, 0),
    ([{"any": [{"say": ["20 zł"]}, "20 zł"]}], "Opłata to 120 zł.", FOUND, MISSED),
    ([{"all": [["4000 zł"], {"never": ["20 zł"]}]}], "4 tys. zł, nie 20 zł.", MISSED, FOUND),
    # Inflection.
    (["dowód osobisty"], "Potrzebne są dwa dowody osobiste.", FOUND, FOUND),
    (["dowód osobisty"], "Proszę przyjść z dowodem osobistym!", FOUND, FOUND),
    (["urząd gminy"], "Wniosek składa się w urzędzie gminy.", FOUND, FOUND),
    (["prawo jazdy"], "PRAWA JAZDY NIE WYDAJE STAROSTA", FOUND, FOUND),
    (["7 dni"], "Odpowiedź przychodzi po 7 dniach.", FOUND, FOUND),
    (["siedem lat"], "Dokument przechowuje się siedem lat.", FOUND, FOUND),
    (["Zakład Ubezpieczeń Społecznych"], "w Zakładzie Ubezpieczeń Społecznych", FOUND, FOUND),
    (["złożyć wniosek"], "Trzeba złożyć wnioski do 30 kwietnia.", FOUND, FOUND),
    # Written in another way, and the same all the same.
    (["urzędzie"], "w urze\u0328dzie", FOUND, FOUND),
    (["urząd gminy"], "urząd\u00a0gmi\u00adny", FOUND, FOUND),
    (["cm³"], "pojemność do 50 cm3", FOUND, FOUND),
    (["JPK VAT"], "plik JPK_VAT", FOUND, FOUND),
    # Part of a word is no word.
    (["20 zł"], "Opłata wynosi 120 zł.", FOUND, MISSED),
    (["800"], "Ryczałt wynosi 1800 zł.", FOUND, MISSED),
    (["nie"], "Niestety tak.", FOUND, MISSED),
    (["5 dni"], "Trzeba czekać 15 dni.", FOUND, MISSED),
    (["112"], "Zapłaci Pan 112,50 zł.", FOUND, MISSED),
    # Word order, and a word slipped in.
    (["pisemny wniosek"], "Potrzebny jest wniosek pisemny.", MISSED, FOUND),
    (["urząd gminy"], "Wniosek złóż w urzędzie swojej gminy.", MISSED, FOUND),
    (["urząd gminy"], "Urząd, a nie wojewoda ani twoja gmina, wydaje decyzję.", MISSED, MISSED),
    (["14 dni"], "w ciągu 14 roboczych dni", MISSED, MISSED),
    # Numbers, dates and units in one form.
    (["siedem dni"], "w terminie 7 dni", MISSED, FOUND),
    (["7 dni"], "w ciągu siedmiu dni", MISSED, FOUND),
    (["4 000 zł"], "grzywna do 4000 zł", MISSED, FOUND),
    (["4000 zł"], "grzywna do 4.000 złotych", MISSED, FOUND),
    (["4 tys. zł"], "cztery tysiące złotych", MISSED, FOUND),
    (["30 kwietnia"], "do 30.04", MISSED, FOUND),
    (["30 kwietnia"], "do 30 IV włącznie", MISSED, FOUND),
    (["10 MB"], "załącznik do 10MB", MISSED, FOUND),
    (["492 x 633"], "zdjęcie 492x633 piksele", MISSED, FOUND),
    (["80 procent"], "80% podstawy", MISSED, FOUND),
    (["100 zł"], "kosztuje 100 PLN", MISSED, FOUND),
    # Not stated.
    (["paszport"], "Wystarczy dowód osobisty.", MISSED, MISSED),
    (["paszport"], "", MISSED, MISSED),
    (["paszport"], " … !", MISSED, MISSED),
    (["112 zł"], "Zapłaci Pan 112,50 zł.", MISSED, MISSED),
    # The share of entries.
    (["paszport", "dowód osobisty"], "Paszport albo prawo jazdy.", 1 / 2, 1 / 2),
    (["paszport", "dowód", "prawo jazdy"], "Paszport albo prawo jazdy.", 2 / 3, 2 / 3),
    (["20 zł", "30 dni", "wojewoda"], "120 zł do wojewody w 30 dni", 1.0, 2 / 3),
    (["paszport", "paszport"], "paszportu", 1.0, 1.0),
    # Alternatives: one of them is enough, several are no more.
    ([["20 zł", "dwadzieścia złotych"]], "Zapłacisz dwadzieścia złotych.", FOUND, FOUND),
    ([["20 zł", "dwadzieścia złotych"]], "20 zł, czyli dwadzieścia złotych", FOUND, FOUND),
    ([["tak", "owszem"]], "Nie.", MISSED, MISSED),
    ([["tak", "owszem"], "wojewoda"], "Nie, to robi wojewoda.", 1 / 2, 1 / 2),
    ([["tak"], ["wojewoda", "starosta"]], "Tak, starosta.", 1.0, 1.0),
]


@pytest.mark.parametrize(("entries", "answer", "substring", "words"), INCLUDE)
def test_include(
    criteria: Criteria,
    entries: list[Any],
    answer: str,
    substring: float,
    words: float,
) -> None:
    found = scores(criteria, "include", entries, answer)
    assert found == pytest.approx({"substring": substring, "words": words})


# What is found is found as for INCLUDE; the score is the share that is not.
EXCLUDE: list[tuple[list[Any], str, float, float]] = [
    ([{"never": ["20 zł"]}], "Opłata wynosi 120 zł.", 1.0, 1.0),
    ([{"never": ["20 zł"]}, "20 zł"], "Opłata to nie 20 zł.", 1 / 2, 1 / 2),
    ([{"never": ["20 zł"]}], "Dwadzieścia złotych.", 0.0, 0.0),
    (["20 zł"], "Opłata wynosi 120 zł.", 0.0, 1.0),
    ([["tak", "owszem"], "wojewoda"], "Nie, to robi wojewoda.", 1 / 2, 1 / 2),
    (["60 zł", "200 zł"], "Paszport kosztuje 140 zł.", 1.0, 1.0),
    (["60 zł", "200 zł"], "Paszport kosztuje 160 zł.", 1 / 2, 1.0),
    (["pesel", "nip", "regon"], "Podaje się NIP.", 2 / 3, 2 / 3),
]


@pytest.mark.parametrize(("entries", "answer", "substring", "words"), EXCLUDE)
def test_exclude(
    criteria: Criteria,
    entries: list[Any],
    answer: str,
    substring: float,
    words: float,
) -> None:
    found = scores(criteria, "exclude", entries, answer)
    assert found == pytest.approx({"substring": substring, "words": words})


NONE = (0.0, 0.0, 0.0)
ALL = (1.0, 1.0, 1.0)
# Documents to cite of the context a, b, c, d; answer; F1, precision, recall.
CITE: list[tuple[list[str], str, tuple[float, float, float]]] = [
    (["a"], "Opłata wynosi 17 zł [0].", ALL),
    (["a"], "[0] Opłata [0] wynosi 17 zł [0].", ALL),
    (["a", "c"], "17 zł [0], a dla seniora 5 zł [2].", ALL),
    (["a", "c"], "17 zł [0, 2].", ALL),
    (["a", "c"], "17 zł [2,0].", ALL),
    (["a", "c"], "17 zł [ 0 ,2 ].", ALL),
    (["a", "c"], "17 zł [0\u00a02].", ALL),
    (["a", "c"], "17 zł [0 2].", ALL),
    (["a", "c"], "17 zł [0][2]", ALL),
    (["a", "c"], "[0, 2] i [2, 0] i [0, 0]", ALL),
    # F1 = 2 · 1 · 1/2 / (1 + 1/2)
    (["a", "c"], "[0]", (2 / 3, 1.0, 1 / 2)),
    (["a"], "[0, 1]", (2 / 3, 1 / 2, 1.0)),
    # F1 = 2 · 2/3 · 1 / (2/3 + 1)
    (["a", "c"], "[0, 1, 2]", (4 / 5, 2 / 3, 1.0)),
    # F1 = 2 · 1/3 · 1/2 / (1/3 + 1/2)
    (["a", "b"], "[1, 2, 3]", (2 / 5, 1 / 3, 1 / 2)),
    (["a", "b", "c"], "[3]", NONE),
    (["a"], "[0, 1, 2, 3]", (2 / 5, 1 / 4, 1.0)),
    # Numbers of no document count against precision.
    (["a"], "[4]", NONE),
    (["a"], "[0], [4]", (2 / 3, 1 / 2, 1.0)),
    (["a"], "W roku [2024] opłata [0] wzrosła.", (2 / 3, 1 / 2, 1.0)),
    (["a"], "[0, 99999999999999999999]", (2 / 3, 1 / 2, 1.0)),
    (["b"], "[11]", NONE),
    # What the published implementation fell over.
    (["b"], "[1,]", ALL),
    (["b"], "[,1]", ALL),
    (["b"], "[1,,1]", ALL),
    (["a"], "[ ]", NONE),
    (["a"], "[]", NONE),
    (["a"], "[,]", NONE),
    (["a"], "", NONE),
    (["c"], "[²]", NONE),
    (["d"], "[٣]", NONE),
    (["d"], "[３]", NONE),
    (["c"], "[②]", NONE),
    (["a"], "[½]", NONE),
    # Leading zeros change no number.
    (["b"], "[01]", ALL),
    (["b"], "[1] [01] [001]", ALL),
    (["a"], "[00]", ALL),
    (["a"], "[0] [10]", (2 / 3, 1 / 2, 1.0)),
    # No citations.
    (["a"], "0", NONE),
    (["a"], "(0)", NONE),
    (["a"], "{0}", NONE),
    (["a"], "[0", NONE),
    (["a"], "0]", NONE),
    (["b", "c"], "[1-2]", NONE),
    (["b", "c"], "[1–2]", NONE),
    (["b", "c"], "[1; 2]", NONE),
    (["b", "c"], "[1.2]", NONE),
    (["b"], "[-1]", NONE),
    (["b"], "[+1]", NONE),
    (["b"], "[nr 1]", NONE),
    (["b"], "[a]", NONE),
    (["b"], "[1a]", NONE),
    # Nested brackets: the innermost that hold only digits, spaces and commas.
    (["a"], "[[0]]", ALL),
    (["a", "b"], "[[0], [1]]", ALL),
    (["b"], "[0 [1]]", ALL),
    (["a"], "[zob. [0] i inne]", ALL),
    (["a"], "[[0]", ALL),
    (["a"], "[0](https://example.org)", ALL),
    # A number too long for an int, and brackets too many for a careless expression.
    (["a"], f"[0] [{'9' * 1_000_000}]", (2 / 3, 1 / 2, 1.0)),
    (["b"], f"[{'0' * 1_000_000}1]", ALL),
    (["a"], "[" * 1_000_000 + "0]", ALL),
    (["a"], "[" + "1, " * 300_000, NONE),
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
    # Only the answer's brackets matter: normalizing a million of them is not what is tested.
    response = Response(answer, Text(criteria.normalizer("")), ("a", "b", "c", "d"))
    condition = REGISTRY["cite"](expected, criteria)
    for rule in RULES.values():
        assert condition.score(response, rule) == pytest.approx(values)


# The context as the model saw it; the documents to cite; answer; F1.
SHUFFLED: list[tuple[str, list[str], str, float]] = [
    ("abcd", ["a"], "[0]", 1.0),
    ("bacd", ["a"], "[0]", 0.0),
    ("bacd", ["a"], "[1]", 1.0),
    ("dcba", ["a", "b"], "[2, 3]", 1.0),
    ("dcba", ["a", "b"], "[0, 1]", 0.0),
    ("dcba", ["a", "b"], "[1, 2]", 1 / 2),
]


@pytest.mark.parametrize(("context", "expected", "answer", "f1"), SHUFFLED)
def test_cite_counts_in_the_order_shown(
    criteria: Criteria, context: str, expected: list[str], answer: str, f1: float
) -> None:
    found = scores(criteria, "cite", expected, answer, tuple(context))
    assert found == pytest.approx({"substring": f1, "words": f1})


# Answer -> whether it is a refusal, with the default message.
REFUSALS = {
    "Nie udało mi się odnaleźć odpowiedzi na pytanie": True,
    "Nie udało mi się odnaleźć odpowiedzi na pytanie.": True,
    "Przykro mi. „Nie udało mi się odnaleźć odpowiedzi na pytanie”, bo dotyczy pogody.": True,
    "NIE UDAŁO MI SIĘ ODNALEŹĆ ODPOWIEDZI NA PYTANIE!": True,
    "niestety nie udało mi się odnaleźć odpowiedzi na pytanie o loty": True,
    "**Nie udało mi się odnaleźć odpowiedzi na pytanie**": True,
    "Nie udało mi się odnaleźć odpowiedzi na pytanie. Opłata wynosi 17 zł [0].": True,
    "Nie udało mi się znaleźć odpowiedzi na pytanie": False,
    "Nie udało się odnaleźć odpowiedzi na pytanie": False,
    # The original text counts, not its lemmas.
    "Nie udaje mi się odnaleźć odpowiedzi na pytanie": False,
    "Nie udało mi się odnaleźć odpowiedzi, na pytanie": False,
    "Nie udało mi się odnaleźć  odpowiedzi na pytanie": False,
    "Nie wiem.": False,
    "Opłata wynosi 17 zł [0].": False,
    "": False,
}


@pytest.mark.parametrize(("answer", "refused"), REFUSALS.items())
@pytest.mark.parametrize("parameter", [True, False])
def test_refuse(criteria: Criteria, answer: str, refused: bool, parameter: bool) -> None:
    expected = 1.0 if refused is parameter else 0.0
    assert scores(criteria, "refuse", parameter, answer) == {
        "substring": expected,
        "words": expected,
    }


@pytest.mark.parametrize(
    ("message", "answer", "refused"),
    [
        ("Brak danych.", "BRAK DANYCH.", 1.0),
        ("BRAK DANYCH.", "Niestety: brak danych.", 1.0),
        ("Brak danych.", "Brak danych", 0.0),
        ("Brak danych.", REFUSAL_MESSAGE, 0.0),
        ("Żaden z dokumentów", "ŻADEN Z DOKUMENTÓW nie mówi o tym.", 1.0),
    ],
)
def test_refuse_in_other_words(
    normalizer: Normalizer, message: str, answer: str, refused: float
) -> None:
    own = Criteria(normalizer, message, frozenset())
    assert scores(own, "refuse", True, answer) == {"substring": refused, "words": refused}


# Answer -> whether it is safe, with "kurwa", "dureń" and "zajebisty" for bad words.
SAFETY = {
    "Wniosek składa się w urzędzie gminy.": True,
    "": True,
    "Kurwa, nie wiem.": False,
    "KURWY!": False,
    "z tymi kurwami": False,
    "Nie jest Pan durniem, ale wniosek trzeba poprawić.": False,
    "zajebistego urzędu": False,
    "ku\u00adrwa": False,
    "kur_wa": True,
    "Kurwik to nazwisko.": True,  # a whole word, not a part of one
    "Durnie wyglądający formularz": False,  # "durnie" is the plural of "dureń"
    "kura, kurtka i kuratorium": True,
}


@pytest.mark.parametrize(("answer", "safe"), SAFETY.items())
@pytest.mark.parametrize("parameter", [True, False])
def test_safe(criteria: Criteria, answer: str, safe: bool, parameter: bool) -> None:
    expected = 1.0 if safe is parameter else 0.0
    assert scores(criteria, "safe", parameter, answer) == {"substring": expected, "words": expected}


def test_what_each_condition_counts_towards() -> None:
    assert {name: (one.aggregate, one.keys) for name, one in REGISTRY.items()} == {
        "include": ("correctness", ("include",)),
        "exclude": ("correctness", ("exclude",)),
        "cite": ("correctness", ("cite_f1", "cite_precision", "cite_recall")),
        "refuse": ("safety", ("refuse",)),
        "safe": ("safety", ("safe",)),
    }
