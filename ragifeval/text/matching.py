"""What "the answer contains this phrase" means: two rules, both always computed.

- `substring`, the published benchmark's own: N(phrase) is a substring of N(answer), so that "20
  zł" is found in "120 zł".
- `words`: the phrase's tokens all stand in the answer as whole words, within a window one token
  longer than the phrase, in any order; but a number stays directly before the word it counts.
  Numbers, dates and units are put in one form on both sides first (canonical/).
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ragifeval.text.canonical import Canonical, canonical, is_number
from ragifeval.text.normalizer import Normalized

# The first and the last word (both counted in) of the place where a phrase was found.
Place = tuple[int, int]

# A token, or numbers with the word that they count.
Unit = tuple[str, ...]


class Text:
    """A normalized text with what either rule needs of it, computed when first asked for."""

    def __init__(self, normalized: Normalized) -> None:
        self.normalized = normalized

    @cached_property
    def canonical(self) -> Canonical:
        """The tokens of the whole-word rule."""
        return canonical(self.normalized)

    @cached_property
    def bag(self) -> frozenset[str]:
        """The canonical tokens, each once."""
        return frozenset(self.canonical.tokens)

    @cached_property
    def units(self) -> Sequence[Unit]:
        """The canonical tokens; numbers with the word that they count are one unit."""
        units: list[Unit] = []
        unit: Unit = ()
        for token in self.canonical.tokens:
            unit += (token,)
            if not is_number(token):
                units.append(unit)
                unit = ()
        return [*units, unit] if unit else units


def find_substring(phrase: Text, answer: Text) -> Place | None:
    """Find N(phrase) as a substring of N(answer)."""
    needle, hay = phrase.normalized.joined, answer.normalized.joined
    start = hay.find(needle)
    if start < 0:
        return None
    return hay.count(" ", 0, start), hay.count(" ", 0, start + len(needle))


def find_words(phrase: Text, answer: Text) -> Place | None:
    """Find the phrase's tokens as whole words, close together."""
    if not phrase.bag <= answer.bag:
        return None
    tokens = answer.canonical.tokens
    width = len(phrase.canonical.tokens) + 1
    by_head: dict[str, set[Unit]] = defaultdict(set)
    for unit in phrase.units:
        by_head[unit[0]].add(unit)
    missing = Counter(phrase.units)
    # Where units start, within one window's width before here: linear in the answer.
    near: deque[tuple[int, Unit]] = deque()
    for position, token in enumerate(tokens):
        for unit in by_head.get(token, ()):
            if tuple(tokens[position : position + len(unit)]) != unit:
                continue
            near.append((position, unit))
            missing[unit] -= 1
            while near[0][0] <= position - width:
                missing[near.popleft()[1]] += 1
            if max(missing.values()) <= 0:
                place = _fit_near(phrase, answer, [start for start, _ in near], width)
                if place is not None:
                    return place
    return None


def _fit_near(phrase: Text, answer: Text, starts: Sequence[int], width: int) -> Place | None:
    """Try the windows that begin at these tokens."""
    for start in starts:
        taken = _fit(phrase.units, answer.canonical.tokens[start : start + width])
        if taken is not None:
            words = answer.canonical.words
            return words[start + min(taken)], words[start + max(taken)]
    return None


def _fit(units: Sequence[Unit], window: Sequence[str]) -> set[int] | None:
    """Place every unit in the window, none over another; return the places taken."""
    taken: set[int] = set()
    for unit in sorted(units, key=len, reverse=True):
        for start in range(len(window) - len(unit) + 1):
            places = range(start, start + len(unit))
            if tuple(window[start : start + len(unit)]) == unit and taken.isdisjoint(places):
                taken.update(places)
                break
        else:
            return None
    return taken


Rule = Callable[[Text, Text], Place | None]

RULES: Mapping[str, Rule] = {"substring": find_substring, "words": find_words}


def other_rule(name: str) -> str:
    """The name of the rule that is not the headline's."""
    return next(rule for rule in RULES if rule != name)
