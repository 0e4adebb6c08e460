"""The new log of a rescoring: where it goes, how it is written, its summary."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from ragifeval.errors import UserError
from ragifeval.results.outputs import output_paths, summary_path
from ragifeval.results.rescore.rescoring import Rescoring
from ragifeval.run.old.log import write_json
from ragifeval.run.summary import plain_options, scores_as_json, versions
from ragifeval.scoring.statistics import Estimate


def rescored_paths(
    logs: Sequence[Path], output: Path | None, overwrite: bool
) -> Sequence[Path | None]:
    """Where the new log of each log goes, as output_paths() says.

    Args:
        overwrite: whether it may take the place of another file.

    Raises:
        UserError: a log does not exist, or a new one would take the place of something.
    """
    for log in logs:
        if log.is_dir() or not log.exists():
            reason = "is a folder" if log.is_dir() else "no such file"
            raise UserError(f"{log}: cannot be read: {reason}")
    paths = output_paths(logs, output, summary_path)
    for path in filter(None, paths):
        for new in (path, summary_path(path)):
            if new.exists() and not overwrite:
                raise UserError(f"-o: {new} exists; name another one, or --overwrite it")
    return paths


class RescoredLog:
    """A new log on its way: it takes its name once it is whole.

    Raises:
        UserError: from any method, where the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._beside = path.with_name(path.name + ".tmp")
        self._file: BinaryIO | None = None

    def write(self, lines: Sequence[bytes | None]) -> None:
        """Write records."""
        try:
            self._file = self._file or self._beside.open("wb")
            self._file.writelines(line for line in lines if line is not None)
        except OSError as error:
            raise self._unwritable(error) from None

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Give log and summary their names."""
        self.write([])
        try:
            self._close()
            self._beside.replace(self.path)
            write_json(summary_path(self.path), summary)
        except OSError as error:
            raise self._unwritable(error) from None

    def discard(self) -> None:
        """Leave nothing behind of a log that did not become whole."""
        self._close()
        self._beside.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            file.close()

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(f"{self.path}: cannot be written: {error.strerror}")


def rescored_summary(
    log: Rescoring,
    by_rule: Mapping[str, Mapping[str, Estimate]],
    matching: str,
    options: Mapping[str, object],
) -> dict[str, Any]:
    """What OUT.summary.json holds: the keys of a run's, and where the answers are from."""
    answered = sum(map(bool, log.answered))
    signature = log.signature
    return {
        "status": "complete" if answered == len(log.answered) else "incomplete",
        "samples": len(log.answered),
        "answered": answered,
        "failed": len(log.failed),
        "truncated": log.truncated,
        "repeated": sum(count > 1 for count in log.answered),
        "unknown": log.unknown,
        **scores_as_json(by_rule, matching),
        "failures": log.failed,
        "signature": str(signature),
        "signature_parts": dict(signature.parts),
        "source": log.path.name,
        "options": plain_options(options),
        "versions": versions(),
    }
