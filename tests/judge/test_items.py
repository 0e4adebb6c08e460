"""What is judged, from logs, JSONL and CSV."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.errors import UserError
from ragifeval.judge.items import read_items

BENCHMARK = Benchmark(
    {
        "d1": Document("d1", "Paszport kosztuje 140 zł."),
        "d2": Document("d2", "Dowód jest darmowy."),
    },
    (
        Sample(
            "s1", "Ile kosztuje paszport?", ("d1", "d2"), {"cite": ["d1"]}, reference="140 zł [0]"
        ),
    ),
)


def read(folder: Path, *records: Mapping[str, Any]) -> Any:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return read_items(path, BENCHMARK)


def test_a_log_takes_the_rest_from_the_benchmark(tmp_path: Path) -> None:
    (item,) = read(tmp_path, {"id": "s1", "answer": "140", "context": ["d2", "d1"]})
    assert item.question == "Ile kosztuje paszport?"
    assert item.reference == "140 zł [0]"
    assert item.contexts == ["Dowód jest darmowy.", "Paszport kosztuje 140 zł."]
    assert item.cite == ["d1"]


def test_a_question_stands_for_its_id(tmp_path: Path) -> None:
    (item,) = read(tmp_path, {"question": "Ile kosztuje paszport?", "answer": "140"})
    assert (item.id, item.reference) == ("s1", "140 zł [0]")


def test_what_a_record_says_itself_goes_first(tmp_path: Path) -> None:
    own = {"reference": "150", "contexts": ["x"], "cite": ["d2"], "retrieved": ["d1", "d2"]}
    (item,) = read(tmp_path, {"id": "s1", "answer": "140", **own})
    assert (item.reference, item.contexts, item.cite) == ("150", ["x"], ["d2"])
    assert item.retrieved == ["d1", "d2"]


def test_an_id_of_another_question_is_no_sample(tmp_path: Path) -> None:
    (item,) = read(tmp_path, {"id": "s1", "question": "Co innego?", "answer": "x"})
    assert (item.question, item.reference, item.contexts) == ("Co innego?", None, None)


def test_nothing_known_is_none(tmp_path: Path) -> None:
    first, second = read(
        tmp_path,
        {"id": "x", "answer": None, "error": "500"},
        {"question": "?", "answer": "", "reference": "  ", "contexts": []},
    )
    assert (first.question, first.reference, first.contexts, first.error) == (None,) * 3 + ("500",)
    assert (second.id, second.reference, second.contexts) == ("line 2", None, None)
    assert second.answer == ""


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ('"[""a"", ""b""]"', ["a", "b"]),
        ("\"['a', 'b']\"", ["a", "b"]),
        ("tekst", ["tekst"]),
        ("[1] to przypis", ["[1] to przypis"]),
        ("", None),
    ],
)
def test_contexts_in_a_cell(tmp_path: Path, cell: str, contexts: list[str] | None) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"question,answer,contexts\nCo?,Nic.,{cell}\n", encoding="utf-8")
    assert read_items(path, None)[0].contexts == contexts


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("b;a", ["b", "a"]),
        ("b,a", ["b", "a"]),
        ("b | a", ["b", "a"]),
        ("b a;", ["b", "a"]),
        ("b", ["b"]),
        ('["b;c", "a"]', ["b;c", "a"]),
        ("['b c']", ["b c"]),
        (" ; ", None),
    ],
)
def test_ids_in_a_cell(tmp_path: Path, cell: str, ids: list[str] | None) -> None:
    path = tmp_path / "answers.tsv"
    quoted = '"' + cell.replace('"', '""') + '"'
    path.write_text(
        f"question\tanswer\tretrieved\tcite\nCo?\tNic.\t{quoted}\t{quoted}\n", encoding="utf-8"
    )
    (item,) = read_items(path, None)
    assert (item.retrieved, item.cite) == (ids, ids)


def test_what_is_blank_is_not_given(tmp_path: Path) -> None:
    blank = {"reference": " ", "contexts": ["", " \n"], "cite": [""], "retrieved": [" "]}
    (item,) = read(tmp_path, {"question": "?", "answer": " ", **blank})
    assert (item.reference, item.contexts, item.cite, item.retrieved) == (None,) * 4
    assert item.answer == " "
    (item,) = read(tmp_path, {"question": "?", "answer": "x", "contexts": ["", "a"]})
    assert item.contexts == ["a"]


def test_half_of_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    """JSON may hold it, UTF-8 may not: no template renders it."""
    texts = {key: f"a\ud83d{key}" for key in ("question", "answer", "reference")}
    (item,) = read(tmp_path, {**texts, "contexts": ["\udc00 b", "\U0001f600"]})
    assert (item.question, item.answer, item.reference) == tuple(
        f"a\ufffd{key}" for key in ("question", "answer", "reference")
    )
    assert item.contexts == ["\ufffd b", "\U0001f600"]
    assert item.record["answer"] == texts["answer"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "s1", "answer": "x", "reference": 5}, "'reference' must be a string, not 5"),
        ({"id": "s1", "answer": "x", "contexts": [1]}, "'contexts' must be a list of strings"),
        ({"id": "s1", "answer": "x", "retrieved": {"a": 1}}, "'retrieved' must be a list of"),
        ({"id": "s1"}, "'answer' is missing"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=rf"answers\.jsonl:1: {message}"):
        read(tmp_path, record)
    with pytest.raises(UserError, match="holds no answers"):
        read(tmp_path)
