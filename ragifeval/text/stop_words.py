"""The words of a language that say nothing by themselves.

The lists of spaCy, of one version of it: scores depend on them, and must not on what is installed.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ragifeval.extras import require
from ragifeval.paths import STOP_WORDS


def frozen_version(language: str) -> str | None:
    """The version of the list in data/; None for a language that only spaCy itself has a list of.

    Args:
        language: its code, "pl".
    """
    lists = _lists()
    return str(lists["version"]) if language in lists else None


def frozen_languages() -> Sequence[str]:
    """The codes of the languages with a list in data/."""
    return [name for name in _lists() if len(name) == 2]


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; none where spaCy lists none.

    Raises:
        UserError: data/ has no list, and spaCy is not installed.
    """
    if frozen_version(language) is not None:
        return frozenset(_lists()[language])
    require("spacy", f"the list of stop words of the language {language!r}")
    name = f"spacy.lang.{language}.stop_words"
    try:
        return frozenset(import_module(name).STOP_WORDS)
    except ModuleNotFoundError as error:
        # A package that a language of spaCy's needs.
        if error.name != name and not name.startswith(f"{error.name}."):
            raise
        return frozenset()


@cache
def _lists() -> Mapping[str, Any]:
    lists: Mapping[str, Any] = json.loads(STOP_WORDS.read_text(encoding="utf-8"))
    return lists
