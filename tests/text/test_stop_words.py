"""The lists of stop words in data/, and those that spaCy alone has."""

from importlib import import_module

import pytest
import spacy

from ragifeval.text.stop_words import frozen_version, stop_words


@pytest.mark.parametrize("language", ["de", "en", "es", "pl"])
def test_the_lists_in_data_are_those_of_spacy(language: str) -> None:
    assert frozen_version(language) == spacy.__version__
    assert stop_words(language) == import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS


# Language -> a word that is a stop word there, and one that is not.
STOP_WORDS = {"pl": ("albo", "oder"), "de": ("oder", "albo"), "it": ("anche", "oder")}


@pytest.mark.parametrize(("language", "words"), STOP_WORDS.items())
def test_stop_words(language: str, words: tuple[str, str]) -> None:
    assert [word in stop_words(language) for word in words] == [True, False]


@pytest.mark.parametrize("language", ["xx", "qq"])
def test_a_language_without_stop_words(language: str) -> None:
    assert frozen_version(language) is None
    assert stop_words(language) == frozenset()
