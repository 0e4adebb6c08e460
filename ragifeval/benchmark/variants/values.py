"""Amounts, periods and dates in Polish texts: found in any form, written with another value."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise, takewhile

from ragifeval.statements.reading import read_quantities
from ragifeval.statements.wordings import table
from ragifeval.text.canonical import is_number
from ragifeval.text.forms import (
    MONTH_NAMES,
    MONTHS,
    MULTIPLIERS,
    NUMBER_WORDS,
    ROMAN_MONTHS,
)
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer

NOMINATIVE, GENITIVE, DATIVE, ACCUSATIVE, INSTRUMENTAL, LOCATIVE = range(6)

# The singular by case, then the plural, whose accusative is its nominative.
_NOUNS = """
złoty złotego złotemu złoty złotym złotym
złote złotych złotym złotymi złotych;
grosz grosza groszowi grosz groszem groszu
grosze groszy groszom groszami groszach;
dzień dnia dniowi dzień dniem dniu
dni dni dniom dniami dniach;
tydzień tygodnia tygodniowi tydzień tygodniem tygodniu
tygodnie tygodni tygodniom tygodniami tygodniach;
miesiąc miesiąca miesiącowi miesiąc miesiącem miesiącu
miesiące miesięcy miesiącom miesiącami miesiącach;
kwartał kwartału kwartałowi kwartał kwartałem kwartale
kwartały kwartałów kwartałom kwartałami kwartałach;
rok roku rokowi rok rokiem roku
lata lat latom latami latach;
godzina godziny godzinie godzinę godziną godzinie
godziny godzin godzinom godzinami godzinach;
doba doby dobie dobę dobą dobie
doby dób dobom dobami dobach
"""
_FORMS = {noun.split()[0]: noun.split() for noun in _NOUNS.split(";")}
_PLURAL = (6, 7, 8, 6, 9, 10)
_WORKING = {"one": ("roboczy", "roboczego"), "few": ("robocze", "roboczych")}
_NOUN_OF = {form: noun for noun, forms in reversed(_FORMS.items()) for form in forms}
# How many of the unit by which statements count are in one of these.
_SMALLER = {"tydzień": 7, "kwartał": 3, "doba": 24}
_SHOWN = {"złoty": "zł", "procent": "%"}
_MONEY = frozenset(["złoty", "euro", "dolar", "funt"])

_ADJECTIVES = table("adjectives")
_STEMS: Mapping[str, str] = {unit: stem for stem, unit in _ADJECTIVES["stems"].items()}
_ENDINGS = sorted(_ADJECTIVES["endings"].split(), key=len, reverse=True)
_ADJECTIVE = re.compile(
    rf"(?:{'|'.join(_STEMS.values())})(?:{'|'.join(_ENDINGS)})|{'|'.join(_ADJECTIVES['years'].split()[::-1])}"
)
# "letni" and its forms, by the ending of "dniowy" and its.
_SOFT = {"y": "i", "ym": "im", "ych": "ich", "ymi": "imi"}

_NOMINATIVE_NUMERALS = frozenset(
    {next(form for form, value in NUMBER_WORDS.items() if value == number)
     for number in NUMBER_WORDS.values()} | {"dwie", "jedna", "jedno"}
)  # fmt: skip
_GENITIVE_BEFORE = re.compile(
    r"do|od|z|ze|bez|u|dla|wobec|około|blisko|koło|podczas|wśród|powyżej|poniżej|ciągu|braku?|"
    r"(?:termin|okres|czas|upływ|przeciąg|wysokośc|kwo[tc]|opłat|staż|wiek|limit|cen|kar|sum|granic)"
    r"\w{0,4}|przekracz\w+|żąda\w*|wymaga\w*|potrzeba"
)
_LOCATIVE_BEFORE = frozenset(["w", "we", "po", "o", "przy", "na"])
_PASSED_OVER = re.compile(
    r"co|naj\w+|nawet|tylko|aż|jeszcze|równo|pełn\w+|kolejn\w+|dalsz\w+|samych"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a unit as statements name it: "złoty", "dzień", "dzień roboczy"; "" for none."""

    number: Decimal
    unit: str = ""

    def __str__(self) -> str:
        return self.written(NOMINATIVE)

    def written(self, case: int) -> str:
        """The amount in figures, its unit in a case: "2 lata", "2 lat"."""
        noun, _, working = self.unit.partition(" ")
        figures = write_number(self)
        if noun == "procent":
            return f"{figures}%"
        unit = inflect(noun, self.number, case) if noun in _FORMS else noun
        shown = _SHOWN.get(noun, unit)
        ending = f" {_inflect_working(self.number, case)}" if working else ""
        return f"{figures} {shown}".rstrip() + ending


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar; of any year where `year` is None."""

    day: int
    month: int
    year: int | None = None

    def __str__(self) -> str:
        return self.written()

    def written(self, case: int = GENITIVE) -> str:
        """The day with the month in words."""
        return f"{self.day} {_month(self.month)}" + (f" {self.year}" if self.year else "")


Value = Amount | Day


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in a text.

    Attributes:
        start, end: of what says it, in characters.
        words: the words that say it, as they are written.
        gaps: what stands between them.
        before: the words in front of it in the same clause, lowercased, the nearest first.
    """

    value: Value
    start: int
    end: int
    words: Sequence[str]
    gaps: Sequence[str]
    before: Sequence[str]


# "Pierwsze półrocze" is a part of a year, and no period of six months.
_HALVES = frozenset(["półrocze", "półrocza", "półroczu"])
_DATE = re.compile(r"(\d+) (\w+)(?: (\d{4}))?")
_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d+)?)(?: (.+))?")
_REACH = 4
# What is counted has more letters: "i", "do", "na" have not.
_SHORT = 2


def find_values(text: str, normalizer: Normalizer) -> Iterator[Mention]:
    """Yield the values of a text, in order.

    The unit of a number that counts neither money nor time is the lemma of the word behind it.
    """
    normalized = normalizer(text)
    tokens = read_quantities(Text(normalized))
    spans = normalized.original_spans if tokens.tokens else []
    bounds = [*tokens.first, len(spans)]
    for index, (first, behind) in enumerate(pairwise(bounds)):
        token = tokens.tokens[index]
        if behind == first or not is_number(token) or (value := _value(token)) is None:
            continue
        if normalized.words[first] in _HALVES:
            continue
        if isinstance(value, Amount) and not value.unit and tokens.gaps[index + 1] == " ":
            counted = tokens.tokens[index + 1]
            value = Amount(value.number, counted if len(counted) > _SHORT else "")
        before: list[str] = []
        for place in range(first - 1, max(-1, first - 1 - _REACH), -1):
            if not text[spans[place][1] : spans[place + 1][0]].isspace():
                break
            before.append(text[slice(*spans[place])].lower())
        places = range(first, behind)
        yield Mention(
            value,
            spans[first][0],
            spans[behind - 1][1],
            [text[slice(*spans[place])] for place in places],
            [text[spans[place][1] : spans[place + 1][0]] for place in places[:-1]],
            before,
        )


def _value(token: str) -> Value | None:
    date = _DATE.fullmatch(token)
    if date and date[2] in MONTH_NAMES:
        return Day(int(date[1]), MONTH_NAMES.index(date[2]) + 1, int(date[3]) if date[3] else None)
    amount = _AMOUNT.fullmatch(token)
    return Amount(Decimal(amount[1]), amount[2] or "") if amount else None


def read_value(text: str, normalizer: Normalizer) -> Value | None:
    """The value that a text says and nothing else; None if it is none ("PCC-3")."""
    mentions = list(find_values(text, normalizer))
    if len(mentions) != 1 or mentions[0].start:
        return None
    rest = text[mentions[0].end :].strip()
    value = mentions[0].value
    is_counted = isinstance(value, Amount) and normalizer(rest).joined == value.unit
    return value if rest in ("", "%", "r.", ".", "€", "$") or is_counted else None


def rewrite(mention: Mention, value: Value) -> str:
    """The words of a mention with another value of the same kind, in the same grammatical form."""
    if isinstance(value, Day):
        return _rewrite_day(mention, value)
    assert isinstance(mention.value, Amount)
    words = mention.words
    lower = [word.lower() for word in words]
    if lower[0] == "pln":
        return words[0] + mention.gaps[0] + write_number(value, " ".join(words[1:]))
    if len(words) == 1 and (glued := re.fullmatch(r"(\d+)(\D+)", words[0])):
        return write_number(value) + glued[2]
    if adjective := _ADJECTIVE.search(lower[-1]):
        return f"{write_number(value)}-{_adjective(adjective[0], value.unit)}"
    at = next((place for place, word in enumerate(lower) if word in _NOUN_OF), len(words))
    numerals = list(takewhile(lambda place: _is_numeral(lower, place), range(at)))
    behind = len(numerals)
    model = _joined(words, mention.gaps, 0, behind)
    is_dotted = 0 < behind < len(words) and mention.gaps[behind - 1][:1] == "."
    if at and (not behind or (is_dotted and lower[behind - 1].isdigit())):
        rest = [*words[at:]]
        noun = value.unit.partition(" ")[0]
        if rest and _NOUN_OF[lower[at]] != noun:
            rest[0] = _FORMS[noun][_FORMS[_NOUN_OF[lower[at]]].index(lower[at])]
        return f"{write_number(value)}. {_joined(rest, mention.gaps[at:], 0, len(rest))}"
    written = write_number(value, model)
    if behind == len(words):
        return written
    if at == len(words):
        # A unit that is not inflected here: "zł", "cm", "euro".
        return written + _gap(mention.gaps, behind) + words[behind]
    case = _case(lower[at], lower[:behind], mention)
    noun, _, working = value.unit.partition(" ")
    for place in range(behind, at):
        written += _gap(mention.gaps, place) + _agreeing(words[place], value.number, case)
    written += (_gap(mention.gaps, at) if at else " ") + inflect(noun, value.number, case)
    return f"{written} {_inflect_working(value.number, case)}" if working else written


def _agreeing(adjective: str, number: Decimal, case: int) -> str:
    """An adjective between a number and its noun: "5 pełnych lat", "2 pełne lata"."""
    if case not in (NOMINATIVE, ACCUSATIVE):
        return adjective
    if _count(number) == "few":
        return re.sub("ych$", "e", re.sub("ich$", "ie", adjective))
    return re.sub("(?<!i)e$", "ych", re.sub("ie$", "ich", adjective))


def _joined(words: Sequence[str], gaps: Sequence[str], start: int, end: int) -> str:
    """Words as they are written, with what stands between them."""
    text = words[start] if start < end else ""
    for place in range(start + 1, end):
        text += gaps[place - 1] + words[place]
    return text


def _gap(gaps: Sequence[str], place: int) -> str:
    """What stands before a word, without the dot of an abbreviation ("tys. zł")."""
    return gaps[place - 1].lstrip(".") if place else ""


def _is_numeral(words: Sequence[str], place: int) -> bool:
    word = words[place]
    is_half = word == "pół" or (word == "i" and words[place + 1 : place + 2] == ["pół"])
    return word.isdigit() or word in NUMBER_WORDS or word in MULTIPLIERS or is_half


def write_number(amount: Amount, model: str = "") -> str:
    """The number in figures, with decimals and groups of thousands as in the model."""
    whole, _, decimals = f"{amount.number:f}".partition(".")
    decimals = decimals.rstrip("0")
    if (amount.unit in _MONEY and decimals) or (not decimals and re.search(r"\d,00$", model)):
        decimals = decimals.ljust(2, "0")
    grouped = re.match(r"\d{1,3}([ \u00a0\u202f\u2009.'’])\d{3}", model)
    is_long = len(whole) > 4 and not re.match(r"\d{5}", model)
    mark = grouped[1] if grouped else " " if is_long else ""
    if mark:
        whole = f"{int(whole):,}".replace(",", mark)
    return f"{whole},{decimals}" if decimals else whole


def _count(number: Decimal) -> str:
    """Which form of a noun stands behind a number."""
    if number % 1:
        return "fraction"
    if number == 1:
        return "one"
    return "few" if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else "many"


def inflect(noun: str, number: Decimal, case: int) -> str:
    """The noun of a unit as it stands behind a number in a case."""
    forms, count = _FORMS[noun], _count(number)
    if count == "fraction":
        return forms[GENITIVE]
    if count == "one":
        return forms[case]
    if count == "many" and case in (NOMINATIVE, ACCUSATIVE):
        case = GENITIVE
    return forms[_PLURAL[case]]


def _inflect_working(number: Decimal, case: int) -> str:
    if case == DATIVE:
        return "roboczym"
    if case == INSTRUMENTAL:
        return "roboczymi"
    return _WORKING.get(_count(number), ("roboczych",) * 2)[case not in (NOMINATIVE, ACCUSATIVE)]


def _case(noun: str, numerals: Sequence[str], mention: Mention) -> int:
    """The case in which a number with its unit stands."""
    assert isinstance(mention.value, Amount)
    lexeme = _NOUN_OF[noun]
    slots = {slot for slot, form in enumerate(_FORMS[lexeme]) if form == noun}
    count = _count(mention.value.number / _SMALLER.get(lexeme, 1)) if numerals else "one"
    if "pół" in numerals or "półtora" in numerals:
        count = "fraction"
    if count in ("one", "fraction"):
        cases = {slot for slot in slots if slot < len(_PLURAL)}
    else:
        cases = {case for case, slot in enumerate(_PLURAL) if slot in slots}
    if count in ("many", "fraction") and GENITIVE in cases:
        cases |= {NOMINATIVE}
    if LOCATIVE in cases and mention.before[:1] and mention.before[0] in _LOCATIVE_BEFORE:
        return LOCATIVE
    if {NOMINATIVE, GENITIVE} <= cases:
        return GENITIVE if _is_genitive(numerals, mention.before) else NOMINATIVE
    return min(cases, default=NOMINATIVE)


def _is_genitive(numerals: Sequence[str], before: Sequence[str]) -> bool:
    words = [word for word in numerals if word in NUMBER_WORDS and word not in MULTIPLIERS]
    if words:
        return words[-1] not in _NOMINATIVE_NUMERALS
    near = [word for word in before if not _PASSED_OVER.fullmatch(word)]
    return bool(near and _GENITIVE_BEFORE.fullmatch(near[0])) or "nie" in before[:3]


def _adjective(form: str, unit: str) -> str:
    """The adjective of another unit in the form of this one: "rocznego" -> "letniego"."""
    if unit == "rok" and not form.startswith("roczn"):
        return form
    ending = next((end for end in _ENDINGS if form.endswith(end)), "y")
    if unit == "rok":
        return "letn" + _SOFT.get(ending, "i" + ending)
    return _STEMS.get(unit, "") + ending if unit in _STEMS else form


def _rewrite_day(mention: Mention, value: Day) -> str:
    words, gaps = mention.words, mention.gaps
    assert isinstance(mention.value, Day)
    if len(words) == 1:  # "od 12 do 25 maja"
        return value.written()
    if all(map(str.isdigit, words[:2])):
        parts = {1: str(value.day), 2: str(value.month), 4: str(value.year)}
        is_iso = len(words[0]) == 4
        order = (4, 2, 1) if is_iso else (1, 2, 4)
        written = [parts[part].zfill(len(word)) for part, word in zip(order, words, strict=False)]
        return _joined([*written, *words[3:]], gaps, 0, len(words))
    is_roman = not any(word.lower() in MONTHS for word in words)
    names = ROMAN_MONTHS if is_roman else MONTHS
    at = next(
        place for place, word in enumerate(words) if (word if is_roman else word.lower()) in names
    )
    month = list(ROMAN_MONTHS)[value.month - 1] if is_roman else _month(value.month)
    rest = list(words[at + 1 :])
    if mention.value.year is not None and rest:
        rest[0] = str(value.year)
    behind = "".join(gap + word for gap, word in zip(gaps[at:], rest, strict=True))
    return f"{value.day} {month}{behind}"


def _month(month: int) -> str:
    """The name of a month in the genitive."""
    name = MONTH_NAMES[month - 1]
    return next(form for form, head in MONTHS.items() if head == name and form != name)
