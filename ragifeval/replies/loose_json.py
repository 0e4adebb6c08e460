"""JSON as models write it: in a fence, amid text, with commas too many, half Python."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from ragifeval.replies.parts import Unparsed, without_thinking

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_CURLY_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'"})
# "1": The Mac line includes laptops.,
_UNQUOTED = re.compile(r'(?m)^(\s*"[^"\n]+"\s*:\s*)(?!true|false|null)([^\W\d][^"\n]*?)(,?)\s*$')
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
