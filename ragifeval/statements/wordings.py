"""The words by which statements are read, from data/wordings.toml."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from ragifeval.paths import WORDINGS

K = TypeVar("K")
V = TypeVar("V")


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


def classes() -> Mapping[str, Sequence[str]]:
    """The name of each class of wordings -> its wordings."""
    return _tables()["classes"]


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
