"""Dates and times: 30.04, 30.04.2025, 2025-04-30, 30 IV, 30 kwietnia 2025 r.; 15:30, godz. 15.30.

A date becomes day, month by name, year and `rok`: whoever looks for "2025 r." or for "30 kwietnia"
finds it in any of these.
"""

from ragifeval.text.canonical.forms import (
    ALIASES,
    CURRENCY_SIGNS,
    HOUR_WORDS,
    MONTH_NAMES,
    MONTHS,
    ROMAN_MONTHS,
    YEAR_WORDS,
)
from ragifeval.text.canonical.words import Reading, Words, is_space

_DATE_MARKS = (".", ". ", "-", "/")
_CENTURIES = ("18", "19", "20")
_ROMAN_NUMERALS = frozenset(numeral.lower() for numeral in ROMAN_MONTHS)


def read_date(words: Words, index: int) -> Reading | None:
    """Read a date that starts with the digits at a word; None if there is none."""
    if words.are_digits(index, (4,)):
        return _read_iso_date(words, index)
    if not words.are_digits(index, (1, 2)) or not _is_day(words[index]):
        return None
    gap = words.gap(index + 1)
    if words.are_digits(index + 1, (1, 2)) and gap in _DATE_MARKS:
        return _read_numeric_date(words, index, gap)
    if not is_space(gap.replace(".", "")):
        return None
    month = MONTHS.get(words[index + 1]) or _roman_month(words, index + 1)
    if month is None:
        return None
    year, after = read_year(words, index + 2)
    return [_unpadded(words[index]), month, *year], after


def _read_iso_date(words: Words, index: int) -> Reading | None:
    if not words.are_digits(index + 1, (2,)) or not words.are_digits(index + 2, (2,)):
        return None
    month = _month(words[index + 1])
    if month is None or not _is_day(words[index + 2]):
        return None
    if words.gap(index + 1) != "-" or words.gap(index + 2) != "-":
        return None
    date = [_unpadded(words[index + 2]), month, words[index], "rok"]
    return date, _after_year(words, index + 3)


def _read_numeric_date(words: Words, index: int, gap: str) -> Reading | None:
    month = _month(words[index + 1])
    if month is None:
        return None
    day = _unpadded(words[index])
    if words.are_digits(index + 2, (4,)) and words.gap(index + 2) == gap:
        return [day, month, words[index + 2], "rok"], _after_year(words, index + 3)
    # Without a year, only "30.04" is sure to be a date: "2.5" is a number, "1-5" a range.
    if gap == "." and len(words[index + 1]) == 2 and not _is_priced(words, index + 2):
        return [day, month], index + 2
    return None


def read_year(words: Words, index: int) -> Reading:
    """Read a year, if one stands there; `rok` is given with it, written or not."""
    if (
        words.are_digits(index, (4,))
        and words[index][:2] in _CENTURIES
        and is_space(words.gap(index))
    ):
        return [words[index], "rok"], _after_year(words, index + 1)
    return [], index


def _after_year(words: Words, index: int) -> int:
    """Skip the word for "year" behind a year, since `rok` is given with every year."""
    return index + 1 if words[index] in YEAR_WORDS else index


def _is_priced(words: Words, index: int) -> bool:
    """Whether a currency or a sign for per cent follows: "12.10 zł" is no date."""
    sign = words.gap(index).lstrip()[:1]
    return sign == "%" or sign in CURRENCY_SIGNS or words[index] in ALIASES


def _is_day(word: str) -> bool:
    return 1 <= int(word) <= 31


def _month(word: str) -> str | None:
    return MONTH_NAMES[int(word) - 1] if 1 <= int(word) <= 12 else None


def _roman_month(words: Words, index: int) -> str | None:
    # How a word is written takes long to find out.
    return ROMAN_MONTHS.get(words.written(index)) if words[index] in _ROMAN_NUMERALS else None


def _unpadded(word: str) -> str:
    return word.lstrip("0")


def read_time(words: Words, index: int) -> Reading | None:
    """Read a time of day as `15:30`, a full hour as `15`; None if there is none."""
    mark = words.gap(index + 1)
    if mark not in (":", "."):
        return None
    if not words.are_digits(index, (1, 2)) or not words.are_digits(index + 1, (2,)):
        return None
    hour, minute = int(words[index]), int(words[index + 1])
    after_hour = index > 0 and words[index - 1] in HOUR_WORDS
    if hour > 24 or minute > 59 or not (mark == ":" or (mark == "." and after_hour)):
        return None
    return [f"{hour}:{minute:02}" if minute else str(hour)], index + 2
