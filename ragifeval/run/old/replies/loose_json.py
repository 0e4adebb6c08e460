"""JSON as models write it: in a fence, amid text, with commas too many, half Python."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from ragifeval.run.old.replies.parts import Unparsed, without_thinking

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
# One that nothing closes goes on to the end: else each quotation mark would be tried so far.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_SIGN = re.compile(r'[{}"]|\\.', re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_CURLY_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'"})
# "1": The Mac line includes laptops.,
_UNQUOTED = re.compile(
    r'(?m)^([^\S\n]*+"[^"\n]+"\s*:\s*)(?!true|false|null)([^\W\d][^"\n]*?)(,?)[^\S\n]*$'
)
# Braces of a long text that may begin the object are tried up to this many.
_TRIED = 200


def read_json(text: str) -> Any:
    r"""The object or array of a reply; where it gives several, the last one.

    >>> read_json('Oto wynik:\n```json\n{"a": [1, 2,],}\n```')
    {'a': [1, 2]}

    Raises:
        Unparsed: there is none.
    """
    text = without_thinking(text)
    for candidate in _candidates(text):
        for tidied in _tidied(candidate):
            for read in _READERS:
                value = read(tidied)
                if isinstance(value, dict | list) and value:
                    return value
    raise Unparsed("it holds no JSON object")


def read_objects(text: str) -> list[dict[str, Any]]:
    """All objects of a reply, those that follow each other or stand in an array; none without any.

    >>> read_objects('Draft: {"a": 0,} Corrected: {"a": 1}')
    [{'a': 0}, {'a': 1}]
    """
    text = without_thinking(text)
    spans = [*islice(_spans(text), _TRIED + 1)]
    found = []
    for span in spans if 1 < len(spans) <= _TRIED else [text] * ("{" in text):
        with suppress(Unparsed):
            value = read_json(span)
            found += value if isinstance(value, list) else [value]
    return [value for value in found if isinstance(value, dict)]


def _spans(text: str) -> Iterator[str]:
    """Yield what stands between outermost braces, whether it can be read or not."""
    start, depth, is_string = 0, 0, False
    for sign in _SIGN.finditer(text):
        if sign[0] == '"':
            is_string = depth > 0 and not is_string
        elif sign[0] == "{" and not is_string:
            start, depth = start if depth else sign.start(), depth + 1
        elif sign[0] == "}" and not is_string and depth:
            depth -= 1
            if depth == 0:
                yield text[start : sign.end()]


def _candidates(text: str) -> Iterator[str]:
    """Yield what may be the JSON, the likeliest first."""
    yield text
    yield from reversed([match[1].strip() for match in _FENCE.finditer(text)])
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            yield text[start : end + 1]
    yield from reversed(list(_outermost(text)))


def _outermost(text: str) -> Iterator[str]:
    """Yield the objects that follow each other in a text."""
    decoder = json.JSONDecoder(strict=False)
    end = 0
    for brace in [*re.finditer(r"\{", text)][:_TRIED]:
        if brace.start() < end:
            continue
        try:
            _, end = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        yield text[brace.start() : end]


def _tidied(text: str) -> Iterator[str]:
    """Yield the text as it is, then with more and more of it mended."""
    yield text
    yield _mended(text)
    yield _mended(_UNQUOTED.sub(r'\1"\2"\3', text))
    yield _mended(text.translate(_CURLY_QUOTES))


def _mended(text: str) -> str:
    """Without comments and the commas that are one too many; strings stay as they are."""
    between, strings = _STRING.split(text), _STRING.findall(text)
    between = [_TRAILING_COMMA.sub(r"\1", _COMMENT.sub("", part)) for part in between]
    return "".join(part + string for part, string in zip(between, [*strings, ""], strict=True))


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False, parse_constant=lambda name: None)
    except (ValueError, RecursionError):
        return None


def _python(text: str) -> Any:
    """What a model that thinks in Python writes: 'single quotes', True, None, {a set}."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


_READERS: tuple[Callable[[str], Any], ...] = (_json, _python)
