"""A CSV file as some spreadsheet saved it: whatever its separator, encoding and ends of lines."""

import codecs
import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragifeval.errors import UserError
from ragifeval.jsonl import abbreviate as shown

# Excel separates by semicolons where a comma parts a number from its decimals, and by tabs in
# "Unicode text".
_SEPARATORS = ",;\t"
# What Excel writes in Poland and in Western Europe where UTF-8 was not asked for.
_OLD_ENCODINGS = ("cp1250", "cp1252")

_LONGEST_HEADER = 10_000
_ANEW = "save the table as 'CSV UTF-8' anew"


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table: the number of the line where it begins, and its cells by column."""

    number: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file that are not empty.

    Attributes:
        encoding: that the file was read in.
    """

    lines: Sequence[Line]
    encoding: str


def read_table(path: Path, needed: Collection[str], letters: Collection[str] = ()) -> Table:
    """Read a CSV file whose first line names its columns.

    Args:
        needed: columns that must be there; the separator is the one that shows them.
        letters: those of the texts that are expected: they tell which old encoding it is in.

    Raises:
        UserError: the file cannot be read, is no table, or lacks a column.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    text, encoding = _decoded(path, content, letters)
    names, separator = _header(path, text, needed)
    lines = []
    for number, cells in _records(path, text, separator):
        if not any(cell.strip() for cell in cells):
            continue
        # Behind the last column a spreadsheet may leave empty ones.
        if len(cells) < len(names) or any(cells[len(names) :]):
            raise UserError(
                f"{path}:{number}: has {len(cells)} cells, the header {len(names)}; {_ANEW}"
            )
        lines.append(Line(number, dict(zip(names, cells, strict=False))))
    return Table(lines, encoding)


def _records(path: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (the line where it begins, cells) of each row below the header."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 1
    try:
        next(rows)
        number = rows.line_num + 1
        for cells in rows:
            yield number, cells
            number = rows.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path}:{number}: is not valid CSV: {error}; {_ANEW}") from None


def _header(path: Path, text: str, needed: Collection[str]) -> tuple[list[str], str]:
    """The names of the columns, and the separator with which they make sense."""
    # Of a file that is none, the first line may be all there is.
    start = io.StringIO(text[:_LONGEST_HEADER], newline="").readline()
    for separator in _SEPARATORS:
        first = next(csv.reader([start], delimiter=separator), [])
        names = [name.strip().lower() for name in first]
        while names and not names[-1]:
            names.pop()
        if set(needed) <= set(names):
            twice = next((name for name in names if name and names.count(name) > 1), None)
            if twice is None:
                return names, separator
            raise UserError(f"{path}:1: has two columns {shown(twice)}; leave one of them")
    wanted = " and ".join(map(repr, needed))
    raise UserError(
        f"{path}:1: the first line must name the columns {wanted}, not "
        f"{start.strip()!r:.80}; {_ANEW}, with its header"
    )


def _decoded(path: Path, content: bytes, letters: Collection[str]) -> tuple[str, str]:
    """(text, encoding); of the old encodings, the one that gives most of the letters."""
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoded = _try(content, ["utf-16"] if is_utf16 else ["utf-8-sig"])
    if not decoded and not is_utf16:
        decoded = sorted(
            _try(content, _OLD_ENCODINGS),
            key=lambda item: -sum(not letter.isascii() and letter in letters for letter in item[0]),
        )
    if not decoded:
        raise UserError(f"{path}: is no text in UTF-8, UTF-16, cp1250 or cp1252; {_ANEW}")
    return decoded[0]


def _try(content: bytes, encodings: Iterable[str]) -> list[tuple[str, str]]:
    """(text, encoding) for each encoding in which the bytes mean something."""
    decoded = []
    for encoding in encodings:
        try:
            decoded.append((content.decode(encoding), encoding))
        except UnicodeDecodeError:
            continue
    return decoded
