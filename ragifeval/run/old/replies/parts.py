"""The parts of a reply: what was thought before it, and what stands behind labels."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from ragifeval.run.structured import Unparsed as Unparsed

# Letters that Unicode takes for letters of their own. Patterns take the dotless i for an i.
_UNDECOMPOSED = str.maketrans({"ł": "l", "ı": "i"})
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_TAG = re.compile(r"<(/?)(?:think|thinking|thoughts?|reasoning)>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    r"""The reply without what the model thought before it; empty where it thought to the end.

    >>> without_thinking("<think>Raczej 3.</think>\n4")
    '4'
    """
    kept: list[str] = []
    begin, is_thinking = 0, False
    for tag in _TAG.finditer(text):
        if tag[1] and not is_thinking:
            kept.clear()  # the chat template had opened it
        elif not tag[1] and not is_thinking:
            kept.append(text[begin : tag.start()])
        begin, is_thinking = tag.end(), not tag[1]
    if not is_thinking:
        kept.append(text[begin:])
    return "".join(kept).strip()


@lru_cache(4_096)
def plain(text: str) -> str:
    """A label or key in the form in which it is compared: no case, diacritics or marks.

    >>> plain("**Odpowiedź_końcowa:**")
    'odpowiedz koncowa'
    """
    letters = unicodedata.normalize("NFKD", text.casefold().translate(_UNDECOMPOSED))
    return " ".join(re.findall(r"[a-z0-9]+", letters.encode("ascii", "ignore").decode()))


def plain_key(key: object) -> str:
    """A key in the form in which it is compared, camelCase as its words.

    >>> plain_key("finalScore")
    'final score'
    """
    return plain(_HUMP.sub(" ", str(key)))


def pick(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of these keys, however it is written; None without any."""
    found = {
        way(key): item
        for way in (plain_key, lambda key: plain(str(key)))
        for key, item in value.items()
    }
    return next((found[plain(name)] for name in names if plain(name) in found), None)


FRAME = r"[\s#>*_`\"'„”“\-•|]*+"
"""What models put around a label: headings, bullets, bold, backticks, quotation marks.

Possessive, as is all that repeats in these patterns: a reply of nothing but stars is read in
linear time.
"""
# At the start of a line, before a label: any sign at all, as models like emoji there.
_LINE_FRAME = r"(?:[^\w\n]|_)*+"
_CLOSING = r"[*_`\"'\])}|> \t]*+"
# Pytanie 1, Question #2, Frage (leicht)
_NUMBERED = r"(?:[ \t]*+(?:nr\.?|no\.?|#)?[ \t]*+\d++)?(?:[ \t]*+\([^()\n]{0,60}\))?"


def read_labels(text: str, labels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    r"""Parts that begin with a label at the start of a line.

    >>> read_labels("**Pytanie 1:** Ile?\n- Answer: 30 zł", {"q": ["pytanie"], "a": ["answer"]})
    {'q': 'Ile?', 'a': '30 zł'}

    Args:
        labels: name -> the labels that stand for it, in any language.

    Returns:
        name -> the text up to the next label; only the names that were found. Of a label that
        comes twice, the first part.
    """
    found: dict[str, str] = {}
    for name, part in read_parts(text, labels)[1:]:
        if part:
            found.setdefault(name, part)
    return found


def read_parts(text: str, labels: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    r"""All parts of a reply in order, each with the name of its label.

    A label ends with a colon, or stands on a line of its own.

    >>> read_parts("Oto wynik\n### Pytanie\nIle?", {"q": ["pytanie"]})
    [('', 'Oto wynik'), ('q', 'Ile?')]

    Returns:
        (name, text up to the next label), either of which may be empty; the first is what stands
        before all labels, and has no name.
    """
    names = {plain(label): name for name, found in labels.items() for label in found}
    # The longest first: "final answer" is not "final".
    ways = sorted((label for found in labels.values() for label in found), key=len, reverse=True)
    pattern = re.compile(
        rf"^(?P<frame>{_LINE_FRAME}(?:\d++[.)])?{_LINE_FRAME})"
        rf"(?P<label>{'|'.join(map(re.escape, ways))})(?![^\W\d_])"
        rf"{_NUMBERED}(?P<closing>{_CLOSING})(?:[:：]++|(?<=\d)[.)]|$)",
        re.IGNORECASE | re.MULTILINE,
    )
    text = unicodedata.normalize("NFC", without_thinking(text))
    matches = list(pattern.finditer(text))
    parts = [("", text[: matches[0].start() if matches else None].strip())]
    for match, following in zip_longest(matches, matches[1:]):
        part = text[match.end() : following.start() if following is not None else None]
        name = names[plain(match["label"])]
        parts.append((name, _unmarked(part, match["frame"], match["closing"])))
    return parts


def _unmarked(part: str, frame: str, closing: str) -> str:
    """A part without the marks that its label left there, or that enclose it whole."""
    part = part.strip()
    marks = frame[len(frame.rstrip('*_`"')) :]
    if marks and not closing.strip():  # **Label:** part, or **Label: part**
        first, newline, rest = part.partition("\n")
        if first.startswith(marks):
            first = first.removeprefix(marks)
        elif first.endswith(marks):
            first = first.removesuffix(marks)
        part = (first + newline + rest).strip()
    return unwrapped(part.removesuffix("```").strip(), ("**", "**"), ("*", "*"), ("`", "`"))


def unwrapped(text: str, *pairs: tuple[str, str]) -> str:
    r"""A text without the marks that enclose it whole, unless they stand inside, too.

    >>> unwrapped("„Lalka”", ("„", "”")), unwrapped("„Lalka” i „Faraon”", ("„", "”"))
    ('Lalka', '„Lalka” i „Faraon”')
    """
    for opening, closing in pairs:
        inside = text[len(opening) : -len(closing)]
        if text == opening + inside + closing and opening not in inside and closing not in inside:
            text = inside.strip()
    return text
