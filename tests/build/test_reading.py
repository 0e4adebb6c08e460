"""Real files of each kind, good and broken -> the texts in them, or why there is none."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from ragifeval.build.reading.files import LARGEST_FILE, read_files
from ragifeval.build.reading.lines import join_lines, join_pages
from ragifeval.build.reading.text import LARGEST_TEXT, UnreadableError, decode
from ragifeval.build.records import Source, Unread
from tests.build.files import (
    write_csv,
    write_docx,
    write_html,
    write_jsonl,
    write_pdf,
    write_text,
)


def read(path: Path) -> list[Source | Unread]:
    return list(read_files([(path, path.name)]))


def reason(path: Path) -> str:
    """Why a file cannot be read."""
    [unread] = read(path)
    assert isinstance(unread, Unread)
    assert unread.file == path.name
    assert "\n" not in unread.reason
    return unread.reason


class TestPdf:
    def test_paragraphs_pages_and_title(self, tmp_path: Path) -> None:
        pages = [
            "Opłata skarbowa za wydanie zaświadczenia wynosi siedemnaście zło-\n"
            "tych. Wniosek o jego wydanie można złożyć w siedzibie Urzędu\n"
            "Miasta.\n"
            "Wniosek rozpatruje się bez zwłoki, nie później niż w ciągu siedmiu",
            "dni. Zażalenie składa się do prezydenta.",
            "",
            "Załącznik",
        ]
        text = (
            "Opłata skarbowa za wydanie zaświadczenia wynosi siedemnaście złotych. Wniosek o jego "
            "wydanie można złożyć w siedzibie Urzędu Miasta.\n"
            "Wniosek rozpatruje się bez zwłoki, nie później niż w ciągu siedmiu dni. Zażalenie "
            "składa się do prezydenta.\n\nZałącznik"
        )
        [source] = read(write_pdf(tmp_path / "a.pdf", pages, title="Opłaty: zasady"))
        starts = (0, text.index("dni. Zażalenie"), text.index("\n\nZałącznik"), len(text) - 9)
        assert source == Source("a.pdf", text, "Opłaty: zasady", starts)

    @pytest.mark.parametrize("title", ["", "Microsoft Word - pismo", "Pismo 3.docx", "untitled"])
    def test_a_title_that_is_none(self, tmp_path: Path, title: str) -> None:
        [source] = read(write_pdf(tmp_path / "a.pdf", ["Tekst"], title))
        assert isinstance(source, Source)
        assert source.title is None

    def test_without_text(self, tmp_path: Path) -> None:
        path = write_pdf(tmp_path / "a.pdf", ["", ""])
        assert reason(path) == "holds no text: is it scanned? Run it through OCR first"

    def test_encrypted(self, tmp_path: Path) -> None:
        plain = write_pdf(tmp_path / "plain.pdf", ["Tekst"])
        for name, password in (("closed.pdf", "secret"), ("open.pdf", "")):
            writer = PdfWriter(clone_from=PdfReader(plain))
            writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
            writer.write(tmp_path / name)
        assert reason(tmp_path / "closed.pdf") == "is encrypted: save it without a password"
        [source] = read(tmp_path / "open.pdf")
        assert isinstance(source, Source)
        assert source.text == "Tekst"

    @pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
    def test_cut_short(
        self, tmp_path: Path, kept: float, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = write_pdf(tmp_path / "a.pdf", ["Tekst"] * 20)
        data = path.read_bytes()
        path.write_bytes(data[: int(kept * len(data))])
        assert reason(path).startswith("is a broken PDF: ")
        assert capfd.readouterr() == ("", "")

    def test_what_pypdf_mends_is_not_talked_about(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = write_pdf(tmp_path / "a.pdf", ["Tekst"])
        path.write_bytes(b"junk before\n" + path.read_bytes())
        [source] = read(path)
        assert isinstance(source, Source)
        assert source.text == "Tekst"
        assert capfd.readouterr() == ("", "")


FULL = "Opłata za wydanie zaświadczenia wynosi zł"  # 41 characters
# Lines of a page -> what becomes of them.
LINES = [
    (f"{FULL}\nsiedemnaście.", f"{FULL} siedemnaście."),
    (f"{FULL}\nUrząd", f"{FULL} Urząd"),
    (f"{FULL}.\nUrząd", f"{FULL}.\nUrząd"),
    (f"{FULL}.\nurząd", f"{FULL}. urząd"),
    (f"{FULL}:\nurząd", f"{FULL}:\nurząd"),
    (f"{FULL}\na) urząd", f"{FULL}\na) urząd"),
    (f"{FULL}\n12. urząd", f"{FULL}\n12. urząd"),
    (f"{FULL}\n12 urzędów", f"{FULL} 12 urzędów"),
    (f"{FULL}\n- urząd", f"{FULL}\n- urząd"),
    (f"{FULL}\n§ 2. Urząd", f"{FULL}\n§ 2. Urząd"),
    (f"{FULL}\n\nurząd", f"{FULL}\n\nurząd"),
    (f"{FULL}\n \n\n\nUrząd", f"{FULL}\n\nUrząd"),
    (f"Rozdział\nurząd\n{FULL}", f"Rozdział\nurząd\n{FULL}"),
    ("krótka\nstrona", "krótka\nstrona"),
    ("zaświad-\nczenie", "zaświadczenie"),
    ("biało-\n-czerwony", "biało-czerwony"),
    ("Vor-\nund Nachname", "Vor- und Nachname"),
    ("Łódź-\nWidzew", "Łódź-\nWidzew"),
    ("2023-\n2024", "2023-\n2024"),
    ("a   b \t c", "a b c"),
    ("", ""),
]


@pytest.mark.parametrize(("lines", "text"), LINES)
def test_lines_of_a_page(lines: str, text: str) -> None:
    assert join_lines(lines) == text


# Pages -> their text, and where they begin.
PAGES = [
    (["Jeden.", "Dwa."], "Jeden.\n\nDwa.", (0, 8)),
    (["jeden", "dwa"], "jeden dwa", (0, 6)),
    (["zaświad-", "czenie", "dalej"], "zaświadczenie dalej", (0, 7, 14)),
    (["", "Jeden.", "", "Dwa.", ""], "Jeden.\n\nDwa.", (0, 0, 6, 8, 12)),
    ([], "", ()),
]


@pytest.mark.parametrize(("pages", "text", "starts"), PAGES)
def test_pages(pages: list[str], text: str, starts: tuple[int, ...]) -> None:
    assert join_pages(pages) == (text, starts)


class TestDocx:
    def test_paragraphs_headings_and_tables_in_order(self, tmp_path: Path) -> None:
        blocks = [
            "# Umowa",
            "Strony zawierają umowę.",
            "",
            [["Czynność", "Kwota"], ["Wydanie dowodu", "17 zł"]],
            "## Koniec",
            "Źródło:\tustawa\no opłatach",
        ]
        [source] = read(write_docx(tmp_path / "a.docx", blocks))
        assert source == Source(
            "a.docx",
            "# Umowa\n\nStrony zawierają umowę.\n\nCzynność | Kwota\nWydanie dowodu | 17 zł\n\n"
            "## Koniec\n\nŹródło:\tustawa\no opłatach",
            "Umowa",
        )

    def test_the_title_that_the_file_tells(self, tmp_path: Path) -> None:
        [source] = read(write_docx(tmp_path / "a.docx", ["# Wstęp", "Tekst"], title="Umowa"))
        assert isinstance(source, Source)
        assert source.title == "Umowa"

    # What stands in the paragraph's place -> its text.
    INSIDE = [
        ("<w:r><w:t>a</w:t></w:r><w:ins><w:r><w:t>b</w:t></w:r></w:ins>", "ab"),
        ("<w:del><w:r><w:delText>a</w:delText></w:r></w:del><w:r><w:t>b</w:t></w:r>", "b"),
        ("<w:hyperlink><w:r><w:t>a</w:t></w:r></w:hyperlink>", "a"),
        ("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>", "a-b"),
        ("<w:sdt><w:sdtContent><w:r><w:t>a</w:t></w:r></w:sdtContent></w:sdt>", "a"),
        ("<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>a</w:t></w:r>", "a"),
    ]

    @pytest.mark.parametrize(("inside", "text"), INSIDE)
    @pytest.mark.parametrize("is_wrapped", [False, True])
    def test_what_word_makes(
        self, tmp_path: Path, inside: str, text: str, is_wrapped: bool
    ) -> None:
        paragraph = f"<w:p>{inside}</w:p>"
        if is_wrapped:
            paragraph = f"<w:sdt><w:sdtContent>{paragraph}</w:sdtContent></w:sdt>"
        [source] = read(self.with_document(tmp_path, lambda _: document(paragraph)))
        assert isinstance(source, Source)
        assert source.text == text

    def test_a_table_in_a_table(self, tmp_path: Path) -> None:
        def table(cell: str) -> str:
            return f"<w:tbl><w:tr><w:tc>{cell}</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"

        paragraph = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"
        path = self.with_document(tmp_path, lambda _: document(table(paragraph + table(paragraph))))
        [source] = read(path)
        assert isinstance(source, Source)
        assert source.text == "a a | |"

    BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
        "XML cut short": (lambda xml: xml[:200], "is a broken DOCX: "),
        "no body": (lambda xml: xml.replace("w:body", "w:bodies"), "is a broken DOCX: "),
        "a billion laughs": (
            lambda _: (
                '<!DOCTYPE l [<!ENTITY a "lol">'
                + "".join(
                    f'<!ENTITY {name} "{f"&{of};" * 10}">'
                    for of, name in zip("abcdefgh", "bcdefghi", strict=True)
                )
                + "]>"
                + document("<w:p><w:r><w:t>&i;</w:t></w:r></w:p>")
            ),
            "is a broken DOCX: ",
        ),
    }

    @pytest.mark.parametrize(("change", "start"), BROKEN.values(), ids=BROKEN)
    def test_broken(self, tmp_path: Path, change: Callable[[str], str], start: str) -> None:
        assert reason(self.with_document(tmp_path, change)).startswith(start)

    def test_a_bomb(self, tmp_path: Path) -> None:
        path = tmp_path / "a.docx"
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("word/document.xml", "w") as part,
        ):
            for _ in range(51):
                part.write(bytes(10_000_000))
        assert path.stat().st_size < 1_000_000
        assert reason(path) == "is too large: 510 MB when unpacked"

    def test_old_word_and_passwords(self, tmp_path: Path) -> None:
        path = tmp_path / "a.docx"
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))
        assert reason(path) == "is encrypted, or of Word 97 to 2003: save it as DOCX"

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


def document(body: str) -> str:
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>'


class TestHtml:
    BODY = (
        "<h1>Opłata <b>skarbowa</b></h1><p>Wynosi\n 17&nbsp;zł.</p><p hidden>Tajne</p>"
        "<ul><li>jeden</li><li>dwa</li></ul>"
        "<table><tr><th>Czynność<th>Kwota<tr><td>Wydanie dowodu<td>0 zł</table>"
        "<p>Źródło: <a href='/u'>ustawa</a></p><button>Wyślij</button>"
    )
    TEXT = (
        "Opłata skarbowa\n\nWynosi 17 zł.\n\n* jeden\n* dwa\n"
        "Czynność | Kwota\nWydanie dowodu | 0 zł\n\nŹródło: ustawa"
    )

    @pytest.mark.parametrize("encoding", ["utf-8", "windows-1250", "iso-8859-2"])
    def test_text_without_what_leads_elsewhere(self, tmp_path: Path, encoding: str) -> None:
        path = write_html(tmp_path / "a.html", self.BODY, "Urząd", encoding)
        assert read(path) == [Source("a.html", self.TEXT, "Urząd")]

    # A page -> its text and title.
    PAGES = [
        ("<h1>Tytuł <i>strony</i></h1><p>a", "Tytuł strony\n\na", "Tytuł strony"),
        ("tylko tekst", "tylko tekst", None),
        ('<?xml version="1.0" encoding="UTF-8"?>\n<html><p>ź</p></html>', "ź", None),
        ("<p>a<!-- b -->c", "ac", None),
        ("<p>1 &lt; 2 &amp; 3", "1 < 2 & 3", None),
        ("<main><p>a<footer>b</footer></main>", "a\n\nb", None),
    ]

    @pytest.mark.parametrize(("html", "text", "title"), PAGES)
    def test_pages(self, tmp_path: Path, html: str, text: str, title: str | None) -> None:
        path = write_text(tmp_path / "a.htm", html)
        assert read(path) == [Source("a.htm", text, title)]

    def test_utf_8_that_declares_another_encoding(self, tmp_path: Path) -> None:
        html = '<meta charset="iso-8859-2"><p>Zażółć'
        assert read(write_text(tmp_path / "a.html", html))[0] == Source("a.html", "Zażółć")

    @pytest.mark.parametrize("declared", ["iso-8859-99", "utf-8", "base64"])
    def test_an_encoding_that_it_is_not_in(self, tmp_path: Path, declared: str) -> None:
        html = f'<meta charset="{declared}"><p>Zażółć gęślą jaźń'
        path = write_text(tmp_path / "a.html", html, "cp1250")
        assert read(path) == [Source("a.html", "Zażółć gęślą jaźń")]


class TestTextFiles:
    @pytest.mark.parametrize("name", ["a.md", "a.MARKDOWN"])
    def test_markdown_stays_and_its_heading_is_the_title(self, tmp_path: Path, name: str) -> None:
        text = "---\nx: 1\n---\n# *Opłaty* #\n\nTekst `b`.\n"
        assert read(write_text(tmp_path / name, text)) == [Source(name, text, "*Opłaty*")]

    @pytest.mark.parametrize("name", ["a.txt", "a.text", "a.rst"])
    def test_text_stays(self, tmp_path: Path, name: str) -> None:
        text = "# Tekst\n\n  wcięty\n"
        assert read(write_text(tmp_path / name, text)) == [Source(name, text)]


SENTENCES = {
    "pl": "Opłata wynosi 17 zł. Wniosek składa się w urzędzie gminy; źródłem prawa jest ustawa.",
    "pl, hardly an ą": "Wniosek złożę wcześniej, „niż” trzeba – źle? Czekaj, jeżeli można.",
    "pl, with a foreign name": "Wysłał sąd, a dostał Müller z Łodzi: książkę, świecę i łańcuch.",
    "de": "Die Gebühr für größere Anträge beträgt 17 Euro; das Amt prüft sie in sieben Tagen.",
    "es": "¿Cuánto cuesta la inscripción? La señora pagó diez euros por año, según el español.",
}
ENCODINGS = [
    *((key, encoding) for key in SENTENCES for encoding in ("utf-8", "utf-8-sig", "utf-16")),
    *((key, "cp1250") for key in SENTENCES if key != "es"),
    ("pl", "iso8859_2"),
    ("de", "iso8859_1"),
    ("es", "iso8859_1"),
    ("es", "cp1252"),
    ("pl", "utf-32"),
]


@pytest.mark.parametrize("times", [1, 200])
@pytest.mark.parametrize(("key", "encoding"), ENCODINGS)
def test_encodings(key: str, encoding: str, times: int) -> None:
    text = SENTENCES[key] * times
    assert decode(text.encode(encoding)) == text


# What stands in a file -> what is read.
TIDIED = [
    ("a\r\nb\rc\nd\x0ce\u2028f", "a\nb\nc\nd\ne\nf"),
    ("a\x07b\x7fc\td", "abc\td"),
    ("zaz\u0307o\u0301łc\u0301", "zażółć"),
    ("za\u00adświad\u200bczenie\ufeff", "zaświadczenie"),
    ("17\u00a0m²", "17\u00a0m²"),
]


@pytest.mark.parametrize(("text", "tidied"), TIDIED)
def test_tidied(text: str, tidied: str) -> None:
    assert decode(text.encode("utf-8")) == tidied


def test_a_megabyte_of_combining_marks_takes_no_minutes() -> None:
    assert len(decode(("a" + "\u0301\u0316" * 250_000).encode("utf-8"))) <= 31


TABLES = {
    "text and title": (
        [["Lp.", "Tytuł", "Treść"], ["1", "Dowód", "Kosztuje 0 zł, trwa; 30 dni"]],
        [("Kosztuje 0 zł, trwa; 30 dni", "Dowód", 1)],
    ),
    "contents before text": ([["text", "contents"], ["a", "b"]], [("b", None, 1)]),
    "no text column": (
        [["Nazwa", "Kwota", "Uwagi"], ["Dowód", "0 zł", ""], ["Odpis", "22 zł", "pilne"]],
        [
            ("Nazwa: Dowód\nKwota: 0 zł", None, 1),
            ("Nazwa: Odpis\nKwota: 22 zł\nUwagi: pilne", None, 2),
        ],
    ),
    "title without text": ([["title", "x"], ["A", "1"]], [("title: A\nx: 1", "A", 1)]),
    "lines in a cell": ([["text", "x"], ["a\nb", ""]], [("a\nb", None, 1)]),
    "rows without a text": ([["text", "x"], [" ", "1"], ["b", "2"]], [("b", None, 2)]),
    "too many cells": ([["a", "b"], ["1", "2", "3"]], [("a: 1\nb: 2\ncolumn 3: 3", None, 1)]),
    "too few cells": ([["a", "b"], ["1"]], [("a: 1", None, 1)]),
    "a name twice": ([["a", "a"], ["1", "2"]], [("a: 1\na 2: 2", None, 1)]),
}


class TestTables:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
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

    def test_tsv_and_an_old_encoding(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "a.tsv", [["treść"], ["Zażółć, gęślą; jaźń"]], "\t", "cp1250")
        assert read(path) == [Source("a.tsv", "Zażółć, gęślą; jaźń", row=1)]

    def test_one_column_with_commas(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "a.csv", "text\nAla, ma kota\npies; kot, mysz\n")
        assert [source.text for source in read(path) if isinstance(source, Source)] == [
            "Ala, ma kota",
            "pies; kot, mysz",
        ]

    def test_a_long_cell(self, tmp_path: Path) -> None:
        [source] = read(write_csv(tmp_path / "a.csv", [["text"], ["słowo " * 50_000]]))
        assert isinstance(source, Source)
        assert len(source.text) == 300_000

    ITEMS = [
        {"title": "Dowód", "contents": "Kosztuje 0 zł."},
        "Sam tekst",
        {"nazwa": "Odpis", "kwoty": [22, 33], "uwagi": None, "pilne": True},
        {"Text": "a\r\nb\u0000"},
        {"text": ""},
    ]
    TEXTS = [
        ("Kosztuje 0 zł.", "Dowód", 1),
        ("Sam tekst", None, 2),
        ("nazwa: Odpis\nkwoty: [22, 33]\npilne: true", None, 3),
        ("a\nb", None, 4),
    ]

    def test_json(self, tmp_path: Path) -> None:
        expected = [(text, title, row) for text, title, row in self.TEXTS]
        lines = write_jsonl(tmp_path / "a.jsonl", self.ITEMS)
        array = write_text(tmp_path / "b.json", json.dumps(self.ITEMS, indent=1))
        lines_in_json = write_jsonl(tmp_path / "c.json", self.ITEMS)
        for path in (lines, array, lines_in_json):
            found = [s for s in read(path) if isinstance(s, Source)]
            assert [(s.text, s.title, s.row) for s in found] == expected

    def test_a_row_is_its_line(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "a.jsonl", '\n{"text": "a"}\n\n{"text": "b"}')
        assert [s.row for s in read(path) if isinstance(s, Source)] == [2, 4]

    def test_half_of_a_surrogate_pair(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "a.jsonl", '{"text": "a \\ud800", "title": "\\udc00"}')
        assert read(path) == [Source("a.jsonl", "a \ufffd", "\ufffd", row=1)]

    BAD_JSON = [
        ('{"text": "a"}\n{"text":\n', "line 2 is not valid JSON: Expecting value"),
        ('[\n{"text": "a"},\n{"text" "b"}]', "line 3 is not valid JSON: Expecting ':' delimiter"),
        ("[1]", "item 1 is neither a JSON object nor a string"),
        ("[" * 100_000, "is not valid JSON: maximum recursion depth exceeded"),
        ("[]", "holds no text"),
    ]

    @pytest.mark.parametrize(("text", "expected"), BAD_JSON)
    def test_bad_json(self, tmp_path: Path, text: str, expected: str) -> None:
        assert reason(write_text(tmp_path / "a.json", text)).startswith(expected)

    def test_a_header_alone(self, tmp_path: Path) -> None:
        assert reason(write_text(tmp_path / "a.csv", "a,b\n")) == "holds no text"


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
# A file's name and bytes -> why it cannot be read.
BAD_FILES = [
    ("a.pdf", PNG, "is no PDF"),
    ("a.docx", PNG, "is no DOCX, or a broken one"),
    ("a.txt", PNG, "is no text: it holds zero bytes"),
    ("a.csv", PNG, "is no text: it holds zero bytes"),
    ("a.txt", b"", "is empty"),
    ("a.pdf", b"", "is empty"),
    ("a.md", b"\xef\xbb\xbf \n", "holds no text"),
    ("a.html", b"<script>1</script>", "holds no text"),
    ("a.html", b"<!-- -->", "is no HTML that can be read: Document is empty"),
    ("a.txt", b"\xff\xfea", "is no UTF-16 text: truncated data"),
    ("a.doc", b"x", "is none of the kinds that are read: .pdf, .docx, "),
    ("a", b"x", "is none of the kinds that are read: .pdf, .docx, "),
]


@pytest.mark.parametrize(("name", "data", "expected"), BAD_FILES)
def test_bad_files(tmp_path: Path, name: str, data: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert reason(path).startswith(expected)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.pdf").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "link.txt").symlink_to("nowhere.txt")
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    assert reason(tmp_path / "folder.pdf") == "is a folder"
    assert reason(tmp_path / "pipe.txt") == "is no regular file"
    assert reason(tmp_path / "link.txt") == "cannot be read: No such file or directory"
    assert reason(tmp_path / "loop.txt").startswith("cannot be read: Too many levels")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_no_permission(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "tekst")
    path.chmod(0)
    assert reason(path) == "cannot be read: Permission denied"


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert reason(path) == (
        "is too long: 50 MB of text, and at most 20 MB are read from one file; split it"
    )
    os.truncate(path, LARGEST_FILE + 1)
    assert reason(path) == "is too large: 200 MB, and at most 200 are read"
    with pytest.raises(UnreadableError):
        decode(b"a" * (LARGEST_TEXT + 1))


def test_the_good_among_the_bad(tmp_path: Path) -> None:
    good = write_text(tmp_path / "a.txt", "tekst")
    bad = write_text(tmp_path / "b.pdf", "tekst")
    assert list(read_files([(bad, "x/b.pdf"), (good, "x/a.txt")])) == [
        Unread("x/b.pdf", "is no PDF"),
        Source("x/a.txt", "tekst"),
    ]
