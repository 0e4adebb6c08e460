"""Values written anew: each form, each case, worked out by hand."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ragifeval.benchmark.benchmark import load_documents
from ragifeval.benchmark.variants.values import (
    Amount,
    Day,
    Value,
    find_values,
    read_value,
    rewrite,
)
from ragifeval.paths import DOCUMENTS
from ragifeval.text.normalizer import Normalizer

# The old value -> the new one; below, texts with the old one -> with the new one.
CASES = """
45 zł -> 32,50 zł
    PLN 45 -> PLN 32,50
    45 PLN -> 32,50 PLN
18 500 zł -> 19 200 zł
    18,5 tys. zł -> 19 200 zł
45 zł -> 22 zł
    czterdzieści pięć złotych -> 22 złote
    do czterdziestu pięciu złotych -> do 22 złotych
112,50 zł -> 97,20 zł
    112 zł 50 gr -> 97,20 zł
18 500 zł -> 9400 zł
    18 500 zł -> 9 400 zł
    18500 zł -> 9400 zł
14 dni -> 21 dni
    w ciągu dwóch tygodni -> w ciągu 21 dni
    14-dniowy termin -> 21-dniowy termin
    czternastodniowego -> 21-dniowego
7 dni -> 9 dni
    tydzień -> 9 dni
    tygodniowy termin -> 9-dniowy termin
    w 7. dniu -> w 9. dniu
5 lat -> 2 lata
    do 5 lat -> do 2 lat
    5 pełnych lat -> 2 pełne lata
    po 5 latach -> po 2 latach
    nie ukończył 5 lat -> nie ukończył 2 lat
    co najmniej 5 lat -> co najmniej 2 lata
1 rok -> 3 lata
    w ciągu roku -> w ciągu 3 lat
    po roku -> po 3 latach
    roczny termin -> 3-letni termin
6 miesięcy -> 3 miesiące
    pół roku -> 3 miesiące
    półroczny -> 3-miesięczny
10 dni roboczych -> 3 dni robocze
    do 10 dni roboczych -> do 3 dni roboczych
10 dni -> 12 dni
    10 dni roboczych -> 10 dni roboczych
2% -> 3%
    2 % -> 3 %
3 osoby -> 4 osoby
    3 zł -> 3 zł
70 dni -> 63 dni
    od 10. tygodnia -> od 63. dnia
12 maja -> 3 czerwca
    od 12 do 25 maja -> od 3 czerwca do 25 maja
20 dni -> 15 dni
    od 20 do 30 dni -> od 15 do 30 dni
30 kwietnia 2025 -> 5 maja 2025
    30 kwietnia 2025 r. -> 5 maja 2025 r.
    30.04.2025 -> 05.05.2025
    2025-04-30 -> 2025-05-05
"""


def _cases() -> Iterator[tuple[str, ...]]:
    values: tuple[str, ...] = ()
    for line in CASES.strip().splitlines():
        if line.startswith(" "):
            yield (*values, *line.strip().split(" -> "))
        else:
            values = tuple(line.split(" -> "))


@pytest.mark.parametrize(("old", "new", "text", "expected"), list(_cases()))
def test_rewrite(normalizer: Normalizer, old: str, new: str, text: str, expected: str) -> None:
    wanted, value = read_value(old, normalizer), read_value(new, normalizer)
    assert value is not None
    for mention in reversed(list(find_values(text, normalizer))):
        if mention.value == wanted:
            text = text[: mention.start] + rewrite(mention, value) + text[mention.end :]
    assert text == expected


def test_all_values_of_the_data(normalizer: Normalizer) -> None:
    """Whatever the documents say of amounts and dates can be said otherwise, and is read so."""
    count = 0
    for document in load_documents(DOCUMENTS).values():
        text = document.contents
        for mention in find_values(text, normalizer):
            value = mention.value
            new: Value = Day(17, 9, 2031 if isinstance(value, Day) and value.year else None)
            if isinstance(value, Amount):
                new = replace(value, number=2 * value.number + 3)
                # A unit that stands elsewhere may not be shared by the new number.
                own = text[mention.start : mention.end + 1].rstrip(" .,;)")
                if not value.unit or read_value(own, normalizer) != value:
                    continue
            changed = text[: mention.start] + rewrite(mention, new) + text[mention.end :]
            found = [one for one in find_values(changed, normalizer) if one.start == mention.start]
            assert [one.value for one in found] == [new], text[mention.start - 20 : mention.end + 9]
            count += 1
    assert count > 1100


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2 tygodnie", "14 dni"),
        ("30.04.2025", "30 kwietnia 2025"),
        ("12 500 zł", "12 500 zł"),
        ("PCC-3", "None"),
        ("45 zł za wpis", "None"),
    ],
)
def test_read_value(normalizer: Normalizer, text: str, shown: str) -> None:
    assert str(read_value(text, normalizer)) == shown
