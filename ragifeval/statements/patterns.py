"""Patterns, which wordings are compiled into, and where an answer says them.

A pattern is a phrase, or patterns that all stand in one clause, or patterns of which each may
stand there. Each has:

- `parts`: the patterns that it consists of.
- `keys`: atoms, in order; an answer with none of them does not say it.
- `all_of`: atoms; an answer without one of them does not say it.
- `find(finder)`: its places in an answer that has all of `all_of`.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from ragifeval.statements.quantities import unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.wordings import Remembered, word_set

_COMPARED, _JOINS = word_set("polarity", "compared"), word_set("polarity", "joins")
# "O nie", "za nie": a pronoun.
_ABOUT = frozenset(["o", "za", "na", "przez"])
_GOVERNORS = frozenset(["od", "z", "ze", "bez", "do", "w"])
# How much longer than the phrase its window is, in tokens.
_SLACK = 2

_shared: Mapping[frozenset[str], frozenset[str]] = Remembered(frozenset)


def shared(atoms: frozenset[str]) -> frozenset[str]:
    """One object for equal sets, to save memory: most are of the few words of one phrase."""
    return _shared[atoms]


class Place(NamedTuple):
    """Where a pattern was found.

    Attributes:
        start, end: the first token, and the one behind the last.
        taken: the tokens that are the pattern's own.
        unit: the unit of the number in it, DATE for a date; "" without one.
    """

    start: int
    end: int
    taken: frozenset[int]
    unit: str = ""


@lru_cache(10_000)
def place_at(token: int, unit: str = "") -> Place:
    """The place of one token."""
    return Place(token, token + 1, frozenset((token,)), unit)


@dataclass(slots=True, eq=False)
class Phrase:
    """Words close together.

    Attributes:
        atoms: what each token must meet: a lemma, "pre*", a quantity.
        all_of: the same as a set.
        glued: the positions of atoms that stand directly before the next one: bare numbers.
        is_led: whether a "nie" or preposition stands first, before the others.
        unit: of the number that the phrase holds.
    """

    atoms: tuple[str, ...]
    all_of: frozenset[str]
    glued: tuple[int, ...]
    is_led: bool
    unit: str

    @property
    def keys(self) -> Collection[str]:
        """The last atom."""
        return self.atoms[-1:]

    @property
    def parts(self) -> Iterable["Pattern"]:
        """None."""
        return ()

    def find(self, finder: "Finder") -> list[Place]:
        """The places of the phrase, none over another."""
        found, count = finder.found, len(self.atoms)
        if count == 1:
            return [place_at(token, self.unit) for token in found[self.atoms[0]]]
        width = count + _SLACK
        hits = sorted(
            [(token, place) for place, atom in enumerate(self.atoms) for token in found[atom]]
        )
        last = [-width] * count
        places: list[Place] = []
        for token, place in hits:
            last[place] = token
            start = min(last)
            if token - start >= width or start < 0:
                continue
            if len(set(last)) == count and self._fits(last, finder.reading):
                places.append(Place(start, token + 1, frozenset(last), self.unit))
                last = [-width] * count
        return places

    def _fits(self, tokens: Sequence[int], reading: Reading) -> bool:
        """Whether the tokens stand as the phrase asks."""
        words = reading.words
        start, end = min(tokens), max(tokens)
        between = [token for token in range(start, end) if token not in tokens]
        if any(tokens[place] + 1 != tokens[place + 1] for place in self.glued):
            return False
        # "Nie tylko wolno" is not "nie wolno".
        is_compared = words[start + 1] in _COMPARED and start + 1 not in tokens
        if self.is_led and (tokens[0] != start or is_compared):
            return False
        is_whole = not reading.has_break(start, end)
        if not is_whole and reading.units.sentence(start) is not reading.units.sentence(end):
            return False
        # "Do 10 maja, bo 11 maja ..." is not "do 11 maja".
        if self.unit and any(unit_of(reading.tokens[token]) for token in between):
            return False
        denials = [token for token in tokens if words[token] == "nie"]
        # "Trzeba o nie poprosić i zapłacić" is not "nie zapłacić".
        if any(at and words[at - 1] in _ABOUT and reading.gaps[at] == " " for at in denials):
            return False
        # "Nie wystarczy i trzeba zapłacić" is not "nie trzeba zapłacić".
        if self.is_led and words[start] == "nie" and any(words[at] in _JOINS for at in between):
            return False
        # "Nie ma zwolnienia z opłat" is not "nie ma opłat".
        if denials and any(words[at] in _GOVERNORS and at + 1 in tokens for at in between):
            return False
        if is_whole:
            return True
        units = reading.units
        others = {units.clause[token] for token in tokens} - {units.clause[start]}
        if not others:
            return True
        # A semicolon parts two thoughts, and a number belongs to its cell.
        head = units.clause[start]
        crossed = units.clauses[head.number + 1 : units.clause[end].number + 1]
        if any(clause.opener == ";" for clause in crossed):
            return False
        if self.unit and any(clause.cell != head.cell for clause in others):
            return False
        # Over a comma, the words keep their order, and nothing denies; over a colon, they need not.
        if self.is_led or any(words[token] == "nie" for token in between):
            return False
        is_labelled = all(clause.opener == ":" for clause in others)
        return is_labelled or all(one < other for one, other in pairwise(tokens))


class AllOf:
    """Patterns that all stand in one clause."""

    __slots__ = ("_any_of", "all_of", "parts")

    def __init__(self, parts: tuple["Pattern", ...]) -> None:
        self.parts = parts
        self.all_of: frozenset[str] = shared(
            frozenset(chain.from_iterable(part.all_of for part in parts))
        )
        self._any_of = [part.any_of for part in parts if isinstance(part, AnyOf)]

    @property
    def keys(self) -> Collection[str]:
        """Those of the part that has the fewest."""
        return min((part.keys for part in self.parts), key=len)

    def find(self, finder: "Finder") -> Sequence[Place]:
        """Where they stand in one clause: each place of the first with the nearest others."""
        # Mostly one of them stands nowhere: its words are looked for before any places.
        if any(map(finder.atoms.isdisjoint, self._any_of)):
            return ()
        if not all(map(finder.places, self.parts)):
            return ()
        said = finder.places(self.parts[0])
        for part in self.parts[1:]:
            said = said and join(said, finder.places(part), finder.reading)
        return said


class AnyOf:
    """Patterns of which each may stand there, looked up by their keys.

    Attributes:
        any_of: the keys as a set.
    """

    __slots__ = ("_by_atom", "all_of", "any_of")

    def __init__(self, patterns: Iterable["Pattern"]) -> None:
        by_atom: dict[str, list[Pattern]] = {}
        all_of: frozenset[str] | None = None
        for pattern in dict.fromkeys(patterns):
            all_of = pattern.all_of if all_of is None else all_of & pattern.all_of
            for atom in pattern.keys:
                by_atom.setdefault(atom, []).append(pattern)
        # Most are one pattern, which may have many keys: one tuple for all.
        one: dict[tuple[Pattern, ...], tuple[Pattern, ...]] = {}
        self._by_atom = {
            atom: one.setdefault(t := tuple(found), t) for atom, found in by_atom.items()
        }
        self.any_of = shared(frozenset(by_atom))
        self.all_of: frozenset[str] = shared(all_of or frozenset())

    def __bool__(self) -> bool:
        return bool(self.any_of)

    @property
    def keys(self) -> Collection[str]:
        """Those of all patterns."""
        return self._by_atom.keys()

    @property
    def parts(self) -> Iterable["Pattern"]:
        """The patterns, each once for each of its keys."""
        return chain.from_iterable(self._by_atom.values())

    def find(self, finder: "Finder") -> list[Place]:
        """Where any of them stands."""
        atoms = finder.atoms
        return [
            place
            for pattern in self._near(atoms)
            if pattern.all_of <= atoms
            for place in finder.places(pattern)
        ]

    def _near(self, atoms: frozenset[str]) -> Iterable["Pattern"]:
        """Those that may stand in an answer that has some atoms."""
        met = self.any_of & atoms
        if len(met) == 1:
            return self._by_atom[next(iter(met))]
        in_order = [atom for atom in self._by_atom if atom in met] if met else ()
        return dict.fromkeys([pattern for atom in in_order for pattern in self._by_atom[atom]])


Pattern = Phrase | AllOf | AnyOf


class Finder:
    """Finds patterns in one answer.

    Args:
        found: for each atom that the answer has, the tokens that meet it.

    Attributes:
        atoms: those that the answer has.
    """

    def __init__(self, reading: Reading, found: Mapping[str, Sequence[int]]) -> None:
        self.reading, self.found = reading, found
        self.atoms = frozenset(found)
        self._places: dict[Pattern, Sequence[Place]] = {}
        self._longest: dict[AnyOf, list[Place]] = {}

    def find(self, wordings: AnyOf) -> list[Place]:
        """The places of any of the wordings, in order; one within a longer one is left out."""
        if self.atoms.isdisjoint(wordings.any_of):
            return []
        places = self._longest.get(wordings)
        if places is None:
            places = wordings.find(self)
            self._longest[wordings] = places = _longest(places) if len(places) > 1 else places
        return places

    def places(self, pattern: Pattern) -> Sequence[Place]:
        """All places of a pattern whose `all_of` the answer has, found once."""
        places = self._places.get(pattern)
        if places is None:
            places = self._places[pattern] = pattern.find(self)
        return places


def _longest(places: Sequence[Place]) -> list[Place]:
    """The places whose tokens are not all another's, in order."""
    kept: list[Place] = []
    taken: dict[int, Place] = {}
    for place in sorted(places, key=lambda place: -len(place.taken)):
        longer = taken.get(next(iter(place.taken)))
        if longer is None or not place.taken <= longer.taken:
            kept.append(place)
            taken.update(dict.fromkeys(place.taken, place))
    return sorted(kept, key=lambda place: (place.start, place.end))


def join(ones: Sequence[Place], others: Sequence[Place], reading: Reading) -> list[Place]:
    """Join places that stand in one clause: each with the nearest other."""
    if not others:
        return []
    units, clause = reading.units, reading.units.clause
    others = sorted(others, key=attrgetter("start"))
    starts = [other.start for other in others]
    # The others of each clause, by their places in that order.
    by_clause: dict[int, list[int]] = {}
    for at, other in enumerate(others):
        first, last = clause[other.start].number, clause[other.end - 1].number
        by_clause.setdefault(first, []).append(at)
        if last != first:
            by_clause.setdefault(last, []).append(at)

    def beside(number: int) -> list[int]:
        before, behind = by_clause.get(number - 1, []), by_clause.get(number + 1, [])
        return sorted(
            [
                *(before if before and units.is_tied(number) else ()),
                *(behind if behind and units.is_tied(number + 1) else ()),
            ]
        )

    tied = Remembered(beside)
    joined = []
    for one in ones:
        first, last = clause[one.start].number, clause[one.end - 1].number
        near = by_clause.get(first) or by_clause.get(last) or tied[first]
        if near:
            behind = bisect_left(near, one.start, key=starts.__getitem__)
            nearest = near[max(0, behind - 1) : behind + 1]
            other = others[min(nearest, key=lambda at: abs(starts[at] - one.start))]
            joined.append(
                Place(
                    min(one.start, other.start),
                    max(one.end, other.end),
                    one.taken | other.taken,
                    one.unit or other.unit,
                )
            )
    return joined
