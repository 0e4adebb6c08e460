"""A score with its reason, in the shapes in which models give them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ragifeval.run.old.replies.labels import FINALS, SCORE_KEYS, SCORES, SUMS, either
from ragifeval.run.old.replies.loose_json import read_objects
from ragifeval.run.old.replies.parts import (
    FRAME,
    Unparsed,
    pick,
    plain,
    plain_key,
    without_thinking,
)
from ragifeval.run.old.replies.reasons import (
    HEADING,
    LINE_FRAME,
    is_reason_label,
    reason_around,
    reason_in,
)


@dataclass(frozen=True, slots=True)
class Score:
    """A number, and what else the reply says."""

    value: float
    reason: str


_POINT = r"(?:points?|punkty|punktów|pkt|stars?|punkten?|puntos?|estrellas?|sternen?)\b"
_POINTS = rf"(?:\s*{_POINT})?"
_OVER = r"(?:/|out\s+of\b|na\b|z\b|of\b|von\b|aus\b|de\b|sobre\b)"
_OR = r"(?:or|to|and|lub|albo|oder|bis|do|czy|maybe|perhaps|może|vielleicht)"
# What is counted, rather than how good it is.
_UNIT = (
    r"(?:[%€$°§]|(?:zł|gr|pln|eur|usd|euro|proc|percent|dni|dzień|days?|minut[ay]?|min|minutes?|lata?|"
    r"years?|rok|tys|mln|kg|km|razy|times|claims?|questions?|facts?)\b|godz|hour|miesi|month|tyg|week|"
    r"złot|błęd|błąd|mistake|error|fehler|twierdz|pyta[nń]|fakt|zda[nń]|sentence)"
)
# 4, 4.0, 4,5, 4½, 4/5, 4 out of 5, 4 von 5; no part of a date, a range, a sum or another number.
_NUMBER = (
    r"(?<![\d.,/+–-])(?<!\+ )(?P<number>-?\d++(?:[.,]\d++|[ \t]*½|[ \t]+1/2)?+)"
    rf"(?:[*_`]*+(?:\s*+{_POINT})?+\s*+\(?+{_OVER}[\s*_`]*+(?P<scale>\d++)(?:[.,]0(?!\d))?+\)?+)?+"
    rf"(?![\d/]|[.,]\d|\s*[-–+]\s*\d|[ \t]*[¼½¾⅓⅔]|[ \t]+\d++/\d|\s*{_OVER}\s*\d"
    rf"|[\s,(]{{0,3}}{_OR}\s+\d|\s*{_UNIT})"
)
# 1 + 1 + 0 + 1 = 3
_SUM = r"(?:\d[\d.,]*+(?:\s*\+\s*\d[\d.,]*+)++\s*=[*_`\s]*+)?"
_ALONE = re.compile(rf"{FRAME}{_NUMBER}{_POINTS}[\s*_`\"'.|]*+", re.IGNORECASE)
# on a scale of 1 to 5, w skali od 1 do 5, out of 5
_ON_SCALE = (
    r"(?:[ \t]+(?:on|in|a|the|scale|of|out|from|to|w|skali|od|do|na|auf|einer|skala|von|bis|en|una|"
    r"escala|del?|al?|\d++(?:[ \t]*+[-–][ \t]*+\d++)?))"
)
_LABELLED = re.compile(
    rf"(?:^|(?<=\W))(?:{either(SCORES)})\b"
    rf"(?:(?P<on_scale>{_ON_SCALE}{{2,9}})[*_`\"\s]*+(?:[:：=]|is|wynosi|ist|es)"
    r"|[*_`\"\s]*+(?P<bracket>\([^)\n]{0,60}\))?[*_`\"\s]*+(?:[:：=—–-]|is|to|wynosi|ist|beträgt|es))"
    rf"[*_`\"\s(\[]*+{_SUM}{_NUMBER}{_POINTS}",
    re.IGNORECASE,
)
_GREATEST = re.compile(r"\d\s*(?:-|–|to|do|bis|al?)\s*(\d++)|out of\s+(\d++)", re.IGNORECASE)
_FINAL = re.compile(either(FINALS), re.IGNORECASE)
_TOTAL = re.compile(
    rf"^{LINE_FRAME}(?:{either(SUMS)})[*_`\" \t]*+[:：=][*_`\" \t]*+{_SUM}{_NUMBER}{_POINTS}",
    re.IGNORECASE | re.MULTILINE,
)
# 4 out of 5 is a score, 4 out of 5 claims are a count.
_BEHIND = (
    r"(?=[*_`\"'”)\]]*+\s*+(?:$|[^\w\s]|(?:because|since|as|for|due|overall|bo|ponieważ|gdyż|ze|z|"
    rf"weil|da|denn|insgesamt|porque|ya)\b|{_POINT}))"
)
_FIRST = re.compile(
    rf"{FRAME}{_NUMBER}{_POINTS}(?(scale){_BEHIND}|[*_`]*+\s*+(?:(?!,\s*\d)[-–—:;,.)]"
    r"|(?=\([^()\n]{0,60}\)\s*+(?!\w))|\n|$))",
    re.IGNORECASE,
)
_SCALED = re.compile(rf"{_NUMBER}(?(scale){_BEHIND}|(?!))", re.IGNORECASE)
_GIVER = (
    r"(?:I(?:['’]d|\s+would)\s+say|rated?|give|gave|graded?|assign(?:ed)?|award(?:ed)?|scored?|scores|rating|marks?|deserves?|"
    r"merits?|earns|gets|receives|oceni(?:am|ć|łbym|łabym|ono)|ocen[aęąy]|daję|dałbym|dałabym|dam|"
    r"przyzna(?:ję|je|łbym|łabym)|wystawi(?:am|łbym|łabym)|zasługuje|otrzymuje|dostaje|stawiam|"
    r"nota|notę|gebe|bewerte|vergebe|verdient|erhält|bekommt|note|bewertung|doy|otorgo|asigno|"
    r"califico|merece|obtiene)"
)
_LINK = (
    r"(?:this|the|that|it|an?|of|as|at|with|answer|response|reply|score|rating|grade|mark|overall|"
    r"te[jn]|tę|to|ta|ją|jej|go|odpowied(?:zi|ź|zią)|wypowiedzi|ocen[aęąy]|notę|wynik|na|w|jako|"
    r"diese[rn]?|die|der|antwort|eine?|mit|als|note|esta|la|le|respuesta|un[ao]?|con|de|nota)"
)
_GIVEN = re.compile(
    rf"\b{_GIVER}(?:[\s*_`\"„:]++{_LINK}\b){{0,6}}[\s*_`\"„:]++{_NUMBER}{_BEHIND}", re.IGNORECASE
)
_ANYWHERE = re.compile(_NUMBER, re.IGNORECASE)
# Behind this, in the same clause, a number is none that is given.
_DENIED = re.compile(
    rf"\b(?:not|never|cannot|\w{{1,8}}n['’]t|nie|no|nicht|kein\w{{0,3}}|if|whether|gdyby|jeśli)\b"
    rf"|\d\s*(?:{_OR}|a|i|o|y|und)\s*$",
    re.IGNORECASE,
)

_SECTION = re.compile(r"(?:\b(?:art|ust|pkt|nr|str|rozdz|no|p|section)\.?|§)\s*\Z", re.IGNORECASE)


def read_score(text: str, low: float, high: float) -> Score:
    r"""A score and its reason: score first or last, labelled, over a scale, in JSON.

    >>> read_score("**Ocena:** 4,5/5\nBrakuje terminu.", 1, 5)
    Score(value=4.5, reason='Brakuje terminu.')

    Args:
        low, high: the least and the greatest score; the scale in "4/5" must be the greatest.

    Raises:
        Unparsed: there is no score, or there are two, or it is out of range.
    """
    text = without_thinking(text)
    if not text:
        raise Unparsed("it is empty")
    if parsed := read_objects(text):
        return _score_in(parsed, low, high)
    found = next(_scores(text), None)
    if found is None:
        raise Unparsed("it holds no score, or several")
    value = _in_range(found, low, high)
    return Score(value, reason_around(text, found.start(), found.end()))


def _score_in(parsed: list[dict[str, Any]], low: float, high: float) -> Score:
    """The score of a reply's JSON, if there is one."""
    found = []
    for outer in parsed:
        inner = [value for value in outer.values() if isinstance(value, dict)]
        # {"evaluation": {"score": 4}}
        for value in (outer, {**outer, **inner[0]} if len(inner) == 1 else {}):
            if matches := _stated(value):
                found += [(match, reason_in(value)) for match in matches]
                break
    if len({_number(match) for match, _ in found}) != 1:
        raise Unparsed("its JSON holds no score, or several")
    match, reason = found[-1]
    return Score(_in_range(match, low, high), "" if _ALONE.fullmatch(reason) else reason)


def _stated(value: Mapping[str, Any]) -> list[re.Match[str]]:
    """What a JSON object says of the score: the final one, or all."""
    final = pick(value, FINALS)
    known = {plain(name) for name in SCORE_KEYS}
    found = [item for key, item in value.items() if plain_key(key) in known]
    texts = [
        str(item)
        for item in (found if final is None else [final])
        if isinstance(item, str | int | float) and type(item) is not bool
    ]
    return [match for text in texts if (match := _ALONE.fullmatch(text))]


def _scores(text: str) -> Iterator[re.Match[str]]:
    """Yield where the score may stand, the surest place first."""
    lines = [line.span() for line in re.finditer(r"(?m)^(?=[^\S\n]*+[^\n]).*", text)]
    if (match := _ALONE.fullmatch(text, *lines[0])) and not _is_item(text, match):
        yield match
    labelled = list(_LABELLED.finditer(text))
    finals = [match for match in labelled if _FINAL.match(match[0])]
    totals = [] if labelled else list(_TOTAL.finditer(text))
    # A total counts for more than the scores of parts before it.
    if surest := finals or labelled or totals:
        if len({_number(match) for match in surest}) > 1:
            return
        yield surest[0] if surest is labelled else surest[-1]
    for heading, line in pairwise(lines):
        if HEADING.fullmatch(text, *heading) and (match := _ALONE.fullmatch(text, *line)):
            yield match
    if lines[1:] and (match := _ALONE.fullmatch(text, *lines[-1])):
        yield match
    if (match := _FIRST.match(text)) and not _is_item(text, match):
        yield match
    scaled = list(_SCALED.finditer(text))
    given = list(_GIVEN.finditer(text)) if len(list(_ANYWHERE.finditer(text))) == 1 else []
    for matches in (scaled, given):
        sure = [match for match in matches if not _is_denied(text, match)]
        if sure and len({(_number(match), match["scale"]) for match in matches}) == 1:
            yield sure[0]


def _is_item(text: str, match: re.Match[str]) -> bool:
    """Whether a number at the start is that of a list's item: "1. Relevance: it is relevant."."""
    mark = re.compile(r"[*_`]*+[.):](?=\s)[ \t*_]*+").match(text, match.end("number"))
    if mark is None or not match["number"].isdecimal() or len(match["number"]) > 2:
        return False
    following = int(match["number"]) + 1
    another = re.compile(
        rf"(?:^|[\n.,;:!?])[ \t*_#>-]{{0,9}}{following}[.):][ \t\n*_]++\S|\s{following}\)\s"
    )
    if another.search(text, mark.end()):
        return True
    heading = re.compile(r"[^\W\d]\w*+(?:[ \t]+\w++){0,2}[*_]*+[:：]").match(text, mark.end())
    return heading is not None and not is_reason_label(text[mark.end() : heading.end()])


def _is_denied(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 200) : match.start()]
    return (
        _SECTION.search(before) is not None
        or _DENIED.search(re.split(r"[.,;:!?\n]", before)[-1]) is not None
    )


def _number(match: re.Match[str]) -> float:
    number, half = re.subn(r"\s*(?:½|\s1/2)$", "", match["number"])
    sign = -1 if number.startswith("-") else 1
    return float(number.replace(",", ".")) + sign * half / 2


def _in_range(match: re.Match[str], low: float, high: float) -> float:
    value = _number(match)
    scale = match["scale"]
    around = " ".join(match.groupdict().get(name) or "" for name in ("on_scale", "bracket"))
    if scale is None and (greatest := _GREATEST.search(around)):
        scale = greatest[1] or greatest[2]
    if scale is not None and float(scale) != high:
        raise Unparsed(f"its score is out of {scale[:9]}, not of {high:g}")
    if not low <= value <= high:
        raise Unparsed(f"its score {value:g} is not from {low:g} to {high:g}")
    return value
