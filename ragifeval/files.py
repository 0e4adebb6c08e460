"""What may be written where: whole files or none, and only over the harness's own."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from filelock import FileLock, Timeout

from ragifeval.errors import UserError

_HEAD = 4096
_PAGE = re.compile(rb'<meta name="generator" content="ragifeval ')
_TABLE = re.compile(
    rb"(% )?\d+ samples, rule |model,log,measure,mean,"
    rb'|\{\n  "matching": "|model-index:(?s:.*)"ragifeval '
)


@contextmanager
def written_beside(path: Path, errors: str = "backslashreplace") -> Iterator[TextIO]:
    """A text file that takes the place of another once it is whole, and leaves nothing if it fails.

    A reader sees the old file or the new one, never half of either. What is no regular file, such
    as /dev/stdout, is written as it comes; a link stays one.

    Args:
        errors: how half of a surrogate pair, which UTF-8 cannot hold, is written: by default as the
            escape that JSON has for it.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        with _replacement(real(path), errors) as file:
            yield file
    except BrokenPipeError:  # whoever reads it has seen enough
        raise
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


@contextmanager
def _replacement(target: Path, errors: str) -> Iterator[TextIO]:
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", errors=errors, newline="\n") as file:
            yield file
        return
    beside = target.with_name(target.name + ".tmp")
    # One that a killed run left goes; one that somebody links elsewhere is not written through.
    beside.unlink(missing_ok=True)
    try:
        with beside.open("x", encoding="utf-8", errors=errors, newline="\n") as file:
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


def real(path: Path) -> Path:
    """The path without links; that of a link in a loop is its own."""
    return Path(os.path.realpath(path))


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths name one file, through symbolic and hard links too."""
    if real(one) == real(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def check_output(
    path: Path,
    is_own: Callable[[Path], bool],
    inputs: Iterable[Path],
    option: str = "-o",
) -> None:
    """Refuse an output that would replace what the command reads, or what is not the harness's.

    Args:
        is_own: whether an existing file is a product of this harness: is_log, is_summary, ...
        inputs: what the command reads.
        option: the one that names the output, for the message.

    Raises:
        UserError: the path may not be written.
    """
    if any(is_same(path, source) for source in inputs):
        raise UserError(f"{option}: {path} is read by this command; name another file")
    try:
        is_free = not path.is_file() or not path.stat().st_size or is_own(path)
    except OSError as error:
        raise UserError(f"{option}: {path} cannot be read: {error.strerror}") from None
    if not is_free:
        raise UserError(
            f"{option}: {path} was not made by this harness and is never replaced; "
            "name another file"
        )


def is_log(path: Path) -> bool:
    """Whether a file is a log or another journal, also one whose only line was cut off."""
    with path.open("rb") as file:
        first = next((line for line in file if line.strip(b"\0 \t\r\n")), b"")
    record = _json_object(first)
    if record is None:
        return b'{"id": '.startswith(first[:7]) and not first.endswith(b"\n")
    return record.keys() >= {"id", "error", "signature"}


def is_judged_log(path: Path) -> bool:
    """Whether a file is a judged log, of whatever answers."""
    with path.open("rb") as file:
        return "judge_signature" in (_json_object(file.readline()) or {})


def is_summary(path: Path) -> bool:
    """Whether a file is the summary of a log."""
    return read_json_object(path).keys() >= {"status", "signature_parts", "versions"}


def read_json_object(path: Path) -> Mapping[str, Any]:
    """The JSON object that a file holds; an empty one where it holds none."""
    return _json_object(path.read_bytes()) or {}


def _json_object(text: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_page(path: Path) -> bool:
    """Whether a file is a report."""
    return _PAGE.search(_head(path)) is not None


def is_comparison(path: Path) -> bool:
    """Whether a file is a comparison, in any format."""
    return _TABLE.match(_head(path)) is not None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


@contextmanager
def locked(path: Path, *, only_if_in_use: bool = False) -> Iterator[None]:
    """Hold a log, by whatever link it is named; the lock dies with its process.

    Args:
        only_if_in_use: make no lock file where no run has left one.

    Raises:
        UserError: another process holds it, or the lock cannot be written.
    """
    # The file beside the log only names the lock, and stays.
    file = Path(f"{real(path)}.lock")
    if only_if_in_use and not file.exists():
        yield
        return
    lock = FileLock(file, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(f"{path}: another run is writing this log") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()
