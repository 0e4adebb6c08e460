"""DOCX, opened by python-docx.

Its elements are walked here, for its own `paragraphs` and `tables` leave out what stands in a
content control (as forms do) and what was inserted while changes were tracked.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from docx import Document
from docx.oxml.ns import qn

from ragifeval.build.reading.text import UnreadableError, one_line, tidy
from ragifeval.build.records import Source

# Unpacked, with its pictures; a bomb of zeros is a thousand times as large as its file.
_LARGEST = 500_000_000
# Old Word files, and DOCX with a password, are of this older container format.
_OLD_CONTAINER = b"\xd0\xcf\x11\xe0"
# What python-docx gives a document without properties.
_NO_TITLE = "Word Document"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_INLINE = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
# A deleted text has tags of its own; a fallback repeats a drawing for old readers.
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PASSED_OVER = {qn("w:pPr"), qn("w:rPr"), qn("w:del"), qn("w:moveFrom"), _FALLBACK}


def read_word(data: bytes, file: str) -> list[Source]:
    """Paragraphs, headings (with "#" before them) and tables, a row a line, in document order."""
    if data.startswith(_OLD_CONTAINER):
        raise UnreadableError("is encrypted, or of Word 97 to 2003: save it as DOCX")
    try:
        with ZipFile(BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > _LARGEST:
            raise UnreadableError(f"is too large: {size / 1e6:,.0f} MB when unpacked")
        document = Document(BytesIO(data))
        title = one_line(document.core_properties.title or "")
        title = "" if title == _NO_TITLE else title
        blocks = list(_blocks(document.element.body, _levels(document)))
    except UnreadableError:
        raise
    except BadZipFile:
        raise UnreadableError("is no DOCX, or a broken one") from None
    except Exception as error:  # noqa: BLE001 - a broken DOCX may raise anything
        raise UnreadableError(f"is a broken DOCX: {one_line(error)}") from None
    text = tidy("\n\n".join(blocks))
    first = next((block for block in blocks if block.startswith("# ")), "")
    return [Source(file, text, title or one_line(first.removeprefix("# ")) or None)]


def _levels(document: Any) -> dict[str, int]:
    """Style id -> the level of heading; a style's id is translated by Word, its name is not."""
    levels = {}
    for style in document.styles:
        name = style.name or ""
        if match := _HEADING.fullmatch(name):
            levels[style.style_id] = int(match[1])
        elif name.lower() == "title":
            levels[style.style_id] = 1
    return levels


def _blocks(parent: Any, levels: dict[str, int]) -> Iterator[str]:
    """The paragraphs and tables in an element, and in what wraps them."""
    for element in parent.iterchildren():
        if element.tag == qn("w:p"):
            text = _inline(element).strip()
            if text:
                level = levels.get(element.style or "", 0)
                yield f"{'#' * level} {one_line(text)}" if level else text
        elif element.tag == qn("w:tbl"):
            if table := "\n".join(filter(None, map(_row, _nearest(element, qn("w:tr"))))):
                yield table
        elif element.tag not in _PASSED_OVER and isinstance(element.tag, str):
            yield from _blocks(element, levels)


def _row(row: Any) -> str:
    cells = [one_line(" ".join(_blocks(cell, {}))) for cell in _nearest(row, qn("w:tc"))]
    return " | ".join(cells).strip() if any(cells) else ""


def _nearest(parent: Any, tag: str) -> Iterator[Any]:
    """The elements of a kind in another and in what wraps them, not those in one another."""
    for element in parent.iterchildren():
        if element.tag == tag:
            yield element
        else:
            yield from _nearest(element, tag)


def _inline(parent: Any) -> str:
    parts = []
    for element in parent.iterchildren():
        if element.tag == qn("w:t"):
            parts.append(element.text or "")
        elif element.tag in _INLINE:
            parts.append(_INLINE[element.tag])
        elif element.tag == qn("w:p"):
            # Of a text box.
            parts.append(f"\n{_inline(element)}\n")
        elif element.tag not in _PASSED_OVER and isinstance(element.tag, str):
            parts.append(_inline(element))
    return "".join(parts)
