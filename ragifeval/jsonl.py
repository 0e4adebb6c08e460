"""Reading JSON Lines: what is wrong is reported with file, line and reason."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ragifeval.errors import UserError


def read_json_objects(path: Path, expected: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSONL file, or of one that holds a JSON array of objects.

    In an array, objects are numbered instead of lines.

    Args:
        expected: what the file should be, for the error where it is not JSON.

    Raises:
        UserError: the file cannot be read, is not UTF-8, or a line is not a JSON object.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            first = next((line for line in file if line.strip()), "")
            file.seek(0)
            is_array = first.lstrip().startswith("[")
            read = _array_items(path, file.read()) if is_array else _items(path, file, expected)
            for number, item in read:
                if not isinstance(item, dict):
                    raise UserError(
                        f"{path}:{number}: a JSON object is expected, not {abbreviate(item)}"
                    )
                yield number, item
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: is not UTF-8 text ({error.reason} at byte {error.start})"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def _items(path: Path, lines: Iterable[str], expected: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                hint = f"; expected is {expected}" if expected and number == 1 else ""
                raise UserError(f"{path}:{number}: {_reason(error)}{hint}") from None


def _array_items(path: Path, text: str) -> Iterator[tuple[int, object]]:
    try:
        return enumerate(json.loads(text), start=1)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: {_reason(error)}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return f"is not valid JSON: {reason}"


def abbreviate(value: object) -> str:
    """Write a JSON value for an error message, in at most 60 characters."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "something nested too deeply"
    return text if len(text) <= 60 else text[:57] + "..."
