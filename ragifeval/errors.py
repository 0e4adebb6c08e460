"""The one exception that reaches the user as a line instead of a traceback."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

_LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# What is quoted in an error may be a line of 100 MB.
_LONGEST, _END = 1_000, 250


class UserError(Exception):
    """Something that the user can mend: a wrong option, config, data file or key.

    Its text is one line: what is wrong, where (file, line, key), what would be right. cli.py
    prints it and exits with 2. Control characters, which only what is quoted can hold, become
    spaces; what is too long for a line is left out of the middle.
    """

    def __init__(self, text: str) -> None:
        text = _LINE_BREAKS.sub(" ", text)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - _END]} ... {text[-_END:]}"
        super().__init__(text)


def unknown(name: str, known: Iterable[str], what: str = "setting") -> str:
    """Say that a name is none of those that are known, and which one was probably meant."""
    names = sorted(known)
    near = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(names)}"
    return f"unknown {what} {name!r}; {hint}"
