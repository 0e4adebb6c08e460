"""Facts of built samples: which values are taken, and what they may become."""

from collections.abc import Sequence

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.changeable import with_facts
from ragifeval.scoring.scorer import Scorer

CARD = Document("karta", "Nowa karta kosztuje 40 zł i jest ważna do 6 maja 2025 r. Kaucja: 100 zł.")
HALL = Document("sala", "Wynajem sali kosztuje 100 zł za godzinę, a zapisy trwają 14 dni.")


@pytest.mark.parametrize(
    ("entries", "reference", "facts"),
    [
        # 100 zł stands in two documents, "nowa karta" is no value.
        (["40 zł", "nowa karta"], "Nowa karta: 40 zł [0].", ["40 zł"]),
        (["100 zł"], "Kaucja to 100 zł [0].", []),
        (["6 maja 2025 r."], "Do 6 maja 2025 r. [0]", ["6 maja 2025"]),
        ([["40 zł", "czterdzieści złotych"], "6 maja"], "40 zł, do 6 maja [0]", ["40 zł"]),
        # The gold answer would not get full marks: it says the value in a way that is not found.
        (["40 zł"], "Cztery dychy [0].", []),
    ],
)
def test_facts(entries: Sequence[object], reference: str, facts: Sequence[str]) -> None:
    expect = {"include": entries, "cite": ["karta"]}
    sample = Sample("k", "Ile to kosztuje?", ("karta", "sala"), expect, reference=reference)
    found = with_facts(sample, {"karta": CARD, "sala": HALL}, Scorer.load()).facts
    assert [fact.value for fact in found] == facts


def test_others() -> None:
    expect = {"include": ["40 zł", "6 maja 2025"], "cite": ["karta"]}
    reference = "40 zł, do 6 maja 2025 r. [0]"
    sample = Sample("k", "Ile to kosztuje?", ("karta", "sala"), expect, reference=reference)
    money, day = with_facts(sample, {"karta": CARD, "sala": HALL}, Scorer.load()).facts
    # As round as 40; from 0.6 to 1.8 times as much, then one, two and three steps more.
    assert money.others == ["20 zł", "30 zł", "50 zł", "60 zł", "70 zł"]
    # All of them Tuesdays, as is 6 May 2025.
    assert day.others == [
        *("15 kwietnia 2025", "22 kwietnia 2025", "29 kwietnia 2025"),
        *("13 maja 2025", "20 maja 2025", "27 maja 2025"),
    ]
