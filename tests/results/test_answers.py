"""Answers read back, from whatever wrote them; and what is said of those that are none."""

from pathlib import Path
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import StoredAnswer, read_answers
from ragifeval.results.signatures import model_name

SAMPLES = (
    Sample("p1", "Ile wynosi opłata?", ("a", "b"), {"include": ["17 zł"]}),
    Sample("p2", "Kiedy?\nI gdzie?", ("a", "b"), {"include": ["urząd"]}),
    Sample("p3", "Dlaczego?", ("a", "b"), {"refuse": True}),
    Sample("p4", "Dlaczego?", ("b", "a"), {"refuse": True}),
)

Expected = list[tuple[int, str | None, str | None, tuple[str, ...] | None]]

# The name of a file, what it holds -> line, sample, text and context of each answer.
FILES: list[tuple[str, str, Expected]] = [
    # A log of this harness; one sample without an answer.
    (
        "log.jsonl",
        '{"id": "p1", "context": ["b", "a"], "answer": "17 zł", "error": null}\n'
        '{"id": "p2", "context": ["a", "b"], "answer": null, "error": "HTTP 500"}\n',
        [(1, "p1", "17 zł", ("b", "a")), (2, "p2", None, ("a", "b"))],
    ),
    # Answers of any system, known by the question; empty lines, a byte order mark.
    (
        "other.jsonl",
        '\ufeff\n{"question": " Ile wynosi opłata?\\n", "answer": ""}\n\n'
        '{"question": "Jaka pogoda?", "answer": "Ładna."}\n',
        [(2, "p1", "", None), (4, None, "Ładna.", None)],
    ),
    ("number.jsonl", '{"id": 7, "answer": "17 zł"}\n', [(1, "7", "17 zł", None)]),
    (
        "array.json",
        '[{"id": "p1", "answer": "17 zł"},\n\n {"id": "p2", "answer": "w urzędzie"}]',
        [(1, "p1", "17 zł", None), (2, "p2", "w urzędzie", None)],
    ),
    # CSV: cells of several lines, quotes, an empty answer; the line is where a row begins.
    (
        "answers.csv",
        'id,answer,note\np1,"17 zł,\n""brutto""",x\n\np2,,\n',
        [(2, "p1", '17 zł,\n"brutto"', None), (5, "p2", "", None)],
    ),
    # As a Polish Excel writes it.
    (
        "excel.csv",
        "\ufeffquestion;answer\r\nIle wynosi opłata?;17,50 zł\r\n",
        [(2, "p1", "17,50 zł", None)],
    ),
    ("tabs.tsv", "answer\tid\n17 zł\tp1\n", [(2, "p1", "17 zł", None)]),
    # The id goes before the question, which may be worded anew; a cell is no list of documents.
    ("both.csv", "id,question,context,answer\np1,Kiedy?,a b,17 zł\n", [(2, "p1", "17 zł", None)]),
]


@pytest.mark.parametrize(("name", "content", "expected"), FILES, ids=[row[0] for row in FILES])
def test_files(tmp_path: Path, name: str, content: str, expected: Expected) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode())
    found = list(read_answers(path, SAMPLES))
    assert [(a.line, a.sample_id, a.text, a.context) for a in found] == expected
    assert all(answer.path == path for answer in found)


def test_an_answer_of_a_megabyte(tmp_path: Path) -> None:
    """Longer than Python's csv takes by itself."""
    path = tmp_path / "a.csv"
    path.write_text("id,answer\np1," + "zł " * 400_000 + "\n", encoding="utf-8")
    (answer,) = read_answers(path, SAMPLES)
    assert len(answer.text or "") == 1_200_000


# The name of a file, what it holds -> what is said after its name.
MISTAKES: list[tuple[str, str | bytes, str]] = [
    (
        "a.html",
        "<!doctype html>\n",
        ":1: is not valid JSON: Expecting value; expected is a log, JSONL or CSV (.csv, .tsv)",
    ),
    ("a.jsonl", '{"id": "p1"}\n', ":1: 'answer' is missing; an answer has 'id' (or 'question')"),
    ("a.jsonl", '{"answer": "17 zł"}\n', ":1: 'id' is missing; an answer has"),
    ("a.jsonl", '{"id": true, "answer": "x"}\n', ":1: 'id' must be a string, not True"),
    ("a.jsonl", '{"id": "p1", "answer": 17}\n', ":1: 'answer' must be a string, not 17"),
    (
        "a.jsonl",
        '{"question": "Dlaczego?", "answer": "x"}\n',
        ":1: an 'id' is needed: p3, p4 ask the same question",
    ),
    (
        "a.jsonl",
        '{"id": "p1", "answer": "x", "context": "Opłata wynosi 17 zł."}\n',
        ":1: 'context' must be a list of document ids",
    ),
    ("a.csv", b"id,answer\np1,\xff\n", ": is not UTF-8 text (invalid start byte); in Excel, save"),
    ("a.csv", "p1,17 zł\n", ":1: the header must name the columns"),
    ("a.csv", "id,answer\np1,17,50 zł\n", ":2: has 3 cells where the header has 2"),
    ("a.csv", 'id,answer\np1,x\np2,"a"b\n', ":3: is not valid CSV: ',' expected after '\"'"),
]


@pytest.mark.parametrize(("name", "content", "reason"), MISTAKES)
def test_mistakes(tmp_path: Path, name: str, content: str | bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UserError) as error:
        list(read_answers(path, SAMPLES))
    assert str(error.value).startswith(f"{path}{reason}")


# The signature of a record -> the model that it names.
MODELS: list[tuple[Any, str | None]] = [
    (None, None),
    (7, None),
    ("data:1|model:org/a#12345678", "org/a"),
    ("data:1|model:a#b#12345678", "a#b"),
    ("data:1|model:a", "a"),
    ("data:1|model:unknown", None),
    ("data:1", None),
]


@pytest.mark.parametrize(("line", "model"), MODELS)
def test_model_name(line: object, model: str | None) -> None:
    record = {"id": "p1", "answer": "x", "signature": line}
    assert model_name(StoredAnswer(Path("a"), 1, "p1", "x", None, record).signature) == model
