"""Phrases, however they are listed."""

import re
from typing import Any

from ragifeval.build.replies.refusals import is_refusal
from ragifeval.build.replies.tidying import QUOTES, any_json, strings_in, text_of, tidy, unfenced
from ragifeval.build.replies.wording import (
    PHRASES,
    is_introduction,
    is_nothing,
    is_placeholder,
    is_remark,
)
from ragifeval.run.old.replies import Unparsed
from ragifeval.run.old.replies.parts import unwrapped

MOST_WORDS = 6
"""Between commas or on lines without bullets, more words than these are no phrase but prose."""

_LABEL = re.compile(
    rf"\A[^\w\n]*+(?:{'|'.join(map(re.escape, PHRASES))})[*_ \t]*+[:：]++[*_]*+\s*+", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"„“«`]([^\"„”“«»`\n]++)[\"”“»`]")
_BETWEEN = re.compile(r"(?:[\W_]|\b(?:and|oraz|und|i|y|e)\b)*+", re.IGNORECASE)
_MARK = re.compile(r"[ \t>]*+(?:[-*•–·▪●][ \t]++|\(?\d{1,2}[.)][ \t]++)")
# **30 zł**: the fee
_LEADING = re.compile(r"\*\*([^*\n]++)\*\*(?!\w)|[\"„“«`]([^\"„”“«»`\n]++)[\"”“»`]")
_NOTE = re.compile(r"[ \t]\([^()\n]*+\)\Z")
_COMMAS = re.compile(r"[,;][ \t]+|[,;]$")


def read_phrases(reply: str) -> list[str]:
    r"""Short phrases: a JSON list, a list of lines, in quotation marks, or between commas.

    >>> read_phrases('- "30 zł"\n- 7 dni.')
    ['30 zł', '7 dni']

    Returns:
        An empty list where it says that there is none: "[]", "None".

    Raises:
        Unparsed: it lists nothing, or only what the prompt showed.
    """
    text = text_of(reply)
    value = any_json(text)
    if value is not None:
        phrases = strings_in(value, PHRASES)
        is_none = not phrases and _holds_empty_list(value)
    else:
        text = unfenced(text)
        is_none = is_nothing(_LABEL.sub("", text))
        phrases = [] if is_none or is_refusal(text) else _listed(text)
    if is_none or (phrases and all(map(is_nothing, phrases))):
        return []
    found: dict[str, str] = {}
    for phrase in phrases:
        phrase = " ".join(unwrapped(tidy(phrase).rstrip(".,;: "), *QUOTES).rstrip(".,; ").split())
        if not is_placeholder(phrase) and not is_nothing(phrase):
            found.setdefault(phrase.casefold(), phrase)
    if not found:
        raise Unparsed("it proposes no phrase")
    return list(found.values())


def _holds_empty_list(value: Any) -> bool:
    rest = [value]
    while rest:
        value = rest.pop()
        if value == []:
            return True
        if isinstance(value, dict | list | tuple):
            rest += value.values() if isinstance(value, dict) else value
    return False


def _listed(text: str) -> list[str]:
    if text.startswith("[") and "]" not in text:
        raise Unparsed("its list is cut off")
    text = _LABEL.sub("", text)
    lines = [line for line in text.splitlines() if line.strip()]
    items = [line[mark.end() :].strip() for line in lines if (mark := _MARK.match(line))]
    if items:
        return [_item(item) for item in items]
    lines = [line for line in lines if not (is_introduction(line) or is_remark(line))]
    joined = "\n".join(lines)
    if _BETWEEN.fullmatch(_QUOTED.sub("", joined)):
        return [quoted[1] for quoted in _QUOTED.finditer(joined)]
    if len(lines) == 1:
        lines = _COMMAS.split(unwrapped(_LABEL.sub("", joined).strip(), ("[", "]")))
    if any(len(line.split()) > MOST_WORDS for line in lines):
        raise Unparsed("it is prose, not a list of phrases")
    return lines


def _item(item: str) -> str:
    """The phrase of a line that may go on to explain it."""
    leading = _LEADING.match(item)
    return (leading[1] or leading[2]) if leading else _NOTE.sub("", item)
