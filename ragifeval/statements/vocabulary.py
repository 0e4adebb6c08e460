"""The wordings of a sample compiled into patterns, and what of them an answer has."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from sys import intern

from ragifeval.statements.patterns import AllOf, AnyOf, Pattern, Phrase, shared
from ragifeval.statements.quantities import DATE, is_year, unit_of
from ragifeval.statements.reading import Reading, read_quantities
from ragifeval.statements.wordings import Remembered, class_wordings, word_set
from ragifeval.text.canonical import is_number
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Lexeme, Normalizer, split_words

_LEADERS = word_set("segments", "leaders")
# The letters of a word by which its beginnings are looked up.
_HEADS = range(1, 5)


class Vocabulary:
    """All that a sample's statements look for."""

    # Of a word that an answer repeats without end, these many are looked at.
    MOST = 1_000

    def __init__(self, normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        self._compiled: set[AnyOf] = set()

    def compile(self, wordings: Iterable[str]) -> AnyOf:
        """Compile wordings.

        Raises:
            ValueError: one names an unknown class, or has no letter or digit.
        """
        compiled = _any_of(tuple(dict.fromkeys(map(str.strip, wordings))), self._normalizer)
        self._compiled.add(compiled)
        return compiled

    def occurrences(self, reading: Reading) -> Mapping[str, Sequence[int]]:
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
            if met:
                for atom in met:
                    if atom in atoms:
                        found[atom].append(index)
        if len(reading) > self.MOST:
            return {atom: tokens[: self.MOST] for atom, tokens in found.items()}
        return found

    @cached_property
    def _atoms(self) -> Container[str]:
        """All that the statements look for."""
        atoms: set[str] = set()
        known: set[Pattern] = set()
        new: set[Pattern] = {*self._compiled}
        while new:
            known |= new
            atoms.update(*(pattern.all_of for pattern in new))
            new = {part for pattern in new for part in pattern.parts} - known
        # A set is larger than a dict, and so not found in a processor's nearest memory.
        return dict.fromkeys(sorted(atoms))


@lru_cache(4_000)  # variants share most with their samples
def _any_of(wordings: tuple[str, ...], normalizer: Normalizer) -> AnyOf:
    return AnyOf(map(_patterns(normalizer).__getitem__, wordings))


@lru_cache(4)
def _patterns(normalizer: Normalizer) -> Mapping[str, Pattern]:
    """The patterns of wordings: samples share those of classes, and others with variants."""
    return Remembered(lambda wording: _compile(wording, normalizer))


def _compile(wording: str, normalizer: Normalizer) -> Pattern:
    """Compile a wording: "&" parts it before "|", and a class stands for its wordings."""
    patterns = _patterns(normalizer)
    if "&" in wording:
        return AllOf(tuple(patterns[part.strip()] for part in wording.split("&")))
    if "|" in wording:
        return AnyOf(patterns[part.strip()] for part in wording.split("|"))
    if wording.startswith("@"):
        return AnyOf(map(patterns.__getitem__, class_wordings(wording)))
    return _read_phrase(wording, normalizer)


def _read_phrase(wording: str, normalizer: Normalizer) -> Phrase:
    reading = read_quantities(Text(normalizer(wording.replace("*", " "))))
    if not reading.tokens:
        raise ValueError(f"has a wording without a letter or a digit: {wording!r}")
    beginnings = (split_words(word) for word in wording.split() if word.endswith("*"))
    prefixes = {words[-1] for words in beginnings if words}
    tokens, words = reading.tokens, reading.words
    atoms, dates, unit = [], [], ""
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
    _MET.expect(atoms, dates)
    is_led = len(atoms) > 1 and words[0] in _LEADERS
    return Phrase(tuple(atoms), shared(frozenset(atoms)), glued, is_led, unit)


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


def _forms(token: str) -> Iterable[str]:
    """The quantities that a token is an instance of."""
    parts = token.split(" ")
    if len(parts) == 3 and unit_of(token) == DATE:
        # A date with its year is a date, and is in that year.
        yield f"{parts[0]} {parts[1]}"
        yield f"rok {parts[2]}"
    elif len(parts) == 2 and parts[0] in ("rok", "1"):
        yield parts[1]
