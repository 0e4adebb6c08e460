"""Variants of three questions, worked out by hand, and of some of the data."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample, load_benchmark
from ragifeval.benchmark.facts import read_facts
from ragifeval.benchmark.variants.variants import (
    Expanded,
    Variant,
    expand,
    part_of_variant,
    read_variants,
    remembered,
    signature_parts,
    variants_of,
)
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.paths import DOCUMENTS, SAMPLES
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature

TEXTS = {
    "kajak": "Kajak kosztuje 45 zł za dzień. Kaucja wynosi 100 zł.",
    "rower": "Rower kosztuje 60 zł za dzień. Kaucji nie ma.",
    "sauna": "Sauna kosztuje 12 zł za godzinę.",
    "namiot": "Namiot kosztuje 30 zł za noc, a materac 8 zł.",
    "parking": "Za parking płaci się 5 zł za godzinę.",
    "karta": "Karta parkingowa jest ważna 5 lat i kosztuje 21 zł.",
    "hulajnoga": "Hulajnoga kosztuje 45 zł za dzień.",
    "biblioteka": "Biblioteka jest otwarta do 18.",
}
FEE = [{"name": "fee", "value": "45 zł", "others": ["38 zł"]}]
KAYAK = Sample(
    "k",
    "Ile kosztuje kajak na dzień?",
    ("rower", "kajak", "sauna"),
    {"include": ["45 zł"], "cite": ["kajak"]},
    category="woda",
    reference="Kajak kosztuje 45 zł [1].",
    facts=read_facts(FEE),
)
CARD = Sample(
    "p",
    "Jak długo jest ważna karta parkingowa i ile kosztuje?",
    ("parking", "karta"),
    {"include": ["5 lat", {"any": [{"say": ["21 zł"]}]}], "cite": ["karta"]},
    category="auto",
    reference="Jest ważna 5 lat i kosztuje 21 zł [1].",
)
BOAT = Sample(
    "m",
    "Ile kosztuje motorówka?",
    ("sauna", "namiot"),
    {"refuse": True},
    category="woda",
    reference=REFUSAL_MESSAGE,
)
SET = Benchmark({key: Document(key, text) for key, text in TEXTS.items()}, [KAYAK, CARD, BOAT])


def made(variants: str, benchmark: Benchmark = SET) -> Expanded:
    return expand(benchmark, read_variants(variants))


def by_id(expanded: Expanded) -> Mapping[str, Any]:
    return {sample.id: sample for sample in expanded.benchmark.samples}


def test_core() -> None:
    assert made("core").benchmark == SET
    samples = by_id(made("core,twin"))
    assert list(samples) == ["k", "p", "m", "k@twin", "p@twin"]
    assert (samples["k"].variant, samples["k@twin"].variant) == ("core", "twin")
    assert (samples["k"].context, samples["k"].expect) == (KAYAK.context, KAYAK.expect)


def test_twin() -> None:
    expanded = made("twin")
    kayak, card = by_id(expanded).values()
    # Of the category, the tent alone is left; "hulajnoga" says 45 zł.
    assert kayak.context == ("rower", "namiot", "sauna")
    assert kayak.expect == {
        "refuse": True,
        "unrefused": {"entries": ["45 zł"], "numbers": ["12", "30", "60", "8"]},
    }
    assert (kayak.reference, kayak.question) == (REFUSAL_MESSAGE, KAYAK.question)
    # No other of the category; of those that speak of a cost, the shortest, the first of two.
    assert card.context == ("parking", "sauna")
    entries = ["5 lat", {"say": ["21 zł"]}]
    assert card.expect["unrefused"] == {"entries": entries, "numbers": ["12", "5"]}
    assert expanded.left_out == {"twin": {"m": "it is to be refused as it is"}}


def test_a_twin_shows_no_hints() -> None:
    hinted = replace(SET, samples=[replace(KAYAK, hints=("rower", "namiot")), CARD, BOAT])
    kayak = by_id(made("twin,changed:2+twin,noise:5", hinted))
    # Of the others the card's page alone speaks of a cost; then the order of the data counts.
    assert kayak["k@twin"].context == ("karta", "parking", "sauna")
    assert set(kayak["k@noise:5"].context) == {"rower", "kajak", "sauna", "karta", "parking"}
    parts = [signature_parts(read_variants("twin"), data) for data in (SET, hinted)]
    assert parts[0] == {"variants": "twin"}
    assert parts[1]["variants"].startswith("twin#")


def test_noise() -> None:
    kayak, card, boat = by_id(made("noise:4")).values()
    assert sorted(kayak.context) == ["kajak", "namiot", "rower", "sauna"]
    assert kayak.reference == f"Kajak kosztuje 45 zł [{kayak.context.index('kajak')}]."
    assert kayak.expect == KAYAK.expect
    assert sorted(card.context) == ["hulajnoga", "karta", "parking", "sauna"]
    # What is to be refused gets no document of its category, which might answer.
    assert sorted(boat.context) == ["hulajnoga", "karta", "namiot", "sauna"]
    more = made("noise:8")
    assert more.left_out["noise:8"] == {
        key: f"only {count} documents can be shown" for key, count in (("k", 7), ("m", 6))
    }
    assert more.most == 7


def test_order() -> None:
    kayak, card, boat = by_id(made("order:5")).values()
    assert sorted(kayak.context) == ["kajak", "rower", "sauna"]
    assert kayak.context != KAYAK.context
    assert card.context == ("karta", "parking")
    assert card.reference == "Jest ważna 5 lat i kosztuje 21 zł [0]."
    assert boat.context == ("namiot", "sauna")


def test_changed() -> None:
    expanded = made("changed:2")
    (kayak,) = by_id(expanded).values()
    new = "kajak@k@changed:2"
    assert kayak.context == ("rower", new, "sauna")
    assert kayak.expect == {"include": ["38 zł"], "cite": [new], "memory": [["45 zł"]]}
    assert kayak.reference == "Kajak kosztuje 38 zł [1]."
    document = expanded.benchmark.documents[new]
    assert document.contents == "Kajak kosztuje 38 zł za dzień. Kaucja wynosi 100 zł."
    assert expanded.left_out == {"changed:2": {"p": "it has no facts", "m": "it has no facts"}}


def test_what_is_remembered() -> None:
    """Changed wordings, but no class of them; what must never be said is none."""
    include = [
        {"any": [{"say": ["@atonce", "45 zł|tyle & łód*"]}, ["45 zł", "tyle"]]},
        {"never": ["45 zł"]},
    ]
    old = replace(KAYAK, expect={"include": include})
    text = json.dumps(include).replace("45 z", "38 z").replace("@atonce", "3 dni")
    new = replace(old, expect={"include": json.loads(text)})
    assert list(remembered(old, new)) == [{"say": ["45 zł & łód*"]}, ["45 zł"]]


def test_combined() -> None:
    name = "changed:2+noise:7"
    (kayak,) = by_id(made("noise:7+changed:2")).values()
    assert (kayak.id, kayak.variant, kayak.origin) == (f"k@{name}", name, "k")
    # Neither the new value nor the old one stands in what is added.
    assert "hulajnoga" not in kayak.context
    assert kayak.reference == f"Kajak kosztuje 38 zł [{kayak.context.index('kajak@k@changed:2')}]."
    (twin,) = by_id(made("twin+changed:2")).values()
    assert (twin.id, twin.context) == ("k@changed:2+twin", ("rower", "namiot", "sauna"))


ANSWERS = [
    ("k@twin", REFUSAL_MESSAGE, {"refuse": 1, "invented": 0, "partial": 0}),
    ("k@twin", "Kajak kosztuje 45 zł.", {"refuse": 0, "invented": 1, "partial": 0}),
    ("k@twin", "Kajak kosztuje 47 zł.", {"invented": 1, "partial": 0}),
    ("k@twin", "Rower kosztuje 60 zł [0], o kajaku brak danych.", {"invented": 0, "partial": 1}),
    ("k@twin", "Nie wiem, dokumenty mówią o 2 innych rzeczach.", {"invented": 0, "partial": 1}),
    ("p@twin", "Karta kosztuje 21 zł.", {"invented": 1, "partial": 0}),
    ("k@changed:2", "Kajak kosztuje 38 zł [1].", {"include": 1, "cite_f1": 1, "memory": 0}),
    ("k@changed:2", "Kajak kosztuje 45 zł [1].", {"include": 0, "cite_f1": 1, "memory": 1}),
    # By whole words, under either rule.
    ("k@changed:2", "Kajak kosztuje 38 zł [1], a kaucja 145 zł.", {"memory": 0}),
]


@pytest.mark.parametrize(("key", "answer", "expected"), ANSWERS)
def test_what_is_shown(key: str, answer: str, expected: Mapping[str, float]) -> None:
    sample = by_id(made("twin,changed:2"))[key]
    for scores in Scorer.load().score(sample, sample.context, answer).values():
        assert {name: scores[name] for name in expected} == expected


def test_same_bytes() -> None:
    """The same variants on every machine; a change here is one of all numbers of variants."""
    expanded = made("changed:1,twin,noise:5,order:1,order:2,changed:3+noise:6")
    content: list[Any] = [
        [sample.id, sample.question, sample.context, dict(sample.expect), sample.reference]
        for sample in expanded.benchmark.samples
    ]
    documents = expanded.benchmark.documents.values()
    content += [[document.id, document.title, document.contents] for document in documents]
    digest = hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
    assert digest[:16] == "2308a576c49e245e"


def test_names() -> None:
    found = read_variants(" twin , core,noise:16+changed:3,order:0,twin")
    assert list(map(str, found)) == ["twin", "core", "changed:3+noise:16", "order:0"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "names no variant"),
        ("twins", "'twins' is none of: core, changed:SEED, twin, noise:N, order:SEED"),
        ("twin:1", "'twin:1' must be twin"),
        ("noise:1", "the number of documents is from 2 to 1024"),
        ("order:1+order:2", "names order twice"),
    ],
)
def test_no_names(text: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason.replace("+", r"\+")):
        read_variants(text)


def test_signature() -> None:
    assert signature_parts(read_variants("core"), SET) == {}
    assert signature_parts(read_variants("core,twin"), SET) == {"variants": "core,twin"}
    part = signature_parts(read_variants("changed:1"), SET)["variants"]
    assert part.startswith("changed:1#")
    others = Benchmark(SET.documents, SET.samples[1:])
    assert signature_parts(read_variants("changed:1"), others) != {"variants": part}
    for line, variants in ((f"variants:{part}", "changed:1"), ("data:1", "core")):
        assert variants_of(Signature.parse(line)) == read_variants(variants)
    assert variants_of(None) == (Variant(),)


@pytest.mark.parametrize(
    ("part", "variant", "expected"),
    [
        # Of hints and facts those that the variant depends on, whatever stood beside it.
        ("core,twin,changed:1#h#f", "twin", "twin#h"),
        ("core,twin,changed:1#h#f", "changed:1", "changed:1#f"),
        ("twin,changed:1#f", "twin", "twin"),
        ("twin,order:1#h", "order:1", "order:1"),
    ],
)
def test_the_signature_of_one_variant(part: str, variant: str, expected: str) -> None:
    assert part_of_variant(part, variant) == expected


# Questions that docs/variants.md tells of: what stands in the gold answer.
WORKED = [
    # 26 and 39 are 65; 3 % of the 27 600 zł that the question names are 828.
    ("meldunek-p03@changed:3", "łącznie 65 zł: 26 zł za decyzję o wymeldowaniu [2] i 39 zł"),
    ("podatki-p02@changed:3", "3% wartości rynkowej samochodu, czyli 828 zł. W ciągu 28 dni od"),
]


@pytest.mark.parametrize(("key", "reference"), WORKED)
def test_worked_questions(key: str, reference: str) -> None:
    benchmark = load_benchmark(DOCUMENTS, SAMPLES)
    origin, _, variant = key.partition("@")
    wanted = [sample for sample in benchmark.samples if sample.id == origin]
    (made,) = expand(benchmark, read_variants(variant), wanted).benchmark.samples
    assert reference in str(made.reference)
