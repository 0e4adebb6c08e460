"""The variant `changed`: what is exchanged, what is drawn, what is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.facts import read_facts
from ragifeval.benchmark.validate.facts import fact_problems
from ragifeval.benchmark.variants.changed import Exchange, FactError, World
from ragifeval.scoring.scorer import Scorer
from ragifeval.text.normalizer import Normalizer

KAYAK = Document(
    "kajak",
    "Kajak kosztuje 45 zł za dzień. Kaucja to sto złotych, zwraca się ją w 14. dniu. "
    "Wniosek K-2/A przyjmuje Wojewoda, do wojewody należy też odwołanie w ciągu dwóch tygodni. "
    "Po 14 dniach roboczych sprawa się kończy. Za 120 zł można wynająć łódź do 30.04.2025.",
    "Kajak za 45 zł",
)
BICYCLE = Document("rower", "Rower kosztuje 60 zł, młodzież po 45 zł płaci za hulajnogę.")
SAMPLE = Sample(
    "k1",
    "Ile zapłacę za kajak z kaucją? Mam 145 zł, a dziś jest 16 kwietnia.",
    ("rower", "kajak"),
    {
        "include": [["145 zł", "sto czterdzieści pięć złotych"], {"any": [{"say": ["14 dni"]}]}],
        "exclude": [{"never": ["45 zł"], "of": ["wojewod*"]}, ["razem 145", "PK-45", "45 %"]],
        "cite": ["kajak"],
    },
    reference="Razem 145 zł [1]; odwołać się można w 14 dni, do 30 kwietnia, na druku K 2.",
    derived="45 zł + 100 zł = 145 zł",
)
FACTS: Sequence[Mapping[str, Any]] = [
    {"name": "fee", "value": "45 zł", "others": ["38 zł"]},
    {"name": "deposit", "value": "100 zł", "others": ["200..200 zł"]},
    {"name": "total", "value": "145 zł", "is": "fee + deposit"},
    {"name": "term", "value": "14 dni", "others": ["21 dni"], "also": {"Rower": "{term:g} rower"}},
    {"name": "today", "value": "16 kwietnia", "others": ["9 kwietnia", "24 kwietnia"]},
    {"name": "end", "value": "30 kwietnia", "is": "today + term", "keep": "today >= 16 kwietnia"},
    {"name": "form", "value": "K-2", "others": ["K-7"], "not": ["druku K 2"]},
    {"name": "office", "forms": [["wojewoda", "wojewody"], ["starosta", "starosty"]]},
]


def sample(facts: Sequence[Mapping[str, Any]]) -> Sample:
    return replace(SAMPLE, facts=read_facts(list(facts)))


def draw(normalizer: Normalizer, facts: Sequence[Mapping[str, Any]], seed: int = 1) -> Exchange:
    return World(sample(facts), [BICYCLE, KAYAK], normalizer).draw(seed)


def test_world(normalizer: Normalizer) -> None:
    exchange = draw(normalizer, FACTS)
    assert {name: str(value) for name, value in exchange.values.items()} == {
        **{"fee": "38 zł", "deposit": "200 zł", "total": "238 zł", "term": "21 dni"},
        **{"today": "24 kwietnia", "end": "15 maja", "form": "K-7", "office": "starosta"},
    }
    changed = exchange.sample(sample(FACTS))
    assert changed.question == (
        "Ile zapłacę za kajak z kaucją? Mam 238 zł, a dziś jest 24 kwietnia."
    )
    assert changed.reference == (
        "Razem 238 zł [1]; odwołać się można w 21 dni, do 15 maja, na druku K 2."
    )
    assert changed.derived == "38 zł + 200 zł = 238 zł"
    assert changed.expect == {
        "include": [["238 zł", "238 złotych"], {"any": [{"say": ["21 dni"]}]}],
        "exclude": [{"never": ["38 zł"], "of": ["starost*"]}, ["razem 238", "PK-45", "45 %"]],
        "cite": ["kajak"],
    }
    assert (changed.id, changed.context) == ("k1", ("rower", "kajak"))
    kayak = exchange.document(KAYAK)
    assert kayak.title == "Kajak za 38 zł"
    assert kayak.contents == (
        "Kajak kosztuje 38 zł za dzień. Kaucja to 200 złotych, zwraca się ją w 21. dniu. "
        "Wniosek K-7/A przyjmuje Starosta, do starosty należy też odwołanie w ciągu 21 dni. "
        "Po 14 dniach roboczych sprawa się kończy. Za 120 zł można wynająć łódź do 15.05.2025."
    )
    assert exchange.document(BICYCLE).contents == (
        "21 dni rower kosztuje 60 zł, młodzież po 38 zł płaci za hulajnogę."
    )


def test_the_stem_of_a_name(normalizer: Normalizer) -> None:
    """One whose forms begin alike; test_world has it written anew."""
    forms = [["Wojewoda", "wojewody"], ["Starosta", "prezydenta"]]
    exchange = draw(normalizer, [{"name": "office", "forms": forms}])
    with pytest.raises(FactError, match="begin differently: Starosta, prezydenta"):
        exchange.text("wojewod*", is_wording=True)


def test_draws(normalizer: Normalizer) -> None:
    facts = [{"name": "fee", "value": "45 zł", "others": ["20..69 zł"]}]
    world = World(sample(facts), [BICYCLE, KAYAK], normalizer)
    drawn = [str(world.draw(seed).values["fee"]) for seed in range(60)]
    assert drawn[1] == str(world.draw(1).values["fee"])
    assert len(set(drawn)) > 20
    # 20 zł would be the end of 120 zł, 60 zł stands in a document.
    assert not {"20 zł", "45 zł", "60 zł"} & set(drawn)


def test_a_rare_draw_is_found(normalizer: Normalizer) -> None:
    facts = [
        {"name": "fee", "value": "45 zł", "others": ["201..700 zł"], "keep": "fee == 3 * share"},
        {"name": "share", "value": "15 zł", "others": ["71..170 zł"]},
    ]
    world = World(sample(facts), [BICYCLE, KAYAK], normalizer)
    for seed in range(20):
        values = world.draw(seed).values
        assert values["fee"].number == 3 * values["share"].number


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ([{"others": ["14 dni"]}], "not of the kind"),
        ([{"others": ["60 zł"]}], "stands in the texts"),
        ([{"is": "2 * 20 zł"}], "computed as 40 zł"),
        ([{"others": ["38 zł"], "keep": "fee > 50 zł"}], "is not true of the sample"),
        (
            [{"others": ["38 zł"]}, {"name": "price", "value": "45,00 zł", "others": ["39 zł"]}],
            "price has the value of fee; list a value once",
        ),
    ],
)
def test_facts_that_are_wrong(
    normalizer: Normalizer, facts: Sequence[Mapping[str, Any]], reason: str
) -> None:
    with pytest.raises(FactError, match=reason):
        draw(normalizer, [{"name": "fee", "value": "45 zł", **fact} for fact in facts])


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, "must be a list of facts"),
        ([{"name": "last day", "value": "3 zł", "others": ["4 zł"]}], "must be letters"),
        ([{"name": "fee", "value": "3 zł"}], "one of 'others' and 'is'"),
        ([{"name": "fee", "others": ["3 zł"]}], "one of 'value' and 'forms'"),
        ([{"name": "fee", "value": "3 zł", "other": ["4 zł"]}], "'other': "),
        ([{"name": "office", "forms": [["wójt", "wójta"], ["starosta"]]}], "of as many forms"),
        ([{"name": "fee", "value": "3 zł", "others": ["4 zł"]}] * 2, "names a fact twice"),
    ],
)
def test_form(facts: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_facts(facts)


LAKE = Document("k", "Kajak kosztuje 45 zł za dzień.")
FEE = {"name": "fee", "value": "45 zł", "others": ["38 zł"]}
PROVED = Sample(
    "k",
    "Ile kosztuje kajak?",
    ("k",),
    {"include": ["45 zł"], "cite": ["k"]},
    reference="Kajak kosztuje 45 zł [0].",
    facts=read_facts([FEE]),
)
RULES = ("substring", "words")


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"derived": "45 zł - 38 zł = 7 zł"}, ["'derived': '38 zł - 38 zł = 7 zł' is not true"]),
        (
            {"facts": read_facts([{**FEE, "also": {"Kajak": "Nie 45 zł: kajak"}}])},
            [
                *("'45 zł' is left in document 'k'", "'45 zł' is left in the gold answer"),
                "the new gold answer says what was right before: 45 zł",
            ],
        ),
        (
            {"reference": "Kajak kosztuje 45 zł."},
            [f"the new gold answer gets 0 for cite_f1 under the rule {rule}" for rule in RULES],
        ),
        (
            {"expect": {"include": ["kajak"], "cite": ["k"]}},
            [f"the original's gold answer gets full marks under the rule {rule}" for rule in RULES],
        ),
        (
            {"facts": read_facts([FEE, {"name": "x", "value": "9 zł", "is": "min(fee, 9 zł)"}])},
            ["x is 9 zł as before"],
        ),
    ],
)
def test_proof(changes: Mapping[str, Any], problems: Sequence[str]) -> None:
    """What `validate` says of one seed of a sample's facts."""
    found = fact_problems(replace(PROVED, **changes), [LAKE], Scorer.load(), [1])
    assert list(found) == [f"facts: changed:1: {problem}" for problem in problems]
