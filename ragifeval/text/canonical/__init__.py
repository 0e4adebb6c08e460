"""Numbers, dates, times and units in one form, for the whole-word rule.

"4 000", "4.000", "4 tys." and "cztery tysiące" become `4000`; "30.04" and "30 IV" become
`30 kwiecień`; "10MB" becomes `10 mb`; "80%" becomes `80 procent`; zł, złotych and PLN become
`złoty`. "112,50" is one number, `112.5`. Words that are none of these keep their lemmas.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Canonical:
    """The tokens of a text in one form.

    Attributes:
        tokens: lemmas, and numbers as plain decimal strings.
        words: for each token, the index of the word of the Normalized it came from.
        inner: the tokens that were read together with the one before, as of "12,50 zł".
    """

    tokens: Sequence[str]
    words: Sequence[int]
    inner: Sequence[int] = ()


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
        return Canonical(lemmas, range(len(lemmas)))
    words = Words(normalized)
    tokens: list[str] = []
    origins: list[int] = []
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
        origins += range(done, index)
        origins.append(index)
        if len(read) > 1:
            inner += range(len(tokens) + 1, len(tokens) + len(read))
            origins += [min(index + offset, behind - 1) for offset in range(1, len(read))]
        tokens += read
        done = behind
    tokens += lemmas[done:]
    origins += range(done, len(lemmas))
    return Canonical(tokens, origins, inner)


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
