"""What is named on the command line -> the files to be read, and the names they go by."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ragifeval.build.folder import is_build
from ragifeval.build.reading.files import SUFFIXES, UNKNOWN_KIND
from ragifeval.build.records import Unread
from ragifeval.errors import UserError

_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Found:
    """The files that were found.

    Attributes:
        files: the path of each, and the name it goes by: relative to the folder that was named, or
            the file's own; no two alike.
        unread: what was named outright but is of no kind that is read, and folders that cannot be
            entered.
        passed_over: ending -> how many files of a kind that is not read lie in the folders.
    """

    files: Sequence[tuple[Path, str]]
    unread: Sequence[Unread]
    passed_over: Mapping[str, int]


def find_files(
    names: Sequence[str], pattern: str | None = None, leave_out: Collection[Path] = ()
) -> Found:
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
    collected = _Collected(leave_out)
    for name in names:
        try:
            collected.add(name, pattern)
        except OSError as error:
            raise UserError(f"{name}: cannot be read: {error.strerror}") from None
    return Found(collected.files, collected.unread, dict(collected.passed_over))


class _Collected:
    def __init__(self, leave_out: Collection[Path]) -> None:
        self.files: list[tuple[Path, str]] = []
        self.unread: list[Unread] = []
        self.passed_over = Counter[str]()
        self._leave_out = [_real(path) for path in leave_out]
        self._is_build = cache(is_build)
        self._paths: set[Path] = set()
        self._shown: set[str] = set()

    def add(self, name: str, pattern: str | None) -> None:
        """Add what a name on the command line names."""
        path = Path(name)
        if path.is_dir():
            self._add_folder(path, name, pattern)
        elif path.exists() or path.is_symlink():
            self._add_named(path)
        elif _MAGIC.search(name):
            self._add_matches(name)
        else:
            raise UserError(f"{name}: there is no such file or folder")

    def _add_named(self, path: Path) -> None:
        if path.suffix.lower() in SUFFIXES:
            self._add(path, Path(path.name))
        else:
            self.unread.append(Unread(_shown(Path(path.name)), UNKNOWN_KIND))

    def _add_folder(self, folder: Path, name: str, pattern: str | None) -> None:
        if pattern is None:
            paths = self._walk(folder)
            what = f"no file of a kind that is read ({', '.join(SUFFIXES)})"
        else:
            paths = _matching(folder, pattern)
            what = f"no file that matches {pattern!r} and is of a kind that is read"
        if not self._add_all(folder, paths):
            raise UserError(f"{name}: there is {what} in this folder")

    def _add_matches(self, name: str) -> None:
        """Add what a pattern matches, shown as if the folder before the first star were named."""
        parts = Path(name).parts
        first = next(place for place, part in enumerate(parts) if _MAGIC.search(part))
        folder = Path(*parts[:first])
        if not self._add_all(folder, _matching(folder, str(Path(*parts[first:])))):
            raise UserError(f"{name}: matches no file of a kind that is read")

    def _add_all(self, folder: Path, paths: Sequence[Path]) -> bool:
        """Add files of a folder; tell whether any is to be read, or is named with what is wrong."""
        is_any = bool(self.unread)
        for path in paths:
            relative = path.relative_to(folder)
            if self._is_left_out(path) or _is_hidden(relative):
                continue
            if path.suffix.lower() in SUFFIXES:
                self._add(path, relative)
                is_any = True
            else:
                self.passed_over[path.suffix.lower() or path.name] += 1
        return is_any

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
            relative = Path(error.filename).relative_to(folder)
            name = relative if relative.parts else Path(folder.name)
            self.unread.append(Unread(_shown(name), f"cannot be entered: {error.strerror}"))

        found: list[Path] = []
        for parent, folders, files in os.walk(folder, onerror=refused):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [Path(parent, name) for name in files]
        return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _matching(folder: Path, pattern: str) -> list[Path]:
    # What "**" alone matches is another thing in other versions of Python.
    whole = re.sub(r"(^|/)\*\*$", r"\1**/*", pattern)
    try:
        found = {path for path in folder.glob(whole) if not path.is_dir()}
        return sorted(found, key=lambda path: path.relative_to(folder).parts)
    except (ValueError, NotImplementedError, IndexError) as error:
        reason = str(error)[:1].lower() + str(error)[1:]
        raise UserError(f'{pattern!r} is no pattern such as "**/*.pdf": {reason}') from None


def _real(path: Path) -> Path:
    # Path.resolve stops at a link that leads to itself, which is to be named with that reason.
    return Path(os.path.realpath(path))


def _is_hidden(relative: Path) -> bool:
    """Hidden, or the lock that Word puts beside an open document."""
    return relative.name.startswith("~$") or any(part.startswith(".") for part in relative.parts)


def _shown(path: Path) -> str:
    # A file's name may be of any bytes; what is written is UTF-8.
    name = os.fsencode(path.as_posix()).decode("utf-8", errors="replace")
    return unicodedata.normalize("NFC", name)
