"""Numbers, dates, times and units in one form. Expected tokens were written by hand."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragifeval.text.canonical import _stands_alone, canonical
from ragifeval.text.canonical.dates import read_date, read_time
from ragifeval.text.canonical.figures import read_figures
from ragifeval.text.canonical.words import Words, all_digits
from ragifeval.text.normalizer import Normalizer

CASES = [
    # figures
    ("4 000", "4000"),
    ("4\u00a0000", "4000"),
    ("4.000", "4000"),
    ("1.234.567,50", "1234567.5"),
    ("2024 300", "2024 300"),  # a group of thousands starts with three digits at most
    ("0 500", "0 500"),
    ("112,50", "112.5"),
    ("112.50", "112.5"),
    ("112,00", "112"),
    ("3,14159", "3 14159"),  # five decimals are two numbers side by side
    ("1234567890123456", "1234567890123456"),
    ("12345678901234567890 tys.", "12345678901234567890 tysiąc"),
    ("007", "007"),
    # what multiplies
    ("4 tys.", "4000"),
    ("1,2 mld", "1200000000"),
    ("pięć tys.", "5000"),
    ("tys.", "tysiąc"),
    # number words
    ("siedmiu", "7"),
    ("stu dwudziestu trzech", "123"),
    ("trzynaście jeden", "13 1"),  # nothing follows a thirteen
    ("dwa trzy", "2 3"),
    ("dwadzieścia sto", "20 100"),
    ("dwa tysiące pięćset", "2500"),
    ("dwa miliony trzysta tysięcy dwanaście", "2300012"),
    ("półtora tysiąca", "1500"),
    # units and signs
    ("80%", "80 procent"),
    ("10MB", "10 mb"),
    ("10 megabajtów", "10 mb"),
    ("492x633", "492 x 633"),
    ("70 m²", "70 m2"),
    ("70 metrów kwadratowych", "70 m2"),
    ("15a", "15a"),
    ("5t", "5 t"),
    ("§ 3", "paragraf 3"),
    # currencies
    ("30zł", "30 złoty"),
    ("PLN 30", "30 złoty"),
    ("112 zł 50 gr", "112.5 złoty"),
    ("5 zł 5 groszy", "5.05 złoty"),
    ("50 €", "50 euro"),
    # dates
    ("30.04", "30 kwiecień"),
    ("30.04.2025 r.", "30 kwiecień 2025 rok"),
    ("01.05.2025", "1 maj 2025 rok"),
    ("2025-04-30", "30 kwiecień 2025 rok"),
    ("30/04/2025", "30 kwiecień 2025 rok"),
    ("30 IV 2025 roku", "30 kwiecień 2025 rok"),
    ("30 kwietnia 2025", "30 kwiecień 2025 rok"),
    ("w kwietniu 2025 r.", "w kwiecień 2025 rok"),
    ("2025 r.", "2025 rok"),
    ("12.10 zł", "12.1 złoty"),  # a price
    ("31.13", "31.13"),  # there is no thirteenth month
    ("1-5", "1 5"),
    ("0.04", "0.04"),
    ("2025-13-01", "2025 13 01"),
    # times
    ("15:30", "15:30"),
    ("8:00", "8"),
    ("godz. 15.30", "godzina 15:30"),
    ("25:30", "25 30"),
    # neither
    ("٣ dni", "٣ dzień"),  # a digit, but not one that Polish is written with
]


@pytest.mark.parametrize(("text", "tokens"), CASES)
def test_form(normalizer: Normalizer, text: str, tokens: str) -> None:
    assert list(canonical(normalizer(text)).tokens) == tokens.split()


def test_each_token_knows_its_word(normalizer: Normalizer) -> None:
    normalized = normalizer("Opłata to 4 000 zł do 30.04.2025 r. w kasie")
    form = canonical(normalized)
    assert list(form.tokens) == (
        "opłata to 4000 złoty do 30 kwiecień 2025 rok w kasa".split()  # noqa: SIM905
    )
    # words: 0 opłata, 1 to, 2 4, 3 000, 4 zł, 5 do, 6 30, 7 04, 8 2025, 9 r, 10 w, 11 kasie
    assert list(form.words) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]


PIECES = [
    *("1", "12", "04", "000", "2025", "zł", "gr", "tys", "maja", "IV", "m", "x", "r", "godz", "i"),
    *(" ", " ", " ", ".", ". ", ",", ", ", "-", "/", ":", "%", " %", " × ", " § ", "\n", "\u00a0"),
]


@given(st.lists(st.sampled_from(PIECES)))
def test_a_number_that_stands_alone_begins_nothing_longer(
    normalizer: Normalizer, pieces: Sequence[str]
) -> None:
    words = Words(normalizer("".join(pieces)))
    for index, word in enumerate(words.words[: len(words.lemmas)]):
        if all_digits(word) and _stands_alone(words, index):
            assert read_date(words, index) is read_time(words, index) is None
            assert read_figures(words, index) == ([word], index + 1)


def test_amounts_too_long_for_arithmetic_stay_as_they_are(normalizer: Normalizer) -> None:
    digits = "9" * 1_000_000
    assert list(canonical(normalizer(digits)).tokens) == [digits]
