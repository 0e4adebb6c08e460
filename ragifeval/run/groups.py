"""The groups of questions by which scores and rates are told: from the records of a log."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

GROUPINGS = ("category", "kind", "documents", "length", "variant")
"""What questions are grouped by; length is that of the prompt, in thousands of characters."""


def groups_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (grouping, group) for each group that an answer's question is in."""
    if isinstance(category := record.get("category"), str):
        yield "category", category
    yield "variant", str(record.get("variant") or "core")
    kinds = record.get("kind")
    for kind in kinds if isinstance(kinds, list) else ():
        yield "kind", str(kind)
    context = record.get("context")
    if isinstance(context, list):
        yield "documents", _documents(len(context))
    length = record.get("prompt_chars")
    if type(length) is int and length >= 0:
        top = 4
        while length >= top * 1000:
            top *= 2
        yield "length", f"{top // 2 if top > 4 else 0}-{top}k"


def _documents(count: int) -> str:
    if count <= 8:
        return str(count)
    top = 1 << (count - 1).bit_length()
    return f"{top // 2 + 1}-{top}"


def ordered(grouping: str, groups: Iterable[str]) -> Sequence[str]:
    """Groups of numbers by number, the others by name."""
    if grouping in ("documents", "length"):
        return sorted(groups, key=lambda group: int(re.findall(r"\d+", group)[0]))
    return sorted(groups)
