"""Verdicts in a table: what is written, and what comes back from spreadsheets and people."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from ragifeval.build.records import Candidate, Chunk
from ragifeval.build.review.cells import (
    MOST_IN_CELL,
    Verdict,
    guarded,
    parse_phrases,
    parse_verdict,
    phrases_cell,
    unguarded,
)
from ragifeval.build.review.table import (
    COLUMNS,
    Reviewed,
    Row,
    is_edited,
    read_verdicts,
    says_something,
    unapplied,
    write_review_csv,
)
from ragifeval.errors import UserError

Phrases = Sequence[str | Sequence[str]]


def row(
    key: str = "a-1",
    question: str = "Ile trwa urlop?",
    answer: str = "Urlop trwa 26 dni.",
    phrases: Phrases = ("26 dni",),
    text: str = "Urlop trwa 26 dni, źdźbło.",
    verdict: Verdict = "",
    note: str = "",
) -> Row:
    ratings = {"groundedness": 5, "standalone": 4.5}
    words = {"groundedness": "Stoi w\ntekście.", "standalone": "=A1"}
    candidate = Candidate(key, "a", question, answer, ratings, words, phrases)
    chunk = Chunk("a", text, "regulamin.pdf", 0, page=3)
    return Row(candidate, chunk, verdict=verdict, note=note)


def known(*rows: Row) -> dict[str, Row]:
    return {one.candidate.id: one for one in rows}


def written(path: Path, *rows: Row) -> list[list[str]]:
    """Write the table; what a reader of CSV other than ours sees of it."""
    write_review_csv(path, rows)
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def saved(path: Path, lines: Sequence[Sequence[str]], **options: str) -> None:
    """Save a table as a spreadsheet does, which has quotes only where they are needed."""
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=options.get("delimiter", ",")).writerows(lines)
    text = table.getvalue()
    if "ends" in options:
        text = text.replace("\r\n", "\n").replace("\n", options["ends"])
    path.write_bytes(text.encode(options.get("encoding", "utf-8-sig"), "replace"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "review.csv"


def test_what_is_written(path: Path) -> None:
    one = row(phrases=["26 dni", ["urlop", "dni wolne"]])
    page_less = Row(one.candidate, Chunk("a", "Treść.", "faq.csv", 0, row=12), refuse=True)
    header, first, second = written(path, one, page_less)
    assert header == list(COLUMNS)
    assert first[:-1] == [
        "a-1",
        "",
        "Ile trwa urlop?",
        "Urlop trwa 26 dni.",
        "26 dni\nurlop | dni wolne",
        "",
        "no",
        "groundedness: 5. Stoi w tekście.\nstandalone: 4.5. =A1",
        "regulamin.pdf",
        "3",
        "Urlop trwa 26 dni, źdźbło.",
    ]
    assert second[6:-1] == ["yes", first[7], "faq.csv", "row 12", "Treść."]
    assert first[-1] == second[-1]  # nothing that a person may edit differs
    assert re.fullmatch("[a-p]{12}", first[-1])


def test_the_file_is_rfc_4180(path: Path) -> None:
    write_review_csv(path, [row(question='Co to jest "urlop",\nkto go ma?')])
    lines = path.read_bytes().split(b"\r\n")
    assert lines[0] == '\ufeff"'.encode() + '","'.join(COLUMNS).encode() + b'"'
    assert b'"Co to jest ""urlop"",\nkto go ma?"' in lines[1]


TEXTS = [
    "zwykły",
    "z \"cudzysłowem\" i 'apostrofem'",
    "dwie\nlinie",
    "stary\r\nkoniec\rlinii",
    "a;b,c\td|e",
    "=1+1",
    "'=1+1",
    "''-5 °C",
    "+48 22 000 00 00",
    "@wzmianka",
    "-5 °C",
    "\t=1+1",
    "lista:\n- raz\n- dwa; -3, =4",
    '; "=HYPERLINK(1)"',
    "'zwykły apostrof",
    " z odstępem ",
    "CO₂ ≤ 5 👍",
    "źdźbło żółć",
    "\u2028\x85\x0b\x1cdziwne",
    "pół \ud83d pary",
    "\x00 zero",
    "</script><b>",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_left_alone_comes_back_to_the_letter(path: Path, text: str) -> None:
    one = row(question=text, answer=text, phrases=[text, [text, "b"]], text=text)
    write_review_csv(path, [one])
    [back] = read_verdicts(path, known(one))
    assert back == Reviewed("a-1", "", text, text, [text, [text, "b"]], "")
    assert not is_edited(back, one)


# Who saves it, and how.
SAVED = {
    "excel, utf-8": {},
    "excel in poland, utf-8": {"delimiter": ";"},
    "excel in poland, of old": {"delimiter": ";", "encoding": "cp1250"},
    "excel, unicode text": {"delimiter": "\t", "encoding": "utf-16"},
    "no mark": {"encoding": "utf-8"},
    "unix": {"encoding": "utf-8", "ends": "\n"},
    "windows, within cells too": {"ends": "\r\n"},
    "old mac": {"ends": "\r"},
}


@pytest.mark.parametrize("options", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize("text", ["źdźbło, „ćma”; raz\ndwa", '"a" | b\n=c', "=1;2"])
def test_what_spreadsheets_save_is_read(path: Path, options: dict[str, str], text: str) -> None:
    rows = [row("a-1", question=text, phrases=[text]), row("a-2"), row("a-3")]
    lines = written(path, *rows)
    for line, verdict in zip(lines[1:], ["accept", "nie", ""], strict=True):
        line[1] = verdict
    lines[2][3], lines[2][5] = "Trwa dwadzieścia\nsześć dni.", "źle"
    saved(path, lines, **options)
    first, second, third = read_verdicts(path, known(*rows))
    assert first == Reviewed("a-1", "accept", text, "Urlop trwa 26 dni.", [text], "")
    assert second == Reviewed(
        "a-2", "reject", "Ile trwa urlop?", "Trwa dwadzieścia\nsześć dni.", ("26 dni",), "źle"
    )
    assert third.verdict == ""
    edited = [is_edited(back, one) for back, one in zip((first, second, third), rows, strict=True)]
    assert edited == [False, True, False]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1250", "Świadczenie CO₂ źdźbło 👍"),  # "CO?" and "??" or "?" in the file
        ("cp1252", "Größe: año ¿cuándo? ≤ 5"),
        ("cp1250", "Größe der Fläche"),
    ],
)
def test_letters_that_an_old_encoding_lacks_are_no_edit(
    path: Path, encoding: str, text: str
) -> None:
    one = row(question=text, answer=text, phrases=[text], text=text)
    lines = written(path, one)
    lines[1][1] = "x"
    saved(path, lines, encoding=encoding, delimiter=";")
    [back] = read_verdicts(path, known(one))
    assert back == Reviewed("a-1", "accept", text, text, [text], "")


def test_columns_and_rows_may_be_moved_added_and_left_out(path: Path) -> None:
    rows = [row("a-1"), row("a-2"), row("a-3")]
    lines = [
        ["Note", " VERDICT ", "my own", "id", "", ""],
        ["", "", "", "", "", ""],
        ["dobre", "ok", "?", "a-3", "", ""],
        ["", "reject", "", " a-1 ", "", ""],
    ]
    saved(path, lines)
    assert read_verdicts(path, known(*rows)) == [
        Reviewed("a-3", "accept", "Ile trwa urlop?", "Urlop trwa 26 dni.", ("26 dni",), "dobre"),
        Reviewed("a-1", "reject", "Ile trwa urlop?", "Urlop trwa 26 dni.", ("26 dni",), ""),
    ]


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("question", "Ile trwa urlop?", False),
        ("question", " Ile trwa urlop?\n", False),
        ("question", "Ile dni trwa urlop?", True),
        ("answer", "", True),
        ("phrases", "26 dni\n\n", False),
        ("phrases", "26 dni | dwadzieścia sześć dni", True),
        ("phrases", "", True),
        ("note", "nowa", False),
        ("refuse", "yes", False),
        ("text", "coś innego", False),
    ],
)
def test_what_counts_as_edited(path: Path, column: str, cell: str, expected: bool) -> None:
    one = row()
    lines = written(path, one)
    lines[1][COLUMNS.index(column)] = cell
    saved(path, lines)
    [back] = read_verdicts(path, known(one))
    assert is_edited(back, one) is expected


def test_a_list_and_a_tuple_of_phrases_are_the_same() -> None:
    one = row(phrases=["a", ["b", "c"]])
    back = Reviewed("a-1", "", "Ile trwa urlop?", "Urlop trwa 26 dni.", ("a", ("b", "c")), "")
    assert not is_edited(back, one)


@pytest.mark.parametrize(
    ("phrases", "cell"),
    [
        ([], ""),
        (["a"], "a"),
        (["a b", ("c", "d e")], "a b\nc | d e"),
        (["a|b", ("c | d", "e")], "a\\|b\nc \\| d | e"),
        ([("C:\\", "D:\\")], "C:\\ | D:\\"),
    ],
)
def test_phrases_in_a_cell(phrases: Phrases, cell: str) -> None:
    assert phrases_cell(phrases) == cell
    assert parse_phrases(cell) == tuple(phrases)


@pytest.mark.parametrize(
    ("cell", "phrases"),
    [
        ("  a  \n\n b|c ", ("a", ("b", "c"))),
        ("a | \n | ", ("a",)),
        ("\n\n", ()),
    ],
)
def test_phrases_as_people_write_them(cell: str, phrases: Phrases) -> None:
    assert parse_phrases(cell) == phrases


@pytest.mark.parametrize(
    ("cell", "verdict"),
    [
        ("accept", "accept"),
        (" Accept. ", "accept"),
        ("OK", "accept"),
        ("yes", "accept"),
        ("x", "accept"),
        ("TAK", "accept"),
        ("Akceptuję", "accept"),
        ("akceptuje\u0328", "accept"),
        ("PRAWDA", "accept"),
        ("ja", "accept"),
        ("Sí", "accept"),
        ("aceptado", "accept"),
        ("✓", "accept"),
        ("1", "accept"),
        ("reject", "reject"),
        ("No", "reject"),
        ("nie", "reject"),
        ("odrzuć", "reject"),
        ("Odrzucone", "reject"),
        ("FAŁSZ", "reject"),
        ("nein", "reject"),
        ("abgelehnt", "reject"),
        ("rechazado", "reject"),
        ("0", "reject"),
        ("", ""),
        (" \n", ""),
        ("może", None),
        ("yes and no", None),
        ("edit", None),
        ("=1", None),
        ("?", None),
    ],
)
def test_verdicts(cell: str, verdict: str | None) -> None:
    assert parse_verdict(cell) == verdict


HEAD = "id,verdict,question,answer\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            HEAD + 'a-1,accept,"Co\nto?",To.\na-2,może,P?,O.\n',
            '{path}:4: the verdict on "a-2" is "może"; write accept, reject, or nothing if it is '
            "still open",
        ),
        (
            HEAD + "a-9,accept,P?,O.\n",
            '{path}:2: no sample of this build has the id "a-9"; give the id as it was written, '
            "and the review that belongs to this build",
        ),
        (
            HEAD + "a-1,,P?,O.\n\na-1,,P?,O.\n",
            '{path}:4: "a-1" stands in line 2 already; leave one of the two',
        ),
        (
            HEAD + "a-1,accept, ,O.\n",
            '{path}:2: "a-1" is accepted, but its question is empty; fill it in, or reject the '
            "sample",
        ),
        (
            HEAD + "a-1,accept,P?,\n",
            '{path}:2: "a-1" is accepted, but its answer is empty; fill it in, or reject the '
            "sample",
        ),
        (
            HEAD + "a-1,accept,P?\n",
            "{path}:2: has 3 cells, the header 4; save the table as 'CSV UTF-8' anew",
        ),
        (
            HEAD + "a-1,accept,Raz, dwa?,O.\n",
            "{path}:2: has 5 cells, the header 4; save the table as 'CSV UTF-8' anew",
        ),
        (
            HEAD + 'a-1,accept,P?,O.\na-2,accept,"P?,O.\n',
            "{path}:3: is not valid CSV: unexpected end of data; save the table as 'CSV UTF-8' "
            "anew",
        ),
        (
            "id,question\na-1,P?\n",
            "{path}:1: the first line must name the columns 'id' and 'verdict', not "
            "'id,question'; save the table as 'CSV UTF-8' anew, with its header",
        ),
        (
            "",
            "{path}:1: the first line must name the columns 'id' and 'verdict', not ''; save the "
            "table as 'CSV UTF-8' anew, with its header",
        ),
        (
            "id,verdict,id\n",
            '{path}:1: has two columns "id"; leave one of them',
        ),
    ],
)
def test_mistakes_are_told_with_line_and_remedy(path: Path, content: str, message: str) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_verdicts(path, known(row("a-1"), row("a-2")))
    assert str(error.value) == message.format(path=path)


def test_an_open_or_rejected_sample_may_be_empty(path: Path) -> None:
    path.write_text(HEAD + "a-1,,,\na-2,reject,,\n", encoding="utf-8")
    back = read_verdicts(path, known(row("a-1"), row("a-2")))
    assert [(of.verdict, of.question) for of in back] == [("", ""), ("reject", "")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\x81\x83\xff", "is no text in UTF-8, UTF-16, cp1250 or cp1252"),
        (b"\xff\xfea", "is no text in UTF-8, UTF-16, cp1250 or cp1252"),
        (b"PK\x03\x04" + bytes(200_000), "the first line must name the columns"),
    ],
    ids=["missing", "bytes", "half a letter", "xlsx"],
)
def test_files_that_are_none(path: Path, content: bytes | None, reason: str) -> None:
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=reason):
        read_verdicts(path, known(row()))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"review.csv: cannot be written: No such file"):
        write_review_csv(tmp_path / "none" / "review.csv", [row()])


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1", "'=1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@a", "'@a"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        (" =1", " '=1"),
        ("\t=1", "\t'=1"),
        ("a=1", "a=1"),
        ("'a", "'a"),
        # A spreadsheet that parts cells at semicolons would find these in cells of their own.
        ("a;=1", "a;'=1"),
        ('a; "=1', "a; \"'=1"),
        ("a\n-1\n-2", "a\n'-1\n'-2"),
        ("a - b", "a - b"),
    ],
)
def test_no_formula_is_written(text: str, cell: str) -> None:
    assert guarded(text) == cell
    assert unguarded(cell) == text


@given(st.text("'=+-@;,\t\n\" ab"))
def test_every_text_comes_back_from_its_guarded_cell(text: str) -> None:
    assert unguarded(guarded(text)) == text


def test_a_formula_typed_by_a_person_is_a_text(path: Path) -> None:
    path.write_text(HEAD + "a-1,ok,=1+1?,O.\n", encoding="utf-8")
    assert read_verdicts(path, known(row()))[0].question == "=1+1?"


@pytest.mark.parametrize("letter", ["a", "👍"])
def test_no_cell_is_longer_than_excel_takes(path: Path, letter: str) -> None:
    units = len(letter.encode("utf-16-le")) // 2
    one = row(answer=letter * 40_000, text=letter * 40_000)
    lines = written(path, one)
    assert lines[1][COLUMNS.index("text")] == letter * (MOST_IN_CELL // units) + "…"
    assert MOST_IN_CELL < 32_767
    [back] = read_verdicts(path, known(one))
    assert back.answer == letter * 40_000  # left alone, so it is whole


CELLS = st.text(max_size=30)


@limits(deadline=None, max_examples=60)
@given(st.lists(st.tuples(CELLS, CELLS, st.lists(CELLS | st.lists(CELLS)), CELLS), max_size=4))
def test_any_texts_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[tuple[str, str, list[str | list[str]], str]],
) -> None:
    rows = [row(f"k-{index}", *four) for index, four in enumerate(texts)]
    path = tmp_path_factory.mktemp("any") / "review.csv"
    write_review_csv(path, rows)
    back = read_verdicts(path, known(*rows))
    assert [of.id for of in back] == [one.candidate.id for one in rows]
    for of, one in zip(back, rows, strict=True):
        assert (of.question, of.answer) == (one.candidate.question, one.candidate.answer)
        assert not is_edited(of, one)


ROUNDS: list[tuple[Verdict, str]] = [
    ("accept", ""),
    ("reject", "za łatwe"),
    ("", "=jeszcze raz\n- kto to pisał? "),
]


@pytest.mark.parametrize("options", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize(("verdict", "note"), ROUNDS)
def test_what_an_earlier_round_brought_is_there_again(
    path: Path, verdict: Verdict, note: str, options: dict[str, str]
) -> None:
    one = row(verdict=verdict, note=note)
    lines = written(path, one)
    assert lines[1][1] == verdict
    saved(path, lines, **options)
    [back] = read_verdicts(path, known(one))
    assert (back.verdict, back.note) == (verdict, note)
    assert not says_something(back, one)
    assert not unapplied(path, known(one))


BLANK, ACCEPTED = row(), row(verdict="accept", note="dobre")


# What the row was written with, what a person changed in it, whether that says anything.
@pytest.mark.parametrize(
    ("one", "changed", "expected"),
    [
        (BLANK, {}, False),
        (BLANK, {"verdict": " \n"}, False),
        (BLANK, {"answer": " Urlop trwa 26 dni. "}, False),
        (BLANK, {"phrases": "26 dni\n\n"}, False),
        (BLANK, {"text": "inny", "refuse": "yes"}, False),
        (BLANK, {"verdict": "tak"}, True),
        (BLANK, {"verdict": "reject"}, True),
        (BLANK, {"note": "?"}, True),
        (BLANK, {"question": "Ile?"}, True),
        (BLANK, {"answer": ""}, True),
        (BLANK, {"phrases": "26 dni | 26 dób"}, True),
        (ACCEPTED, {}, False),
        (ACCEPTED, {"verdict": "TAK"}, False),
        (ACCEPTED, {"verdict": ""}, True),
        (ACCEPTED, {"verdict": "reject"}, True),
        (ACCEPTED, {"note": ""}, True),
        (ACCEPTED, {"question": "Ile?"}, True),
    ],
)
@pytest.mark.parametrize("is_marked", [True, False])
def test_what_says_something(
    path: Path, one: Row, changed: dict[str, str], expected: bool, is_marked: bool
) -> None:
    lines = written(path, one)
    for column, cell in changed.items():
        lines[1][COLUMNS.index(column)] = cell
    if not is_marked:
        lines = [line[:-1] for line in lines]
    saved(path, lines)
    [back] = read_verdicts(path, known(one))
    assert says_something(back, one) is expected
    assert unapplied(path, known(one)) is expected


def test_a_row_of_an_earlier_round_that_nobody_touched_reopens_nothing(path: Path) -> None:
    lines = written(path, row("a-1"), row("a-2"))
    now = known(
        row("a-1", question="Ile dni?", phrases=["dni"], verdict="accept", note="x"), row("a-2")
    )
    lines[2][1] = "reject"
    saved(path, lines)
    first, second = read_verdicts(path, now)
    assert first == Reviewed("a-1", "accept", "Ile dni?", "Urlop trwa 26 dni.", ["dni"], "x")
    assert second.verdict == "reject"
    assert [says_something(one, now[one.id]) for one in (first, second)] == [False, True]
    assert unapplied(path, now)
    # Its verdict has come in meanwhile.
    assert not unapplied(path, now | known(replace(row("a-2"), verdict="reject")))


# A table of the samples a-1, a-2; that of a-2 is gone since.
HEADER = "id,verdict,question,note\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, False),
        (HEADER, False),
        (HEADER + "a-1,,Ile trwa urlop?,\n", False),
        (HEADER + "a-1,x,Ile trwa urlop?,\n", True),
        (HEADER + "a-1,może,Ile trwa urlop?,\n", True),
        (HEADER + "a-1,accept,,\n", True),
        (HEADER + "a-2,,Ile kosztuje?,\n", False),
        (HEADER + "a-2,,Ile kosztuje?,dobre\n", True),
        (HEADER + "a-2,no,Ile kosztuje?,\n", True),
        (HEADER + "a-1,,Ile trwa urlop?,\n" * 2, True),
        ("", True),
        ("moje notatki\n", True),
        ("id,question\na-1,Ile trwa urlop?\n", True),
        (HEADER + 'a-1,,"Ile', True),
    ],
)
def test_what_is_not_written_over(path: Path, content: str | None, expected: bool) -> None:
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert unapplied(path, known(row("a-1"))) is expected


def test_verdicts_on_samples_that_are_gone_are_written_over_once_they_were_applied(
    path: Path,
) -> None:
    lines = written(path, row("a-2", verdict="accept"))
    assert not unapplied(path, {})
    lines[1][1] = "reject"
    saved(path, lines)
    assert unapplied(path, {})
    assert unapplied(path.parent, {})  # no table
