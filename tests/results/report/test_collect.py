"""Logs -> what is shown, and the numbers of the headline: small cases, worked out by hand."""

from pathlib import Path
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Benchmark, load_benchmark
from ragifeval.errors import UserError
from ragifeval.results.report.collect import Basis, Content, collect
from ragifeval.results.report.headline import headline
from ragifeval.results.report.runs import Run, notices, read_runs
from ragifeval.results.report.texts import load_texts
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.rates import LENGTHS, RATES
from tools.testing.process import write_records

DOCUMENTS = [
    {"id": "doc-a", "contents": "Opłata wynosi 30 zł.", "title": "Opłaty", "source": "ustawa"},
    {"id": "doc-b", "contents": "Termin to 7 dni."},
    {"id": "doc-c", "contents": "Termin to 14 dni."},
]
SAMPLES = [
    {
        **{"id": "p1", "question": "Ile płacę?", "context": ["doc-a", "doc-b"]},
        **{"expect": {"include": ["30 zł"], "cite": ["doc-a"]}, "category": "opłaty"},
        "reference": "30 zł [0]",
    },
    {
        **{"id": "p2", "question": "Ile czekam?", "context": ["doc-a", "doc-b", "doc-c"]},
        **{"expect": {"include": ["7 dni", "14 dni"], "safe": True}, "category": "terminy"},
    },
    {"id": "p3", "question": "Kto?", "context": ["doc-c"], "expect": {"refuse": True}},
]
SIGNATURE = "data:d|prompt:p|matching:substring|mode:chat|model:{}#0"


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    return load_benchmark(
        write_records(tmp_path / "documents.jsonl", DOCUMENTS),
        write_records(tmp_path / "samples.jsonl", SAMPLES),
    )


@pytest.fixture
def basis(tmp_path: Path, criteria: Criteria) -> Basis:
    path = tmp_path / "prompt.jinja"
    path.write_text("Zasady.\n{% for d in docs %}[{{ d }}]{% endfor %}\nPytanie: {{ question }}")
    chat = PromptTemplate(path, "System.")
    return Basis(criteria, "substring", chat, PromptTemplate(path, "", text_completion=True))


def log(path: Path, *records: dict[str, Any], model: str = "model-a") -> Path:
    return write_records(
        path, [{"signature": SIGNATURE.format(model)} | record for record in records]
    )


def collected(benchmark: Benchmark, basis: Basis, *paths: Path) -> tuple[list[Run], Content]:
    runs = read_runs([[path] for path in paths], benchmark.samples, "substring")
    return runs, collect(runs, benchmark, basis)


def test_an_answer_with_all_that_its_log_tells(
    tmp_path: Path, benchmark: Benchmark, basis: Basis
) -> None:
    record = {
        **{"id": "p1", "answer": "To 30 zł [0] [1].", "finish_reason": "stop"},
        **{"usage": {"prompt_tokens": 100, "completion_tokens": 9}, "seconds": 1.5},
        "reasoning": "Szukam.",
    }
    other = {"id": "p1", "answer": "130 zł [0]"}
    [run], shown = collected(benchmark, basis, log(tmp_path / "a.jsonl", record, other))
    [question] = shown.questions
    [[answer, cut_number]] = question["answers"]
    assert "|".join(text for text, _ in answer["segments"]) == "To |30 zł| |[0]| |[1]|."
    by_key = dict(zip(shown.keys, answer["scores"], strict=True))
    assert (by_key["include"], by_key["safe"]) == (1, None)
    assert by_key["cite_f1"] == pytest.approx(2 / 3, abs=1e-4)
    # What the other rule says is kept where it differs.
    assert "others" not in answer
    include = shown.keys.index("include")
    assert (cut_number["scores"][include], cut_number["others"][include]) == (1, 0)
    assert [loss["kind"] for loss in answer["losses"]] == ["cited_wrongly"]
    assert (answer["cited"], answer["tokens"], answer["seconds"]) == ([0, 1], (100, 9), 1.5)
    assert (answer["finish"], answer["reasoning"]) == ("stop", "Szukam.")
    assert [shown.keys[index] for index in question["conditions"]] == ["include", "cite_f1"]
    assert [shown.documents[index]["id"] for index in question["expected"]] == ["doc-a"]
    figures = run.outcome.performance.figures((1e4, 1e4))
    assert (run.outcome.answered, figures.median_seconds, figures.cost) == (1, 1.5, 1.09)


def test_the_prompt_is_shown_as_it_was_with_documents_in_the_order_of_the_log(
    tmp_path: Path, benchmark: Benchmark, basis: Basis
) -> None:
    in_order = log(tmp_path / "a.jsonl", {"id": "p1", "answer": "30 zł [0]"})
    shuffled = log(
        tmp_path / "b.jsonl",
        {"id": "p1", "answer": "30 zł [1]", "context": ["doc-b", "doc-a"]},
        model="model-b",
    )
    as_text = write_records(
        tmp_path / "c.jsonl",
        [{"id": "p1", "answer": "30 zł [0]", "signature": "mode:completion|model:model-c#0"}],
    )
    _, shown = collected(benchmark, basis, in_order, shuffled, as_text)
    [question] = shown.questions
    assert [answer["view"] for [answer] in question["answers"]] == [0, 1, 2]
    prompts = [
        [(role, "".join(shown.strings[piece] for piece in text)) for role, text in view["prompt"]]
        for view in question["views"]
    ]
    body = "Zasady.\n[Opłata wynosi 30 zł.][Termin to 7 dni.]\nPytanie: Ile płacę?"
    assert prompts[0] == [("system", "System."), ("user", body)]
    assert prompts[1][1][1] == (
        "Zasady.\n[Termin to 7 dni.][Opłata wynosi 30 zł.]\nPytanie: Ile płacę?"
    )
    assert prompts[2] == [("text", body)]


def test_failed_empty_missing_repeated_and_unknown_answers(
    tmp_path: Path, benchmark: Benchmark, basis: Basis
) -> None:
    path = log(
        tmp_path / "a.jsonl",
        {"id": "p1", "answer": None, "error": "HTTP 500", "finish_reason": None},
        {"id": "p2", "answer": "7 dni", "finish_reason": "length", "scores": {"include": 1.0}},
        {"id": "p2", "answer": ""},
        {"id": "p9", "answer": "nieznane"},
    )
    runs, shown = collected(benchmark, basis, path)
    [run] = runs
    assert shown.questions[0]["answers"] == [[{"view": 0, "error": "HTTP 500"}]]
    first, second = shown.questions[1]["answers"][0]
    assert (first["segments"], second["segments"]) == ([("7 dni", [0])], [("", ())])
    outcome = run.outcome
    assert list(outcome.failed) == ["p1"]
    assert (outcome.repeated, outcome.truncated) == (["p2"], 1)
    assert run.rescored == ["p2"]  # the log says 1, one of two entries is found
    # p2 counts once, with the mean of its answers: include (0.5 + 0) / 2, safe 1.
    estimates = outcome.estimates(seed=0)["substring"]
    assert (estimates["include"].mean, estimates["total"].mean) == (0.25, 0.625)
    english = load_texts("en")
    assert list(notices(runs, {"data": "d", "prompt": "other"}, english)) == [
        english["notice_conditions"].format(run="model-a", parts="prompt"),
        english["notice_rescored"].format(run="model-a", count=1, ids="p2"),
        english["notice_unknown"].format(run="model-a", ids="p9"),
        english["notice_repeated"].format(run="model-a", ids="p2"),
        english["notice_missing"].format(run="model-a", count=2, samples=3),
    ]


# Total, right, partly, wrong, false refusals, characters and words of the answer.
_SHOWN = ("total", *RATES[:4], *LENGTHS)


def test_the_headline_of_two_runs(tmp_path: Path, benchmark: Benchmark, basis: Basis) -> None:
    right = log(
        tmp_path / "a.jsonl",
        {"id": "p1", "answer": "30 zł [0]"},
        {"id": "p2", "answer": "7 dni, 14 dni"},
    )
    wrong = log(tmp_path / "b.jsonl", {"id": "p1", "answer": "60 zł [0]"}, model="model-b")
    runs, shown = collected(benchmark, basis, right, wrong)
    head = headline(runs, shown.categories, seed=0)
    assert [run.name for run in head.runs] == ["model-a", "model-b"]
    means = {
        row.name: [cell and cell.estimate.mean for cell in row.cells]
        for row in [*head.aggregates, *head.conditions, *head.categories]
    }
    assert means == {
        **{"total": [1, 0.5], "correctness": [1, 0.5], "safety": [1, None], "include": [1, 0]},
        **{key: [1, 1] for key in ("cite_f1", "cite_precision", "cite_recall")},
        **{"safe": [1, None], "opłaty": [1, 0.5], "terminy": [1, None]},
    }
    groups = {
        (group, head.runs[place].name): (count, [found[name].mean for name in _SHOWN])
        for table in head.groups
        if table.grouping == "documents"
        for group, place, count, found in table.rows
    }
    # p1 has two documents, p2 three.
    assert groups == {
        ("2", "model-a"): (1, [1, 1, 0, 0, 0, 9, 3]),
        ("2", "model-b"): (1, [0.5, 0, 1, 0, 0, 9, 3]),
        ("3", "model-a"): (1, [1, 1, 0, 0, 0, 13, 4]),
    }


def test_models_of_one_name_are_told_apart(tmp_path: Path, benchmark: Benchmark) -> None:
    answer = {"id": "p1", "answer": "30 zł"}
    paths = [log(tmp_path / name, answer) for name in ("a.jsonl", "b.jsonl")]
    (tmp_path / "other").mkdir()
    paths.append(log(tmp_path / "other" / "b.jsonl", answer))
    runs = read_runs([[path] for path in paths], benchmark.samples, "substring")
    assert [run.name for run in runs] == ["model-a (a)", "model-a (b) 2", "model-a (b) 3"]


def test_a_log_of_other_data(tmp_path: Path, benchmark: Benchmark) -> None:
    path = log(tmp_path / "a.jsonl", {"id": "x", "answer": ""})
    with pytest.raises(UserError, match="no answer to a sample of --eval_path; it names 'x'"):
        read_runs([[path]], benchmark.samples, "substring")


def test_what_logs_hold_of_the_wrong_type_is_no_trouble(
    tmp_path: Path, benchmark: Benchmark, basis: Basis
) -> None:
    odd = {"usage": [1], "seconds": "1", "finish_reason": {"a": 1}, "error": 5, "reasoning": ["r"]}
    path = log(tmp_path / "a.jsonl", {"id": "p1", "answer": "tak", "scores": "1", **odd})
    _, shown = collected(benchmark, basis, path)
    [[answer]] = shown.questions[0]["answers"]
    assert not {"tokens", "seconds"} & answer.keys()
    told = (answer["finish"], answer["error"], answer["reasoning"])
    assert told == ("{'a': 1}", "5", "['r']")
