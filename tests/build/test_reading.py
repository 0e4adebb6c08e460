"""Real files of each kind, good and broken -> the texts in them, or why there is none."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from ragifeval.build.formats import UnreadableError, decode, joined
from ragifeval.build.reading import LARGEST_FILE, read_file, read_files
from ragifeval.build.records import Source
from tests.build.files import write_csv, write_docx, write_html, write_pdf, write_text
from tools.testing.process import records


def read(path: Path) -> list[Source]:
    return read_file(path, path.name)


def reason(path: Path) -> str:
    """Why a file cannot be read."""
    with pytest.raises(UnreadableError) as error:
        read(path)
    assert "\n" not in str(error.value)
    return str(error.value)


class TestPdf:
    def test_paragraphs_pages_and_title(self, tmp_path: Path) -> None:
        pages = [
            "Opłata skarbowa za wydanie zaświadczenia wynosi siedemnaście zło-\n"
            "tych. Wniosek o jego wydanie można\nzłożyć w siedzibie Urzędu.\n"
            "Wniosek rozpatruje się bez zwłoki, nie później niż w ciągu siedmiu",
            "dni. Zażalenie składa się do prezydenta.",
            "",
            "Załącznik",
        ]
        text = (
            "Opłata skarbowa za wydanie zaświadczenia wynosi siedemnaście złotych. Wniosek o jego "
            "wydanie można złożyć w siedzibie Urzędu.\n"
            "Wniosek rozpatruje się bez zwłoki, nie później niż w ciągu siedmiu dni. Zażalenie "
            "składa się do prezydenta.\n\nZałącznik"
        )
        [source] = read(write_pdf(tmp_path / "a.pdf", pages, title="Opłaty: zasady"))
        starts = (0, text.index("dni. Zażalenie"), text.index("\n\nZałącznik"), len(text) - 9)
        assert source == Source("a.pdf", text, "Opłaty: zasady", starts)

    @pytest.mark.parametrize("title", ["", "Microsoft Word - pismo", "Pismo 3.docx"])
    def test_a_title_that_is_none(self, tmp_path: Path, title: str) -> None:
        assert read(write_pdf(tmp_path / "a.pdf", ["Tekst"], title))[0].title is None

    def test_encrypted(self, tmp_path: Path) -> None:
        plain = write_pdf(tmp_path / "plain.pdf", ["Tekst"])
        for name, password in (("closed.pdf", "secret"), ("open.pdf", "")):
            writer = PdfWriter(clone_from=PdfReader(plain))
            writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
            writer.write(tmp_path / name)
        assert reason(tmp_path / "closed.pdf") == "is encrypted: save it without a password"
        assert read(tmp_path / "open.pdf")[0].text == "Tekst"

    def test_broken_or_without_text(self, tmp_path: Path) -> None:
        path = write_pdf(tmp_path / "a.pdf", ["Tekst"] * 20)
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
        assert reason(path).startswith("is a broken PDF: ")
        scanned = write_pdf(tmp_path / "b.pdf", ["", ""])
        assert reason(scanned) == "holds no text: is it scanned? Run it through OCR first"
        path.write_bytes(b"junk before\n" + data)
        assert "Tekst" in read(path)[0].text


# Lines or pages, what separates them -> their text, and where each begins.
JOINED = [
    (["Urząd wydaje", "zaświadczenie."], "\n", "Urząd wydaje zaświadczenie.", (0, 13)),
    (["Urząd.", "wydaje"], "\n", "Urząd.\nwydaje", (0, 7)),
    (["Wydaje:", "a) urząd", "b) gmina"], "\n", "Wydaje:\na) urząd\nb) gmina", (0, 8, 17)),
    (["zaświad-", "czenie"], "\n", "zaświadczenie", (0, 7)),
    (["Vor-", "und Nachname"], "\n", "Vor- und Nachname", (0, 5)),
    (["Łódź-", "Widzew"], "\n", "Łódź-\nWidzew", (0, 6)),
    (["zaświad-", "czenie", "dalej"], "\n\n", "zaświadczenie dalej", (0, 7, 14)),
    (["", "Jeden.", "", "Dwa.", ""], "\n\n", "Jeden.\n\nDwa.", (0, 0, 6, 8, 12)),
]


@pytest.mark.parametrize(("pieces", "between", "text", "starts"), JOINED)
def test_joined(pieces: list[str], between: str, text: str, starts: tuple[int, ...]) -> None:
    assert joined(pieces, between) == (text, starts)


def document(body: str) -> str:
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>'


def paragraph(inside: str) -> str:
    return f"<w:p>{inside}</w:p>"


def table(cell: str) -> str:
    return f"<w:tbl><w:tr><w:tc>{cell}</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"


A = "<w:r><w:t>a</w:t></w:r>"


class TestDocx:
    def test_paragraphs_headings_and_tables_in_order(self, tmp_path: Path) -> None:
        rows = [["Czynność", "Kwota"], ["Wydanie dowodu", "17 zł"]]
        blocks = ["# Umowa", "Strony zawierają umowę.", "", rows, "## Koniec", "Źródło:\tustawa"]
        [source] = read(write_docx(tmp_path / "a.docx", blocks))
        assert source == Source(
            "a.docx",
            "# Umowa\n\nStrony zawierają umowę.\n\nCzynność | Kwota\nWydanie dowodu | 17 zł\n\n"
            "## Koniec\n\nŹródło:\tustawa",
            "Umowa",
        )
        [source] = read(write_docx(tmp_path / "b.docx", blocks, title="Inna umowa"))
        assert source.title == "Inna umowa"

    # What stands in the body -> its text.
    BODIES = [
        (paragraph(f"{A}<w:ins><w:r><w:t>b</w:t></w:r></w:ins>"), "ab"),
        (paragraph(f"<w:del><w:r><w:delText>x</w:delText></w:r></w:del>{A}"), "a"),
        (paragraph(f"<w:moveFrom><w:r><w:t>x</w:t></w:r></w:moveFrom>{A}"), "a"),
        (paragraph(f"<w:hyperlink>{A}</w:hyperlink>"), "a"),
        (paragraph(f"<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>{A}"), "a"),
        (f"<w:sdt><w:sdtContent>{paragraph(A)}</w:sdtContent></w:sdt>", "a"),
        (table(paragraph(A) + table(paragraph(A))), "a a |"),
    ]

    @pytest.mark.parametrize(("body", "text"), BODIES)
    def test_what_word_makes(self, tmp_path: Path, body: str, text: str) -> None:
        [source] = read(self.with_document(tmp_path, lambda _: document(body)))
        assert source.text == text

    BROKEN: dict[str, Callable[[str], str]] = {
        "XML cut short": lambda xml: xml[:200],
        "a billion laughs": lambda _: (
            '<!DOCTYPE l [<!ENTITY a "lol">'
            + "".join(
                f'<!ENTITY {name} "{f"&{of};" * 10}">'
                for of, name in zip("abcdefgh", "bcdefghi", strict=True)
            )
            + f"]>{document(paragraph('<w:r><w:t>&i;</w:t></w:r>'))}"
        ),
    }

    @pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
    def test_broken(self, tmp_path: Path, change: Callable[[str], str]) -> None:
        assert reason(self.with_document(tmp_path, change)).startswith("is a broken DOCX: ")

    def test_a_bomb(self, tmp_path: Path) -> None:
        path = tmp_path / "a.docx"
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
            archive.open("word/document.xml", "w") as part,
        ):
            for _ in range(51):
                part.write(bytes(10_000_000))
        assert path.stat().st_size < 5_000_000
        assert reason(path) == "is too large: 510 MB when unpacked"

    def with_document(self, folder: Path, change: Callable[[str], str]) -> Path:
        """A DOCX whose main part is changed."""
        plain = write_docx(folder / "plain.docx", ["Tekst"])
        path = folder / "changed.docx"
        with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
            for item in old.infolist():
                data = old.read(item)
                if item.filename == "word/document.xml":
                    data = change(data.decode("utf-8")).encode("utf-8")
                new.writestr(item, data)
        return path


HTML = (
    "<h1>Opłata <b>skarbowa</b></h1><p>Wynosi\n 17&nbsp;zł.</p><p hidden>Tajne</p>"
    "<ul><li>jeden</li><li>dwa</li></ul>"
    "<table><tr><th>Czynność<th>Kwota<tr><td>Wydanie dowodu<td>0 zł</table>"
    "<p>Źródło: <a href='/u'>ustawa</a></p><button>Wyślij</button>"
)
HTML_TEXT = (
    "Opłata skarbowa\n\nWynosi 17 zł.\n\n* jeden\n* dwa\n"
    "Czynność | Kwota\nWydanie dowodu | 0 zł\n\nŹródło: ustawa"
)


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1250"])
def test_html_without_what_leads_elsewhere(tmp_path: Path, encoding: str) -> None:
    path = write_html(tmp_path / "a.html", HTML, "Urząd", encoding)
    assert read(path) == [Source("a.html", HTML_TEXT, "Urząd")]


# A file's name, what it holds and how it is encoded -> its text (None: as it stands) and title.
TEXT_FILES = [
    ("a.md", "---\nx: 1\n---\n# *Opłaty* #\n\nTekst `b`.\n", "utf-8", None, "*Opłaty*"),
    ("a.txt", "# Tekst\n\n  wcięty\n", "utf-8", None, None),
    ("a.htm", "<h1>Tytuł <i>strony</i></h1><p>a", "utf-8", "Tytuł strony\n\na", "Tytuł strony"),
    ("a.htm", '<?xml version="1.0" encoding="UTF-8"?>\n<html><p>ź</p></html>', "utf-8", "ź", None),
    ("a.htm", '<meta charset="iso-8859-2"><p>Zażółć', "utf-8", "Zażółć", None),
    ("a.htm", '<meta charset="base64"><p>Zażółć jaźń', "cp1250", "Zażółć jaźń", None),
]


@pytest.mark.parametrize(("name", "content", "encoding", "text", "title"), TEXT_FILES)
def test_text_files(
    tmp_path: Path, name: str, content: str, encoding: str, text: str | None, title: str | None
) -> None:
    path = write_text(tmp_path / name, content, encoding)
    assert read(path) == [Source(name, text or content, title)]


SENTENCES = {
    "pl": "Opłata wynosi 17 zł. Wniosek składa się w urzędzie gminy; źródłem prawa jest ustawa.",
    "pl, with a foreign name": "Wysłał sąd, a dostał Müller z Łodzi: książkę, świecę i łańcuch.",
    "de": "Die Gebühr für größere Anträge beträgt 17 Euro; das Amt prüft sie in sieben Tagen.",
}
ENCODINGS = [
    *(("pl", encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1250", "iso8859_2")),
    ("pl, with a foreign name", "cp1250"),
    ("de", "iso8859_1"),
]


@pytest.mark.parametrize(("key", "encoding"), ENCODINGS)
def test_encodings(key: str, encoding: str) -> None:
    assert decode(SENTENCES[key].encode(encoding)) == SENTENCES[key]


# What stands in a file -> what is read.
TIDIED = [
    ("a\r\nb\rc\nd\x0ce\u2028f", "a\nb\nc\nd\ne\nf"),
    ("a\x07b\x7fc\t17\u00a0m²", "abc\t17\u00a0m²"),
    ("zaz\u0307o\u0301łc\u0301", "zażółć"),
    ("za\u00adświad\u200bczenie\ufeff", "zaświadczenie"),
]


@pytest.mark.parametrize(("text", "tidied"), TIDIED)
def test_tidied(text: str, tidied: str) -> None:
    assert decode(text.encode("utf-8")) == tidied


# Rows of a table -> the text, title and row of each source.
TABLES = {
    "text and title": (
        [["Lp.", "Tytuł", "Treść"], ["1", "Dowód", "Kosztuje 0 zł, trwa; 30 dni"]],
        [("Kosztuje 0 zł, trwa; 30 dni", "Dowód", 1)],
    ),
    "no text column": (
        [["Nazwa", "Kwota", "Uwagi"], ["Dowód", "0 zł", ""], ["Odpis", "22 zł", "pilne"]],
        [
            ("Nazwa: Dowód\nKwota: 0 zł", None, 1),
            ("Nazwa: Odpis\nKwota: 22 zł\nUwagi: pilne", None, 2),
        ],
    ),
    "rows without a text": ([["text", "x"], [" ", "1"], ["b\nc", "2"]], [("b\nc", None, 2)]),
    "too many cells": ([["a", "b"], ["1", "2", "3"]], [("a: 1\nb: 2\ncolumn 3: 3", None, 1)]),
}


class TestTables:
    @pytest.mark.parametrize("delimiter", [",", ";"])
    @pytest.mark.parametrize(("rows", "texts"), TABLES.values(), ids=TABLES)
    def test_csv(
        self,
        tmp_path: Path,
        delimiter: str,
        rows: list[list[str]],
        texts: list[tuple[str, str | None, int]],
    ) -> None:
        path = write_csv(tmp_path / "a.csv", rows, delimiter)
        assert read(path) == [Source("a.csv", text, title, row=row) for text, title, row in texts]

    def test_other_tables(self, tmp_path: Path) -> None:
        """Tabs, an old encoding; one column with commas; a cell longer than Python's csv takes."""
        path = write_csv(tmp_path / "a.tsv", [["treść"], ["Zażółć, gęślą; jaźń"]], "\t", "cp1250")
        assert read(path) == [Source("a.tsv", "Zażółć, gęślą; jaźń", row=1)]
        path = write_text(tmp_path / "a.csv", "text\nAla, ma kota\npies; kot, mysz\n")
        assert [source.text for source in read(path)] == ["Ala, ma kota", "pies; kot, mysz"]
        [source] = read(write_csv(tmp_path / "b.csv", [["text"], ["słowo " * 50_000]]))
        assert len(source.text) == 300_000

    ITEMS = [
        {"title": "Dowód", "contents": "Kosztuje 0 zł."},
        {"nazwa": "Odpis", "kwoty": [22, 33], "uwagi": None, "pilne": True},
        {"Text": "a\r\nb\u0000", "title": "\ud800"},
        {"text": ""},
    ]
    TEXTS = [
        ("Kosztuje 0 zł.", "Dowód", 1),
        ("nazwa: Odpis\nkwoty: [22, 33]\npilne: true", None, 2),
        ("a\nb", None, 3),
    ]

    def test_json(self, tmp_path: Path) -> None:
        lines = write_text(tmp_path / "a.jsonl", "\n".join(map(json.dumps, self.ITEMS)))
        array = write_text(tmp_path / "b.json", json.dumps(self.ITEMS, indent=1))
        for path in (lines, array):
            found = [(source.text, source.title, source.row) for source in read(path)]
            assert found == self.TEXTS


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
# A file's name and bytes -> why it cannot be read.
BAD_FILES = [
    ("a.pdf", PNG, "is a broken PDF: "),
    ("a.docx", PNG, "is not a DOCX, or a broken one"),
    ("a.docx", OLD_WORD, "is encrypted, or of Word 97 to 2003: save it as DOCX"),
    ("a.csv", PNG, "is not text: it holds zero bytes"),
    ("a.txt", b"", "is empty"),
    ("a.html", b"<script>1</script>", "holds no text"),
    ("a.html", b"<!-- -->", "is not HTML that can be read: Document is empty"),
    ("a.txt", b"\x81\x8d", "is not text in a known encoding: save it as UTF-8"),
    ("a.json", b'{"text": "a"}\n{"text":\n', "line 2: is not valid JSON: Expecting value"),
    ("a.json", b"[" * 5_000, "is not valid JSON: maximum recursion depth exceeded"),
    ("a.doc", b"x", "is none of the kinds that are read: .pdf, .docx, "),
]


@pytest.mark.parametrize(("name", "data", "expected"), BAD_FILES)
def test_bad_files(tmp_path: Path, name: str, data: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert reason(path).startswith(expected)


def test_what_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.pdf").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    assert reason(tmp_path / "folder.pdf") == "is a folder"
    assert reason(tmp_path / "pipe.txt") == "is not a regular file"
    assert reason(tmp_path / "gone.txt") == "cannot be read: No such file or directory"


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert reason(path).startswith("is too long: 50 MB of text, and at most 20 MB")
    os.truncate(path, LARGEST_FILE + 1)
    assert reason(path) == "is too large: 200 MB, and at most 200 are read"


def test_the_good_among_the_bad_are_kept(tmp_path: Path) -> None:
    good = write_text(tmp_path / "a.txt", "tekst")
    bad = write_text(tmp_path / "b.docx", "tekst")
    files, kept = [(bad, "x/b.docx"), (good, "x/a.txt")], tmp_path / "files.jsonl"
    unread = {"x/b.docx": "is not a DOCX, or a broken one"}
    for text in ("tekst", "tekst", "inny tekst"):
        write_text(good, text)
        sources, failed = read_files(files, kept)
        assert ([(one.file, one.text) for one in sources], failed) == ([("x/a.txt", text)], unread)
        [line] = records(kept)
        assert line["sources"][0]["text"] == text
    kept.write_text(json.dumps(line).replace(text, "as it was kept"), encoding="utf-8")
    assert read_files(files, kept)[0][0].text == "as it was kept"
    kept.write_text(kept.read_text(encoding="utf-8")[:40], encoding="utf-8")
    assert read_files(files, kept)[0][0].text == text


class Interrupted(list[tuple[Path, str]]):
    """Files of which the first is read; then the user presses Ctrl-C."""

    def __iter__(self) -> Iterator[tuple[Path, str]]:
        yield self[0]
        raise KeyboardInterrupt


def test_what_was_read_before_an_interruption_is_kept(tmp_path: Path) -> None:
    files = [(write_text(tmp_path / name, name), name) for name in ("a.txt", "b.txt", "c.txt")]
    kept = tmp_path / "files.jsonl"
    for given, expected in (
        (files[:1], ["a.txt"]),
        (Interrupted(files[1:]), ["b.txt"]),
        (files[1:], ["b.txt", "c.txt"]),
        (Interrupted(files), ["a.txt", "b.txt", "c.txt"]),
    ):
        with suppress(KeyboardInterrupt):
            read_files(given, kept)
        assert [line["file"] for line in records(kept)] == expected
