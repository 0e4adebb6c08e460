"""Files are found by the names on the command line, and read; what was read is kept."""

import hashlib
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tqdm import tqdm

from ragifeval import __version__
from ragifeval.build.folder import is_build, read_records, write_records
from ragifeval.build.formats import READERS, UnreadableError, check_length
from ragifeval.build.records import Source
from ragifeval.errors import UserError
from ragifeval.run.progress import Unfailing

LARGEST_FILE = 200_000_000
"""In bytes; a PDF or DOCX holds pictures too."""
KINDS = ", ".join(READERS)
_UNKNOWN_KIND = f"is none of the kinds that are read: {KINDS}"
_MAGIC = re.compile(r"[*?\[]")


class FoundFiles:
    """The files that were found so far.

    Attributes:
        files: the path of each, and the name it goes by: relative to the folder that was named, or
            the file's own; no two alike.
        unread: what was named outright but is of no kind that is read, and folders that cannot be
            entered -> why.
        passed_over: ending -> how many files of a kind that is not read lie in the folders.
    """

    def __init__(self, leave_out: Collection[Path]) -> None:
        self.files: list[tuple[Path, str]] = []
        self.unread: dict[str, str] = {}
        self.passed_over = Counter[str]()
        self._leave_out = [_real(path) for path in leave_out]
        self._is_build = cache(is_build)
        self._paths: set[Path] = set()
        self._shown: set[str] = set()

    def add_named(self, path: Path) -> None:
        """Add a file that was named itself."""
        if path.suffix.lower() in READERS:
            self._add(path, Path(path.name))
        else:
            self.unread[_shown(Path(path.name))] = _UNKNOWN_KIND

    def add_folder(self, folder: Path, pattern: str | None, name: str) -> None:
        """Add the files of a folder that match a pattern; all if it is None."""
        count = len(self._paths) + len(self.unread)
        seen = False
        for path in self._walk(folder) if pattern is None else _matching(folder, pattern):
            relative = path.relative_to(folder)
            if self._is_left_out(path) or _is_hidden(relative):
                continue
            if not _real(path).is_relative_to(_real(folder)):
                # What is read is sent to a service; who named a folder meant what is in it.
                self.unread[_shown(relative)] = "is a link to a file elsewhere"
            elif path.suffix.lower() in READERS:
                self._add(path, relative)
                seen = True
            else:
                self.passed_over[path.suffix.lower() or path.name] += 1
        if not seen and count == len(self._paths) + len(self.unread):
            matches = f" that matches {pattern!r}" if pattern is not None else ""
            raise UserError(f"{name}: there is no file{matches} of a kind that is read ({KINDS})")

    def _add(self, path: Path, relative: Path) -> None:
        resolved = _real(path)
        if resolved in self._paths:
            return
        self._paths.add(resolved)
        shown = _shown(relative)
        for parent in path.absolute().parents[len(relative.parts) - 1 :]:
            if shown not in self._shown:
                break
            shown = f"{_shown(Path(parent.name))}/{shown}"
        self._shown.add(shown)
        self.files.append((path, shown))

    def _is_left_out(self, path: Path) -> bool:
        real = _real(path)
        return any(real.is_relative_to(left_out) for left_out in self._leave_out) or any(
            map(self._is_build, real.parents)
        )

    def _walk(self, folder: Path) -> list[Path]:
        def refused(error: OSError) -> None:
            name = Path(error.filename).relative_to(folder.parent)
            self.unread[_shown(name)] = f"cannot be entered: {error.strerror}"

        found: list[Path] = []
        for parent, folders, files in os.walk(folder, onerror=refused):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [Path(parent, name) for name in files]
        return sorted(found, key=lambda path: path.relative_to(folder).parts)


def find_files(
    names: Sequence[str], pattern: str | None = None, leave_out: Collection[Path] = ()
) -> FoundFiles:
    """Find files by name, in folders, and by patterns that the shell left as they are.

    Hidden files and folders are left out unless they are named themselves; the same file is found
    once. The order is that of the names; within a folder, that of the alphabet.

    Args:
        names: files, folders, or patterns such as "docs/*.pdf".
        pattern: which files of the folders are meant, such as "**/*.pdf"; all if None.
        leave_out: files, and folders with all that is in them, that are not meant even if they lie
            in one of the others. What lies in a build's folder is not meant either.

    Raises:
        UserError: a name matches nothing, or the pattern is none.
    """
    found = FoundFiles(leave_out)
    for name in names:
        path = Path(name)
        try:
            if path.is_dir():
                found.add_folder(path, pattern, name)
            elif path.exists() or path.is_symlink():
                found.add_named(path)
            elif _MAGIC.search(name):
                # Shown as if the folder before the first star were named.
                parts = Path(name).parts
                first = next(place for place, part in enumerate(parts) if _MAGIC.search(part))
                found.add_folder(Path(*parts[:first]), str(Path(*parts[first:])), name)
            else:
                raise UserError(f"{name}: there is no such file or folder")
        except OSError as error:
            raise UserError(f"{name}: cannot be read: {error.strerror}") from None
    return found


def _matching(folder: Path, pattern: str) -> list[Path]:
    # What "**" alone matches differs between versions of Python.
    whole = re.sub(r"(^|/)\*\*$", r"\1**/*", pattern)
    try:
        found = {path for path in folder.glob(whole) if not path.is_dir()}
        return sorted(found, key=lambda path: path.relative_to(folder).parts)
    except (ValueError, NotImplementedError, IndexError) as error:
        reason = str(error)[:1].lower() + str(error)[1:]
        raise UserError(f'{pattern!r} is not a pattern such as "**/*.pdf": {reason}') from None


def _real(path: Path) -> Path:
    # Path.resolve raises where a link leads to itself, which is to be reported as unread.
    return Path(os.path.realpath(path))


def _is_hidden(relative: Path) -> bool:
    """Hidden, or the lock that Word puts beside an open document."""
    return relative.name.startswith("~$") or any(part.startswith(".") for part in relative.parts)


def _shown(path: Path) -> str:
    # A file's name may be of any bytes; what is written is UTF-8.
    name = os.fsencode(path.as_posix()).decode("utf-8", errors="replace")
    return unicodedata.normalize("NFC", name)


def read_file(path: Path, shown: str) -> list[Source]:
    """The text of a file, or of each of its rows.

    Args:
        path: its ending tells its kind.
        shown: the name it goes by.

    Raises:
        UnreadableError: it is of an unknown kind, broken, encrypted, too large or without text.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UnreadableError(_UNKNOWN_KIND)
    try:
        if path.exists() and not path.is_file():
            raise UnreadableError("is a folder" if path.is_dir() else "is not a regular file")
        size = path.stat().st_size
        if size == 0:
            raise UnreadableError("is empty")
        if size > LARGEST_FILE:
            raise UnreadableError(
                f"is too large: {size / 1e6:,.0f} MB, and at most {LARGEST_FILE / 1e6:.0f} are read"
            )
        sources = reader(path, shown)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    check_length(sum(len(source.text) for source in sources))
    if not any(source.text.strip() for source in sources):
        raise UnreadableError("holds no text")
    return sources


@dataclass(frozen=True)
class FileText:
    """What was read from a file.

    Attributes:
        digest: of the file's bytes and of the reader.
    """

    file: str
    digest: str
    sources: Sequence[Source]


def read_files(
    files: Sequence[tuple[Path, str]], kept: Path | None
) -> tuple[list[Source], dict[str, str]]:
    """Read files under a progress bar.

    Args:
        files: the path of each, and the name it goes by.
        kept: where their texts are kept for another start, also where reading is interrupted; None
            to keep nothing.

    Returns:
        What the files hold; and file -> why it could not be read.
    """
    texts: list[FileText] = []
    known: dict[str, FileText] = {}
    unread: dict[str, str] = {}
    if kept is not None and kept.exists():
        with suppress(UserError):  # where it is damaged, the files are read again
            known = {text.file: text for text in read_records(kept, FileText)}
    progress = tqdm(files, unit=" files", dynamic_ncols=True, file=Unfailing(sys.stderr))
    try:
        for path, shown in progress:
            digest, text = _digest(path), known.get(shown)
            if text is None or text.digest != digest:
                try:
                    text = FileText(shown, digest, read_file(path, shown))
                except UnreadableError as error:
                    unread[shown] = str(error)
                    continue
            texts.append(text)
    finally:
        if kept is not None:
            ahead = [
                known[shown] for _, shown in files[len(texts) + len(unread) :] if shown in known
            ]
            write_records(kept, [*texts, *ahead])
    return [source for text in texts for source in text.sources], unread


def _digest(path: Path) -> str:
    """Empty where the file cannot be read, which read_file() reports."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return f"{__version__}-{hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError:
        return ""
