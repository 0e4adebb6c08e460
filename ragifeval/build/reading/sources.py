"""Files -> sources, under a progress bar, each read once: what was read is kept in the folder."""

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragifeval import __version__
from ragifeval.build.reading.files import read_files
from ragifeval.build.records import Source, Unread
from ragifeval.cli.terminal import Unfailing
from ragifeval.errors import UserError


def read_sources(files: Sequence[tuple[Path, str]], kept: Path | None) -> Iterator[Source | Unread]:
    """Yield what the files hold.

    Args:
        files: the path of each, and the name it goes by.
        kept: where the sources of each file are kept, one file a line, for another start; None to
            keep nothing.

    Raises:
        UserError: what is kept cannot be written.
    """
    from tqdm import tqdm

    known = _known(kept) if kept is not None else {}
    with ExitStack() as resources:
        bar = resources.enter_context(
            tqdm(files, unit=" files", dynamic_ncols=True, file=Unfailing(sys.stderr))
        )
        lines = (
            resources.enter_context(kept.open("a", encoding="utf-8")) if kept is not None else None
        )
        for path, shown in bar:
            digest = _digest(path)
            record = known.get(shown)
            if record is not None and digest is not None and record["digest"] == digest:
                yield from (Source(**source) for source in record["sources"])
                continue
            found = list(read_files([(path, shown)]))
            yield from found
            sources = [asdict(source) for source in found if isinstance(source, Source)]
            if lines is not None and len(sources) == len(found):
                record = {"file": shown, "digest": digest, "sources": sources}
                try:
                    lines.write(json.dumps(record, ensure_ascii=False) + "\n")
                    lines.flush()
                except OSError as error:
                    raise UserError(f"{kept}: cannot be written: {error.strerror}") from None


def _known(path: Path) -> dict[str, dict[str, Any]]:
    """File -> its last record; a line that was cut off ends the file."""
    known = {}
    try:
        with path.open("rb+") as file:
            whole = 0
            for line in file:
                try:
                    record = json.loads(line)
                    known[record["file"]] = record
                except (ValueError, TypeError, KeyError):
                    break
                whole += len(line)
            file.truncate(whole)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    return known


def _digest(path: Path) -> str | None:
    """Of the file's bytes and of the reader; None where it cannot be read, which is told later."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
    return f"{__version__}-{digest}"
