"""Variants of three questions, worked out by hand; what holds of all variants of the data."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample, load_benchmark
from ragifeval.benchmark.facts import read_facts
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.variants.source import VariantSample, leaves
from ragifeval.benchmark.variants.variants import (
    Expanded,
    Variant,
    expand,
    parse_variants,
    part_of_variant,
    remembered,
    signature_parts,
    variants_of,
)
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.paths import DOCUMENTS, SAMPLES
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature
from ragifeval.text.normalizer import Normalizer

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
SET = Benchmark(
    {key: Document(key, text) for key, text in TEXTS.items()},
    [
        Sample(
            "k",
            "Ile kosztuje kajak na dzień?",
            ("rower", "kajak", "sauna"),
            {"include": ["45 zł"], "cite": ["kajak"]},
            category="woda",
            reference="Kajak kosztuje 45 zł [1].",
            facts=read_facts(FEE),
        ),
        Sample(
            "p",
            "Jak długo jest ważna karta parkingowa i ile kosztuje?",
            ("parking", "karta"),
            {"include": ["5 lat", {"any": [{"say": ["21 zł"]}]}], "cite": ["karta"]},
            category="auto",
            reference="Jest ważna 5 lat i kosztuje 21 zł [1].",
        ),
        Sample(
            "m",
            "Ile kosztuje motorówka?",
            ("sauna", "namiot"),
            {"refuse": True},
            category="woda",
            reference=REFUSAL_MESSAGE,
        ),
    ],
)


def made(variants: str, benchmark: Benchmark = SET) -> Expanded:
    return expand(benchmark, parse_variants(variants))


def by_id(expanded: Expanded) -> Mapping[str, VariantSample]:
    found = {}
    for sample in expanded.benchmark.samples:
        assert isinstance(sample, VariantSample)
        found[sample.id] = sample
    return found


def test_core() -> None:
    assert made("core").benchmark == SET
    samples = by_id(made("core,twin"))
    assert list(samples) == ["k", "p", "m", "k@twin", "p@twin"]
    assert (samples["k"].variant, samples["k@twin"].variant) == ("core", "twin")
    assert (samples["k"].context, samples["k"].expect) == (
        SET.samples[0].context,
        SET.samples[0].expect,
    )


def test_twin() -> None:
    expanded = made("twin")
    kayak, card = by_id(expanded).values()
    # Of the category, the tent alone is left; "hulajnoga" says 45 zł.
    assert kayak.context == ("rower", "namiot", "sauna")
    assert kayak.expect == {
        "refuse": True,
        "unrefused": {"entries": ["45 zł"], "numbers": ["12", "30", "60", "8"]},
    }
    assert (kayak.reference, kayak.question) == (REFUSAL_MESSAGE, SET.samples[0].question)
    # No other of the category; of those that speak of a cost, the shortest, the first of two.
    assert card.context == ("parking", "sauna")
    assert card.expect["unrefused"] == {
        "entries": ["5 lat", {"say": ["21 zł"]}],
        "numbers": ["12", "5"],
    }
    assert expanded.left_out == {"twin": {"m": "it is to be refused as it is"}}


def test_a_twin_shows_no_hints() -> None:
    first, *others = SET.samples
    hinted = replace(SET, samples=[replace(first, hints=("rower", "namiot")), *others])
    kayak = by_id(made("twin,changed:2+twin,noise:5", hinted))
    # Of the others the card's page alone speaks of a cost; then the order of the data counts.
    assert kayak["k@twin"].context == ("karta", "parking", "sauna")
    assert kayak["k@changed:2+twin"].context == ("karta", "parking", "sauna")
    assert set(kayak["k@noise:5"].context) == {"rower", "kajak", "sauna", "karta", "parking"}
    parts = [signature_parts(parse_variants("twin"), data) for data in (SET, hinted)]
    assert parts[0] == {"variants": "twin"}
    assert parts[1]["variants"].startswith("twin#")


def test_noise() -> None:
    kayak, card, boat = by_id(made("noise:4")).values()
    assert sorted(kayak.context) == ["kajak", "namiot", "rower", "sauna"]
    assert kayak.reference == f"Kajak kosztuje 45 zł [{kayak.context.index('kajak')}]."
    assert kayak.expect == SET.samples[0].expect
    assert sorted(card.context) == ["hulajnoga", "karta", "parking", "sauna"]
    # What is to be refused gets no document of its category, which might answer.
    assert sorted(boat.context) == ["hulajnoga", "karta", "namiot", "sauna"]
    assert made("noise:9").left_out["noise:9"] == {
        "k": "only 7 documents can be shown",
        "p": "only 8 documents can be shown",
        "m": "only 6 documents can be shown",
    }
    assert made("noise:9").most == 8


def test_order() -> None:
    kayak, card, boat = by_id(made("order:5")).values()
    assert sorted(kayak.context) == ["kajak", "rower", "sauna"]
    assert kayak.context != SET.samples[0].context
    assert card.context == ("karta", "parking")
    assert card.reference == "Jest ważna 5 lat i kosztuje 21 zł [0]."
    assert boat.context == ("namiot", "sauna")


def test_changed() -> None:
    expanded = made("changed:2")
    (kayak,) = by_id(expanded).values()
    assert kayak.context == ("rower", "kajak@k@changed:2", "sauna")
    assert kayak.expect == {
        "include": ["38 zł"],
        "cite": ["kajak@k@changed:2"],
        "memory": [["45 zł"]],
    }
    assert kayak.reference == "Kajak kosztuje 38 zł [1]."
    document = expanded.benchmark.documents["kajak@k@changed:2"]
    assert document.contents == "Kajak kosztuje 38 zł za dzień. Kaucja wynosi 100 zł."
    assert expanded.left_out == {"changed:2": {"p": "it has no facts", "m": "it has no facts"}}


def test_what_is_remembered() -> None:
    """Changed wordings, but no class of them; what must never be said is none."""
    include = [
        {"any": [{"say": ["@atonce", "45 zł|tyle & łód*"]}, ["45 zł", "tyle"]]},
        {"never": ["45 zł"]},
    ]
    old = replace(SET.samples[0], expect={"include": include})
    text = json.dumps(include).replace("45 z", "38 z").replace("@atonce", "3 dni")
    new = replace(old, expect={"include": json.loads(text)})
    assert remembered(old, new) == [{"say": ["45 zł & łód*"]}, ["45 zł"]]


def test_combined() -> None:
    name = "changed:2+noise:7"
    (kayak,) = by_id(made("noise:7+changed:2")).values()
    assert (kayak.id, kayak.variant, kayak.origin) == (f"k@{name}", name, "k")
    # Neither the new value nor the old one stands in what is added.
    assert "hulajnoga" not in kayak.context
    assert kayak.reference == f"Kajak kosztuje 38 zł [{kayak.context.index('kajak@k@changed:2')}]."
    (twin,) = by_id(made("twin+changed:2")).values()
    assert (twin.id, twin.context) == ("k@changed:2+twin", ("rower", "namiot", "sauna"))
    # What a twin shows is not added once more.
    kayak = by_id(made("twin+noise:5"))["k@twin+noise:5"]
    assert sorted(kayak.context) == ["karta", "namiot", "parking", "rower", "sauna"]


ANSWERS = [
    ("k@twin", REFUSAL_MESSAGE, {"refuse": 1, "invented": 0, "partial": 0}),
    ("k@twin", "Kajak kosztuje 45 zł.", {"refuse": 0, "invented": 1, "partial": 0}),
    ("k@twin", "Kajak kosztuje 47 zł.", {"refuse": 0, "invented": 1, "partial": 0}),
    ("k@twin", "Rower kosztuje 60 zł [0], o kajaku brak danych.", {"invented": 0, "partial": 1}),
    ("k@twin", "Nie wiem, dokumenty mówią o 2 innych rzeczach.", {"invented": 0, "partial": 1}),
    ("p@twin", "Karta kosztuje 21 zł.", {"invented": 1, "partial": 0}),
    ("k@changed:2", "Kajak kosztuje 38 zł [1].", {"include": 1, "cite_f1": 1, "memory": 0}),
    ("k@changed:2", "Kajak kosztuje 45 zł [1].", {"include": 0, "cite_f1": 1, "memory": 1}),
    # By whole words, under either rule.
    ("k@changed:2", "Kajak kosztuje 38 zł [1], a kaucja 145 zł.", {"memory": 0}),
]


@pytest.mark.parametrize(("key", "answer", "expected"), ANSWERS)
def test_what_is_shown(
    normalizer: Normalizer, key: str, answer: str, expected: Mapping[str, float]
) -> None:
    sample = by_id(made("twin,changed:2"))[key]
    scorer = Scorer.load()
    for scores in scorer.score(sample, sample.context, answer).values():
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("core", ["core"]),
        (" twin , core,twin", ["twin", "core"]),
        ("noise:16+changed:3,order:0", ["changed:3+noise:16", "order:0"]),
        ("order:1+twin", ["twin+order:1"]),
    ],
)
def test_names(text: str, shown: list[str]) -> None:
    assert list(map(str, parse_variants(text))) == shown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "names no variant"),
        ("twins", "'twins' is none of: core, changed:SEED, twin, noise:N, order:SEED"),
        ("core+twin", "'core' is none of"),
        ("noise", "'noise' must be noise:N"),
        ("twin:1", "'twin:1' must be twin"),
        ("noise:1", "the number of documents is from 2 to 1024"),
        ("order:-1", "a seed is from 0 to"),
        ("order:1+order:2", "names order twice"),
    ],
)
def test_no_names(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason.replace("+", r"\+")):
        parse_variants(text)


def test_signature() -> None:
    assert signature_parts(parse_variants("core"), SET) == {}
    assert signature_parts(parse_variants("core,twin"), SET) == {"variants": "core,twin"}
    part = signature_parts(parse_variants("changed:1"), SET)["variants"]
    assert part.startswith("changed:1#")
    others = Benchmark(SET.documents, SET.samples[1:])
    assert signature_parts(parse_variants("changed:1"), others) != {"variants": part}
    for line, variants in ((f"variants:{part}", "changed:1"), ("data:1", "core")):
        assert variants_of(Signature.parse(line)) == parse_variants(variants)
    assert variants_of(None) == (Variant(),)


@pytest.mark.parametrize(
    ("part", "variant", "expected"),
    [
        # Of hints and facts those that the variant depends on, whatever stood beside it.
        ("core,twin,changed:1#h#f", "twin", "twin#h"),
        ("core,twin,changed:1#h#f", "changed:1", "changed:1#f"),
        ("changed:1,changed:1+noise:8#h#f", "changed:1+noise:8", "changed:1+noise:8#h#f"),
        ("twin,changed:1#f", "twin", "twin"),
        ("twin,order:1#h", "order:1", "order:1"),
        ("core,order:1", "core", "core"),
    ],
)
def test_the_signature_of_one_variant(part: str, variant: str, expected: str) -> None:
    assert part_of_variant(part, variant) == expected


# Those that docs/variants.md tells of, and more: documents in their order, the gold answer.
WORKED = [
    ("meldunek-p03@twin", "meldunek-08 meldunek-05 meldunek-02 meldunek-09", REFUSAL_MESSAGE),
    (
        "podatki-p02@noise:8",
        "podatki-07 podatki-02 podatki-08 podatki-04 podatki-05 podatki-09 podatki-12 podatki-11",
        "370 zł. W ciągu 14 dni od zawarcia umowy trzeba złożyć deklarację PCC-3 i wpłacić tę "
        "kwotę [3].",
    ),
    (
        "stan-cywilny-p04@order:1",
        "stan-cywilny-02 stan-cywilny-08 stan-cywilny-09 stan-cywilny-01",
        "czeka się najwyżej 10 dni roboczych [3].",
    ),
    # 40 and 48 are 88; 3 % of the 27 600 zł that the question names are 828.
    ("meldunek-p03@changed:3", None, "łącznie 88 zł: 40 zł za decyzję o wymeldowaniu [2] i 48 zł"),
    (
        "podatki-p02@changed:3",
        None,
        "3% wartości rynkowej samochodu, czyli 828 zł. W ciągu 28 dni od zawarcia umowy trzeba "
        "złożyć deklarację PCC-7",
    ),
    ("stan-cywilny-p04@changed:3", None, "wynosi 60 zł"),
]


@pytest.mark.parametrize(("key", "context", "reference"), WORKED)
def test_worked_questions(key: str, context: str | None, reference: str) -> None:
    benchmark = load_benchmark(DOCUMENTS, SAMPLES)
    origin, _, variant = key.partition("@")
    wanted = [sample for sample in benchmark.samples if sample.id == origin]
    (made,) = expand(benchmark, parse_variants(variant), wanted).benchmark.samples
    if context is not None:
        assert list(made.context) == context.split()
    assert reference in str(made.reference)


# Of the hard set, whose documents are long, some: `validate` proves all its twins.
@pytest.mark.parametrize(
    ("data", "specs", "every"),
    [("core", "twin,noise:8,noise:32,order:1", 1), ("hard", "twin,noise:16,order:1", 5)],
)
def test_all_samples(normalizer: Normalizer, data: str, specs: str, every: int) -> None:
    """Nothing that is needed is lost, and nothing that answers is added."""
    benchmark = load_benchmark(*find_set(data))
    wanted = benchmark.samples[::every]
    scorer = Scorer.load()

    @cache
    def score(key: str, document: str) -> float:
        """What a document gets as an answer to the questions of a sample, by either rule."""
        origin = origins[key]
        entries = list(leaves(origin.expect.get("include", ())))
        if not entries:
            return 0
        asked = Sample(origin.id, origin.question, ("-",), {"include": entries})
        found = scorer.score(asked, (), benchmark.documents[document].contents)
        return max(scores["include"] for scores in found.values())

    origins = {sample.id: sample for sample in benchmark.samples}
    expanded = expand(benchmark, parse_variants(specs), wanted)
    samples = by_id(expanded).values()
    answerable = sum("include" in sample.expect for sample in wanted)
    assert sum(sample.variant == "twin" for sample in samples) == answerable
    for sample in samples:
        origin, kind = origins[sample.origin], sample.variant.partition(":")[0]
        added = set(sample.context) - set(origin.context)
        assert len(set(sample.context)) == len(sample.context)
        if sample.variant in ("twin", "noise:8", "noise:16"):
            assert not [key for key in added if score(origin.id, key)], sample.id
        assert sample.asked == tuple(leaves(origin.expect.get("include", ())))
        if kind == "twin":
            assert not set(sample.context) & set(origin.expect["cite"])
            assert not [key for key in sample.context if score(origin.id, key)], sample.id
            assert len(sample.context) == len(origin.context)
        else:
            assert set(origin.context) <= set(sample.context)
            assert sample.expect == origin.expect
        if kind == "noise":
            assert len(sample.context) == int(sample.variant.partition(":")[2])
