"""The two rules of "found".

tests/data/matching.jsonl holds a careful Polish reader's judgments, written before the whole-word
rule: what the rules make of them is stated in the README, and test_readme.py checks it.
"""

from pathlib import Path

import pytest

from ragifeval.text.matching import RULES, Text, find_substring, find_words
from ragifeval.text.normalizer import Normalizer
from tools.testing.process import records

CASES = records(Path(__file__).parents[1] / "data" / "matching.jsonl")
# phrase, answer, found as a substring, found as words
TABLE = [
    ("20 zł", "Opłata wynosi 120 zł.", True, False),
    ("nie", "Niestety.", True, False),
    ("4 000 zł", "cztery tysiące złotych", False, True),
    ("112 zł", "112,50 zł", False, False),
    # any order, one word slipped in
    ("urząd gminy", "w urzędzie naszej gminy", False, True),
    ("urząd gminy", "w urzędzie tej naszej gminy", False, False),
    ("opłata skarbowa za wydanie", "za wydanie pobiera skarbową opłatę", False, True),
    # a number stays directly before the word it counts
    ("30 dni", "30 kolejnych dni", False, False),
    ("30 dni", "7 dni i 30 zł", False, False),
    ("14 dni roboczych", "roboczych 14 dni", False, True),
    ("14 dni roboczych", "dni 14 roboczych", False, False),
    # a word that the phrase has twice must stand there twice
    ("krok po kroku", "krok po", False, False),
]


@pytest.mark.parametrize(("phrase", "answer", "substring", "words"), TABLE)
def test_rules(
    normalizer: Normalizer, phrase: str, answer: str, substring: bool, words: bool
) -> None:
    found = [rule(Text(normalizer(phrase)), Text(normalizer(answer))) for rule in RULES.values()]
    assert [place is not None for place in found] == [substring, words]


def test_the_place_of_a_phrase_is_its_first_and_last_word(normalizer: Normalizer) -> None:
    answer = Text(normalizer("Masz na to 4 000 zł, czyli urząd naszej gminy płaci."))
    # words: 0 masz, 1 na, 2 to, 3 4, 4 000, 5 zł, 6 czyli, 7 urząd, 8 naszej, 9 gminy
    assert find_substring(Text(normalizer("na to")), answer) == (1, 2)
    assert find_words(Text(normalizer("4 tys. zł")), answer) == (3, 5)
    assert find_words(Text(normalizer("gminy urząd")), answer) == (7, 9)


def test_a_phrase_copied_verbatim_is_always_found(normalizer: Normalizer) -> None:
    for case in CASES:
        text = f"Otóż {case['phrase']}, proszę."
        for name, rule in RULES.items():
            found = rule(Text(normalizer(case["phrase"])), Text(normalizer(text)))
            assert found is not None, (name, case["phrase"])


def test_time_grows_with_the_text_not_with_its_square(normalizer: Normalizer) -> None:
    """Every token of the phrase everywhere, but never in a window: the worst case of the rule."""
    phrase = Text(normalizer("30 dni roboczych"))
    answer = Text(normalizer("30 roboczych " * 20_000 + "dni"))
    assert find_words(phrase, answer) is None
    twice = Text(normalizer("roboczych roboczych dni"))
    assert find_words(twice, answer) == (39_997, 40_000)
