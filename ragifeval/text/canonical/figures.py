"""Numbers in figures and in words, with what multiplies them and the unit behind them."""

import re
from decimal import Decimal

from ragifeval.text.canonical.words import Reading, Words, is_space
from ragifeval.text.forms import (
    ABBREVIATED,
    ALIASES,
    CURRENCY_SIGNS,
    MULTIPLIERS,
    NUMBER_WORDS,
    POWERS,
    UNITS,
)

_GROUP_MARKS = frozenset(" \u00a0\u202f\u2009.'’")
_PIECE = re.compile(r"[0-9]+|[^0-9]+")
# Longer runs of digits are account and case numbers, not amounts.
_MOST_DIGITS = 15


def read_figures(words: Words, index: int, unit: str | None = None) -> Reading:
    """Read a number that starts with the digits at a word: 4000, 4 000, 4.000, 112,50, § 3.

    Args:
        unit: a currency that stood before the number; None to read the unit behind it.
    """
    gap = words.gaps[index]
    if "§" in gap and gap.rstrip().endswith("§"):
        return ["paragraf", words.words[index]], index + 1
    number, after = _figure(words, index)
    if unit is not None:
        return [number, unit], after
    return _counted(words, number, after)


def _figure(words: Words, index: int) -> tuple[str, int]:
    """A number with its groups of thousands and its decimals, as a plain decimal string."""
    number, after, gaps = words.words[index], index + 1, words.gaps
    if len(number) > _MOST_DIGITS:
        return number, after
    mark = gaps[after]
    if len(number) <= 3 and number[0] != "0" and mark in _GROUP_MARKS:
        while (
            words.digit_count(after) == 3
            and gaps[after] == mark
            and len(number) <= _MOST_DIGITS - 3
        ):
            number, after = number + words.words[after], after + 1
    is_grouped = after > index + 1
    mark = gaps[after]
    if (mark == "," or (mark == "." and not is_grouped)) and 0 < words.digit_count(after) <= 4:
        decimals = words.words[after].rstrip("0")
        whole = number.lstrip("0") or "0"
        return f"{whole}.{decimals}" if decimals else whole, after + 1
    return number, after


def _counted(words: Words, number: str, after: int) -> Reading:
    """A number with what multiplies it (tys., mln), and the unit or sign behind it."""
    times, gap = MULTIPLIERS.get(words.words[after]), words.gaps[after]
    if times is not None and len(number) <= _MOST_DIGITS and is_space(gap):
        number = _plain(Decimal(number) * times)
        after += 1
        gap = words.gaps[after]
    if is_space(gap) and words.words[after]:
        return _with_unit(words, number, after)
    sign = gap.lstrip()[:1]
    if sign == "%":
        return [number, "procent"], after
    if sign in CURRENCY_SIGNS:
        return [number, CURRENCY_SIGNS[sign]], after
    if gap.strip() == "×":
        return [number, "x"], after
    return [number], after


def _with_unit(words: Words, number: str, index: int) -> Reading:
    """A number and its unit: 70 metrów kwadratowych -> 70 m2, 112 zł 50 gr -> 112.5 złoty."""
    unit, follower = words.words[index], words.words[index + 1]
    if (
        ALIASES.get(unit) == "złoty"
        and 0 < words.digit_count(index + 1) <= 2
        and ALIASES.get(words.words[index + 2]) == "grosz"
        and len(number) <= _MOST_DIGITS
    ):
        return [_plain(Decimal(number) + Decimal(follower) / 100), "złoty"], index + 3
    if unit in UNITS and follower in POWERS:
        return [number, UNITS[unit] + POWERS[follower]], index + 2
    if unit in UNITS:
        return [number, UNITS[unit]], index + 1
    return [number], index


def read_pieces(word: str) -> list[str]:
    """Read a word of digits and letters: 10mb -> 10 mb, 492x633 -> 492 x 633; 15a stays whole."""
    pieces = _PIECE.findall(word)
    if len(pieces) == 2 and len(pieces[1]) == 1 and pieces[1] not in UNITS:
        return [word]
    return [ALIASES.get(piece, piece) for piece in pieces]


def read_number_words(words: Words, index: int) -> Reading:
    """Read a number in words: dwadzieścia jeden, cztery tysiące, półtora.

    A word that only multiplies ("tys.") is a lemma where no number stands before it.
    """
    total = part = Decimal(0)
    below = 1000
    after = index
    while (word := words.words[after]) and (after == index or is_space(words.gaps[after])):
        if word in MULTIPLIERS and word not in ABBREVIATED:
            total += (part or 1) * MULTIPLIERS[word]
            part, below = Decimal(0), 1000
        elif word in NUMBER_WORDS and _place(NUMBER_WORDS[word]) < below:
            part += NUMBER_WORDS[word]
            # After 200 come tens, after 20 come ones, after 13 nothing.
            below = 1 if 10 <= NUMBER_WORDS[word] < 20 else _place(NUMBER_WORDS[word])
        else:
            break
        after += 1
    if after == index:
        return [words.lemmas[index]], index + 1
    return _counted(words, _plain(total + part), after)


def _place(value: Decimal) -> int:
    return 100 if value >= 100 else 10 if value >= 10 else 1


def _plain(value: Decimal) -> str:
    """No exponent and no trailing zeros: 112.50 -> 112.5, 4E+3 -> 4000."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
