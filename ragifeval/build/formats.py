"""The texts in a file of each kind: PDF, DOCX, HTML, Markdown and other text, CSV, JSON.

What is broken, encrypted or without text is refused with the reason.
"""

import csv
import io
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import lxml.html
from docx import Document
from docx.oxml.ns import qn
from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.html_engine import Inscriptis
from inscriptis.model.config import ParserConfig
from lxml.etree import LxmlError
from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError

from ragifeval.build.records import Source
from ragifeval.errors import UserError
from ragifeval.jsonl import read_json_objects
from ragifeval.text.clean import compose

LARGEST_TEXT = 20_000_000
"""Longer texts, in bytes or characters, are refused: they are ten thousand chunks from one file."""
TEXT_COLUMNS = ("contents", "content", "text", "treść")
"""The first of these that a table has is its text; without any, each column is a line of it."""
TITLE_COLUMNS = ("title", "tytuł")


class UnreadableError(Exception):
    """A file that cannot be read; its text is the reason, in one line."""


def check_length(length: int) -> None:
    """Refuse what is longer than LARGEST_TEXT."""
    if length > LARGEST_TEXT:
        raise UnreadableError(
            f"is too long: {length / 1e6:,.0f} MB of text, and at most {LARGEST_TEXT / 1e6:.0f} MB "
            "are read from one file; split it"
        )


# Text.

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\ufeff\ud800-\udfff]")
_HEADING = re.compile(r"^# +(\S.*?) *#*$", re.MULTILINE)
# The letters that hardly a Polish sentence lacks.
_POLISH = "ąęłśź"


def read_text(path: Path, file: str) -> list[Source]:
    """The text of a file as it is; the title of Markdown is its first heading of level 1."""
    text = decode(_bytes_of(path))
    heading = _HEADING.search(text) if path.suffix.lower() in (".md", ".markdown") else None
    return [Source(file, text, heading[1] if heading else None)]


def decode(data: bytes, declared: str | None = None) -> str:
    """Text in UTF-8, in UTF-16 with its mark, or in an old encoding of Polish or Western Europe.

    Args:
        declared: the encoding that the text says it is in, if it is not UTF-8.

    Raises:
        UnreadableError: it is in none of them.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        declared = "utf-16"
    elif b"\0" in data:
        raise UnreadableError("is not text: it holds zero bytes")
    for encoding in ("utf-8-sig", declared or "utf-8-sig"):
        try:
            return tidy(data.decode(encoding))
        except (LookupError, ValueError):  # base64 is a codec, too
            continue
    texts = [data.decode(encoding, "replace") for encoding in ("cp1250", "iso8859_2")]
    best = max(texts, key=lambda text: sum(map(text.count, _POLISH)))
    if not any(letter in best for letter in _POLISH):
        best = data.decode("cp1252", "replace")
    if "\ufffd" in best:
        raise UnreadableError("is not text in a known encoding: save it as UTF-8")
    return tidy(best)


def tidy(text: str) -> str:
    """NFC, lines ended by a line feed, no control characters, no halves of surrogate pairs."""
    return compose(_INVISIBLE.sub("", _LINE_ENDS.sub("\n", text)))


def one_line(text: object) -> str:
    """A title or a library's message, its white space made single spaces."""
    return " ".join(tidy(str(text)).split())


def _bytes_of(path: Path) -> bytes:
    check_length(path.stat().st_size)
    return path.read_bytes()


# PDF.

# What a word processor writes where nobody gave a title.
_NO_TITLE = re.compile(r"^(?:untitled|bez tytułu|microsoft word|.*\.\w{2,5}$)", re.IGNORECASE)
_TORN_WORD = re.compile(r"[^\W\d_][-‐\u00ad]$")
_LIST_ITEM = re.compile(r"\(?\w{1,2}\)")
# "Vor- und Nachname": the hyphen is the word's own.
_CONJUNCTION = re.compile(r"(?:und|oder|bis|i|lub|oraz|and|or|y|o)\b")


def read_pdf(path: Path, file: str) -> list[Source]:
    """The text of a PDF, torn words and sentences joined, and where its pages begin."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of all that it mends
    try:
        reader = PdfReader(path)
        text, starts = joined(_pages(reader), "\n\n")
        title = one_line((reader.metadata and reader.metadata.title) or "")
    except (UnreadableError, OSError):
        raise
    except FileNotDecryptedError:
        raise UnreadableError("is encrypted: save it without a password") from None
    except Exception as error:  # noqa: BLE001 - a broken PDF may raise anything
        raise UnreadableError(f"is a broken PDF: {one_line(error)}") from None
    if not any(map(str.isalnum, text)):
        raise UnreadableError("holds no text: is it scanned? Run it through OCR first")
    return [Source(file, text, None if _NO_TITLE.match(title) else title or None, starts)]


def _pages(reader: PdfReader) -> Iterator[str]:
    length = 0
    for page in reader.pages:
        # A soft hyphen that is shown stands at the end of a line.
        text = tidy(re.sub("\u00ad *\n", "-\n", page.extract_text()))
        paragraphs = re.split(r"\n\s*\n", text.strip())
        text = "\n\n".join(joined(one.split("\n"), "\n")[0] for one in paragraphs)
        length += len(text)
        check_length(length)
        yield text


def joined(pieces: Iterable[str], between: str) -> tuple[str, Sequence[int]]:
    """Join lines or pages; a word or a sentence that goes on in the next one is put together.

    Args:
        between: what stands between two pieces otherwise.

    Returns:
        The text, and where each piece begins in it, in characters.
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for piece in (" ".join(line.split()) if between == "\n" else line for line in pieces):
        if piece and parts:
            before = parts.pop()
            parts.append(_before(before, piece, between))
            length += len(parts[-1]) - len(before)
        starts.append(length)
        if piece:
            parts.append(piece)
            length += len(piece)
    return "".join(parts), tuple(starts)


def _before(before: str, after: str, between: str) -> str:
    """A line or page with what separates it from the next one."""
    if not after[0].islower() or _LIST_ITEM.match(after):
        return before + between
    if _TORN_WORD.search(before):
        return f"{before} " if _CONJUNCTION.match(after) else before[:-1]
    return before + (between if before[-1] in ".:;!?…" else " ")


# DOCX.

# Unpacked, with its pictures; a bomb of zeros is a thousand times as large as its file.
_LARGEST_UNPACKED = 500_000_000
# Old Word files, and DOCX with a password, are in this older container format.
_OLD_CONTAINER = b"\xd0\xcf\x11\xe0"
_STYLE = re.compile(r"heading (\d)|title", re.IGNORECASE)
_PARAGRAPH, _TABLE, _ROW, _CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_INLINE = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
# What was moved elsewhere; a fallback repeats a drawing for old readers.
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def read_docx(path: Path, file: str) -> list[Source]:
    """Paragraphs, headings (with "#" before them) and tables, a row a line, in document order."""
    try:
        with path.open("rb") as start:
            if start.read(4) == _OLD_CONTAINER:
                raise UnreadableError("is encrypted, or of Word 97 to 2003: save it as DOCX")
        with ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > _LARGEST_UNPACKED:
            raise UnreadableError(f"is too large: {size / 1e6:,.0f} MB when unpacked")
        document = Document(str(path))
        title = one_line(document.core_properties.title or "")
        styles = [(style.style_id, _STYLE.fullmatch(style.name or "")) for style in document.styles]
        levels = {key: int(match[1] or 1) for key, match in styles if match}
        blocks = list(_blocks(document.element.body, levels))
    except (UnreadableError, OSError):
        raise
    except BadZipFile:
        raise UnreadableError("is not a DOCX, or a broken one") from None
    except Exception as error:  # noqa: BLE001 - a broken DOCX may raise anything
        raise UnreadableError(f"is a broken DOCX: {one_line(error)}") from None
    if title in ("", "Word Document"):  # which python-docx gives a document without properties
        first = next((block for block in blocks if block.startswith("# ")), "")
        title = one_line(first.removeprefix("# "))
    return [Source(file, tidy("\n\n".join(blocks)), title or None)]


def _blocks(body: Any, levels: Mapping[str, int]) -> Iterator[str]:
    """The paragraphs and tables of a document.

    All elements are looked through: python-docx's own `paragraphs` and `tables` leave out what
    stands in a content control, as in forms, and what was inserted while changes were tracked.
    """
    for removed in list(body.iter(qn("w:moveFrom"), _FALLBACK)):
        removed.getparent().remove(removed)
    for element in body.iter(_PARAGRAPH, _TABLE):
        if next(element.iterancestors(_PARAGRAPH, _TABLE), None) is not None:
            continue  # in a table or a text box, whose text holds its own
        if element.tag == _PARAGRAPH:
            text = _text(element)
            level = levels.get(element.style or "", 0)
            block = f"{'#' * level} {one_line(text)}" if level and text else text
        else:
            rows = (row for row in element.iter(_ROW) if next(row.iterancestors(_TABLE)) is element)
            block = "\n".join(filter(None, map(_row, rows)))
        if block:
            yield block


def _row(row: Any) -> str:
    cells = [cell for cell in row.iter(_CELL) if next(cell.iterancestors(_ROW)) is row]
    texts = [one_line(_text(cell)) for cell in cells]
    return " | ".join(texts).strip() if any(texts) else ""


def _text(element: Any) -> str:
    parts = []
    for part in element.iter(qn("w:t"), _PARAGRAPH, *_INLINE):
        # A tab stop in the properties of a paragraph has the tag of a tab.
        if part.getparent().tag != qn("w:tabs"):
            parts.append("\n" if part.tag == _PARAGRAPH else _INLINE.get(part.tag, part.text or ""))
    return "".join(parts).strip()


# HTML.

# A page's text is what is left without navigation, programs and forms.
_NOT_TEXT = (
    "//script | //style | //noscript | //template | //svg | //iframe | //object | //nav | //button "
    "| //select | //textarea | //dialog | //*[@role='navigation' or @role='search' or @hidden] "
    "| //body/footer | //body/*[@role='contentinfo']"
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")
_HEAD_BYTES = 4096
_LAYOUT = ParserConfig(css=CSS_PROFILES["strict"], table_cell_separator=" | ")


def read_html(path: Path, file: str) -> list[Source]:
    """The text of an HTML page without navigation, scripts and forms; its title."""
    data = _bytes_of(path)
    declared = _DECLARED.search(data[:_HEAD_BYTES])
    html = decode(data, declared[1].decode("ascii") if declared else None)
    try:
        tree = lxml.html.document_fromstring(_XML_DECLARATION.sub("", html))
        titles = (one_line(found.text_content()) for found in tree.iter("title", "h1"))
        title = next(filter(None, titles), None)
        for element in tree.xpath(_NOT_TEXT):
            if element.getparent() is not None:
                element.drop_tree()
        text = tidy(Inscriptis(tree, _LAYOUT).get_text())
    except (LxmlError, ValueError, RecursionError) as error:
        raise UnreadableError(f"is not HTML that can be read: {one_line(error)}") from None
    lines = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    return [Source(file, re.sub("\n{3,}", "\n\n", lines).strip(), title)]


# Tables.


def read_csv(path: Path, file: str) -> list[Source]:
    """The rows below the header of a CSV or TSV file, numbered from 1."""
    text = decode(_bytes_of(path))
    header = text.lstrip("\n").partition("\n")[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=header.count)
    if delimiter not in header:
        delimiter = "\x1f"  # one column, whose texts may hold any of them
    csv.field_size_limit(LARGEST_TEXT)
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row
        ]
    except csv.Error as error:
        raise UnreadableError(f"is not CSV that can be read: {one_line(error)}") from None
    return list(_row_sources(file, enumerate((_cells(rows[0], row) for row in rows[1:]), start=1)))


def read_json(path: Path, file: str) -> list[Source]:
    """The objects of a JSON array, or one a line; numbered by their place or line, from 1."""
    check_length(path.stat().st_size)
    try:
        return list(_row_sources(file, read_json_objects(path)))
    except UserError as error:
        place = str(error).removeprefix(f"{path}:").strip()
        raise UnreadableError(f"line {place}" if place[0].isdigit() else place) from None


def _cells(header: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Column -> value; a column without a name, or with another's, is named by its number."""
    cells: dict[str, str] = {}
    for number, (name, value) in enumerate(zip_longest(header, row, fillvalue=""), start=1):
        name = name.strip()
        cells[name if name and name not in cells else f"{name or 'column'} {number}"] = value
    return cells


def _row_sources(file: str, rows: Iterable[tuple[int, Mapping[str, object]]]) -> Iterator[Source]:
    for number, row in rows:
        cells = {key: tidy(_cell_text(value)) for key, value in row.items()}
        by_name = {key.strip().lower(): cell for key, cell in reversed(cells.items())}
        lines = "\n".join(f"{key}: {cell}" for key, cell in cells.items() if cell.strip())
        text = next((by_name[name] for name in TEXT_COLUMNS if name in by_name), lines)
        title = next((by_name[name] for name in TITLE_COLUMNS if name in by_name), "")
        if text.strip():
            yield Source(file, text, one_line(title) or None, row=number)


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


READERS: Mapping[str, Callable[[Path, str], list[Source]]] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
    **dict.fromkeys((".md", ".markdown", ".txt", ".text", ".rst"), read_text),
    **dict.fromkeys((".csv", ".tsv"), read_csv),
    **dict.fromkeys((".jsonl", ".json"), read_json),
}
"""Ending of a file, in small letters -> what reads it.

Each is given the path and the name that the file goes by, and raises UnreadableError.
"""
