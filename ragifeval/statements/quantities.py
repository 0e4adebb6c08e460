"""Amounts, periods and dates as one token each: "45 złoty", "14 dzień", "30 kwiecień 2025".

On top of the canonical form of the words rule, periods are put in one form: a week is 7 days,
half a year 6 months, "14-dniowy" and "czternasty dzień" are 14 days. A year stays a year: that 24
months are 2 years is for a sample to say. A year of the calendar is the token "rok 2025".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from ragifeval.statements.wordings import table, word_set
from ragifeval.text.canonical import is_number
from ragifeval.text.forms import (
    ALIASES,
    CURRENCY_SIGNS,
    MONTH_NAMES,
    POWERS,
    UNITS,
    YEAR_DIGITS,
)
from ragifeval.text.normalizer import Lexeme


@dataclass
class Tokens:
    """Tokens as parallel lists.

    Attributes:
        tokens: canonical tokens; here, quantities are one each.
        words: the lowercased word that each token begins with.
        gaps: what stands before each token and, at last, behind the last one.
        first: the index of the first word of each token in the normalized text.
        lexemes: of the words.
    """

    tokens: list[str]
    words: list[str]
    gaps: list[str]
    first: list[int]
    lexemes: list[Lexeme]

    def slice(self, start: int, end: int, into: "Tokens") -> None:
        """Append some of these tokens to others."""
        into.tokens += self.tokens[start:end]
        into.words += self.words[start:end]
        into.gaps += self.gaps[start:end]
        into.first += self.first[start:end]
        into.lexemes += self.lexemes[start:end]


def merge_quantities(raw: Tokens) -> Tokens:
    """Make each amount, period and date one token."""
    special = [
        index
        for index, lexeme in enumerate(raw.lexemes)
        if (lexeme.is_quantity_word and is_number(raw.tokens[index]))
        or (_remember(lexeme) if lexeme.is_quantity is None else lexeme.is_quantity)
    ]
    if not special:
        return raw
    merged = Tokens([], [], [], [], [])
    # No reader looks further ahead than this.
    padded = Tokens([*raw.tokens, *_BEYOND], [*raw.words, *_BEYOND], [*raw.gaps, *_BEYOND], [], [])
    done = behind = 0
    bare, currency = [], ""
    for index in special:
        if index < behind:
            continue
        token, behind = _read(padded, index)
        unit = unit_of(token)
        if not unit and _is_bare(raw, index, token):
            bare.append(len(merged.tokens) + index - done)
        elif not currency and unit in _CURRENCIES:
            currency = unit
        raw.tokens[index] = token
        if behind > index + 1:
            raw.slice(done, index + 1, merged)
            done = behind
    raw.slice(done, len(raw.tokens), merged)
    merged.gaps.append(raw.gaps[-1])
    _share_units(merged, bare, currency)
    return merged


def _is_bare(raw: Tokens, index: int, token: str) -> bool:
    """Whether a token is a number that may have the unit of another."""
    if token[0] not in _DIGITS or not _is_decimal(token):
        return False
    # Not the digit of a code: "PDM-3 – 30 dni".
    is_joined = index and raw.gaps[index] in ("-", "/")
    # Nor a fraction, "3/5", nor "jeden": "od jednego należy się ..." counts nothing.
    is_fraction = raw.gaps[index + 1] == "/"
    is_spelt_one = token in _ONES and raw.words[index] not in _ONES
    return not (is_joined or is_fraction or is_spelt_one)


def _remember(lexeme: Lexeme) -> bool:
    """Whether a word is read here though it is no number."""
    lexeme.is_quantity = lexeme.word in _SPECIAL
    return lexeme.is_quantity


def unit_of(token: str) -> str:
    """The unit of a quantity, DATE for a date; "" for anything else, a plain number too."""
    return _unit_of(token) if " " in token else ""


# Quantities are short; other tokens are not remembered.
@lru_cache(20_000)
def _unit_of(token: str) -> str:
    number, _, unit = token.partition(" ")
    if number == "rok":
        return ""
    return DATE if unit.partition(" ")[0] in _LAST_DAYS else unit


def is_year(token: str) -> bool:
    """Whether a token is a year of the calendar."""
    return token.startswith("rok ")


DATE = "data"
"""The unit of a day of a month, with or without its year."""
PERIODS = frozenset(["dzień", "dzień roboczy", "miesiąc", "rok", "godzina"])
"""The units of time that quantities have."""

_DIGITS = frozenset("0123456789")
_BEYOND = ("",) * 8
_LAST_DAYS = dict(zip(MONTH_NAMES, (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), strict=True))
_PERIODS: Mapping[str, str] = {
    form: unit for unit, forms in table("units").items() for form in (unit, *forms.split())
}
_UNIT_TOKENS = frozenset(
    {*ALIASES.values(), *UNITS.values(), *CURRENCY_SIGNS.values()}
    | {unit + power for unit in UNITS.values() for power in POWERS.values()}
) - {"numer", "paragraf"}
# Weeks and the like in other units.
_SMALLER = {
    "tydzień": (7, "dzień"),
    "kwartał": (3, "miesiąc"),
    "doba": (24, "godzina"),
    "dekada": (10, "rok"),
}
_SPACES = frozenset(" *\u00a0\u202f\u2009")
# What may stand between a number and its unit: "4. dnia", "14-dniowy".
_INSIDE = frozenset(["", "-", ". ", "."])


def _numbered(listing: str) -> Iterator[tuple[int, str]]:
    for pair in listing.split(","):
        number, stem = pair.split()
        yield int(number), stem


def _adjectives() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The unit of "dniowy" and its other forms; the quantity of "czternastodniowy" and its."""
    adjectives = table("adjectives")
    units = {
        stem + ending: unit
        for stem, unit in adjectives["stems"].items()
        for ending in adjectives["endings"].split()
    } | dict.fromkeys(adjectives["years"].split(), "rok")
    whole = {
        prefix + form: _quantity(Decimal(number), unit)
        for number, prefix in _numbered(adjectives["numbers"])
        for form, unit in units.items()
    }
    return units, whole | dict.fromkeys(adjectives["half_a_year"].split(), "6 miesiąc")


def _ordinals() -> Mapping[str, int]:
    ordinals = table("ordinals")
    forms = {
        stem + ending: number
        for number, stem in _numbered(ordinals["stems"])
        for ending in ordinals["endings"].split()
    }
    for number in ("2", "3"):
        forms |= dict.fromkeys(ordinals[number].split(), int(number))
    return forms


def _quantity(number: Decimal, unit: str) -> str:
    """A number and its unit as a token, weeks in days, half years in months."""
    if unit in _SMALLER:
        times, unit = _SMALLER[unit]
        number *= times
    if unit == "rok" and number % 1:
        number, unit = number * 12, "miesiąc"
    return f"{_plain(number)} {unit}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_ADJECTIVE_UNITS, _COMPOUNDS = _adjectives()
_ORDINALS = _ordinals()
_BETWEEN = word_set("periods", "between")
_VERBS = word_set("polarity", "behind")
_WORKING, _CALENDAR = word_set("periods", "working"), word_set("periods", "calendar")
_WORKING_DAYS = 5  # in a week
_LIMITING = word_set("periods", "limiting")
_COUNTED, _NOT_COUNTED = word_set("periods", "counted"), word_set("periods", "not_counted")
_STARTS = word_set("starts", "before")
_ADDRESSED = word_set("periods", "addressed")
_MEASURED = word_set("periods", "measured")
_NOUNS, _ENDS = word_set("periods", "nouns"), frozenset(table("periods")["ends"])
# The singular, which is one of them where no number stands before it.
_ONE: Mapping[str, str] = {
    form: unit
    for unit in ("tydzień", "miesiąc", "kwartał", "rok", "doba", "dekada", "godzina")
    for form in (unit, *table("units")[unit].split()[:3])
} | {"dobę": "doba", "godzinę": "godzina"}
_HALF = "pół"
_SPOKEN_MONEY: Mapping[str, int] = {
    form: int(worth) for worth, forms in table("money").items() for form in forms.split()
}
_SPECIAL = frozenset(
    {_HALF, *_ORDINALS, *_COMPOUNDS, *_ADJECTIVE_UNITS.keys() - {"letni", "letnie"}, *_ONE, *_ENDS}
    | {form for form, worth in _SPOKEN_MONEY.items() if worth > 1}
)
_NAMED = word_set("periods", "named")
_NUMBERED = word_set("segments", "abbreviations")
_MARKERS = (". ", ") ")
_YEAR_MARKS = frozenset("|:\n()")
_DAY = ("dzień", "dnia", "dniu", "dniem")
_EACH = ("co", "ten", "każdy", "cały")
_CENTURIES = ("19", "20")
_ONES = frozenset(["1"])
_BEFORE_YEARS = word_set("periods", "before_years")


def _read(words: Tokens, index: int) -> tuple[str, int]:
    """Read one quantity; return the token and the index behind it."""
    token, word = words.tokens[index], words.words[index]
    if is_number(token):
        return _read_number(words, index)
    if word in _COMPOUNDS:
        return _COMPOUNDS[word], index + 1
    if word in _ORDINALS:
        return _read_ordinal(words, index)
    if word == _HALF:
        return _read_half(words, index)
    if word in _SPOKEN_MONEY:
        return _quantity(Decimal(_SPOKEN_MONEY[word]), "złoty"), index + 1
    if word in _ENDS:
        month = words.tokens[index + 1]
        if month in _LAST_DAYS:
            return _dated(words, _LAST_DAYS[month], month, index + 2)
        return token, index + 1
    return _read_single(words, index)


def _is_decimal(token: str) -> bool:
    return token.isascii() and token.replace(".", "", 1).isdigit() and len(token) <= 20


def _read_number(words: Tokens, index: int) -> tuple[str, int]:
    """Read a number in figures with what it counts."""
    token, after = words.tokens[index], index + 1
    if not _is_decimal(token):
        return token, after
    tokens = words.tokens
    is_first = not index or "\n" in words.gaps[index]
    if is_first and len(token) < 3 and words.gaps[after].startswith(_MARKERS):
        # "2. Miesiąc wcześniej ..." numbers the line.
        return token, after
    if words.gaps[index] == "-" and words.gaps[after].startswith(". "):
        # "Druk SR-26. Rok od zgonu ..."
        return token, after
    if tokens[after] == "i" and tokens[after + 1] == _HALF:
        token, after = _plain(Decimal(token) + Decimal("0.5")), after + 2
        if tokens[after] == "1000" and words.words[after] not in ("", "1000"):
            token, after = _plain(Decimal(token) * 1000), after + 1
    # "34 zł (2 × 17). Kwiecień: 20 zł" names no day.
    if tokens[after] in _LAST_DAYS and words.gaps[after].strip(" \u00a0") in _IN_DATES:
        return _dated(words, token, tokens[after], after + 1)
    if len(tokens[index]) == YEAR_DIGITS:
        year, behind = _year(words, index)
        if year and year != token:
            return f"rok {year}", behind
        if year and tokens[after] == "rok" and words.words[after] not in ("lat", "lata"):
            return f"rok {token}", after + 1
        if year and _is_bare_year(words, index):
            return f"rok {token}", after
    if worth := _spoken_money(words, after):
        return _quantity(Decimal(token) * worth, "złoty"), after + 1
    unit, behind = _unit(words, after)
    if not unit:
        return _numbered_before(words, index) or token, after
    if unit == "złoty" and (cents := _cents(words, behind)) is not None:
        quantity = _quantity(Decimal(token) + cents, unit)
        return quantity, behind + (3 if tokens[behind] == "i" else 2)
    if unit == "tydzień" and words.words[behind] in _WORKING:
        return _quantity(Decimal(token) * _WORKING_DAYS, "dzień roboczy"), behind + 1
    if unit in _SMALLER or "." in token:
        return _counted(words, _quantity(Decimal(token), unit), behind)
    return _counted(words, f"{token} {unit}", behind)


def _spoken_money(words: Tokens, index: int) -> int:
    """How many złote a word such as "stówki" names right behind a number; or 0."""
    return _SPOKEN_MONEY.get(words.words[index], 0) if words.gaps[index] == " " else 0


def _numbered_before(words: Tokens, index: int) -> str:
    """The quantity whose number stands behind its noun: "dni trzydzieści", "dzień 30."."""
    before, token = words.words[index - 1] if index else "", words.tokens[index]
    gap = words.gaps[index]
    is_counted_day = gap == " " or (":" in gap and words.words[index + 1] in _STARTS)
    if before == "dzień" and is_counted_day and token.isdigit():
        # "Dzień 30.", "ostatni dzień: 30. od przybycia"
        return f"{token} dzień"
    is_spelt = not words.words[index][:1].isdigit() and words.gaps[index] == " "
    is_last = words.gaps[index + 1].strip() or not words.words[index + 1]
    if not (is_spelt and is_last):
        return ""
    unit = "złoty" if before == "złotych" else _PERIODS.get(before, "")
    is_counted = index > 1 and is_number(words.tokens[index - 2])
    return _quantity(Decimal(token), unit) if unit and unit != before and not is_counted else ""


def _cents(words: Tokens, index: int) -> Decimal | None:
    """The groszy of "173 zł i 64 gr"."""
    start = index + (words.tokens[index] == "i")
    if words.tokens[start + 1] == "grosz" and words.tokens[start].isdigit():
        return Decimal(words.tokens[start]) / 100
    return None


def _unit(words: Tokens, index: int) -> tuple[str, int]:
    """The unit at a token, or behind adjectives that may stand before it."""
    working = ""
    for end in range(index, index + 3):
        gap = words.gaps[end]
        if not (gap == " " or gap in _INSIDE or _SPACES.issuperset(gap)):
            break
        word = words.words[end]
        if word == "m" and words.words[end + 1] == "cy":
            return "miesiąc", end + 2
        if words.tokens[end] in _UNIT_TOKENS:
            return words.tokens[end], end + 1
        if (
            unit := _PERIODS.get(word) or UNITS.get(word) or _ADJECTIVE_UNITS.get(word)
        ) is not None:
            return unit + working, end + 1
        if word in _WORKING:
            working = " roboczy"
        elif word not in _BETWEEN:
            break
    return "", index


def _counted(words: Tokens, quantity: str, after: int) -> tuple[str, int]:
    """Add "roboczy" to days at work; drop "kalendarzowy"."""
    if words.words[after] in _WORKING:
        return f"{quantity} roboczy", after + 1
    if words.words[after] in _CALENDAR:
        return quantity, after + 1
    # "15 dni, ale roboczych", "15 dni, lecz liczonych tylko roboczych"
    last = after
    while words.words[last] in _LIMITING:
        last += 1
    if last > after and words.words[last] in _WORKING:
        return f"{quantity} roboczy", last + 1
    return quantity, after


def _dated(words: Tokens, day: object, month: str, after: int) -> tuple[str, int]:
    year, behind = _year(words, after)
    return (f"{day} {month} {year}", behind) if year else (f"{day} {month}", after)


def _year(words: Tokens, index: int) -> tuple[str, int]:
    """The year at a token, "2026 r." or "dwa tysiące dwudziestego szóstego"; or ""."""
    year, behind = words.tokens[index], index + 1
    number, after = _ordinal(words, behind)
    if year == "2000" and number:
        year, behind = str(2000 + number), after
    if not _is_spoken_of(year):
        return "", index
    return year, behind + (words.tokens[behind] == "rok")


def _ordinal(words: Tokens, index: int) -> tuple[int, int]:
    """The ordinal at a token, "dwudziestego piątego", and the token behind it; or 0."""
    number = _ORDINALS.get(words.words[index], 0)
    ones = _ORDINALS.get(words.words[index + 1], 0)
    if number >= 20 and 0 < ones < 10:
        return number + ones, index + 2
    return number, index + 1


def _is_spoken_of(year: str) -> bool:
    return len(year) == 4 and year.startswith(_CENTURIES) and year.isdigit()


def _is_bare_year(words: Tokens, index: int) -> bool:
    """Whether a number is a year without the word: "w 2025", a column's head, "2025: 30 zł"."""
    before = words.words[index - 1] if index else ""
    unit, _ = _unit(words, index + 1)
    if unit or len(words.words[index]) != 4:
        return False
    around = words.gaps[index] + words.gaps[index + 1]
    return before in _BEFORE_YEARS or not _YEAR_MARKS.isdisjoint(around)


def _read_ordinal(words: Tokens, index: int) -> tuple[str, int]:
    """Read "czwarty dzień", "dniu czwartym", "piątego (dnia) maja", "osiemnasty rok życia"."""
    number, after = _ordinal(words, index)
    # "Od dwunastego do piętnastego maja"
    last, behind = _ordinal(words, after + 1) if words.words[after] in _JOINING else (0, 0)
    if last and words.tokens[behind] in _LAST_DAYS:
        return f"{number} {words.tokens[behind]}", after
    if words.tokens[after] in _LAST_DAYS:
        return _dated(words, number, words.tokens[after], after + 1)
    unit = _PERIODS.get(words.words[after])
    if unit == "dzień" and words.tokens[after + 1] in _LAST_DAYS:
        return _dated(words, number, words.tokens[after + 1], after + 2)
    if unit == "dzień" or (unit == "rok" and words.words[after + 1] == "życia"):
        return _counted(words, _quantity(Decimal(number), unit), after + 1)
    if index and words.words[index - 1] in _DAY and words.gaps[index] == " ":
        return _quantity(Decimal(number), "dzień"), after
    return (words.tokens[index] if after == index + 1 else str(number)), after


def _read_half(words: Tokens, index: int) -> tuple[str, int]:
    """Read "pół roku", "pół tysiąca złotych", "pół stówy"."""
    after = index + 1
    number = Decimal("0.5")
    if words.tokens[after] == "1000" and words.words[after] != "1000":
        number, after = Decimal(500), after + 1
    if worth := _spoken_money(words, after):
        return _quantity(number * worth, "złoty"), after + 1
    unit, behind = _unit(words, after)
    if unit:
        return _quantity(number, unit), behind
    return words.tokens[index], index + 1


def _read_single(words: Tokens, index: int) -> tuple[str, int]:
    """Read "w ciągu tygodnia", "roczny termin": one of them where that is meant."""
    token, word = words.tokens[index], words.words[index]
    before = words.words[index - 1] if index else ""
    behind = words.words[index + 1]
    if word in _ONE:
        unit = _ONE[word]
        is_numbered = behind[:1] in _DIGITS and words.gaps[index + 1] == " "
        if before in _ADDRESSED and index > 1 and words.words[index - 2] == "ma":
            # "Ma Pani rok"
            before = "ma"
        is_one = before in _COUNTED and not (behind in _NOT_COUNTED or is_numbered)
        is_one = is_one or (behind in _MEASURED and before not in _EACH)
        # "Ile? Rok."
        is_begun = not index or not _STOPS.isdisjoint(words.gaps[index])
        is_one = is_one or (is_begun and not _STOPS.isdisjoint(words.gaps[index + 1]))
        if is_one or (unit == "tydzień" and word == "tydzień" and before not in ("co", "ten")):
            return _quantity(Decimal(1), unit), index + 1
        return token, index + 1
    if before in _NOUNS or behind in _NOUNS:
        return _quantity(Decimal(1), _ADJECTIVE_UNITS[word]), index + 1
    return token, index + 1


def named_unit(token: str, word: str, following: str) -> str:
    """The unit that the head of a column names for its numbers: "dni robocze", "(zł)"; or ""."""
    if token in _UNIT_TOKENS:
        return token
    unit = _PERIODS.get(word, "")
    if unit == word or unit in _SMALLER:
        return ""
    return f"{unit} roboczy" if unit and following in _WORKING else unit


# Between the numbers of a sum, a range or a list whose last number alone has the unit.
_JOINTS = frozenset(["+", "=", ",", "-", "–", "—", "/", "−"])
# How far behind a quantity a number may lean on it, in tokens.
_REACH = 10
_MOST_COMMAS, _EACH_OF = 2, frozenset(["po", "na", "tylko"])
_STOPS = frozenset(".,?!:;")
_IN_DATES = frozenset(["", ".", "-", "/"])
_DASHES = frozenset([" ", " – ", " - "])
_CURRENCIES = frozenset(["złoty", "euro"])
# Digits of a bare number that is taken for an amount of money.
_LEAST_AMOUNT = 3
_CONTRASTING = frozenset(["a", "ale", "lecz", "nie", "tylko", "po"])
_JOINING = frozenset(["i", "oraz", "lub", "albo", "do", "plus", "czy"]) | _CONTRASTING


def _share_units(words: Tokens, bare: Sequence[int], currency: str) -> None:
    """Give bare numbers the unit of a neighbour: "30 + 15 = 45 zł", "nie 7 dni, tylko 14"."""
    tokens = words.tokens
    for index in reversed(bare):
        # "Klasa 3 lub 4 – 45 zł"
        is_name = index and words.words[index - 1] in _NAMED
        # "25 zł × 2 = 50 zł"
        is_times = index and "×" in words.gaps[index] and unit_of(tokens[index - 1]) != ""
        unit = "" if is_name or is_times else _unit_beside(words, index, 1, _JOINING)
        if unit:
            tokens[index] += f" {unit}"
    for index in bare:
        # "Nie 7 dni, tylko 14 będzie potrzebnych."
        is_last = (
            index + 1 == len(tokens)
            or bool(words.gaps[index + 1].strip())
            or words.words[index + 1] in _VERBS
        )
        if not is_last or " " in tokens[index]:
            continue
        unit = _unit_beside(words, index, -1, _CONTRASTING) or _unit_before(words, index)
        # "Razem wychodzi cztery tysiące."
        is_amount = len(tokens[index].partition(".")[0]) >= _LEAST_AMOUNT
        if is_amount and not unit and (not index or words.words[index - 1] not in _NUMBERED):
            unit = currency
        if unit:
            tokens[index] += f" {unit}"


def _unit_before(words: Tokens, index: int) -> str:
    """The unit of the clause before, as in "kajak kosztuje 45 zł, a za rower 60"; or ""."""
    is_number_of = words.words[index - 1] in _NUMBERED or words.words[index - 1] in ("o", "razy")
    if words.gaps[index] not in _DASHES or is_number_of:
        return ""
    # "Za kajak 14 dni, rower szybciej, bo po 7."
    commas, most = 0, _MOST_COMMAS if words.words[index - 1] in _EACH_OF else 1
    for at in range(index - 1, max(-1, index - _REACH), -1):
        if unit := unit_of(words.tokens[at]):
            return unit if commas and unit != DATE else ""
        if is_number(words.tokens[at]):
            return ""
        if words.gaps[at] != " ":
            commas += 1
            if commas > most or words.gaps[at] != ", ":
                return ""
    return ""


def _unit_beside(words: Tokens, index: int, step: int, joining: frozenset[str]) -> str:
    """The unit of the next quantity, with nothing but joints or words that join between."""
    is_joined = False
    for at in range(index + step, index + 5 * step, step):
        if not 0 <= at < len(words.tokens):
            return ""
        gap = words.gaps[max(at, at - step)].strip(" *\u00a0")
        if gap and gap not in _JOINTS:
            return ""
        is_joined = is_joined or bool(gap)
        token = words.tokens[at]
        if token not in joining:
            # Neither "o 11.30, pół godziny" nor "4.05.2026, 15:00" is a list.
            is_alike = words.words[at][:1].isdigit() == words.words[index][:1].isdigit()
            is_clock = unit_of(token) == DATE and step < 0
            if not is_joined or is_year(token) or not is_alike or is_clock:
                return ""
            return " ".join(token.split(" ")[1:2]) if unit_of(token) == DATE else unit_of(token)
        is_joined = True
    return ""
