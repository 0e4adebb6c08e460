"""Numbers, dates, times and units in one form, for the whole-word rule.

"4 000", "4.000", "4 tys." and "cztery tysiące" become `4000`; "30.04" and "30 IV" become
`30 kwiecień`; "10MB" becomes `10 mb`; "80%" becomes `80 procent`; zł, złotych and PLN become
`złoty`. "112,50" is one number, `112.5`. Words that are none of these keep their lemmas.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ragifeval.text.canonical.dates import read_date, read_time, read_year
from ragifeval.text.canonical.figures import read_figures, read_number_words, read_pieces
from ragifeval.text.canonical.words import DIGITS, Reading, Words, all_digits
from ragifeval.text.forms import (
    ALIASES,
    CURRENCY_SIGNS,
    MONTHS,
    MULTIPLIERS,
    ROMAN_NUMERALS,
    UNITS,
    YEAR_WORDS,
)
from ragifeval.text.normalizer import Normalized

T = TypeVar("T")


@dataclass(frozen=True)
class Canonical:
    """The tokens of a text in one form.

    Attributes:
        tokens: lemmas, and numbers as plain decimal strings.
        runs: slices of the Normalized's words; joined, they give the word that each token came
            from. A word may come twice.
        inner: the tokens that were read together with the one before, as of "12,50 zł".
    """

    tokens: Sequence[str]
    runs: Sequence[slice]
    inner: Sequence[int] = ()

    @cached_property
    def words(self) -> Sequence[int]:
        """For each token, the index of the word that it came from."""
        return self.of_words(range(self.runs[-1].stop))

    def of_words(self, values: Sequence[T]) -> list[T]:
        """For each token, what is given for the word that it came from."""
        found: list[T] = []
        for run in self.runs:
            found += values[run]
        return found


# What may stand, besides space, between a number and the rest of a longer one, of a date, or its
# unit.
_GOES_ON = frozenset(".,:%×-/'’") | CURRENCY_SIGNS.keys()
# The words that a number before a space is read with.
_READ_WITH = ALIASES.keys() | MONTHS.keys() | MULTIPLIERS.keys() | ROMAN_NUMERALS | UNITS.keys()


def canonical(normalized: Normalized) -> Canonical:
    """Put the numbers, dates, times and units of a text in one form."""
    lemmas = [*normalized.lemmas]
    special = [index for index, lexeme in enumerate(normalized.lexemes) if lexeme.is_quantity_word]
    if not special:
        return Canonical(lemmas, [slice(0, len(lemmas))])
    words = Words(normalized)
    tokens: list[str] = []
    runs: list[slice] = []
    inner: list[int] = []
    done = behind = 0
    for index in special:
        if index < behind:
            continue
        read, behind = _read(words, index)
        if len(read) == 1 and behind == index + 1:
            lemmas[index] = read[0]
            continue
        tokens += lemmas[done:index]
        runs.append(slice(done, index + 1))
        if len(read) > 1:
            inner += range(len(tokens) + 1, len(tokens) + len(read))
            ends = [min(index + offset + 1, behind) for offset in range(1, len(read))]
            runs += [slice(end - 1, end) for end in ends]
        tokens += read
        done = behind
    tokens += lemmas[done:]
    runs.append(slice(done, len(lemmas)))
    return Canonical(tokens, runs, inner)


def _stands_alone(words: Words, index: int) -> bool:
    """Whether a number is a token by itself; asked first, as most are."""
    gap = words.gaps[index + 1]
    if "§" in words.gaps[index]:
        return False
    if gap == " ":
        following = words.words[index + 1]
        return following not in _READ_WITH and not (len(following) == 3 and following.isdigit())
    return gap[:1] not in _GOES_ON and not gap[:1].isspace()


def is_number(token: str) -> bool:
    """Whether a canonical token is a number."""
    return token[0] in DIGITS


def _read(words: Words, index: int) -> Reading:
    """Read one number, date or known word."""
    word = words.words[index]
    if all_digits(word):
        if _stands_alone(words, index):
            return [word], index + 1
        return read_date(words, index) or read_time(words, index) or read_figures(words, index)
    if word == "pln" and words.digit_count(index + 1):
        return read_figures(words, index + 1, unit=ALIASES[word])
    if word in ALIASES:
        return [ALIASES[word]], index + 1
    if word in MONTHS:
        year, after = read_year(words, index + 1)
        return [MONTHS[word], *year], after
    if word in YEAR_WORDS:
        year, after = read_year(words, index + 1)
        return year or [words.lemmas[index]], after
    if word[0] not in DIGITS:
        return read_number_words(words, index)
    return read_pieces(word), index + 1
