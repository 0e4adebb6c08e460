"""What stands in the cells of review.csv, and what a person may make of it.

A cell holds text with ends of lines as they are on Unix, and nothing that a spreadsheet computes.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Literal

Verdict = Literal["accept", "reject", ""]
"""Empty: still open."""

# Of 32,767 characters (of UTF-16) Excel moves the rest to a row of its own; guards need some, too.
MOST_IN_CELL = 30_000

# Where a formula may begin: at the start of a cell, and behind whatever a spreadsheet may take for
# the end of one. With a semicolon as its separator, Excel opens a file of commas in the same way.
_BEFORE = '(^|[;,\t\n])([ "\u00a0\u3000]*)'
_BEHIND = "(?=[=+\\-@＝＋－＠])"
_TO_GUARD = re.compile(f"{_BEFORE}('*){_BEHIND}")
_GUARDED = re.compile(f"{_BEFORE}'('*){_BEHIND}")


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe stands before its `=`."""
    return _TO_GUARD.sub(r"\1\2'\3", text)


def unguarded(cell: str) -> str:
    """The text of which guarded() made the cell; one that a person wrote without it stays."""
    return _GUARDED.sub(r"\1\2\3", cell)


def plain_lines(text: str) -> str:
    r"""The text with "\n" for every end of line, and half of a surrogate pair as its escape."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def cut_to_cell(text: str) -> str:
    """The beginning of a text, as much of it as a spreadsheet takes."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * MOST_IN_CELL:
        return text
    return units[: 2 * MOST_IN_CELL].decode("utf-16-le", "ignore") + "…"


def phrases_cell(phrases: Sequence[str | Sequence[str]]) -> str:
    r"""Phrases as one text: an entry a line, " | " between alternatives, `\|` for a bar in one."""
    entries = [[entry] if isinstance(entry, str) else entry for entry in phrases]
    return "\n".join(
        " | ".join(" ".join(phrase.split()).replace("|", r"\|") for phrase in entry)
        for entry in entries
    )


def parse_phrases(cell: str) -> tuple[str | tuple[str, ...], ...]:
    """Read what phrases_cell() writes; what is empty is left out."""
    entries: list[str | tuple[str, ...]] = []
    for line in cell.split("\n"):
        parts = (part.replace(r"\|", "|").strip() for part in re.split(r"(?<!\\)\|", line))
        phrases = tuple(part for part in parts if part)
        if phrases:
            entries.append(phrases[0] if len(phrases) == 1 else phrases)
    return tuple(entries)


def is_same(cell: str, written: str, encoding: str) -> bool:
    """Whether a cell holds what was written, white space at its ends aside.

    Args:
        encoding: of the file. Letters that it lacks, a spreadsheet replaced by some other.
    """
    cell, written = cell.strip(), written.strip()
    if cell == written or encoding.startswith("utf"):
        return cell == written
    pattern = "".join(
        re.escape(letter) if letter.encode(encoding, "ignore") else ".{1,2}" for letter in written
    )
    return re.fullmatch(pattern, cell, re.DOTALL) is not None


def mark(cells: Iterable[str]) -> str:
    """Twelve letters that tell whether any of the cells was changed; no spreadsheet's number."""
    digest = sha256(json.dumps([cell.strip() for cell in cells]).encode()).digest()
    return "".join(chr(ord("a") + byte % 16) for byte in digest[:12])


# In Polish, English, German and Spanish, without the marks of letters.
_SPELLINGS: Mapping[Verdict, str] = {
    "accept": (
        "accept accepted ok okay yes y keep true x 1 ✓ ✔ "
        "tak t akceptuj akceptuje zaakceptowane zaakceptowano przyjmij przyjete prawda "
        "ja j annehmen angenommen akzeptieren akzeptiert wahr "
        "si s aceptar acepto aceptado aceptada verdadero"
    ),
    "reject": (
        "reject rejected no n drop false 0 ✗ ✘ "
        "nie odrzuc odrzucam odrzucone odrzucono falsz "
        "nein ablehnen abgelehnt verwerfen verworfen falsch "
        "rechazar rechazo rechazado rechazada falso"
    ),
}
_VERDICTS: Mapping[str, Verdict] = {
    spelling: verdict for verdict, spellings in _SPELLINGS.items() for spelling in spellings.split()
}


def parse_verdict(cell: str) -> Verdict | None:
    """The verdict "accept", "reject" or "" for a cell in one of four languages; None for others."""
    letters = unicodedata.normalize("NFD", cell.strip(" \t\n\r\u00a0.!'\"").lower())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _VERDICTS.get(bare.replace("ł", "l")) if bare else ""
