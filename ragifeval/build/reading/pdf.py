"""PDF, read by pypdf."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError

from ragifeval.build.reading.lines import join_lines, join_pages
from ragifeval.build.reading.text import UnreadableError, check_length, one_line, tidy
from ragifeval.build.records import Source

# What a word processor puts where nobody gave a title.
_NO_TITLE = re.compile(r"^(?:untitled|bez tytułu|microsoft word|.*\.\w{2,5}$)", re.IGNORECASE)
# Within its first kilobyte, as readers of PDF have always had it.
_HEAD, _HEAD_ENDS = b"%PDF-", 1024


def read_pdf(data: bytes, file: str) -> list[Source]:
    """The text of a PDF, its lines joined to paragraphs, and where its pages begin."""
    if _HEAD not in data[:_HEAD_ENDS]:
        raise UnreadableError("is no PDF")
    try:
        with _quiet():
            reader = PdfReader(BytesIO(data))
            text, starts = join_pages(_pages(reader))
            title = _title(reader)
    except UnreadableError:
        raise
    except FileNotDecryptedError:
        raise UnreadableError("is encrypted: save it without a password") from None
    except DependencyError as error:
        raise UnreadableError(f"is encrypted: {one_line(error)}") from None
    except Exception as error:  # noqa: BLE001 - a broken PDF may raise anything
        raise UnreadableError(f"is a broken PDF: {one_line(error)}") from None
    if not re.search(r"\w", text):
        raise UnreadableError("holds no text: is it scanned? Run it through OCR first")
    return [Source(file, text, title, starts)]


def _pages(reader: PdfReader) -> Iterator[str]:
    length = 0
    for page in reader.pages:
        text = join_lines(tidy(_without_soft_hyphens(page.extract_text())))
        length += len(text)
        check_length(length)
        yield text


def _without_soft_hyphens(text: str) -> str:
    """A soft hyphen that is shown stands at the end of a line, and is as good as a hyphen."""
    return re.sub("\u00ad *\n", "-\n", text)


def _title(reader: PdfReader) -> str | None:
    title = one_line((reader.metadata and reader.metadata.title) or "")
    return None if not title or _NO_TITLE.match(title) else title


@contextmanager
def _quiet() -> Iterator[None]:
    """Without pypdf's warnings, many a page, of what it mended itself."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
