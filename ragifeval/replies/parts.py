"""The parts of a reply: what was thought before it, and what stands behind labels."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any


class Unparsed(ValueError):
    """A reply that does not say what it was asked for; the text says what is missing."""


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


def plain(text: str) -> str:
    """A label or key in the form in which it is compared: no case, diacritics or marks.

    >>> plain("**Odpowiedź_końcowa:**")
    'odpowiedz koncowa'
    """
    letters = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    return " ".join(re.findall(r"[a-z0-9]+", letters.encode("ascii", "ignore").decode()))


def pick(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of these keys, however it is written; None without any."""
    found = {plain(str(key)): item for key, item in value.items()}
    return next((found[plain(name)] for name in names if plain(name) in found), None)


FRAME = r"[\s#>*_`\"'„”“\-•|]*+"
"""What models put around a label: headings, bullets, bold, backticks, quotation marks.

Possessive, as is all that repeats in these patterns: a reply of nothing but stars is read in
linear time.
"""
_LINE_FRAME = FRAME.replace(r"\s", r" \t")


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
    names = {plain(label): name for name, found in labels.items() for label in found}
    # The longest first: "final answer" is not "final".
    ways = sorted((label for found in labels.values() for label in found), key=len, reverse=True)
    pattern = re.compile(
        rf"^{_LINE_FRAME}(?:\d++[.)])?{_LINE_FRAME}({'|'.join(map(re.escape, ways))})"
        r"[ \t]*+\d*+[*_`\" \t]*+[:：][*_`\" \t]*+",
        re.IGNORECASE | re.MULTILINE,
    )
    text = unicodedata.normalize("NFC", without_thinking(text))
    matches = list(pattern.finditer(text))
    found: dict[str, str] = {}
    for match, following in zip_longest(matches, matches[1:]):
        part = text[match.end() : following.start() if following is not None else None]
        part = part.strip().strip("*_`").strip()
        if part:
            found.setdefault(names[plain(match[1])], part)
    return found
