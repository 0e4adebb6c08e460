"""The journal: a JSONL file of records, each written as it is made, and picked up again."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TextIO

from ragifeval.errors import UserError
from ragifeval.files import is_log, locked, written_beside
from ragifeval.scoring.signature import Signature

Record = Mapping[str, Any]

_KEYS = ("id", "error", "signature")
# Room for the next record or two. Blank lines, because they are skipped should they stay.
_PROBE = b"\n" * 16_384


class Journal:
    """A JSONL file open for appending; only one process holds it at a time.

    Every record has `id`, `error` (None where it holds an answer) and `signature`. As a context
    manager it finds out, on entering, whether the file can be written and whether its records
    belong to this run. Records with an error are dropped then, so that they are asked for again,
    and so is a last line that was cut off.

    Args:
        path: the file; its folder must exist.
        signature: of this run; a file with another one is refused.
        overwrite: start over, if the file is a journal; no other is ever replaced.
        check: says what is wrong with a record that has no error, which this run cannot have
            written; None where nothing is.
        hint: the option that names another file, for messages.

    Attributes:
        torn_lines: how many lines were cut off.

    Raises:
        UserError: on entering, if another run writes this file, it cannot be written, it is no
            journal, or a record is not one of this run's.
    """

    def __init__(
        self,
        path: Path,
        signature: Signature,
        overwrite: bool = False,
        *,
        check: Callable[[Record], str | None],
        hint: str = "--log_path",
    ) -> None:
        self.path = path
        self.signature = signature
        self.torn_lines = 0
        self._overwrite = overwrite
        self._check = check
        self._hint = hint
        self._remedy = f"name another {hint}, or --overwrite it"
        self._resources = ExitStack()
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        # FileLock would make the folder.
        if not self.path.parent.is_dir():
            raise UserError(f"{self.path}: cannot be written: no such folder")
        self._check_path()
        self._resources.enter_context(locked(self.path))
        try:
            self._prepare()
            self._probe()
            # Half of a surrogate pair, which a service may send, is written as its JSON escape.
            self._file = self.path.open(
                "a", encoding="utf-8", errors="backslashreplace", newline="\n"
            )
        except OSError as error:
            self._resources.close()
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from None
        except BaseException:
            self._resources.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._file is not None:
                self._file.close()
        except OSError:
            pass  # append() has reported that the disk is full
        finally:
            self._resources.close()

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that was opened: nobody removed or replaced it."""
        assert self._file is not None, "the journal is not open"
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except OSError:
            return False

    def records(self) -> Iterator[Record]:
        """Yield the records of the file; those that earlier runs left have no error."""
        for _, record in self._lines():
            if record is not None:
                yield record

    def append(self, record: Record) -> None:
        """Write one record, whole, and hand it to the operating system.

        Raises:
            UserError: the disk is full, or the file can no longer be written, or is gone.
        """
        assert self._file is not None, "the journal is not open"
        if not self.is_in_place:
            raise UserError(
                f"{self.path}: was removed or replaced while this run was writing it; the run "
                "ends here, and the same command asks for what is missing there now"
            )
        try:
            self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise UserError(
                f"{self.path}: cannot be written any more: {error.strerror}; "
                "the same command goes on from here once it can"
            ) from None

    def _check_path(self) -> None:
        """Refuse a path that two runs might write, or that is no file."""
        if self.path.is_dir() or not self.path.exists():
            return  # opening it reports what is wrong, if anything is
        if not self.path.is_file():
            raise UserError(f"{self.path}: is a pipe or a device; a log must be a file")
        if self.path.stat().st_nlink > 1:
            raise UserError(
                f"{self.path}: has another name (a hard link), by which another run might write "
                "it; copy it, and name the copy"
            )

    def _prepare(self) -> None:
        """Leave in the file only what this run can build on."""
        if not self.path.exists():
            return
        if not is_log(self.path):
            raise UserError(
                f"{self.path}: was not made by this harness and is never replaced; "
                f"name another {self._hint}"
            )
        if self._overwrite:
            self.path.write_text("", encoding="utf-8")
            return
        is_dropped = False
        for number, record in self._lines():
            if record is None:
                self.torn_lines += 1
            else:
                self._check_record(record, number)
            is_dropped = is_dropped or record is None or record["error"] is not None
        if is_dropped:
            with written_beside(self.path) as file:
                for _, record in self._lines():
                    if record is not None and record["error"] is None:
                        file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _check_record(self, record: Record, line: int) -> None:
        if not record.keys() >= set(_KEYS) or not isinstance(record["signature"], str):
            raise UserError(
                f"{self.path}:{line}: is no record of this harness (one has: "
                f"{', '.join(_KEYS)}); {self._remedy}"
            )
        parts = self.signature.differences(Signature.parse(record["signature"]))
        if parts:
            raise UserError(
                f"{self.path}:{line}: was made by a run that differs in: {', '.join(parts)}; "
                f"{self._remedy}"
            )
        reason = None
        if not isinstance(record["id"], str):
            reason = "its id is no text"
        elif record["error"] is None:
            reason = self._check(record)
        if reason is not None:
            raise UserError(
                f"{self.path}:{line}: was changed since it was written: {reason}; "
                f"delete the line, {self._remedy}"
            )

    def _probe(self) -> None:
        """Find out, before anything is asked, whether there is room for more."""
        with self.path.open("ab", buffering=0) as file:
            size, written = file.tell(), 0
            try:
                while written < len(_PROBE):
                    written += file.write(_PROBE[written:])
            finally:
                os.truncate(self.path, size)

    def _lines(self) -> Iterator[tuple[int, Record | None]]:
        """Yield (line number, record); None for the last line where it was cut off."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    record = None
                if isinstance(record, dict) and line.endswith(b"\n"):
                    yield number, record
                elif not line.endswith(b"\n"):
                    yield number, None
                elif line.strip():
                    raise UserError(
                        f"{self.path}:{number}: is no record of a log: not a JSON object"
                    )
