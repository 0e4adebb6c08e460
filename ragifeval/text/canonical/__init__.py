"""Numbers, dates, times and units in one form, for the whole-word rule.

"4 000", "4.000", "4 tys." and "cztery tysiące" become `4000`; "30.04" and "30 IV" become
`30 kwiecień`; "10MB" becomes `10 mb`; "80%" becomes `80 procent`; zł, złotych and PLN become
`złoty`. "112,50" is one number, `112.5`. Words that are none of these keep their lemmas.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ragifeval.text.canonical.dates import read_date, read_time, read_year
from ragifeval.text.canonical.figures import read_figures, read_number_words
from ragifeval.text.canonical.forms import ALIASES, CURRENCY_SIGNS, KNOWN_WORDS, MONTHS, YEAR_WORDS
from ragifeval.text.canonical.words import BEHIND_DIGITS, DIGITS, Reading, Words, all_digits
from ragifeval.text.normalizer import Normalized


@dataclass(frozen=True, slots=True)
class Canonical:
    """The tokens of a text in one form.

    Attributes:
        tokens: lemmas, and numbers as plain decimal strings.
        words: for each token, the index of the word of the Normalized it came from.
    """

    tokens: Sequence[str]
    words: Sequence[int]


# What may stand, besides space, between a number and the rest of a longer one, of a date, or its
# unit. Asked first: in lists and citations, numbers stand alone.
_GOES_ON = frozenset(".,:%×-/'’") | CURRENCY_SIGNS.keys()


def canonical(normalized: Normalized) -> Canonical:
    """Put the numbers, dates, times and units of a text in one form."""
    lemmas = [*normalized.lemmas]
    special = [
        index
        for index, word in enumerate(normalized.words)
        if word < BEHIND_DIGITS or word in KNOWN_WORDS
    ]
    if not special:
        return Canonical(lemmas, range(len(lemmas)))
    words = Words(normalized)
    tokens: list[str] = []
    origins: list[int] = []
    done = behind = 0
    for index in special:
        if index < behind:
            continue
        read, behind = _read(words, index)
        if len(read) == 1 and behind == index + 1:
            lemmas[index] = read[0]
            continue
        tokens += lemmas[done:index]
        tokens += read
        origins += range(done, index)
        origins += [min(index + offset, behind - 1) for offset in range(len(read))]
        done = behind
    tokens += lemmas[done:]
    origins += range(done, len(lemmas))
    return Canonical(tokens, origins)


def is_number(token: str) -> bool:
    """Whether a canonical token is a number."""
    return token[0] in DIGITS


def _read(words: Words, index: int) -> Reading:
    """Read one number, date or known word."""
    word = words[index]
    if all_digits(word):
        mark = words.gap(index + 1)[:1]
        if mark not in _GOES_ON and not mark.isspace() and "§" not in words.gap(index):
            return [word], index + 1
        return read_date(words, index) or read_time(words, index) or read_figures(words, index)
    if word == "pln" and words.are_digits(index + 1):
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
    return read_figures(words, index)
