"""Wordings compiled into patterns, and where an answer says them.

A wording is one of:

- words: found as lemmas, in any order, in one sentence, in a window two tokens longer than they
  are; a leading "nie" or preposition stays before them, a number directly before the word it
  counts. An amount, a period or a date is one token, in any of its forms.
- with "pre*" for every word or lemma that begins so.
- "one & other": both in one clause.
- "one|other": either, so that "one|other & third" is two wordings.
- "@class": one of the wordings of a class in data/wordings.toml.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise, product
from sys import intern
from typing import Generic, NamedTuple, TypeVar

from ragifeval.statements.quantities import DATE, is_year, unit_of
from ragifeval.statements.reading import Reading, read_quantities
from ragifeval.statements.wordings import Remembered, classes, word_set
from ragifeval.text.canonical import is_number
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Lexeme, Normalizer, split_words

_LEADERS = word_set("segments", "leaders")
_COMPARED, _JOINS = word_set("polarity", "compared"), word_set("polarity", "joins")
# "O nie", "za nie": a pronoun.
_ABOUT = frozenset(["o", "za", "na", "przez"])
_GOVERNORS = frozenset(["od", "z", "ze", "bez", "do", "w"])
# How much longer than the phrase its window is, in tokens.
_SLACK = 2
# The letters of a word by which its beginnings are looked up.
_HEADS = range(1, 5)
_T = TypeVar("_T")
LEAST_PREFIX = 2
"""Letters that the beginning of a word has at least."""


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


# The tokens of an answer by the atom that they meet.
Occurrences = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words close together.

    Attributes:
        atoms: what each token must meet: a lemma, "pre*", a quantity.
        glued: the positions of atoms that stand directly before the next one: bare numbers.
        is_led: whether a "nie" or preposition stands first, before the others.
        unit: of the number that the phrase holds.
    """

    atoms: tuple[str, ...]
    glued: tuple[int, ...]
    is_led: bool
    unit: str

    def find(self, found: Occurrences, reading: Reading) -> list[Place]:
        """The places of the phrase in an answer, none over another."""
        if len(self.atoms) == 1:
            return [place_at(token, self.unit) for token in found.get(self.atoms[0], ())]
        for atom in self.atoms:
            if atom not in found:
                return []
        width = len(self.atoms) + _SLACK
        hits = sorted(
            [(token, place) for place, atom in enumerate(self.atoms) for token in found[atom]]
        )
        last = [-width] * len(self.atoms)
        places: list[Place] = []
        for token, place in hits:
            last[place] = token
            start = min(last)
            if token - start >= width or start < 0:
                continue
            if len(set(last)) == len(last) and self._fits(last, reading):
                places.append(Place(start, token + 1, frozenset(last), self.unit))
                last = [-width] * len(self.atoms)
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


@lru_cache(20_000)
def _shared(atoms: frozenset[str]) -> frozenset[str]:
    """One object for equal sets: most are of the few words of one phrase."""
    return atoms


class ByAtom(Generic[_T]):
    """What is looked for, in order, by an atom that each needs.

    Attributes:
        atoms: an answer without any of them has nothing of it.
    """

    __slots__ = ("_by_atom", "atoms")

    def __init__(self, sought: Iterable[tuple[str, _T]]) -> None:
        self._by_atom: dict[str, list[_T]] = {}
        for atom, item in sought:
            self._by_atom.setdefault(atom, []).append(item)
        self.atoms = _shared(frozenset(self._by_atom))

    def __iter__(self) -> Iterator[str]:
        """The atoms, in order."""
        return iter(self._by_atom)

    def near(self, atoms: frozenset[str]) -> Sequence[_T]:
        """What may stand in an answer that has some atoms."""
        met = self.atoms & atoms
        if len(met) == 1:
            return self._by_atom[next(iter(met))]
        in_order = [atom for atom in self._by_atom if atom in met] if met else ()
        return [item for atom in in_order for item in self._by_atom[atom]]


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """What must stand in one clause with the other parts: a phrase, or one of a class.

    Attributes:
        sought: alternatives, each phrases of one clause.
        atoms: all that its phrases need.
        all_of: those that each alternative needs.
    """

    sought: ByAtom[tuple[Phrase, ...]]
    atoms: frozenset[str]
    all_of: frozenset[str]


@dataclass(frozen=True, eq=False, slots=True)
class Wording:
    """Parts that all stand in one clause.

    Attributes:
        all_of: the atoms that it cannot be said without.
    """

    parts: tuple[Part, ...]
    all_of: frozenset[str]


class Wordings:
    """Wordings of which each may stand there.

    Attributes:
        sought: the wordings.
        any_of: an answer without any of these atoms says none of them.
        parts: of all of them.
    """

    def __init__(self, wordings: Sequence[Wording]) -> None:
        self.sought = ByAtom(
            (atom, wording) for wording in wordings for atom in _rarest(wording).sought
        )
        self.any_of = self.sought.atoms
        self.parts = frozenset(part for wording in wordings for part in wording.parts)

    def __bool__(self) -> bool:
        return bool(self.any_of)


def _rarest(wording: Wording) -> Part:
    return min(wording.parts, key=lambda part: len(part.sought.atoms))


@lru_cache(maxsize=20_000)  # samples share the wordings of classes
def _read_phrase(wording: str, normalizer: Normalizer) -> tuple[Phrase, Sequence[str]]:
    """A phrase, and the whole dates in it."""
    reading = read_quantities(Text(normalizer(wording.replace("*", " "))))
    if not reading.tokens:
        raise ValueError(f"has a wording without a letter or a digit: {wording!r}")
    beginnings = (split_words(word) for word in wording.split() if word.endswith("*"))
    prefixes = {words[-1] for words in beginnings if words}
    atoms, dates, unit = [], [], ""
    tokens, words = reading.tokens, reading.words
    for token, word in zip(tokens, words, strict=True):
        unit = unit or unit_of(token)
        atoms.append(intern(f"{word}*" if word in prefixes else token))
        if word not in prefixes and unit_of(token) == DATE and token.count(" ") == 2:
            dates.append(token)
    glued = tuple(
        place
        for place, token in enumerate(tokens[:-1])
        if is_number(token) and not unit_of(token) and not is_year(token)
    )
    is_led = len(atoms) > 1 and words[0] in _LEADERS
    return Phrase(tuple(atoms), glued, is_led, unit), tuple(dates)


# Samples share the wordings of classes, and most others with their variants.
@lru_cache(maxsize=10_000)
def _read_part(alternatives: tuple[str, ...], normalizer: Normalizer) -> Part:
    sought: list[tuple[str, tuple[Phrase, ...]]] = []
    atoms_of: list[frozenset[str]] = []
    dates: set[str] = set()
    for phrases in chain.from_iterable(map(_phrases, _without_classes(alternatives))):
        read = [_read_phrase(phrase, normalizer) for phrase in phrases]
        alternative = tuple(phrase for phrase, _ in read)
        sought.append((alternative[0].atoms[-1], alternative))
        atoms_of.append(frozenset(atom for phrase in alternative for atom in phrase.atoms))
        dates.update(date for _, named in read for date in named)
    atoms = _shared(frozenset().union(*atoms_of))
    _MET.expect(atoms, dates)
    return Part(ByAtom(sought), atoms, _shared(atoms.intersection(*atoms_of)))


def parts_of(wording: str) -> Sequence[tuple[str, ...]]:
    """What "&" joins in a wording, each as the alternatives that "|" parts."""
    return [tuple(map(str.strip, part.split("|"))) for part in wording.split("&")]


def spelled_out(wording: str) -> Sequence[str]:
    """The wordings that one with "|" stands for."""
    return [" & ".join(parts) for parts in product(*parts_of(wording))]


def _without_classes(alternatives: Iterable[str]) -> Iterator[str]:
    """Alternatives, with the wordings of a class in place of its name."""
    for wording in alternatives:
        yield from class_wordings(wording) if wording.startswith("@") else [wording]


def _phrases(wording: str) -> Iterable[tuple[str, ...]]:
    """The phrases that each stand together in one clause; a class may name others."""
    return product(*map(_without_classes, parts_of(wording)))


@lru_cache(maxsize=4_000)
def _read_wordings(wordings: tuple[str, ...], normalizer: Normalizer) -> Wordings:
    # "a & b" and "a&b" are one.
    unique = dict.fromkeys(
        tuple(_read_part(part, normalizer) for part in parts_of(wording)) for wording in wordings
    )
    return Wordings(
        [
            Wording(parts, _shared(frozenset().union(*(part.all_of for part in parts))))
            for parts in unique
        ]
    )


class _Met:
    """The atoms of all samples that a word or quantity may meet besides itself.

    An atom is a lemma, a beginning of words ("pre*"), or a quantity. What a word meets is found
    once for all answers, until more samples look for more.
    """

    # Words remembered before starting anew; longer ones are not.
    MOST = 100_000

    def __init__(self) -> None:
        # Those that are beginnings of words, by their first letters.
        self._stems: dict[str, set[str]] = {}
        # A day and month -> that date in some year.
        self._dates: dict[str, set[str]] = {}
        self._of_tokens = Remembered(self._read)
        self._looked_for = 0
        self._known: list[Lexeme] = []

    def expect(self, atoms: Iterable[str], dates: Iterable[str]) -> None:
        """Look for these, too."""
        before = self._looked_for
        for atom in atoms:
            if atom.endswith("*"):
                self._look_for(atom, self._stems.setdefault(atom[:-1][: _HEADS[-1]], set()))
        for date in dates:
            self._look_for(date, self._dates.setdefault(date.rpartition(" ")[0], set()))
        if self._looked_for > before:
            self._of_tokens.clear()
            self._forget()

    def _look_for(self, atom: str, known: set[str]) -> None:
        self._looked_for += atom not in known
        known.add(atom)

    def _forget(self) -> None:
        for lexeme in self._known:
            lexeme.atoms = None
        self._known.clear()

    def of_lexeme(self, lexeme: Lexeme) -> Sequence[str]:
        """Those of a word whose token is its lemma."""
        atoms = self._read((lexeme.word, lexeme.lemma))
        if len(lexeme.word) <= Normalizer.LONGEST_WORD:
            if len(self._known) >= self.MOST:
                self._forget()
            self._known.append(lexeme)
            lexeme.atoms = atoms
        return atoms

    def of_token(self, word: str, token: str) -> Sequence[str]:
        """Those of another token, which begins with a word."""
        is_word = len(word) <= Normalizer.LONGEST_WORD
        return self._of_tokens[word, token] if is_word else self._read((word, token))

    def _read(self, pair: tuple[str, str]) -> Sequence[str]:
        _, token = pair
        if " " in token:
            return tuple({*_forms(token), *self._dates.get(token, ())} - {token})
        return tuple(
            {
                stem
                for spoken in {*pair}
                for size in _HEADS
                for stem in self._stems.get(spoken[:size], ())
                if spoken.startswith(stem[:-1])
            }
        )


_MET = _Met()


class Vocabulary:
    """All that a sample's statements look for."""

    # Of a word that an answer repeats without end, these many are looked at.
    MOST = 1_000

    def __init__(self, normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        self._parts: set[Part] = set()

    def compile(self, wordings: Iterable[str]) -> Wordings:
        """Compile wordings.

        Raises:
            ValueError: one names an unknown class, or has no letter or digit.
        """
        compiled = _read_wordings(tuple(dict.fromkeys(wordings)), self._normalizer)
        self._parts |= compiled.parts
        return compiled

    def occurrences(self, reading: Reading) -> Occurrences:
        """The tokens of an answer by the atom that they meet."""
        atoms, found = self._atoms, defaultdict[str, list[int]](list)
        read = zip(reading.lexemes, reading.tokens, strict=True)
        for index, (lexeme, token) in enumerate(read):
            if token in atoms:
                found[token].append(index)
            if lexeme.lemma is not token:
                met = _MET.of_token(lexeme.word, token)
            elif lexeme.atoms is not None:
                met = lexeme.atoms
            else:
                met = _MET.of_lexeme(lexeme)
            if met and not atoms.isdisjoint(met):
                for atom in met:
                    if atom in atoms:
                        found[atom].append(index)
        if len(reading) > self.MOST:
            return {atom: tokens[: self.MOST] for atom, tokens in found.items()}
        return found

    @cached_property
    def _atoms(self) -> frozenset[str]:
        return frozenset().union(*(part.atoms for part in self._parts))


def _forms(token: str) -> Iterable[str]:
    """The quantities that a token is an instance of."""
    parts = token.split(" ")
    if len(parts) == 3 and unit_of(token) == DATE:
        # A date with its year is a date, and is in that year.
        yield f"{parts[0]} {parts[1]}"
        yield f"rok {parts[2]}"
    elif len(parts) == 2 and parts[0] in ("rok", "1"):
        yield parts[1]


def class_wordings(name: str) -> Sequence[str]:
    """The wordings of a class.

    Raises:
        ValueError: there is no such class.
    """
    known = classes()
    if name[1:] not in known:
        raise ValueError(
            f"names the class {name!r}, which data/wordings.toml does not have; it has: "
            f"{', '.join('@' + key for key in known)}"
        )
    return known[name[1:]]


class Finder:
    """Finds the wordings of one sample in one answer.

    Attributes:
        atoms: those that the answer has.
    """

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self.reading = reading
        self._found = vocabulary.occurrences(reading)
        self.atoms = frozenset(self._found)
        self._places: dict[Wordings, list[Place]] = {}
        self._parts: dict[Part, list[Place]] = {}

    def find(self, wordings: Wordings) -> list[Place]:
        """The places of any of the wordings, in order; one within a longer one is left out."""
        if self.atoms.isdisjoint(wordings.any_of):
            return []
        places = self._places.get(wordings)
        if places is None:
            places = []
            for wording in dict.fromkeys(wordings.sought.near(self.atoms)):
                if wording.all_of <= self.atoms:
                    places += self._find_wording(wording.parts)
            self._places[wordings] = places = _longest(places) if len(places) > 1 else places
        return places

    def _find_wording(self, parts: Sequence[Part]) -> Sequence[Place]:
        if len(parts) > 1 and any(self.atoms.isdisjoint(part.sought.atoms) for part in parts):
            return ()
        said: Sequence[Place] = self._find_part(parts[0])
        for part in parts[1:]:
            said = said and join(said, self._find_part(part), self.reading)
        return said

    def _find_part(self, part: Part) -> list[Place]:
        known = self._parts.get(part)
        if known is None:
            found = self._found
            known = self._parts[part] = []
            for phrases in part.sought.near(self.atoms):
                said = phrases[0].find(found, self.reading)
                for phrase in phrases[1:]:
                    said = said and join(said, phrase.find(found, self.reading), self.reading)
                known += said
        return known


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
    clause, tied = reading.units.clause, reading.units.tied
    by_clause: dict[int, list[Place]] = {}
    by_tied: dict[int, list[Place]] = {}
    for other in sorted(others, key=_start_of):
        for number in {clause[other.start].number, clause[other.end - 1].number}:
            by_clause.setdefault(number, []).append(other)
            if number in tied:
                by_tied.setdefault(number - 1, []).append(other)
            if number + 1 in tied:
                by_tied.setdefault(number + 1, []).append(other)
    joined = []
    for one in ones:
        near = (
            by_clause.get(clause[one.start].number)
            or by_clause.get(clause[one.end - 1].number)
            or by_tied.get(clause[one.start].number)
        )
        if near:
            at = bisect_left(near, one.start, key=_start_of)
            other = min(
                near[max(0, at - 1) : at + 1], key=lambda other: abs(other.start - one.start)
            )
            joined.append(
                Place(
                    min(one.start, other.start),
                    max(one.end, other.end),
                    one.taken | other.taken,
                    one.unit or other.unit,
                )
            )
    return joined


def _start_of(place: Place) -> int:
    return place.start
