"""Verdicts in a table: what is written, and what comes back from spreadsheets and people."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from ragifeval.build.records import Candidate, Chunk
from ragifeval.build.review.table import (
    COLUMNS,
    LONGEST_TEXT,
    Reviewed,
    Row,
    Verdict,
    guarded,
    parse_phrases,
    phrases_cell,
    read_table,
    unguarded,
    write_table,
)
from ragifeval.errors import UserError

Phrases = Sequence[str | Sequence[str]]
QUESTION, ANSWER = "Ile trwa urlop?", "Urlop trwa 26 dni."


def row(
    key: str = "a-1",
    question: str = QUESTION,
    answer: str = ANSWER,
    phrases: Phrases = ("26 dni",),
    text: str = "Urlop trwa 26 dni, źdźbło.",
    reviewed: Reviewed | None = None,
) -> Row:
    ratings = {"groundedness": 5.0, "standalone": 4.5}
    words = {"groundedness": "Stoi w\ntekście.", "standalone": "=A1"}
    candidate = Candidate(key, "a", question, answer, ratings, words, phrases)
    return Row(candidate, Chunk("a", text, "regulamin.pdf", 0, page=3), reviewed=reviewed)


def verdict(word: Verdict, note: str = "", key: str = "a-1", question: str = QUESTION) -> Reviewed:
    return Reviewed(key, word, question, ANSWER, ("26 dni",), note)


def known(*rows: Row) -> dict[str, Row]:
    return {one.candidate.id: one for one in rows}


def written(path: Path, *rows: Row) -> list[list[str]]:
    """Write the table; what a reader of CSV other than ours sees of it."""
    write_table(path, rows)
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
    path.write_bytes(text.encode(options.get("encoding", "utf-8-sig")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "review.csv"


def test_what_is_written(path: Path) -> None:
    one = row(phrases=["26 dni", ["urlop", "dni wolne"]])
    other = Row(one.candidate, Chunk("a", "Treść.", "faq.csv", 0, row=12), refuse=True)
    header, first, second = written(path, one, other)
    assert header == list(COLUMNS)
    assert first == [
        *("a-1", "", QUESTION, ANSWER, "26 dni\nurlop | dni wolne", "", "no"),
        "groundedness: 5. Stoi w tekście.\nstandalone: 4.5. =A1",
        *("regulamin.pdf", "3", "Urlop trwa 26 dni, źdźbło."),
    ]
    assert second[6:] == ["yes", first[7], "faq.csv", "row 12", "Treść."]


def test_no_cell_is_longer_than_excel_takes(path: Path) -> None:
    [_, line] = written(path, row(text="👍" * 40_000))
    assert line[-1] == "👍" * LONGEST_TEXT + "…"
    assert len(line[-1].encode("utf-16-le")) < 2 * 32_767


# Who saves it, and how.
SAVED = {
    "excel": {},
    "excel where numbers have a decimal comma": {"delimiter": ";"},
    "unix": {"encoding": "utf-8", "ends": "\n"},
    "windows, within cells too": {"ends": "\r\n"},
}


@pytest.mark.parametrize("options", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize("text", ["źdźbło, „ćma”; raz\ndwa", '"a" | b\n=c;=1'])
def test_what_spreadsheets_save_is_read(path: Path, options: dict[str, str], text: str) -> None:
    rows = [row("a-1", question=text, phrases=[text]), row("a-2"), row("a-3")]
    lines = written(path, *rows)
    for line, word in zip(lines[1:], ["ACCEPT ", "reject", ""], strict=True):
        line[1] = word
    lines[2][3], lines[2][5] = "Trwa dwadzieścia\nsześć dni.", "źle"
    saved(path, lines, **options)
    first, second = read_table(path, known(*rows))
    assert first == Reviewed("a-1", "accept", text, ANSWER, parse_phrases(phrases_cell([text])))
    assert second == Reviewed(
        "a-2", "reject", QUESTION, "Trwa dwadzieścia\nsześć dni.", ("26 dni",), "źle"
    )
    assert [rows[0].is_edited(first), rows[1].is_edited(second)] == [False, True]


def test_columns_and_rows_may_be_moved_added_and_left_out(path: Path) -> None:
    lines = [
        ["Note", " VERDICT ", "my own", "id"],
        ["", "", "", ""],
        ["dobre", "accept", "?", "a-3"],
        ["", "reject", "", " a-1 "],
    ]
    saved(path, lines)
    assert read_table(path, known(row("a-1"), row("a-2"), row("a-3"))) == [
        verdict("accept", "dobre", key="a-3"),
        verdict("reject"),
    ]


BLANK = row()
ACCEPTED = row(reviewed=verdict("accept", "dobre"))
EDITED = row(reviewed=verdict("accept", question="Ile dni?"))
# A row as it is known, what a table says of it -> what is news, if anything.
NEWS: list[tuple[Row, dict[str, str], tuple[str, bool] | None]] = [
    (BLANK, {}, None),
    (BLANK, {"verdict": " \n", "answer": f" {ANSWER} ", "phrases": "26 dni\n\n"}, None),
    (BLANK, {"text": "inny", "refuse": "yes"}, None),
    (BLANK, {"verdict": "reject"}, ("reject", False)),
    (BLANK, {"note": "?"}, ("open", False)),
    (BLANK, {"answer": ""}, ("open", True)),
    (BLANK, {"phrases": "26 dni | 26 dób"}, ("open", True)),
    (ACCEPTED, {}, None),
    (ACCEPTED, {"verdict": ""}, None),
    (ACCEPTED, {"verdict": "open"}, ("open", False)),
    (ACCEPTED, {"note": ""}, ("accept", False)),
    (ACCEPTED, {"question": "Ile?"}, ("accept", True)),
    # A table of the round before, in which nobody touched the row.
    (EDITED, {"verdict": "", "question": QUESTION, "note": ""}, None),
    (EDITED, {"verdict": "", "question": "Ile?"}, ("open", True)),
    (EDITED, {"question": QUESTION}, ("accept", False)),
]


@pytest.mark.parametrize(("one", "changed", "expected"), NEWS)
def test_what_is_news(
    path: Path, one: Row, changed: dict[str, str], expected: tuple[str, bool] | None
) -> None:
    lines = written(path, one)
    for column, cell in changed.items():
        lines[1][COLUMNS.index(column)] = cell
    saved(path, lines)
    news = read_table(path, known(one))
    assert [(of.verdict, one.is_edited(of)) for of in news] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("phrases", "cell"),
    [
        ([], ""),
        (["a|b", ("c | d", "e")], "a\\|b\nc \\| d | e"),
        ([("C:\\", "D:\\")], "C:\\ | D:\\"),
    ],
)
def test_phrases_in_a_cell(phrases: Phrases, cell: str) -> None:
    assert phrases_cell(phrases) == cell
    assert parse_phrases(cell) == tuple(phrases)


HEAD = "id,verdict,question,answer\n"
ANEW = "save the table as 'CSV UTF-8' anew"
# A table -> how the line about it goes on after the name.
MISTAKES = [
    (
        HEAD + 'a-1,accept,"Co\nto?",To.\na-2,maybe,P?,O.\n',
        ':4: the verdict on "a-2" is "maybe"; write accept, reject, open, or nothing',
    ),
    (HEAD + "a-9,reject,P?,O.\n", ':2: no sample of this build has the id "a-9"; give the id as'),
    (HEAD + "a-1,,P?,O.\n\na-1,,P?,O.\n", ':4: "a-1" stands in line 2 already; leave one'),
    (HEAD + "a-1,accept, ,O.\n", ':2: "a-1" is accepted, but its question is empty; fill it in'),
    (HEAD + "a-1,accept,P?\n", f":2: has 3 cells, the header 4; {ANEW}"),
    (HEAD + 'a-1,,P?,O.\na-2,,"P?,O.\n', f":3: is not valid CSV: unexpected end of data; {ANEW}"),
    ("id,question\n", ":1: the first line must name the columns, 'id' and 'verdict' among them"),
    ("id;verdict\na;źle".encode("cp1250"), ": is not UTF-8 text; save the table as 'CSV UTF-8'"),
    (b"PK\x03\x04" + bytes(200_000), ":1: "),
]


@pytest.mark.parametrize(("content", "message"), MISTAKES)
def test_mistakes_are_told_with_line_and_remedy(
    path: Path, content: str | bytes, message: str
) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UserError) as error:
        read_table(path, known(row("a-1"), row("a-2")))
    assert str(error.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1", "'=1"),
        ("@a", "'@a"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("\t=1", "\t'=1"),
        ("'a=1", "'a=1"),
        # A spreadsheet that parts cells at semicolons would find these in cells of their own.
        ('a; "=1', "a; \"'=1"),
        ("a\n-1\n+2", "a\n'-1\n'+2"),
    ],
)
def test_no_formula_is_written(text: str, cell: str) -> None:
    assert guarded(text) == cell
    assert unguarded(cell) == text


CELLS = st.text(max_size=30) | st.text("'=+-@;,\t\n\" ab")


@limits(deadline=None, max_examples=20)
@given(st.lists(st.tuples(CELLS, CELLS, st.lists(CELLS | st.lists(CELLS)), CELLS), max_size=4))
def test_what_is_left_alone_says_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[tuple[str, str, list[str | list[str]], str]],
) -> None:
    rows = [row(f"k-{index}", *four) for index, four in enumerate(texts)]
    path = tmp_path_factory.mktemp("any") / "review.csv"
    write_table(path, rows)
    assert read_table(path, known(*rows)) == []
