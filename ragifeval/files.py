"""Files that are written whole or not at all."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def written_beside(path: Path, errors: str = "backslashreplace") -> Iterator[TextIO]:
    """A text file that takes the place of another once it is whole, and leaves nothing if it fails.

    A reader sees the old file or the new one, never half of either. What is no regular file, such
    as /dev/stdout, is written as it comes; a link stays one.

    Args:
        errors: how half of a surrogate pair, which UTF-8 cannot hold, is written: by default as the
            escape that JSON has for it.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", errors=errors, newline="\n") as file:
            yield file
        return
    beside = target.with_name(target.name + ".tmp")
    try:
        with beside.open("w", encoding="utf-8", errors=errors, newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: object) -> None:
    """Write a JSON file so that no reader ever sees half of it."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    with written_beside(path) as file:
        file.write(text)
