"""Wordings compiled into patterns, and where an answer says them.

A wording is one of:

- words: found as lemmas, in any order, in one sentence, in a window two tokens longer than they
  are; a leading "nie" or preposition stays before them, a number directly before the word it
  counts. An amount, a period or a date is one token, in any of its forms.
- with "pre*" for every word or lemma that begins so.
- "one & other": both in one clause.
- "@class": one of the wordings of a class in data/wordings.toml.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragifeval.statements.quantities import is_date, is_year, unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.wordings import classes, word_set
from ragifeval.text.canonical import is_number
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer, split_words

_LEADERS = word_set("segments", "leaders")
_GOVERNORS = frozenset(["od", "z", "ze", "bez", "do", "w"])
_COMPARED = word_set("polarity", "compared")
# How much longer than the phrase its window is, in tokens.
_SLACK = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pattern was found.

    Attributes:
        start, end: the first token, and the one behind the last.
        taken: the tokens that are the pattern's own.
        unit: the unit of the number in it, or the month of the date; "" without one.
    """

    start: int
    end: int
    taken: frozenset[int]
    unit: str = ""


# The tokens of an answer by the atom that they meet.
Occurrences = Mapping[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words close together.

    Attributes:
        atoms: what each token must meet, by number.
        glued: the positions of atoms that stand directly before the next one: bare numbers.
        leads: the position of a "nie" or preposition that stands before the others, or -1.
        unit: of the number that the phrase holds.
    """

    atoms: tuple[int, ...]
    glued: tuple[int, ...]
    leads: int
    unit: str

    def find(self, found: Occurrences, reading: Reading) -> list[Place]:
        """The places of the phrase in an answer, none over another."""
        if len(self.atoms) == 1:
            return [
                Place(token, token + 1, frozenset((token,)), self.unit)
                for token in found.get(self.atoms[0], ())
            ]
        for atom in self.atoms:
            if atom not in found:
                return []
        return self._find_close(found, reading)

    def _find_close(self, found: Occurrences, reading: Reading) -> list[Place]:
        width = len(self.atoms) + _SLACK
        hits = sorted(
            (token, place) for place, atom in enumerate(self.atoms) for token in found[atom]
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
        if any(tokens[place] + 1 != tokens[place + 1] for place in self.glued):
            return False
        if self.leads >= 0 and tokens[self.leads] != min(tokens):
            return False
        units = reading.units
        start, end = min(tokens), max(tokens)
        following = reading.words[start + 1]
        # "Nie tylko wolno" is not "nie wolno".
        if self.leads >= 0 and start + 1 not in tokens and following in _COMPARED:
            return False
        if units.sentence[start] != units.sentence[end]:
            return False
        if self.unit and any(
            unit_of(reading.tokens[token]) == self.unit and token not in tokens
            for token in range(start, end)
        ):
            return False
        if any(reading.words[token] == "nie" for token in tokens):
            # "Nie ma zwolnienia z opłat" is not "nie ma opłat".
            for token in tokens:
                is_governed = reading.words[token - 1] in _GOVERNORS
                if is_governed and token > start and token - 1 not in tokens:
                    return False
        if len({units.clause[token] for token in tokens}) == 1:
            return True
        if self.leads >= 0 and reading.words[start] == "nie":
            return False
        # Over a comma, the words keep their order, and nothing between them denies.
        between = range(start, end + 1)
        if any(reading.words[token] == "nie" and token not in tokens for token in between):
            return False
        is_labelled = all(
            units.clauses[units.clause[token]].opener == ":"
            for token in between
            if units.clause[token] != units.clause[start]
        )
        return is_labelled or all(one < other for one, other in pairwise(tokens))


# A wording: parts that all stand in one clause; each part is met by one of its phrases.
Alternative = tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Phrases of which one must stand there; a class, or one phrase.

    Attributes:
        number: which part of the vocabulary this is, for remembering its places.
        by_atom: the alternatives by an atom without which they are not found.
    """

    number: int
    by_atom: Mapping[int, Sequence[tuple[Phrase, ...]]]


class Vocabulary:
    """All that a sample's statements look for, with the atoms that each word meets.

    An atom is a lemma, a beginning of words, or a quantity.
    """

    # Words whose atoms are remembered before starting anew.
    REMEMBERED = 5_000
    # Of a word that an answer repeats without end, these many are looked at.
    MOST = 1_000

    def __init__(self, normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        self._atoms: dict[str, int] = {}
        self._prefixes: dict[str, int] = {}
        self._lengths: list[int] = []
        # A day and month -> the atoms of that date in some year.
        self._dates: dict[str, list[int]] = {}
        self._parts: dict[str, Part] = {}
        # The words and tokens that are known, and the atoms of those that meet any.
        self._met: set[tuple[str, str]] = set()
        self._hits: dict[tuple[str, str], tuple[int, ...]] = {}

    def compile(self, wording: str) -> Alternative:
        """Compile one wording.

        Raises:
            ValueError: it names an unknown class, or has no letter or digit.
        """
        return tuple(self._part(part.strip()) for part in wording.split("&"))

    def _part(self, wording: str) -> Part:
        known = self._parts.get(wording)
        if known is not None:
            return known
        by_atom: dict[int, list[tuple[Phrase, ...]]] = {}
        for phrases in class_wordings(wording) if wording.startswith("@") else [wording]:
            alternative = tuple(self._phrase(phrase) for phrase in phrases.split("&"))
            by_atom.setdefault(alternative[0].atoms[-1], []).append(alternative)
        part = Part(len(self._parts), by_atom)
        self._parts[wording] = part
        self._met.clear()
        self._hits.clear()
        return part

    def _phrase(self, wording: str) -> Phrase:
        reading = Reading(Text(self._normalizer(wording.replace("*", " "))))
        if not len(reading):
            raise ValueError(f"has a wording without a letter or a digit: {wording!r}")
        prefixes = {split_words(word)[-1] for word in wording.split() if word.endswith("*")}
        atoms, unit = [], ""
        tokens, words = reading.tokens, reading.words
        for token, word in zip(tokens, words, strict=True):
            unit = unit or unit_of(token)
            is_prefix = word in prefixes
            table = self._prefixes if is_prefix else self._atoms
            key = word if is_prefix else token
            number = table.setdefault(key, len(self._atoms) + len(self._prefixes))
            atoms.append(number)
            if is_date(token) and token.count(" ") == 2 and not is_prefix:
                self._dates.setdefault(token.rpartition(" ")[0], []).append(number)
        self._lengths = sorted({len(prefix) for prefix in self._prefixes})
        glued = tuple(
            place
            for place, token in enumerate(tokens[:-1])
            if is_number(token) and not unit_of(token) and not is_year(token)
        )
        leads = 0 if len(atoms) > 1 and words[0] in _LEADERS else -1
        return Phrase(tuple(atoms), glued, leads, unit)

    def occurrences(self, reading: Reading) -> Occurrences:
        """The tokens of an answer by the atom that they meet."""
        keys, met, hits = reading.keys, self._met, self._hits
        unknown = set(keys) - met
        if len(met) + len(unknown) > self.REMEMBERED:
            met.clear()
            hits.clear()
            unknown = set(keys)
        for key in unknown:
            self._meet(*key)
        found: dict[int, list[int]] = {}
        for index, atoms in [(at, hits[key]) for at, key in enumerate(keys) if key in hits]:
            for atom in atoms:
                if atom not in found:
                    found[atom] = [index]
                elif len(found[atom]) < self.MOST:
                    found[atom].append(index)
        return found

    def _meet(self, word: str, token: str) -> None:
        """Remember the atoms that a token meets."""
        self._met.add((word, token))
        atoms = [self._atoms[form] for form in _forms(token) if form in self._atoms]
        # A date without a year is the date that is asked for with one.
        atoms += self._dates.get(token, ())
        if not unit_of(token):
            for length in self._lengths:
                for text in {word[:length], token[:length]}:
                    if len(text) == length and text in self._prefixes:
                        atoms.append(self._prefixes[text])
        if atoms:
            self._hits[word, token] = tuple(dict.fromkeys(atoms))


def _forms(token: str) -> Iterable[str]:
    """The quantities that a token is an instance of."""
    yield token
    parts = token.split(" ")
    if len(parts) == 3 and is_date(token):
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
    """Finds the wordings of one sample in one answer."""

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self.reading = reading
        self._found = vocabulary.occurrences(reading)
        self._parts: dict[int, list[Place]] = {}

    def find(self, alternatives: Sequence[Alternative]) -> list[Place]:
        """The places of any of the alternatives, in order; one within a longer one is left out."""
        places = [place for alternative in alternatives for place in self._find_all(alternative)]
        return _longest(places) if len(places) > 1 else places

    def _find_all(self, alternative: Alternative) -> list[Place]:
        places = self._find_part(alternative[0])
        for part in alternative[1:]:
            if not places:
                break
            places = _join(places, self._find_part(part), self.reading)
        return places

    def _find_part(self, part: Part) -> list[Place]:
        known = self._parts.get(part.number)
        if known is not None:
            return known
        places: list[Place] = []
        for atom in part.by_atom.keys() & self._found.keys():
            for phrases in part.by_atom[atom]:
                found = phrases[0].find(self._found, self.reading)
                for phrase in phrases[1:]:
                    if not found:
                        break
                    found = _join(found, phrase.find(self._found, self.reading), self.reading)
                places += found
        self._parts[part.number] = places
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


def _join(ones: Sequence[Place], others: Sequence[Place], reading: Reading) -> list[Place]:
    """Join places that stand in one clause: each with the nearest other."""
    if not others:
        return []
    clause, tied = reading.units.clause, reading.units.tied
    by_clause: dict[int, list[Place]] = {}
    by_tied: dict[int, list[Place]] = {}
    for other in sorted(others, key=_start_of):
        for number in {clause[other.start], clause[other.end - 1]}:
            by_clause.setdefault(number, []).append(other)
            if number in tied:
                by_tied.setdefault(number - 1, []).append(other)
            if number + 1 in tied:
                by_tied.setdefault(number + 1, []).append(other)
    joined = []
    for one in ones:
        near = (
            by_clause.get(clause[one.start])
            or by_clause.get(clause[one.end - 1])
            or by_tied.get(clause[one.start])
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
