"""What all readers do to a reply first, and to a part of it at last; the texts in its JSON."""

import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ragifeval.build.replies.wording import without_remarks
from ragifeval.run.old.replies import Unparsed, plain, read_json, without_thinking
from ragifeval.run.old.replies.parts import unwrapped

LONGEST = 20_000
"""A reply of more characters, its thinking aside, is not read: a few lines were asked for."""
QUOTES = (('"', '"'), ("„", "”"), ("„", "“"), ("“", "”"), ("«", "»"), ("`", "`"))

_TOKENS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|<eos>|\u200b|\ufeff"
)
# What JSON may write with an escape, and a file of text may not hold.
_UNSOUND = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_FENCE = re.compile(r"\A```\w*+[ \t]*+\n(.*?)(?:\n[ \t]*+```.*)?\Z", re.DOTALL)
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)([^*\n]++)(?<=\S)\*\*(?!\w)")
_ITEM = re.compile(r"\A[-*•–][ \t]+")
_OBJECT = re.compile(r"(?:```\w*\s*)?\[?\s*\{\s*[\"'„“]")
# Not the brackets of a citation amid a sentence.
_JSON = re.compile(r"(?:^|[:：])[ \t]*+[\[{]", re.MULTILINE)
# A reply has no use for so many lists; what goes on after them may be nonsense, and take long.
_TRIED = 200
_DECODER = json.JSONDecoder(strict=False)


def sound(text: str) -> str:
    """The text with control characters and halves of surrogate pairs replaced."""
    return _UNSOUND.sub("\ufffd", text)


def text_of(reply: str) -> str:
    """The reply without what was thought before it, and without tokens that mark its end.

    Raises:
        Unparsed: it is empty, or too long.
    """
    text = sound(_TOKENS.sub("", without_thinking(reply))).strip()
    if len(text) > LONGEST:
        raise Unparsed(f"it is longer than {LONGEST} characters")
    if not text:
        raise Unparsed("it is empty")
    return text


def unfenced(text: str) -> str:
    """What stands in the fence that a reply begins with."""
    return _FENCE.sub(r"\1", text).strip()


def tidy(part: str) -> str:
    """A part without remarks behind it, and marks or quotation marks around it."""
    part = _BOLD.sub(r"\1", without_remarks(part.strip()))
    if "\n" not in part:
        part = _ITEM.sub("", part)
    if part.count("**") % 2:  # one half of it went with the label
        part = part.removeprefix("**").removesuffix("**")
    return unwrapped(part.strip(), ("**", "**"), ("*", "*"), *QUOTES)


def first_json(text: str) -> Any:
    """The JSON object of a reply, the first where there are several; None without any.

    Raises:
        Unparsed: the reply begins as JSON that ends too early.
    """
    start = text.find("{")
    if start < 0:
        return None
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        is_object = _OBJECT.match(text) is not None
    try:
        return read_json(text)
    except Unparsed:
        if is_object:
            raise Unparsed("its JSON cannot be read") from None
        return None


def any_json(text: str) -> Any:
    """The JSON of a reply, a list of it where there are several; None without any."""
    values: list[Any] = []
    end = 0
    for match in islice(_JSON.finditer(text), _TRIED):
        if match.end() > end:
            try:
                value, end = _DECODER.raw_decode(text, match.end() - 1)
            except (ValueError, RecursionError):
                continue
            values.append(value)
    if values:
        return values
    try:
        return read_json(text) if _JSON.search(text) else None
    except Unparsed:
        return None


def strings_in(value: Any, names: Iterable[str] = ()) -> list[str]:
    """The texts in JSON, in order; of an object with some of these keys those alone.

    Args:
        names: keys; a number behind one does not count.
    """
    wanted = {plain(name) for name in names}
    strings: list[str] = []
    rest = [value]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            keys = {key: plain(str(key)).rstrip(" 0123456789") for key in value}
            named = [inner for key, inner in value.items() if keys[key] in wanted]
            rest += reversed(named or list(value.values()))
        elif isinstance(value, list | tuple):
            rest += reversed(value)
        elif isinstance(value, str) or type(value) in (int, float):
            strings.append(sound(str(value)))
    return [string for string in strings if string.strip()]
