"""What makes a phrase unfit to be an entry."""

import pytest

from ragifeval.benchmark.validate.entries import (
    flaws,
    is_cited,
    is_part_of_a_number,
    is_said,
)
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer

QUESTION = "Ile kosztuje zdjęcie kota w 2024 roku?"
BOTH = ["stands in the question (rule substring)", "stands in the question (rule words)"]
# Phrase -> what is wrong with it.
FLAWS: dict[str, list[str]] = {
    "17 zł": [],
    "za darmo": [],
    "ale nie": [],  # each a stop word, but two of them
    "za": ["is a mere stop word"],
    "": ["has no letter or digit"],
    "—": ["has no letter or digit"],
    "17": ["is met by a citation of that number"],
    "17, 18": ["is met by a citation of that number"],
    "siedemnaście": ["is met by a citation of that number"],
    "siedemnaście kotów": [],
    "zdjęcia": BOTH,
    "kot": BOTH,
    "kosztuje kota": ["stands in the question (rule words)"],  # one word between
    "kosz": ["stands in the question (rule substring)"],  # of "kosztować"
    "2024": ["is met by a citation of that number", *BOTH],
    "odnaleziono": [
        "stands in the refusal message (rule substring)",
        "stands in the refusal message (rule words)",
    ],
    "odpowiedź": [
        "stands in the refusal message (rule substring)",
        "stands in the refusal message (rule words)",
    ],
}


@pytest.mark.parametrize(("phrase", "expected"), FLAWS.items())
def test_flaws(normalizer: Normalizer, phrase: str, expected: list[str]) -> None:
    texts = [Text(normalizer(text)) for text in (phrase, QUESTION, REFUSAL_MESSAGE)]
    assert list(flaws(*texts, "pl")) == expected


# Phrase, document -> whether it is part of another number there.
PARTS: list[tuple[str, str, bool]] = [
    ("30 zł", "Bilet kosztuje 130 zł.", True),
    ("30 zł", "Bilet kosztuje 30 zł.", False),
    ("30 zł", "Bilet kosztuje 30 zł, karnet 130 zł.", True),
    ("30 zł", "Bilet jest darmowy.", False),
    ("500 zł", "Grzywna: 4 500 zł.", True),
    ("poziom 1", "Auta stoją na poziomie 12.", True),
    ("poziom 1", "Auta stoją na poziomie 1.", False),
]


@pytest.mark.parametrize(("phrase", "document", "expected"), PARTS)
def test_part_of_a_number(
    normalizer: Normalizer, phrase: str, document: str, expected: bool
) -> None:
    assert is_part_of_a_number(Text(normalizer(phrase)), Text(normalizer(document))) is expected


# Alternatives, document -> whether one is cited (substring rule), whether one is said (either).
STANDS: list[tuple[list[str], str, bool, bool]] = [
    (["17 zł"], "Dowód kosztuje 17 zł.", True, True),
    (["12 zł", "17 zł"], "Dowód kosztuje 17 zł.", True, True),
    (["12 zł"], "Dowód kosztuje 17 zł.", False, False),
    (["17 złotych"], "Dowód kosztuje 17 PLN.", False, True),
    (["kot"], "Na obiad jest kotlet.", True, True),
    ([], "Dowód kosztuje 17 zł.", False, False),
]


@pytest.mark.parametrize(("phrases", "document", "cited", "said"), STANDS)
def test_where_it_stands(
    normalizer: Normalizer, phrases: list[str], document: str, cited: bool, said: bool
) -> None:
    texts = [Text(normalizer(phrase)) for phrase in phrases]
    text = Text(normalizer(document))
    assert (is_cited(texts, [text]), is_said(texts, text)) == (cited, said)
