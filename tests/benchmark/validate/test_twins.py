"""python -m ragifeval validate: twins whose documents say what is asked."""

from pathlib import Path

import pytest

from ragifeval.__main__ import main
from tools.testing.process import write_records

TEXTS = {
    "kot": "Mruczek to kot.",
    "pies": "Reks to pies.",
    "zupa": "W kotle stoi zupa.",
    "mleko": "W szafie stoi mleko.",
}
SAMPLE = {
    "id": "p01",
    "question": "Kim jest Mruczek?",
    "context": ["kot", "pies"],
    "expect": {"include": ["kot"], "cite": ["kot"]},
    "reference": "Mruczek to kot [0].",
}


def validate(folder: Path, *options: str, **changes: object) -> int:
    documents = [{"id": key, "contents": text} for key, text in TEXTS.items()]
    write_records(folder / "documents.jsonl", documents)
    write_records(folder / "samples.jsonl", [{**SAMPLE, **changes}])
    return main(["validate", "--data", str(folder), *options])


def test_a_twin_that_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # By lemmas, "kotle" is "kocioł"; by lowercase words it begins with "kot".
    assert validate(tmp_path) == 0
    proved = "twins: 1 made, 1 without a document that answers\n"
    assert proved in capsys.readouterr().out
    blank = ("--normalizer", "blank:pl")
    assert validate(tmp_path, *blank) == 1
    problem = f"{tmp_path}/samples.jsonl:1: sample 'p01': its twin has documents that say what is "
    problem += "asked; name them in 'hints': zupa\n"
    assert capsys.readouterr().out.startswith(problem)
    assert validate(tmp_path, *blank, hints=["zupa"]) == 0
    assert proved in capsys.readouterr().out
    # What `build` made is to be usable without a person.
    (tmp_path / "build.json").write_text("{}", encoding="utf-8")
    assert validate(tmp_path, *blank) == 0
    assert f"note: {problem}" in capsys.readouterr().out


def test_a_question_without_a_twin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert validate(tmp_path, "--twins", hints=["zupa", "mleko"]) == 0
    reason = "p01: has no twin: too few documents say nothing that it asks for\n1 to look at\n"
    assert capsys.readouterr().out == reason
