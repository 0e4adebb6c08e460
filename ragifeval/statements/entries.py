"""The form of a statement in the data, checked before anything is scored.

    {"say": [...], "of": [...], "rivals": [...], "is": true | false, "anti": [...],
     "verdict": true, "from": [...], "total": true}
    {"never": [...], "but": [...], "of": [...], "rivals": [...]}
    {"only": [...], "of": [...], "rivals": [...], "last": true}
    {"any": [entry, ...]}
    {"all": [entry, ..., {"never": [...]}, ...]}

What each key means: docs/conditions.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ragifeval.statements.wordings import LEAST_PREFIX, class_wordings, parts_of

_LISTS = ("say", "of", "rivals", "anti", "from", "never", "but", "only")
_FLAGS = ("is", "verdict", "total", "last")
_KNOWN: Mapping[str, Sequence[str]] = {
    "say": ("say", "of", "rivals", "is", "anti", "verdict", "from", "total"),
    "never": ("never", "but", "of", "rivals"),
    "only": ("only", "of", "rivals", "last"),
}


@dataclass(frozen=True, slots=True)
class Statement:
    """What an answer must say, or must never say.

    Attributes:
        say: wordings of what is said.
        of: wordings of the thing it is said of; empty for any.
        rivals: wordings of other things that it must not be said of instead.
        is_affirmed: whether it must be affirmed, not denied.
        anti: wordings of the opposite.
        has_verdict: whether a yes or no says it too.
        start: wordings of what a period runs from; empty for any.
        is_total: whether no other amount may be called the total.
        is_never: whether it must not be affirmed, wherever it stands.
        but: wordings that are let pass, though `say` meets them too.
        is_only: whether that is so of every other amount, where it is called due.
        is_last: whether only where the last line takes back what was said before.
    """

    say: tuple[str, ...]
    of: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    is_affirmed: bool = True
    anti: tuple[str, ...] = ()
    has_verdict: bool = False
    start: tuple[str, ...] = ()
    is_total: bool = False
    is_never: bool = False
    but: tuple[str, ...] = ()
    is_only: bool = False
    is_last: bool = False


def read_statement(entry: Mapping[str, Any]) -> Statement:
    """A checked entry with "say" or "never" as a Statement."""
    lists = {key: _wordings(entry.get(key, ())) for key in _LISTS}
    return Statement(
        say=lists["only"] or lists["never"] or lists["say"],
        of=lists["of"],
        rivals=lists["rivals"],
        is_affirmed=entry.get("is", True),
        anti=lists["anti"],
        has_verdict=entry.get("verdict", False),
        start=lists["from"],
        is_total=entry.get("total", False),
        is_never=is_never(entry),
        but=lists["but"],
        is_only="only" in entry,
        is_last=entry.get("last", False),
    )


def is_never(entry: object) -> bool:
    """Whether an entry tells what must not be said."""
    return isinstance(entry, Mapping) and ("never" in entry or "only" in entry)


def _wordings(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def check_statement(entry: Mapping[str, Any], *, has_never: bool) -> None:
    """Check the form of a statement with "say", or of one with "never" or "only".

    Raises:
        ValueError: with what is wrong and what would be right.
    """
    head = "say" if not has_never else "only" if "only" in entry else "never"
    known = _KNOWN[head]
    for key in entry:
        if key not in known:
            raise ValueError(
                f"has a statement with the unknown key {key!r}; known are: {', '.join(known)}"
            )
    if head not in entry:
        raise ValueError(f"has a statement without {head!r}: {dict(entry)!r}")
    for key, value in entry.items():
        if key in _FLAGS:
            if not isinstance(value, bool):
                raise ValueError(f"has a statement whose {key!r} is not true or false: {value!r}")
            continue
        _check_wordings(key, value)
    for key, name in (("total", "say"), ("only", "only")):
        if entry.get(key) and not any(map(str.isdigit, "".join(_wordings(entry[name])))):
            raise ValueError(
                f"has {key!r} in a statement whose {name!r} holds no amount: {entry!r}"
            )


def _check_wordings(key: str, value: object) -> None:
    wordings = [value] if isinstance(value, str) else value
    if not isinstance(wordings, list) or not wordings:
        raise ValueError(
            f"has a statement whose {key!r} is not a wording or a list of wordings: {value!r}"
        )
    for wording in wordings:
        if not isinstance(wording, str):
            raise ValueError(f"has a statement whose {key!r} holds {wording!r}, which is no text")
        _check_wording(wording)


def _check_wording(wording: str) -> None:
    for part in chain.from_iterable(parts_of(wording)):
        if part.startswith("@"):
            class_wordings(part)
            continue
        if "@" in part:
            raise ValueError(
                f"has a wording with a class among other words: {wording!r}; a class stands alone "
                "or is joined by '&' or '|'"
            )
        if not any(character.isalnum() for character in part):
            raise ValueError(f"has a wording without a letter or a digit: {wording!r}")
        for word in part.split():
            stem, star, rest = word.partition("*")
            if star and (rest or len(stem) < LEAST_PREFIX):
                raise ValueError(
                    f"has a wording with a misplaced '*': {wording!r}; it stands behind the "
                    f"first {LEAST_PREFIX} or more letters of a word"
                )


def statements_in(entries: Sequence[Any]) -> list[Statement]:
    """All statements among the entries of include or exclude, those of "any" and "all" too."""
    statements = []
    for entry in entries:
        if isinstance(entry, Mapping):
            parts = entry.get("any") or entry.get("all")
            statements += [read_statement(entry)] if parts is None else statements_in(parts)
    return statements


def uses_statements(expect: Mapping[str, Any]) -> bool:
    """Whether what is expected of an answer holds a statement."""
    return any(
        isinstance(entry, Mapping)
        for name in ("include", "exclude")
        for entry in expect.get(name, ())
    )
