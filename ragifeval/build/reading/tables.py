"""CSV, TSV, JSON Lines and JSON: a Source for each row."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import NoReturn

from ragifeval.build.reading.text import LARGEST_TEXT, UnreadableError, decode, one_line, tidy
from ragifeval.build.records import Source

TEXT_COLUMNS = ("contents", "content", "text", "treść")
"""The first of these that a table has is its text; without any, each column is a line of it."""
TITLE_COLUMNS = ("title", "tytuł")

_DELIMITERS = ",;\t|"
_ROWS_LOOKED_AT = 20


def read_table(data: bytes, file: str) -> list[Source]:
    """The rows below the header of a CSV or TSV file, numbered from 1."""
    text = decode(data)
    delimiter = "\t" if file.lower().endswith(".tsv") else _delimiter(text)
    try:
        rows = list(_rows(text, delimiter))
    except csv.Error as error:
        raise UnreadableError(f"is no CSV that can be read: {one_line(error)}") from None
    if not rows:
        raise UnreadableError("holds no text")
    header = [name.strip() for name in rows[0]]
    return list(_sources(file, enumerate((_named(header, row) for row in rows[1:]), start=1)))


def read_json(data: bytes, file: str) -> list[Source]:
    """The objects or strings of a JSON array, or one a line; numbered from 1."""
    text = decode(data)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        first = text.lstrip().partition("\n")[0]
        # The first line of an array, or of an object over many lines, is no JSON by itself.
        items = list(_json_lines(text)) if _is_json(first) else _refuse(error)
    else:
        items = list(enumerate(value if isinstance(value, list) else [value], start=1))
    for number, item in items:
        if not isinstance(item, dict | str):
            raise UnreadableError(f"item {number} is neither a JSON object nor a string")
    return list(_sources(file, items))


def _json_lines(text: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                _refuse(error, number - 1)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(error: Exception, lines_before: int = 0) -> NoReturn:
    if isinstance(error, json.JSONDecodeError):
        number = lines_before + error.lineno
        raise UnreadableError(f"line {number} is not valid JSON: {error.msg}") from None
    raise UnreadableError(f"is not valid JSON: {one_line(error)}") from None


def _sources(file: str, rows: Iterable[tuple[int, object]]) -> Iterator[Source]:
    for number, row in rows:
        if isinstance(row, str):
            text, title = row, None
        else:
            assert isinstance(row, dict)
            text, title = _text_and_title(row)
        if text.strip():
            yield Source(file, tidy(text), title, row=number)


def _text_and_title(row: Mapping[str, object]) -> tuple[str, str | None]:
    keys = {key.strip().lower(): key for key in reversed(list(row))}
    title = next((_shown(row[keys[name]]) for name in TITLE_COLUMNS if name in keys), "")
    for name in TEXT_COLUMNS:
        if name in keys:
            return _shown(row[keys[name]]), one_line(title) or None
    lines = [f"{key}: {value}" for key, value in _shown_values(row) if value.strip()]
    return "\n".join(lines), one_line(title) or None


def _shown_values(row: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    return ((key, _shown(value)) for key, value in row.items())


def _shown(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _named(header: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Column -> value; a column without a name, or with another's, is named by its number."""
    named: dict[str, str] = {}
    for number, (name, value) in enumerate(zip_longest(header, row, fillvalue=""), start=1):
        named[name if name and name not in named else f"{name or 'column'} {number}"] = value
    return named


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    # Of the module, not of one reader: a cell may be as long as a file may.
    csv.field_size_limit(LARGEST_TEXT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return (row for row in reader if any(cell.strip() for cell in row))


def _delimiter(text: str) -> str:
    """What divides the header into columns: each row into as many, if it can be; most of all."""

    def columns(delimiter: str) -> tuple[bool, bool, int]:
        try:
            widths = [len(row) for row in islice(_rows(text, delimiter), _ROWS_LOOKED_AT)]
        except csv.Error:
            widths = []
        header = widths[0] if widths else 0
        return header > 1, len(set(widths)) == 1, header

    return max(_DELIMITERS, key=columns)
