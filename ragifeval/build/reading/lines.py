"""Lines as a page shows them -> paragraphs: words and sentences torn apart are joined."""

import re
from collections.abc import Iterable
from itertools import pairwise

_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’»)\]]*$")
_ITEM = re.compile(
    r"(?:[-–—•·▪◦‣*§]|\(?(?:\d{1,3}|[^\W\d_]{1,2})\)|(?:\d{1,3}|[A-Z]|[IVX]{2,5})\.)(?:\s|$)"
)
_TORN_WORD = re.compile(r"[^\W\d_][-‐]$")
# "Vor- und Nachname": the hyphen is the word's own.
_CONJUNCTION = re.compile(r"(?:und|oder|bis|bzw|i|lub|oraz|and|or|to|y|o)\b")
# How full a line must be to go on in the next one: if that begins with a small letter, or not.
_RATHER_FULL, _FULL = 0.6, 0.8
# Narrower pages tell nothing about how wide a line of running text is.
_NARROW = 40


def join_lines(text: str) -> str:
    """Join the lines of each paragraph; a blank line stays one.

    A line goes on in the next one if it is about as wide as the page and no sentence ends with it,
    or if a small letter follows; never before the item of a list.
    """
    lines = [" ".join(line.split()) for line in text.split("\n")]
    widest = max(map(len, lines))
    parts = lines[:1]
    for before, line in pairwise(lines):
        fullness = len(before) / widest if widest >= _NARROW else 0
        parts[-1], between = _joint(parts[-1], line, fullness)
        parts += [between, line]
    return re.sub("\n{3,}", "\n\n", "".join(parts)).strip()


def join_pages(pages: Iterable[str]) -> tuple[str, tuple[int, ...]]:
    """Join pages, a sentence or word that is torn apart too.

    Returns:
        The text, and where each page begins in it, in characters.
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    last = None
    for page in pages:
        if page and last is not None:
            kept, between = _joint(parts[last], page, _RATHER_FULL)
            length += len(kept) - len(parts[last])
            parts[last] = kept
            between = "\n\n" if between == "\n" else between
            parts.append(between)
            length += len(between)
        starts.append(length)
        if page:
            last = len(parts)
            parts.append(page)
            length += len(page)
    return "".join(parts), tuple(starts)


def _joint(before: str, after: str, fullness: float) -> tuple[str, str]:
    """What is kept of what stands before, and what stands between it and what follows."""
    if not before or not after or _ITEM.match(after):
        return before, "\n"
    if _TORN_WORD.search(before):
        if after[0] in "-‐" and after[1:2].isalpha():
            # Polish writes the hyphen of "biało-czerwony" on either line.
            return before[:-1], ""
        if after[0].islower():
            return (before, " ") if _CONJUNCTION.match(after) else (before[:-1], "")
    is_over = _SENTENCE_END.search(before) is not None
    if after[0].islower():
        # A full line may end with an abbreviation.
        goes_on = fullness >= (_FULL if is_over and before[-1] == "." else _RATHER_FULL)
        return before, " " if goes_on and before[-1] not in ":;!?" else "\n"
    return before, " " if fullness >= _FULL and not is_over else "\n"
