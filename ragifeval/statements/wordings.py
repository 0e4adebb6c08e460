"""Wordings as the data write them, and the words by which statements are read.

A wording is one of:

- words: found as lemmas, in any order, in one sentence, in a window two tokens longer than they
  are; a leading "nie" or preposition stays before them, a number directly before the word it
  counts. An amount, a period or a date is one token, in any of its forms.
- with "pre*" for every word or lemma that begins so.
- "one & other": both in one clause.
- "one|other": either, so that "one|other & third" is two wordings.
- "@class": one of the wordings of a class in data/wordings.toml.
"""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, TypeVar

from ragifeval.paths import WORDINGS

K = TypeVar("K")
V = TypeVar("V")
LEAST_PREFIX = 2
"""Letters that the beginning of a word has at least."""


def parts_of(wording: str) -> Sequence[tuple[str, ...]]:
    """What "&" joins in a wording, each as the alternatives that "|" parts."""
    return [tuple(map(str.strip, part.split("|"))) for part in wording.split("&")]


def spelled_out(wording: str) -> Sequence[str]:
    """The wordings that one with "|" stands for."""
    return [" & ".join(parts) for parts in product(*parts_of(wording))]


def class_wordings(name: str) -> Sequence[str]:
    """The wordings of a class, "@class".

    Raises:
        ValueError: there is no such class.
    """
    known = table("classes")
    if name[1:] not in known:
        raise ValueError(
            f"names the class {name!r}, which data/wordings.toml does not have; it has: "
            f"{', '.join('@' + key for key in known)}"
        )
    wordings: Sequence[str] = known[name[1:]]
    return wordings


class Remembered(dict[K, V]):
    """What a function says of a word, found once for all answers."""

    # Remembered before starting anew.
    MOST = 20_000

    def __init__(self, read: Callable[[K], V]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, word: K) -> V:
        if len(self) >= self.MOST:
            self.clear()
        value = self[word] = self._read(word)
        return value


class WordSet:
    """Words, and beginnings of words ("pre*")."""

    def __init__(self, wordings: Iterable[str]) -> None:
        wordings = list(wordings)
        self._words = frozenset(word for word in wordings if not word.endswith("*"))
        self._prefixes = tuple(word[:-1] for word in wordings if word.endswith("*"))
        self._known = Remembered(self._holds)

    def __contains__(self, word: str) -> bool:
        return self._known[word]

    def _holds(self, word: str) -> bool:
        return word in self._words or word.startswith(self._prefixes)


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(WORDINGS.read_text(encoding="utf-8"))


def table(name: str) -> Mapping[str, Any]:
    """One table of the file."""
    return _tables()[name]


WordList = WordSet | frozenset[str]


@cache
def word_set(name: str, key: str) -> WordList:
    """One list of the file as a set of words."""
    words = _tables()[name][key]
    has_prefixes = any(word.endswith("*") for word in words)
    return WordSet(words) if has_prefixes else frozenset(words)


@cache
def fingerprint() -> str:
    """A hash of what the file says, whatever its formatting and comments."""
    content = json.dumps(_tables(), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:8]
