"""`python -m ragifeval compare`: models side by side, and how sure their differences are."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from huggingface_hub import ModelCard
from scipy import stats

from ragifeval.__main__ import evaluate, main
from ragifeval.results.compare.comparison import MEASURES, Comparison, Setting, compare
from ragifeval.results.compare.scored_logs import KEYS, read_scored_log
from ragifeval.scoring.rates import OF_VARIANTS, TOLD
from tools.testing.process import records, write_records

Capture = pytest.CaptureFixture[str]


# ------------------------------------------------------------------ two real logs


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Logs of baseline/extractive and baseline/refuse over the project's own data."""
    folder = tmp_path_factory.mktemp("logs")
    paths = folder / "extractive.jsonl", folder / "refuse.jsonl"
    for path in paths:
        options = ["--model", f"baseline/{path.stem}", "--log_path", str(path)]
        assert evaluate("local", options) == 0
    return paths


@pytest.fixture(scope="module")
def result(logs: tuple[Path, Path]) -> Any:
    """What --format json says of them."""
    out = logs[0].with_name("compared.json")
    options = ["--format", "json", "--draws", "4000", "-o", str(out)]
    assert main(["compare", *map(str, logs), *options]) == 0
    return json.loads(out.read_text(encoding="utf-8"))


def total_sums(path: Path) -> tuple[list[float], list[int]]:
    """For each sample, the sum of its scores that count, and how many they are."""
    rows = [[row["scores"][key] for key in KEYS if key in row["scores"]] for row in records(path)]
    return [sum(row) for row in rows], [len(row) for row in rows]


def test_scores_are_those_of_the_runs(logs: tuple[Path, Path], result: Any) -> None:
    for model, path in zip(result["models"], logs, strict=True):
        summary = json.loads(path.with_suffix(".summary.json").read_text(encoding="utf-8"))
        assert list(model["scores"]) == list(MEASURES)
        for measure, score in model["scores"].items():
            assert score["mean"] == pytest.approx(summary["scores"][measure]["mean"])
            assert score["count"] == summary["scores"][measure]["count"]
            for end in ("low", "high"):
                assert score[end] == pytest.approx(summary["scores"][measure][end], abs=0.03)
        assert (model["name"], model["log"]) == (f"baseline/{path.stem}", path.name)
        common = re.sub(r"\|model:.*", "", summary["signature"])
        assert result["signature"] == common
    assert (result["samples"], result["left_out"], result["matching"]) == (100, 0, "substring")


def test_differences_agree_with_scipy(logs: tuple[Path, Path], result: Any) -> None:
    """Of the pooled mean: scipy permutes, and resamples, the samples, one comparison alone."""
    (one, counts), (two, _) = map(total_sums, logs)
    differences = np.array(two) - np.array(one)
    found = result["models"][1]["differences"]["total"]
    assert found["mean"] == pytest.approx(differences.sum() / sum(counts))
    reference = stats.bootstrap(
        (differences, counts),
        lambda values, of, axis: values.sum(axis=axis) / of.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert (found["low"], found["high"]) == pytest.approx(tuple(reference), abs=0.004)
    p = stats.permutation_test(
        (differences,),
        lambda values, axis: values.sum(axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).pvalue
    assert found["p_permutation"] == pytest.approx(p, abs=0.01)
    # One comparison needs no correction.
    assert found["holm_permutation"] == found["p_permutation"]
    assert found["holm_bootstrap"] == found["p_bootstrap"]
    assert result["models"][0]["differences"] == {}


def test_the_order_of_lines_changes_nothing(logs: tuple[Path, Path], tmp_path: Path) -> None:
    mixed = [write_records(tmp_path / log.name, records(log)[::-1]) for log in logs]
    assert compared(*mixed).models == compared(*logs).models


def test_a_log_is_no_different_from_itself(logs: tuple[Path, Path]) -> None:
    comparison = compared(logs[0], logs[0])
    for difference in comparison.models[1].differences.values():
        assert (difference.mean, difference.low, difference.high) == (0, 0, 0)
        assert difference.p_bootstrap == difference.p_permutation == 1
    assert comparison.questions == []
    names = [f"{logs[0]} (1)", f"{logs[0]} (2)"]
    assert [model.name for model in comparison.models] == names


# ------------------------------------------------------------------ formats


def test_csv(logs: tuple[Path, Path], result: Any, capsys: Capture) -> None:
    assert main(["compare", *map(str, logs), "--format", "csv", "--draws", "4000"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    rates = [f"rate {name}" for name in TOLD if name not in OF_VARIANTS]
    assert [row["measure"] for row in rows] == 2 * [*MEASURES, *rates]
    for row in rows:
        model = result["models"][row["log"] == "refuse.jsonl"]
        assert row["model"] == model["name"]
        if row["measure"] in rates:
            continue
        for key in ("mean", "low", "high", "count"):
            assert float(row[key]) == model["scores"][row["measure"]][key]
        difference = model["differences"].get(row["measure"], {})
        for column, key in (("difference", "mean"), ("holm_permutation", "holm_permutation")):
            assert row[column] == str(difference.get(key, ""))


def test_model_index(logs: tuple[Path, Path], result: Any, capsys: Capture) -> None:
    """The Hub's own library reads it as the head of a model card."""
    assert main(["compare", *map(str, logs), "--format", "model-index", "--draws", "100"]) == 0
    documents = capsys.readouterr().out.split("\n---\n")
    assert len(documents) == 2
    for document, model in zip(documents, result["models"], strict=True):
        card = ModelCard(f"---\n{document}\n---\n# A model\n")
        assert card.data.model_name == model["name"]
        values = {one.metric_type: one for one in card.data.eval_results or []}
        assert list(values) == list(MEASURES)
        for measure, score in model["scores"].items():
            one = values[measure]
            assert one.metric_value == pytest.approx(score["mean"] * 100, abs=0.00501)
            assert one.metric_args["count"] == score["count"]
            assert one.dataset_args["signature"] == result["signature"]
            assert (one.task_type, one.dataset_type) == ("text-generation", "urzad")


# ------------------------------------------------------------------ logs by hand

SIGNATURE = "data:11111111|prompt:2|matching:substring|version:1|model:NAME#3"


def log(
    path: Path, name: str | None, rows: Mapping[str, Mapping[str, float] | None], **changes: str
) -> Path:
    """A log: sample -> scores, None without an answer. Those of the other rule are the reverse."""
    signature = SIGNATURE.replace("NAME", str(name))
    for part, value in changes.items():
        signature = re.sub(rf"{part}:[^|]*", f"{part}:{value}", signature)
    records = []
    for key, scores in rows.items():
        record: dict[str, Any] = {"id": key, "question": f"{key}?", "answer": "", "scores": scores}
        if scores is None:
            record |= {"answer": None, "error": "HTTP 500"}
        else:
            record["scores_words"] = {one: 1 - value for one, value in scores.items()}
        records.append(record | ({"signature": signature} if name is not None else {}))
    return write_records(path, records)


def compared(*paths: Path, matching: str | None = None) -> Comparison:
    found = [read_scored_log(path, matching) for path in paths]
    return compare(found, Setting("substring", None, 0, 1_000, []), top=3)


P1 = {"include": 1, "cite_f1": 0.5}
P2, P2_SAFE = {"refuse": 1, "safe": 0}, {"refuse": 1, "safe": 1}


def test_each_mean_is_over_conditions(tmp_path: Path) -> None:
    comparison = compared(
        log(tmp_path / "one.jsonl", "a", {"p1": P1 | {"cite_recall": 0.1}, "p2": P2}),
        log(tmp_path / "two.jsonl", "b", {"p1": {"include": 0, "cite_f1": 1}, "p2": P2_SAFE}),
    )
    first, second = comparison.models
    means = {measure: score.mean for measure, score in first.scores.items()}
    assert means == {
        **{"correctness": 0.75, "safety": 0.5, "total": 0.625},
        **{"include": 1, "cite_f1": 0.5, "refuse": 1, "safe": 0},
    }
    assert first.scores["total"].count == 4
    differences = {measure: one.mean for measure, one in second.differences.items()}
    assert differences["total"] == 0.125
    assert differences["include"] == -1
    # p1: -0.5 in points, p2: +1. Of the four exchanges, two are as far as 0.5, two as 1.5.
    assert second.differences["total"].p_permutation == 1
    # The question on which they differ most comes first: two points of two conditions, to one.
    p2, p1 = comparison.questions
    assert (p2.id, p2.text, p2.points, p2.conditions) == ("p2", "p2?", [1, 2], 2)
    assert (p1.id, p1.points) == ("p1", [1.5, 1])


def test_what_is_not_common_is_left_out(tmp_path: Path, capsys: Capture) -> None:
    """Samples; and conditions, as logs of different data have them, which --force compares."""
    both = {"p1": {"include": 1.0}, "p2": {"include": 0.0}}
    one = log(tmp_path / "one.jsonl", "a", both | {"p3": {"include": 1}, "p4": {"include": 1}})
    more = both | {"p1": {"include": 1, "safe": 0}, "p3": None, "p5": {"include": 1}}
    two = log(tmp_path / "two.jsonl", "b", more, data="9")
    assert main(["compare", str(one), str(two), "--force"]) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines()[1:] == [
        "3 samples are not answered in all logs, and left out",
        "1 condition is not scored in all logs, and left out",
    ]
    assert printed.out.startswith("2 samples, rule substring")
    comparison = compared(one, two)
    assert [model.scores["total"].mean for model in comparison.models] == [0.5, 0.5]
    assert [model.scores["total"].count for model in comparison.models] == [2, 2]


def test_a_sample_answered_twice_counts_once(tmp_path: Path) -> None:
    """With the means of its answers; a judged score with the mean of those that have it."""
    path = log(tmp_path / "one.jsonl", "a", {"p1": {"include": 1}, "p2": {"include": 0}})
    first, other = records(path)
    again = first | {"scores": {"include": 0.25}}
    judged = [{"correctness": 1.0}, {}, {"correctness": 5.0}]
    answers = zip([first, again, again], judged, strict=True)
    write_records(path, [other, *(record | {"judged": found} for record, found in answers)])
    (model,) = compared(path).models
    assert (model.scores["include"].mean, model.scores["include"].count) == (0.25, 2)
    assert (model.judged["correctness"].mean, model.judged["correctness"].count) == (3.0, 1)


def test_three_models(tmp_path: Path) -> None:
    """Two comparisons with the first: Holm's correction doubles the smaller p."""
    paths = [
        log(tmp_path / f"{name}.jsonl", name, {f"p{n}": {"include": v} for n, v in enumerate(row)})
        for name, row in (("a", [1] * 6), ("b", [0] * 6), ("c", [0] * 5 + [1]))
    ]
    models = compared(*paths).models
    total = [model.differences["total"] for model in models[1:]]
    assert [one.p_permutation for one in total] == [2 / 64, 2 / 32]
    assert [one.holm_permutation for one in total] == [4 / 64, 4 / 64]


# Category, kind, documents -> the scores of two models; price 2 in, 10 out for a million tokens.
HAND: list[tuple[str, list[str], int, dict[str, float], dict[str, float]]] = [
    ("a", ["x"], 3, {"include": 1, "cite_f1": 1}, {"include": 0, "cite_f1": 0}),
    ("a", ["x", "y"], 4, {"include": 1}, {"include": 1}),
    ("b", [], 4, {"include": 0.5, "exclude": 1}, {"include": 0, "exclude": 1}),
]
OBSERVED = {"refused": False, "refusal_due": False, "cited": 1, "distractors": 1, "unknown": 0}


def test_rates_groups_costs_and_power_of_logs_by_hand(tmp_path: Path, capsys: Capture) -> None:
    paths = []
    for place, name in enumerate("mn"):
        rows = {f"p{number}": (one, two)[place] for number, (*_, one, two) in enumerate(HAND)}
        paths.append(log(tmp_path / f"{name}.jsonl", name, rows))
        told = [
            {
                **record,
                **{"category": row[0], "kind": row[1], "context": ["d"] * row[2]},
                **{"observed": OBSERVED, "seconds": number + 1.0},
                "scores": record["scores"] | {"len_chars": 10 * number, "len_words": 2 * number},
                "asked": f"2026-01-01T00:00:0{number}Z",
                "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
            }
            for number, (record, row) in enumerate(zip(records(paths[-1]), HAND, strict=True))
        ]
        write_records(paths[-1], told)
    by = ["--by", "kind", "--price", "2,10", "--format"]
    assert main(["compare", *map(str, paths), *by, "json"]) == 0
    _, model = json.loads(capsys.readouterr().out)["models"]
    # The second model meets "exclude" of p2 by silence, and nothing that is asked for.
    expected = {"right": 1 / 3, "partly": 0, "wrong": 2 / 3, "false_refusal": 0}
    expected |= {"cites_distractor": 1, "cites_unknown": 0, "uncited": 0, "reasoning": 0}
    expected |= {"len_chars": 10, "len_words": 2}
    means = {name: rate["mean"] for name, rate in model["rates"].items()}
    assert means == pytest.approx(expected)
    groups = {
        group: {name: (score["mean"], score["count"]) for name, score in found.items()}
        for group, found in model["groups"].items()
    }
    # Of kind x are p0, wrong in both conditions, and p1, right in its one; of kind y p1 alone.
    none_of = ("partly", "false_refusal", "cites_unknown", "uncited", "reasoning")
    assert groups["x"] == {
        **{"total": (pytest.approx(1 / 3), 3), "right": (0.5, 2), "wrong": (0.5, 2)},
        **{"cites_distractor": (1, 2), **dict.fromkeys(none_of, (0, 2))},
        **{"len_chars": (5, 2), "len_words": (1, 2)},
    }
    assert (groups.keys(), groups["y"]["right"]) == ({"x", "y"}, (1, 1))
    # Of 5 conditions, -2, 0 and -0.5 points: mean -0.5; residuals -1, 0.5, 0.5; 2.8016 errors of
    # sqrt(3 / 2 * 1.5) / 5 = 0.3; so 3 * (0.84048 / 0.5)^2 = 8.5 questions.
    total = model["differences"]["total"]
    assert (total["mean"], total["needed"]) == (-0.5, 9)
    assert total["detectable"] == pytest.approx(0.84048, abs=1e-5)
    assert main(["compare", *map(str, paths), *by, "table"]) == 0
    printed = [row.split() for row in capsys.readouterr().out.splitlines()]
    assert ["n", "total", "-50.00", "84.0", "under", "30"] in printed
    assert ["x", "n", "2", "33.3", "±50.0", "50", "50", "0", "1"] in printed
    # 3,000 tokens at 2 and 300 at 10 for a million; in 1 + 2 + 3 s that overlap in one.
    assert ["m", *["3,000", "300", "2.00", "3.00", "5", "60", "0.0090", "3.0000"]] in printed
    assert main(["compare", *map(str, paths), *by, "csv"]) == 0
    rows = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    found = {(row["model"], row["measure"]): (row["mean"], row["count"]) for row in rows}
    assert found["n", "rate wrong kind x"] == ("0.5", "2")
    assert found["n", "total kind y"] == ("1.0", "1")
    assert main(["compare", str(paths[0]), "--by", "length"]) == 0
    assert capsys.readouterr().err == f"{paths[0]}: does not tell the length of its questions\n"


def test_names(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    files = {"one": "a", "two": "b", "three": "b", "deep/three": "b", "published": None}
    paths = [log(tmp_path / f"{one}.jsonl", files[one], {"p1": {"include": 1}}) for one in files]
    assert [model.name for model in compared(*paths).models] == [
        *("a", "b (two)", f"{tmp_path}/three.jsonl", f"{tmp_path}/deep/three.jsonl", "published")
    ]


def test_the_other_rule(tmp_path: Path, capsys: Capture) -> None:
    """A rule that is named need not be the headline."""
    rows = {"p1": {"include": 1.0}, "p2": {"include": 0.0}, "p3": {"include": 1.0}}
    one = log(tmp_path / "one.jsonl", "a", rows)
    two = log(tmp_path / "two.jsonl", "b", rows, matching="words")
    two.write_text(two.read_text().replace("scores_words", "scores_substring"))
    assert main(["compare", str(one), str(two), "--matching", "words", "--wide"]) == 0
    assert "data:11111111|prompt:2|matching:words|version:1\n" in capsys.readouterr().out
    found = compared(one, two, matching="words").models
    assert [model.scores["total"].mean for model in found] == pytest.approx([1 / 3, 2 / 3])


# ------------------------------------------------------------------ what may not be compared

# What the second log differs in -> the reason, or None where nothing is in the way.
REFUSED: list[tuple[dict[str, str], str | None]] = [
    ({"model": "other#9"}, None),
    # An older log does not name its data.
    ({"data": "urzad-1.0-11111111"}, None),
    ({"data": "9"}, "the signatures differ in: data"),
    ({"prompt": "9", "version": "2"}, "the signatures differ in: prompt, version"),
    ({"matching": "words"}, "the signatures differ in: matching"),
]


@pytest.mark.parametrize(("changes", "reason"), REFUSED)
def test_signatures(
    tmp_path: Path, capsys: Capture, changes: dict[str, str], reason: str | None
) -> None:
    rows = {"p1": {"include": 1.0}}
    second = log(tmp_path / "b.jsonl", "b", rows, **changes)
    if "matching" in changes:
        second.write_text(second.read_text().replace("scores_words", "scores_substring"))
    arguments = ["compare", str(log(tmp_path / "a.jsonl", "a", rows)), str(second)]
    assert main(arguments) == (0 if reason is None else 2)
    refused = f"ragifeval compare: error: may not be compared: {reason}; --force compares all the "
    assert capsys.readouterr().err == ("" if reason is None else f"{refused}same\n")
    assert main([*arguments, "--force"]) == 0
    warning = f"warning: compared all the same, though {reason}\n"
    assert capsys.readouterr().err == ("" if reason is None else warning)


def test_logs_that_do_not_tell_how_they_came_about(tmp_path: Path, capsys: Capture) -> None:
    """As the published implementation writes them: alone they may be shown, not compared."""
    rows = {"p1": {"include": 1.0}}
    one, two = log(tmp_path / "a.jsonl", None, rows), log(tmp_path / "b.jsonl", "b", rows)
    assert main(["compare", str(one)]) == 0
    assert main(["compare", str(one), str(two)]) == 2
    assert f"may not be compared: no signature in: {one};" in capsys.readouterr().err
    assert main(["compare", str(one), str(two), "--force", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["signature"] is None
    for path in (one, two):
        log(path, path.stem, rows, prompt="unknown", model="unknown")
    assert main(["compare", str(one), str(two)]) == 0
    assert "nothing is known of how the answers came about: prompt\n" in capsys.readouterr().err


# ------------------------------------------------------------------ in CI

# Options -> exit code, lines on stderr. The first model has 100 % in all, the second 50 % of
# include, and so 50 % in total, in 8 samples: p = 2 / 2^4 without, 2 / 2^8 with all samples wrong.
GATES: list[tuple[list[str], int, list[str]]] = [
    (["--fail-under", "total=0"], 0, []),
    (
        ["--fail-under", "total=50", "--fail-under", "include=50.1"],
        1,
        [
            "none: total is 0.00 %, under 50 %",
            *("half: include is 50.00 %, under 50.1 %", "none: include is 0.00 %, under 50.1 %"),
        ],
    ),
    (["--fail-if-worse"], 1, ["none: total is 100.00 points worse than that of full, p = 0.0156"]),
]


@pytest.mark.parametrize(("options", "code", "lines"), GATES)
def test_gates(
    tmp_path: Path, capsys: Capture, options: list[str], code: int, lines: list[str]
) -> None:
    models: dict[str, Callable[[int], float]] = {
        "full": lambda n: 1.0,
        "half": lambda n: float(n % 2),
        "none": lambda n: 0.0,
    }
    paths = [
        str(log(tmp_path / f"{name}.jsonl", name, {f"p{n}": {"include": of(n)} for n in range(8)}))
        for name, of in models.items()
    ]
    assert main(["compare", *paths, *options]) == code
    assert capsys.readouterr().err.splitlines() == lines


def test_no_worse(tmp_path: Path) -> None:
    """Better, and worse by chance, both pass."""
    full, most = (
        log(tmp_path / f"{least}.jsonl", "m", {f"p{n}": {"include": n >= least} for n in range(8)})
        for least in (0, 1)
    )
    assert main(["compare", str(most), str(full), "--fail-if-worse"]) == 0
    assert main(["compare", str(full), str(most), "--fail-if-worse"]) == 0


# ------------------------------------------------------------------ mistakes

# Arguments (<good>, <dir> stand for a log and its folder) -> how the last line on stderr goes on.
MISTAKES: list[tuple[list[str], str]] = [
    (["<dir>/none.jsonl"], "<dir>/none.jsonl: cannot be read: No such file or directory"),
    (["<good>", "<dir>/empty.jsonl"], "<dir>/empty.jsonl: holds no answers"),
    (["<good>", "<dir>/other.jsonl"], "the logs have no sample in common"),
    (["<dir>/unscored.jsonl"], "<dir>/unscored.jsonl:1: 'scores', an object, is missing; `python"),
    (["<dir>/noid.jsonl"], "<dir>/noid.jsonl:1: 'id' is missing; `python -m ragifeval score LOG"),
    (["<dir>/high.jsonl"], "<dir>/high.jsonl:1: scores: 'include' must be a number from 0 to 1"),
    (
        ["<dir>/published.jsonl", "--matching", "words"],
        "<dir>/published.jsonl:1: 'scores_words', an object, is missing",
    ),
    (["<good>", "--fail-if-worse"], "--fail_if_worse: needs a second log"),
    (["<good>", "--fail-under", "safe=1"], "--fail_under: no sample in the logs has a score for"),
    (["<good>", "--fail-under", "total=101"], "argument --fail_under: must be MEASURE=PERCENT"),
    (["<good>", "--fail-under", "speed=1"], "--fail_under: 'speed' is none of: correct"),
    (["<good>", "--measures", "speed"], "--measures: 'speed' is none of: correctness"),
    (["<good>", "--draws", "99"], "argument --draws: must be a number of at least 100, not '99'"),
    (["<good>", "-o", "<dir>/none/a"], "<dir>/none/a: cannot be written: No such file"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Logs with something wrong in them, and a good one."""
    log(tmp_path / "good.jsonl", "good", {"p1": {"include": 1}})
    log(tmp_path / "other.jsonl", "other", {"p2": {"include": 1}})
    (tmp_path / "empty.jsonl").write_text("")
    answer = {"id": "p1", "answer": "17 zł"}
    write_records(tmp_path / "unscored.jsonl", [answer])
    write_records(tmp_path / "noid.jsonl", [{"question": "Ile?", "answer": "", "scores": {}}])
    write_records(tmp_path / "high.jsonl", [answer | {"scores": {"include": 100}}])
    write_records(tmp_path / "published.jsonl", [answer | {"scores": {"include": 1}}])
    return tmp_path


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes(folder: Path, capsys: Capture, arguments: list[str], message: str) -> None:
    def named(text: str) -> str:
        return text.replace("<good>", f"{folder}/good.jsonl").replace("<dir>", str(folder))

    try:
        code = main(["compare", *map(named, arguments)])
    except SystemExit as left:  # as argparse does
        code = int(left.code or 0)
    assert code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    line = printed.err.splitlines()[-1]
    assert line.partition("error: ")[2].startswith(named(message)), line
