"""What is judged, from logs, JSONL and CSV."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.errors import UserError
from ragifeval.judge.items import read_items

PASSPORT = Document("d1", "Paszport kosztuje 140 zł.")
CARD = Document("d2", "Dowód jest darmowy.")
QUESTION = "Ile kosztuje paszport?"
SAMPLE = Sample("s1", QUESTION, ("d1", "d2"), {"cite": ["d1"]}, reference="140 zł [0]")
BENCHMARK = Benchmark({"d1": PASSPORT, "d2": CARD}, (SAMPLE,))


def read(folder: Path, *records: Mapping[str, Any]) -> Any:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return read_items(path, BENCHMARK)


OWN = {"reference": "150", "contexts": ["x"], "cite": ["d2"], "retrieved": ["d1", "d2"]}
BLANK = {"reference": " ", "contexts": ["", " \n"], "cite": [""], "retrieved": [" "]}
TEXTS = ("question", "answer", "reference")
NOTHING = dict.fromkeys(("reference", "contexts", "cite", "retrieved"))
# A record -> what is known of it: what it says itself, then what the benchmark knows of it.
KNOWN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"id": "s1", "answer": "140", "context": ["d2", "d1"]},
        {
            **{"question": QUESTION, "reference": "140 zł [0]", "cite": ["d1"]},
            "contexts": [CARD.contents, PASSPORT.contents],
        },
    ),
    ({"question": QUESTION, "answer": "140"}, {"id": "s1", "reference": "140 zł [0]"}),
    ({"id": "s1", "answer": "140", **OWN}, OWN),
    # The id is that of another question.
    ({"id": "s1", "question": "Inna?", "answer": "x"}, {"question": "Inna?", **NOTHING}),
    ({"id": "x", "answer": None, "error": "500"}, {"question": None, "error": "500", **NOTHING}),
    # What is blank is not given, but for an answer.
    ({"question": "?", "answer": "", "contexts": []}, {"id": "line 1", "answer": "", **NOTHING}),
    ({"question": "?", "answer": " ", **BLANK}, {"answer": " ", **NOTHING}),
    # JSON may hold half of a surrogate pair, UTF-8 may not: no template renders it.
    (
        {**dict.fromkeys(TEXTS, "a\ud83d"), "contexts": ["\udc00 b", "\U0001f600"]},
        {**dict.fromkeys(TEXTS, "a\ufffd"), "contexts": ["\ufffd b", "\U0001f600"]},
    ),
]


@pytest.mark.parametrize(("record", "known"), KNOWN)
def test_what_is_known(tmp_path: Path, record: dict[str, Any], known: dict[str, Any]) -> None:
    (item,) = read(tmp_path, record)
    assert {name: getattr(item, name) for name in known} == known


@pytest.mark.parametrize(
    ("name", "cell", "value"),
    [
        ("contexts", "['a', 'b']", ["a", "b"]),
        ("contexts", "[1] to przypis", ["[1] to przypis"]),
        ("contexts", "", None),
        ("retrieved", "b;a", ["b", "a"]),
        ("cite", "b | a", ["b", "a"]),
        ("cite", "['b c']", ["b c"]),
        ("cite", " ; ", None),
    ],
)
def test_lists_in_a_cell(tmp_path: Path, name: str, cell: str, value: list[str] | None) -> None:
    path = tmp_path / "answers.tsv"
    path.write_text(f"question\tanswer\t{name}\nCo?\tNic.\t{cell}\n", encoding="utf-8")
    assert getattr(read_items(path, None)[0], name) == value


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "s1", "answer": "x", "reference": 5}, "'reference' must be a string, not 5"),
        ({"id": "s1", "answer": "x", "contexts": [1]}, "'contexts' must be a list of strings"),
        ({"id": "s1"}, "'answer' is missing"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=rf"answers\.jsonl:1: {message}"):
        read(tmp_path, record)
    with pytest.raises(UserError, match="holds no answers"):
        read(tmp_path)
