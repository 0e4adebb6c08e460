"""python -m ragifeval validate --answers: rates, kinds and the entries at fault."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ragifeval.__main__ import main
from tools.testing.process import write_records

DOCUMENT = {"id": "a", "contents": "Kajak kosztuje 45 zł, rower 60 zł."}
SAMPLE = {
    "id": "p01",
    "question": "Ile kosztuje kajak?",
    "context": ["a"],
    "expect": {
        "include": [{"say": ["45 zł"], "of": ["kajak*"], "rivals": ["rower*"]}],
        "exclude": ["70 zł"],
    },
}
ALL_OF = {
    **SAMPLE,
    "id": "p02",
    "question": "Ile zapłacę?",
    "expect": {"include": [{"all": [{"say": ["45 zł"]}, {"only": ["45 zł"]}]}]},
}
ANSWERS = [
    {"id": "p01", "label": "right", "kind": "short", "answer": "Kajak: 45 zł."},
    {"id": "p01", "label": "right", "kind": ["list", "short"], "answer": "- 45 zł rower i kajak"},
    {"id": "p01", "label": "wrong", "kind": "short", "answer": "Rower: 45 zł."},
    {"id": "p01", "label": "wrong", "answer": "Kajak: 45 zł i kaucja 20 zł."},
    {"id": "p01", "label": "incomplete", "answer": "Nie wiem, ile."},
    {"id": "p01", "label": "debatable", "answer": "Chyba 45 zł za kajak."},
    {"id": "p01", "label": "right", "answer": "Kajak 45 zł, a nie 70 zł."},
    {"id": "p02", "label": "right", "answer": "Kajak 45 zł, ale zapłacisz 50 zł."},
]


def validate(folder: Path, *answers: Mapping[str, object]) -> int:
    write_records(folder / "documents.jsonl", [DOCUMENT])
    write_records(folder / "samples.jsonl", [SAMPLE, ALL_OF])
    file = write_records(folder / "answers.jsonl", answers)
    return main(["validate", "--data", str(folder), "--answers", str(file)])


def test_rates_and_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert validate(tmp_path, ANSWERS[0], ANSWERS[2]) == 0
    capsys.readouterr()
    assert validate(tmp_path, *ANSWERS) == 1
    lines = capsys.readouterr().out.replace(str(tmp_path), "").splitlines()
    assert lines[:8] == [
        "/answers.jsonl:2: p01: right, marks lost",
        "    include[0] other thing: 45 zł",
        "/answers.jsonl:4: p01: wrong, full marks",
        "/answers.jsonl:7: p01: right, marks lost",
        "    exclude[0] said: 70 zł",
        "/answers.jsonl:8: p02: right, marks lost",
        "    include[0] said: ≠ 45 zł",
        "include and exclude, rule substring",
    ]
    assert [line.split() for line in lines[11:]] == [
        ["all", "1/4", "=", "25.0%", "2/3", "=", "66.7%"],
        ["list", "0/1", "=", "0.0%", "-"],
        ["short", "1/2", "=", "50.0%", "1/1", "=", "100.0%"],
    ]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"id": "p03", "label": "right", "answer": ""}, ":2: 'id' must name a sample, not 'p03'"),
        ({"id": "p01", "label": "right", "answer": 5}, ":2: 'answer' must be a string, not 5"),
        ({"id": "p01", "answer": "", "labl": "right"}, ":2: 'label' is missing; a line has id"),
        ({"id": "p01", "answer": "", "label": []}, ":2: 'label' must be a string, not []"),
        ({"id": "p01", "answer": "", "label": "right", "kind": 5}, ":2: 'kind' must be a string"),
        ({"id": "p01", "answer": "", "label": "good"}, ":2: 'label' must be one of right, wrong"),
    ],
)
def test_what_is_refused(
    answer: dict[str, object], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert validate(tmp_path, ANSWERS[0], answer) == 2
    assert f"answers.jsonl{reason}" in capsys.readouterr().err
    assert validate(tmp_path, {"id": "p01", "answer": "", "label": "debatable"}) == 2
    assert "answers.jsonl: holds no answer" in capsys.readouterr().err
