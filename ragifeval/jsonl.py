"""Reading JSON Lines: what is wrong is told with file, line and reason."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ragifeval.errors import UserError


def read_json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSONL file, or of one that holds a JSON array of objects.

    Raises:
        UserError: the file cannot be read, is no UTF-8, or a line is no JSON object.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            first = next((line for line in file if line.strip()), "")
            if first.lstrip().startswith("["):
                file.seek(0)
                items: Iterable[tuple[int, object]] = _array_items(path, file.read())
            else:
                file.seek(0)
                items = _line_items(path, file)
            for line, item in items:
                if not isinstance(item, dict):
                    raise UserError(f"{path}:{line}: a JSON object is expected, not {shown(item)}")
                yield line, item
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: is not UTF-8 text ({error.reason} at byte {error.start})"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def _line_items(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UserError(f"{path}:{number}: is not valid JSON: {_reason(error)}") from None


def _array_items(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Decode the array item by item, so that each is known by its line."""
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    line, counted = 1, 0
    before = "["  # the mark before the position; "" after an item
    while True:
        while position < len(text) and text[position].isspace():
            position += 1
        line, counted = line + text.count("\n", counted, position), position
        mark = text[position : position + 1]
        if mark == "]" and before != ",":
            break
        if mark == "," and not before:
            position, before = position + 1, mark
            continue
        if not before:
            raise UserError(f"{path}:{line}: is not valid JSON: ',' or a final ']' is expected")
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise UserError(f"{path}:{line}: is not valid JSON: {_reason(error)}") from None
        yield line, item
        before = ""
    rest = text[position + 1 :]
    if rest.strip():
        line += rest[: -len(rest.lstrip())].count("\n")
        raise UserError(f"{path}:{line}: is not valid JSON: nothing may follow the final ']'")


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def shown(value: object) -> str:
    """A JSON value as a message shows it: not too long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "something nested too deeply"
    return text if len(text) <= 60 else text[:57] + "..."
