"""A score or a verdict with its reason, in the shapes in which models give them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ragifeval.replies.labels import FINALS, REASONS, SCORES, SUMS, VERDICTS
from ragifeval.replies.loose_json import read_json
from ragifeval.replies.parts import FRAME, Unparsed, pick, without_thinking


@dataclass(frozen=True, slots=True)
class Score:
    """A number, and what else the reply says."""

    value: float
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, and what else the reply says."""

    value: bool
    reason: str


_LINE_FRAME = FRAME.replace(r"\s", r" \t")


def _either(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


# 4, 4.0, 4,5, 4/5, 4 out of 5, 4 von 5; no part of a date, a range, a sum or another number.
_NUMBER = (
    r"(?<![\d.,/+–-])(?<!\+ )(?P<number>-?\d+(?:[.,]\d+)?)"
    r"(?:\s*(?:/|out\s+of|na|z|of|von|aus|de|sobre)\s*(?P<scale>\d+)(?:[.,]0)?)?"
    r"(?![\d/]|[.,]\d|\s*[-–+]\s*\d)"
)
# 1 + 1 + 0 + 1 = 3
_SUM = r"(?:\d[\d.,]*+(?:\s*\+\s*\d[\d.,]*+)++\s*=[*_`\s]*+)?"
_POINTS = r"(?:\s*(?:points?|punkty|punktów|pkt|stars?|punkten?|puntos?|estrellas?|sternen?)\b)?"
_ALONE = re.compile(rf"{FRAME}{_NUMBER}{_POINTS}[\s*_`\"'.|]*+", re.IGNORECASE)
_LABELLED = re.compile(
    rf"(?:^|(?<=\W))(?:{_either(SCORES)})\b[*_`\"\s]*+(?:\([^)\n]{{0,60}}\))?[*_`\"\s]*+"
    rf"(?:[:：=—–-]|is|to|wynosi|ist|beträgt|es)[*_`\"\s(\[]*+{_SUM}{_NUMBER}{_POINTS}",
    re.IGNORECASE,
)
_FINAL = re.compile(_either(FINALS), re.IGNORECASE)
_TOTAL = re.compile(
    rf"^{_LINE_FRAME}(?:{_either(SUMS)})[*_`\" \t]*+[:：=][*_`\" \t]*+{_SUM}{_NUMBER}{_POINTS}",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(rf"{FRAME}(?:{_either(SCORES)}){FRAME}[:：]?{FRAME}", re.IGNORECASE)
_FIRST = re.compile(rf"{FRAME}{_NUMBER}{_POINTS}[*_`]*+\s*+(?:[-–—:;,.)]|\n|$)", re.IGNORECASE)
_ANYWHERE = re.compile(_NUMBER, re.IGNORECASE)
_REASON_LABEL = re.compile(
    rf"^{_LINE_FRAME}(?:{_either(REASONS)})(?:\s\([^)\n]{{0,60}}\))?[*_`]*+[ \t]*+"
    r"(?:[:：][*_`]*+|$)\s*+",
    re.IGNORECASE | re.MULTILINE,
)


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
    parsed = _object(text)
    if parsed is not None:
        value = pick(parsed, (*SCORES, *SUMS))
        match = _ALONE.fullmatch(str(value)) if type(value) is not bool else None
        if match is None:
            raise Unparsed("its JSON holds no score")
        reason = str(pick(parsed, REASONS) or "").strip()
        return Score(_in_range(match, low, high), "" if _ALONE.fullmatch(reason) else reason)
    found = next(_scores(text), None)
    if found is None:
        raise Unparsed("it holds no score, or several")
    return Score(_in_range(found, low, high), _reason(text, found.start(), found.end()))


def _scores(text: str) -> Iterator[re.Match[str]]:
    """Yield where the score may stand, the surest place first."""
    lines = [line.span() for line in re.finditer(r"(?m)^(?=[^\S\n]*+[^\n]).*", text)]
    if match := _ALONE.fullmatch(text, *lines[0]):
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
        if _HEADING.fullmatch(text, *heading) and (match := _ALONE.fullmatch(text, *line)):
            yield match
    if match := _ALONE.fullmatch(text, *lines[-1]):
        yield match
    if match := _FIRST.match(text):
        yield match
    numbers = list(_ANYWHERE.finditer(text))
    if len(numbers) == 1:
        yield numbers[0]


def _number(match: re.Match[str]) -> float:
    return float(match["number"].replace(",", "."))


def _in_range(match: re.Match[str], low: float, high: float) -> float:
    value = _number(match)
    scale = match["scale"]
    if scale is not None and float(scale) != high:
        raise Unparsed(f"its score is out of {scale}, not of {high:g}")
    if not low <= value <= high:
        raise Unparsed(f"its score {value:g} is not from {low:g} to {high:g}")
    return value


_YES, _NO = ("YES", "TAK", "TRUE", "PRAWDA"), ("NO", "NIE", "FALSE", "FAŁSZ")
_WORD = rf"(?P<word>{'|'.join((*_YES, *_NO))})"
_VERDICT_ALONE = re.compile(rf"{FRAME}{_WORD}[\s*_`\"'.,!|]*+", re.IGNORECASE)
_VERDICT_LABELLED = re.compile(
    rf"(?:^|(?<=\W))(?:{_either(VERDICTS)})\b[*_`\"\s]*+[:：=—–-][*_`\"\s]*+{_WORD}\b",
    re.IGNORECASE | re.MULTILINE,
)
_VERDICT_FIRST = re.compile(rf"{FRAME}{_WORD}\b", re.IGNORECASE)
_VERDICT_SHOUTED = re.compile(r"\b(?P<word>YES|TAK|NO|NIE)\b")
# The choice itself, repeated before it is made.
_CHOICE = re.compile(r"\b(yes|tak)\s*(/|or|lub|albo|czy)\s*(no|nie)\b", re.IGNORECASE)


def read_verdict(text: str) -> Verdict:
    """A verdict and its reason: YES or NO, TAK or NIE; first or last, labelled, in JSON.

    >>> read_verdict("TAK. Kontekst to potwierdza.")
    Verdict(value=True, reason='Kontekst to potwierdza.')

    Raises:
        Unparsed: there is no verdict, or there are both.
    """
    text = _CHOICE.sub("", without_thinking(text))
    parsed = _object(text)
    if parsed is not None:
        value = pick(parsed, VERDICTS)
        match = _VERDICT_ALONE.fullmatch(str(value))
        if match is None:
            raise Unparsed("its JSON holds neither YES nor NO")
        return Verdict(_is_yes(match), str(pick(parsed, REASONS) or "").strip())
    found = next(_verdicts(text), None)
    if found is None:
        raise Unparsed("it says neither YES nor NO, or both")
    return Verdict(_is_yes(found), _reason(text, found.start(), found.end()))


def _verdicts(text: str) -> Iterator[re.Match[str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return
    if _VERDICT_ALONE.fullmatch(lines[0]) and (match := _VERDICT_FIRST.match(text)):
        yield match
    labelled = list(_VERDICT_LABELLED.finditer(text))
    if labelled:
        if len({_is_yes(match) for match in labelled}) == 1:
            yield labelled[0]
        return
    if match := _VERDICT_FIRST.match(text):
        yield match
    if match := _VERDICT_ALONE.fullmatch(text, text.rindex(lines[-1])):
        yield match
    shouted = list(_VERDICT_SHOUTED.finditer(text))
    if len({_is_yes(match) for match in shouted}) == 1:
        yield shouted[0]


def _is_yes(match: re.Match[str]) -> bool:
    return match["word"].upper() in _YES


def _object(text: str) -> dict[str, Any] | None:
    """The reply's JSON object, where it is one."""
    if "{" not in text:
        return None
    try:
        value = read_json(text)
    except Unparsed:
        return None
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    return value if isinstance(value, dict) else None


def _reason(text: str, start: int, end: int) -> str:
    """What the reply says besides its score: what is labelled so, or stands behind, or before."""
    after = text[end:].strip().lstrip("*_`\"'.,:;|)–— -").strip()
    before = text[:start].strip().rstrip("*_`\"'|#").strip()
    head, _, last = before.rpartition("\n")
    before = head.strip() if _HEADING.fullmatch(last) else before
    for part in (before, after):
        label = _REASON_LABEL.search(part)
        if label and (reason := part[label.end() :].strip()):
            return reason
    return after or before
