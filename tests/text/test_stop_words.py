"""The lists of stop words in data/, and those that spaCy alone has."""

from importlib import import_module

import pytest
import spacy

from ragifeval.text.stop_words import frozen_version, stop_words


@pytest.mark.parametrize("language", ["de", "en", "es", "pl"])
def test_the_lists_in_data_are_those_of_spacy(language: str) -> None:
    assert frozen_version(language) == spacy.__version__
    assert stop_words(language) == import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS


def test_languages_without_a_list_in_data() -> None:
    assert "anche" in stop_words("it")
    assert "oder" not in stop_words("it")
    for language in ("xx", "qq"):
        assert frozen_version(language) is None
        assert stop_words(language) == frozenset()
