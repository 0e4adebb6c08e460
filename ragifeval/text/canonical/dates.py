"""Dates and times: 30.04, 30.04.2025, 2025-04-30, 30 IV, 30 kwietnia 2025 r.; 15:30, godz. 15.30.

A date becomes day, month by name, year and `rok`: whoever looks for "2025 r." or for "30 kwietnia"
finds it in any of these.
"""

from ragifeval.text.canonical.words import Reading, Words, is_space
from ragifeval.text.forms import (
    ALIASES,
    CURRENCY_SIGNS,
    HOUR_WORDS,
    MONTH_NAMES,
    MONTHS,
    ROMAN_MONTHS,
    ROMAN_NUMERALS,
    YEAR_DIGITS,
    YEAR_WORDS,
)

_DATE_MARKS = (".", ". ", "-", "/")
_CENTURIES = ("18", "19", "20")


def read_date(words: Words, index: int) -> Reading | None:
    """Read a date that starts with the digits at a word; None if there is none."""
    day, gap = words.words[index], words.gaps[index + 1]
    if len(day) == YEAR_DIGITS:
        return _read_iso_date(words, index) if gap == "-" else None
    if len(day) > 2 or not _is_day(day):
        return None
    if gap in _DATE_MARKS and 0 < words.digit_count(index + 1) <= 2:
        return _read_numeric_date(words, index, gap)
    month = MONTHS.get(words.words[index + 1]) or _roman_month(words, index + 1)
    if month is None or not is_space(gap.replace(".", "")):
        return None
    year, after = read_year(words, index + 2)
    return [_unpadded(day), month, *year], after


def _read_iso_date(words: Words, index: int) -> Reading | None:
    year, number, day = words.words[index : index + 3]
    if not words.digit_count(index + 1) == words.digit_count(index + 2) == 2:
        return None
    month = _month(number)
    if month is None or not _is_day(day) or words.gaps[index + 2] != "-":
        return None
    return [_unpadded(day), month, year, "rok"], _after_year(words, index + 3)


def _read_numeric_date(words: Words, index: int, gap: str) -> Reading | None:
    day, number, year = words.words[index : index + 3]
    has_year = words.gaps[index + 2] == gap and words.digit_count(index + 2) == YEAR_DIGITS
    # Without a year, only "30.04" is sure to be a date: "2.5" is a number, "1-5" a range.
    if not has_year and not (gap == "." and len(number) == 2):
        return None
    month = _month(number)
    if month is None:
        return None
    if has_year:
        return [_unpadded(day), month, year, "rok"], _after_year(words, index + 3)
    return None if _is_priced(words, index + 2) else ([_unpadded(day), month], index + 2)


def read_year(words: Words, index: int) -> Reading:
    """Read a year, if one stands there; `rok` is given with it, written or not."""
    year = words.words[index]
    if (
        year[:2] in _CENTURIES
        and words.digit_count(index) == YEAR_DIGITS
        and is_space(words.gaps[index])
    ):
        return [year, "rok"], _after_year(words, index + 1)
    return [], index


def _after_year(words: Words, index: int) -> int:
    """Skip the word for "year" behind a year, since `rok` is given with every year."""
    return index + 1 if words.words[index] in YEAR_WORDS else index


def _is_priced(words: Words, index: int) -> bool:
    """Whether a currency or a sign for per cent follows: "12.10 zł" is no date."""
    sign = words.gaps[index].lstrip()[:1]
    return sign == "%" or sign in CURRENCY_SIGNS or words.words[index] in ALIASES


def _is_day(word: str) -> bool:
    return 1 <= int(word) <= 31


def _month(word: str) -> str | None:
    return MONTH_NAMES[int(word) - 1] if 1 <= int(word) <= 12 else None


def _roman_month(words: Words, index: int) -> str | None:
    # How a word is written takes long to find out.
    is_numeral = words.words[index] in ROMAN_NUMERALS
    return ROMAN_MONTHS.get(words.written(index)) if is_numeral else None


def _unpadded(word: str) -> str:
    return word.lstrip("0")


def read_time(words: Words, index: int) -> Reading | None:
    """Read a time of day that starts with the digits at a word; None if there is none.

    It is read as `15:30`, a full hour as `15`.
    """
    mark = words.gaps[index + 1]
    after_hour = index > 0 and words.words[index - 1] in HOUR_WORDS
    if not (mark == ":" or (mark == "." and after_hour)):
        return None
    if words.digit_count(index) > 2 or words.digit_count(index + 1) != 2:
        return None
    hour, minute = int(words.words[index]), int(words.words[index + 1])
    if hour > 24 or minute > 59:
        return None
    return [f"{hour}:{minute:02}" if minute else str(hour)], index + 2
