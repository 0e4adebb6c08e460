"""Which claims a key of a reply is about: by its name, or by the stems of its words."""

import re
from collections.abc import Mapping
from typing import Any

from ragifeval.run.old.replies.parts import Unparsed, plain, plain_key

SIDES = ("reference", "candidate", "common")
# The keys asked for, those published, and their translations.
LISTS = {
    "reference": (
        *("reference_claims", "golden response claims", "golden claims", "gold claims"),
        *("reference answer claims", "twierdzenia wzorca", "twierdzenia odpowiedzi wzorcowej"),
        *("twierdzenia wzorcowe",),
    ),
    "candidate": (
        *("candidate_claims", "candidate response claims", "candidate answer claims"),
        *("answer claims", "twierdzenia odpowiedzi", "twierdzenia odpowiedzi ocenianej"),
        *("twierdzenia oceniane", "twierdzenia kandydata"),
    ),
    "common": ("common_claims", "shared claims", "wspólne twierdzenia", "twierdzenia wspólne"),
}
_OF = ("no of {}", "number of {}", "num {}", "{} count", "count of {}", "liczba {}")
_POLISH_COUNTS = {
    "reference": ("liczba twierdzeń wzorca", "liczba twierdzeń odpowiedzi wzorcowej"),
    "candidate": ("liczba twierdzeń odpowiedzi", "liczba twierdzeń odpowiedzi ocenianej"),
    "common": ("liczba wspólnych twierdzeń", "liczba twierdzeń wspólnych"),
}
COUNTS = {
    side: (
        f"{side}_count",
        *(form.format(name) for form in _OF for name in LISTS[side]),
        *_POLISH_COUNTS[side],
    )
    for side in SIDES
}
EXPLANATIONS = ("explanation", "evaluation method", "reason", "wyjaśnienie", "uzasadnienie")


_STEMS = {
    "reference": r"(?:wzor|wzorc|referen|gold|truth)",
    "candidate": r"(?:kandyd|ocenian|candid)",
    "common": r"(?:wspoln|common|overlap|shared)",
}
# Of either side: "golden answer", "odpowiedź wzorcowa"; alone, the answer is the candidate.
_ANSWER = re.compile(r"(?:answer|odpowied)")
_COUNT = re.compile(r"(?:liczb|ilosc|count|number)|(?:no|num|ile|n)$")
_CLAIM = re.compile(r"(?:claim|twierdz|stwierdz|statement)")
# Any other word may turn the meaning: "claims missing in the reference".
_FILLER = {"of", "the", "in", "total", "ground", "response", "list", "lista", "all", "wszystkich"}


def by_stems(value: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an object lists and counts: side -> value.

    >>> by_stems({"liczbaTwierdzeńWzorcowych": 2, "common claims": ["a"], "only common": ["b"]})
    ({'common': ['a']}, {'reference': 2})

    Returns:
        Lists and counts; a side that two keys tell differently is in neither.
    """
    lists: dict[str, Any] = {}
    counts: dict[str, Any] = {}
    twice: list[tuple[dict[str, Any], str]] = []
    for key, item in value.items():
        words = plain_key(key).split()
        side = _side(words)
        if side is None:
            continue
        counted = any(_COUNT.match(word) for word in words) or isinstance(item, int | float)
        found = counts if counted else lists
        # The reference itself is no list of its claims.
        if not counted and isinstance(item, str) and not any(map(_CLAIM.match, words)):
            continue
        if side in found and found[side] != item:
            twice.append((found, side))
        found[side] = item
    for found, side in twice:
        found.pop(side, None)
    return lists, counts


def _side(words: list[str]) -> str | None:
    """The only side that the words name, if all of them are known."""
    named = {name for name, stem in _STEMS.items() for word in words if re.match(stem, word)}
    known = (*map(re.compile, _STEMS.values()), _ANSWER, _COUNT, _CLAIM)
    for word in words:
        if word not in _FILLER and not any(pattern.match(word) for pattern in known):
            return None
    if not named and any(map(_ANSWER.match, words)):
        return "candidate"
    return named.pop() if len(named) == 1 else None


_LINE = re.compile(
    r"[\s*_#>`•|-]*+(?:\d{1,3}[.)]\s*+)?[*_`\"]*+(?P<key>[^\W\d][^:：=\n\d]{0,60})[:：=]"
    r"[\s*_`\"]*+(?P<count>\d{1,6})(?!\d)[\s*_`\".,;]*+"
)


def counted_lines(text: str) -> dict[str, int]:
    r"""Counts on lines of their own.

    >>> counted_lines("- **No of common claims:** 2\nDone.")
    {'no of common claims': 2}

    Raises:
        Unparsed: two lines count the same differently.
    """
    found: dict[str, int] = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            key, count = plain(match["key"]), int(match["count"])
            if found.setdefault(key, count) != count:
                raise Unparsed("it counts the same claims twice, differently")
    return found
