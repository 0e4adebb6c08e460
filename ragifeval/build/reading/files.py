"""Files -> the texts in them. What cannot be read is named with the reason, and passed over."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ragifeval.build.reading.text import UnreadableError, read_text
from ragifeval.build.records import Source, Unread
from ragifeval.errors import UserError

LARGEST_FILE = 200_000_000
"""In bytes; a PDF or DOCX holds pictures too."""

Reader = Callable[[bytes, str], list[Source]]


def read_files(files: Iterable[tuple[Path, str]]) -> Iterator[Source | Unread]:
    """Read files one after another.

    Args:
        files: the path of each, and the name it goes by in what is written.
    """
    for path, shown in files:
        try:
            yield from read_file(path, shown)
        except UnreadableError as error:
            yield Unread(shown, str(error))


def read_file(path: Path, shown: str) -> Iterator[Source]:
    """Yield the text of a file, or of each of its rows; all of them or none.

    Args:
        path: its ending tells its kind.
        shown: the name it goes by.

    Raises:
        UnreadableError: it is of an unknown kind, broken, encrypted, too large or without text.
        UserError: a package that reads this kind is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UnreadableError(UNKNOWN_KIND)
    data = _bytes(path)
    try:
        sources = _READERS[suffix]()(data, shown)
    except ModuleNotFoundError as error:
        raise UserError(
            f"{shown}: is read by a package that is not installed: pip install {error.name}"
        ) from None
    if not any(source.text.strip() for source in sources):
        raise UnreadableError("holds no text")
    yield from sources


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UnreadableError("is a folder")
        if path.exists() and not path.is_file():
            raise UnreadableError("is no regular file")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise UnreadableError(
                f"is too large: {size / 1e6:,.0f} MB, and at most {LARGEST_FILE / 1e6:.0f} are read"
            )
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    if not data:
        raise UnreadableError("is empty")
    return data


# Each library is imported only where a file of its kind is read.
def _text() -> Reader:
    return read_text


def _pdf() -> Reader:
    from ragifeval.build.reading.pdf import read_pdf

    return read_pdf


def _word() -> Reader:
    from ragifeval.build.reading.word import read_word

    return read_word


def _page() -> Reader:
    from ragifeval.build.reading.page import read_page

    return read_page


def _table() -> Reader:
    from ragifeval.build.reading.tables import read_table

    return read_table


def _json() -> Reader:
    from ragifeval.build.reading.tables import read_json

    return read_json


_READERS: dict[str, Callable[[], Reader]] = {
    ".pdf": _pdf,
    ".docx": _word,
    ".html": _page,
    ".htm": _page,
    ".xhtml": _page,
    ".md": _text,
    ".markdown": _text,
    ".txt": _text,
    ".text": _text,
    ".rst": _text,
    ".csv": _table,
    ".tsv": _table,
    ".jsonl": _json,
    ".json": _json,
}
SUFFIXES = tuple(_READERS)
"""The endings of the files that can be read, in small letters."""
UNKNOWN_KIND = f"is none of the kinds that are read: {', '.join(SUFFIXES)}"
