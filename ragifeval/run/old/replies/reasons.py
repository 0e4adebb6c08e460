"""What a reply says besides its score or verdict."""

import re
from collections.abc import Mapping
from typing import Any

from ragifeval.run.old.replies.labels import REASONS, SCORES, either
from ragifeval.run.old.replies.parts import FRAME, pick

LINE_FRAME = FRAME.replace(r"\s", r" \t")
HEADING = re.compile(rf"{FRAME}(?:{either(SCORES)}){FRAME}[:：]?{FRAME}", re.IGNORECASE)
_REASON_LABEL = re.compile(
    rf"^{LINE_FRAME}(?:{either(REASONS)})(?:\s\([^)\n]{{0,60}}\))?[*_`]*+[ \t]*+"
    r"(?:[:：][*_`]*+|$)\s*+",
    re.IGNORECASE | re.MULTILINE,
)


def reason_around(text: str, start: int, end: int) -> str:
    """What is labelled so, or stands behind the score at `start` to `end`, or before it."""
    after = text[end:].strip().lstrip("*_`\"'.,:;|)–— -").strip()
    before = text[:start].strip().rstrip("*_`\"'|#").strip()
    head, _, last = before.rpartition("\n")
    before = head.strip() if HEADING.fullmatch(last) else before
    for part in (before, after):
        label = _REASON_LABEL.search(part)
        if label and (reason := part[label.end() :].strip()):
            return reason
    return after or before


def reason_in(value: Mapping[str, Any]) -> str:
    """The reason that a JSON object gives."""
    reason = pick(value, REASONS) or ""
    try:
        return str(reason).strip()
    except RecursionError:
        return ""


def is_reason_label(text: str) -> bool:
    """Whether a text begins with a label of a reason."""
    return _REASON_LABEL.match(text) is not None
