"""The JSONL log: one record an answered sample, written as it is scored, and picked up again."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO, TypeGuard

from filelock import FileLock, Timeout

from ragifeval.defaults import MATCHING
from ragifeval.errors import UserError
from ragifeval.files import written_beside
from ragifeval.results.outputs import summary_path
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.signature import Signature
from ragifeval.text.matching import other_rule

Record = Mapping[str, Any]

_REQUIRED = {"id", "answer", "scores", "finish_reason", "error", "signature"}
_LENGTHS = {"len_chars", "len_words"}
_LONGEST_ANSWER = 1e15
# Room for the next record or two. Blank lines, for they are skipped should they stay.
_PROBE = b"\n" * 16_384


class Log:
    """A log open for appending; only one process holds it at a time.

    Use as a context manager. Opening finds out whether the log can be written and whether its
    records are of this run; `resume()` then yields the answers that are already there.

    Args:
        path: the log; its folder must exist.
        signature: of this run; a log with another one is refused.
        overwrite: start over, whatever the log holds.

    Raises:
        UserError: another run writes this log, it cannot be written, or its signature differs.
    """

    def __init__(self, path: Path, signature: Signature, overwrite: bool = False) -> None:
        self.path = path
        self._signature = signature
        self._overwrite = overwrite
        # The lock dies with its process; the file beside the log is only its name.
        self._lock = FileLock(f"{path}.lock", blocking=False)
        self._file: TextIO | None = None
        self.torn_lines = 0
        self._scores_beside = f"scores_{other_rule(signature.parts.get('matching', MATCHING))}"

    @property
    def summary_path(self) -> Path:
        """OUT.summary.json beside OUT.jsonl."""
        return summary_path(self.path)

    def __enter__(self) -> "Log":
        # FileLock would make the folder.
        if not self.path.parent.is_dir():
            raise UserError(f"{self.path}: cannot be written: no such folder")
        try:
            self._lock.acquire()
        except Timeout:
            raise UserError(f"{self.path}: another run is writing this log") from None
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            self._prepare()
            self._probe()
            # Half of a surrogate pair, which a service may send, is written as the JSON escape that
            # it came as.
            self._file = self.path.open(
                "a", encoding="utf-8", errors="backslashreplace", newline="\n"
            )
        except OSError as error:
            self._lock.release()
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from None
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._file is not None:
                self._file.close()
        except OSError:
            pass  # append() has said that the disk is full
        finally:
            self._lock.release()

    def _prepare(self) -> None:
        """Leave in the file only what this run can build on: whole records with an answer."""
        if not self.path.exists():
            return
        if self._overwrite:
            self.path.write_text("", encoding="utf-8")
            return
        dropped = False
        for line, record in self._records():
            if record is None:
                self.torn_lines += 1
            else:
                self._check_signature(record, line)
                self._check_answer(record, line)
            dropped = dropped or record is None or record["error"] is not None
        if dropped:
            self._drop_all_but_answers()

    def _probe(self) -> None:
        """Find out, before anything is asked, whether there is room for more."""
        if self.path.exists() and not self.path.is_file():
            return  # a device or a pipe takes back nothing
        with self.path.open("ab", buffering=0) as file:
            size, written = file.tell(), 0
            try:
                while written < len(_PROBE):
                    written += file.write(_PROBE[written:])
            finally:
                os.truncate(self.path, size)

    def _drop_all_but_answers(self) -> None:
        with written_beside(self.path) as kept:
            for _, record in self._records():
                if record is not None and record["error"] is None:
                    kept.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _check_signature(self, record: Record, line: int) -> None:
        other = record.get("signature")
        if not isinstance(other, str) or not record.keys() >= _REQUIRED:
            raise UserError(
                f"{self.path}:{line}: is no record of this harness (one has: "
                f"{', '.join(sorted(_REQUIRED))}); name another --log_path, or --overwrite it"
            )
        parts = self._signature.differences(Signature.parse(other))
        if parts:
            raise UserError(
                f"{self.path}:{line}: was made by a run that differs in: {', '.join(parts)}; "
                "name another --log_path, or --overwrite it"
            )

    def _check_answer(self, record: Record, line: int) -> None:
        """Refuse what a run cannot have written, and what could not be counted."""
        if not isinstance(record["id"], str):
            reason = "its id is no text"
        elif record["error"] is not None:
            return
        elif not isinstance(record["answer"], str):
            reason = "it has neither an answer nor an error"
        else:
            scores, beside = record.get("scores"), record.get(self._scores_beside)
            if _are_scores(scores) and _are_scores(beside) and scores.keys() == beside.keys():
                return
            reason = "its scores are no scores of this harness"
        raise UserError(
            f"{self.path}:{line}: was changed since it was written: {reason}; "
            "delete the line, name another --log_path, or --overwrite it"
        )

    def _records(self) -> Iterator[tuple[int, Record | None]]:
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

    def resume(self) -> Iterator[Record]:
        """Yield the records that earlier runs left, each with an answer."""
        for _, record in self._records():
            if record is not None:
                yield record

    def append(self, record: Record) -> None:
        """Write one record, whole, and hand it to the operating system.

        Raises:
            UserError: the disk is full, or the file can no longer be written.
        """
        assert self._file is not None, "the log is not open"
        try:
            self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise UserError(
                f"{self.path}: cannot be written any more: {error.strerror}; "
                "the same command goes on from here once it can"
            ) from None


def _are_scores(scores: object) -> TypeGuard[Mapping[str, float]]:
    """Whether it is an object of known scores from 0 to 1, and of lengths."""
    if not isinstance(scores, dict):
        return False
    known = {key for condition in REGISTRY.values() for key in condition.keys}
    return scores.keys() <= known | _LENGTHS and all(
        type(value) in (int, float) and 0 <= value <= (_LONGEST_ANSWER if key in _LENGTHS else 1)
        for key, value in scores.items()
    )
