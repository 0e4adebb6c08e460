"""Files of each kind, made for tests; nothing that writes them is what reads them, DOCX aside."""

import csv
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

# The letters that a PDF below can show beyond Latin-1, by their names in Adobe's list.
_POLISH = {
    "ą": "aogonek",
    "ć": "cacute",
    "ę": "eogonek",
    "ł": "lslash",
    "ń": "nacute",
    "ś": "sacute",
    "ź": "zacute",
    "ż": "zdotaccent",
    "Ł": "Lslash",
    "Ś": "Sacute",
    "Ź": "Zacute",
    "Ż": "Zdotaccent",
}


def write_text(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def write_pdf(path: Path, pages: Sequence[str], title: str = "") -> Path:
    """A PDF of lines of Polish text; an empty page shows nothing at all."""
    codes = {letter: 128 + number for number, letter in enumerate(_POLISH)}
    names = " ".join(f"/{name}" for name in _POLISH.values())
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding "
        b"/BaseEncoding /WinAnsiEncoding /Differences [128 %s] >> >>" % names.encode(),
    ]
    for number, page in enumerate(pages):
        lines = [
            b"(" + _shown(line, codes) + b") Tj T*" for line in page.split("\n") if page.strip()
        ]
        stream = zlib.compress(b"BT /F1 11 Tf 14 TL 60 780 Td\n" + b"\n".join(lines) + b"\nET")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents "
            f"{5 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + stream + b"\nendstream")
    objects.append(b"<< /Title <" + title.encode("utf-16").hex().encode() + b"> >>")
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 %d\n0000000000 65535 f \n%strailer\n" % (len(objects) + 1, table)
    data += b"<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    path.write_bytes(data + b"startxref\n%d\n%%%%EOF\n" % data.index(b"xref\n0 "))
    return path


def _shown(line: str, codes: Mapping[str, int]) -> bytes:
    escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return b"".join(
        bytes([codes[letter]]) if letter in codes else letter.encode("latin-1")
        for letter in escaped
    )


def write_docx(
    path: Path, blocks: Iterable[str | Sequence[Sequence[str]]], title: str = ""
) -> Path:
    """A DOCX: a string is a paragraph, with "# " before it a heading; rows are a table."""
    from docx import Document

    document = Document()
    document.core_properties.title = title
    for block in blocks:
        if isinstance(block, str):
            text = block.lstrip("#")
            level = len(block) - len(text)
            if level:
                document.add_heading(text.strip(), level)
            else:
                document.add_paragraph(text)
        else:
            table = document.add_table(len(block), len(block[0]))
            for row, values in zip(table.rows, block, strict=True):
                for cell, value in zip(row.cells, values, strict=True):
                    cell.text = value
    document.save(str(path))
    return path


def write_html(path: Path, body: str, title: str = "", encoding: str = "utf-8") -> Path:
    html = (
        f'<!DOCTYPE html>\n<html><head><meta charset="{encoding}"><title>{title}</title>'
        "<style>p { color: red }</style></head>\n"
        f"<body><nav><a href='/'>Menu</a></nav>\n{body}\n<script>let x = 1;</script>"
        "<footer>Stopka</footer></body></html>\n"
    )
    return write_text(path, html, encoding)


def write_csv(
    path: Path, rows: Iterable[Sequence[str]], delimiter: str = ",", encoding: str = "utf-8"
) -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path
