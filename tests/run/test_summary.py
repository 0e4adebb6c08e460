"""The table on the screen, and the summary beside the log."""

import json
import platform
from typing import Any

import pytest

from ragifeval import __version__
from ragifeval.benchmark.benchmark import Sample
from ragifeval.paths import ROOT
from ragifeval.run.outcome import Outcome
from ragifeval.run.summary import summary, table
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import Estimate

SAMPLES = tuple(Sample(f"p{n}", "Ile?", ("a",), {"safe": True}) for n in range(4))


SIGNATURE = Signature({"data": "11111111", "model": "org/a#22222222"})


def outcome(
    answered: int = 4, interrupted: bool = False, matching: str = "substring", **failed: str
) -> Outcome:
    """The outcome of four samples, of which the first ones are answered."""
    made = Outcome(SAMPLES, matching)
    for sample in SAMPLES[:answered]:
        scores = {"scores": {}, "scores_words": {}, "scores_substring": {}}
        made.add({"id": sample.id, "answer": "Tak", "finish_reason": "stop", **scores})
    for key, error in failed.items():
        made.add({"id": key, "answer": None, "error": error})
    made.interrupted = interrupted
    return made


SUBSTRING = {
    "include": Estimate(2 / 3, 3, 0.25, 1.0),
    "cite_f1": Estimate(0.5, 2, 0.0, 1.0),
    "cite_precision": Estimate(1.0, 2, 1.0, 1.0),
    "cite_recall": Estimate(1 / 3, 2, 0.0, 0.5),
    "refuse": Estimate(0.0, 1, 0.0, 0.0),
    "safe": Estimate(1.0, 1234, 1.0, 1.0),
    "len_chars": Estimate(1234.56, 4, 987.6, 2345.4),
    "len_words": Estimate(20.25, 4, 10.0, 30.0),
    "correctness": Estimate(0.6, 5, 0.125, 0.9),
    "safety": Estimate(0.99919, 1235, 0.998, 1.0),
    "total": Estimate(0.9976, 1240, 0.996, 0.999),
}
WORDS = SUBSTRING | {
    "include": Estimate(1 / 3, 3, 0.0, 0.5),
    "correctness": Estimate(0.4, 5, 0.1, 0.8),
    "total": Estimate(0.9968, 1240, 0.995, 0.999),
}
BY_RULE = {"substring": SUBSTRING, "words": WORDS}

TABLE = """\
org/a: 4 of 4 samples answered

                 substring %  95 % interval  count     words %
include                66.67   25.0 - 100.0      3       33.33
cite_f1                50.00    0.0 - 100.0      2       50.00
cite_precision        100.00  100.0 - 100.0      2      100.00
cite_recall            33.33     0.0 - 50.0      2       33.33
refuse                  0.00      0.0 - 0.0      1        0.00
safe                  100.00  100.0 - 100.0   1234      100.00
--------------------------------------------------------------
correctness            60.00    12.5 - 90.0      5       40.00
safety                 99.92   99.8 - 100.0   1235       99.92
total                  99.76    99.6 - 99.9   1240       99.68
--------------------------------------------------------------
len_chars             1234.6     988 - 2345      4
len_words               20.2        10 - 30      4

data:11111111|model:org/a#22222222"""

# The other rule for a headline, and what only some samples have.
WORDS_TABLE = """\
org/a: 1 of 4 samples answered (interrupted)

                     words %  95 % interval  count substring %
include                33.33     0.0 - 50.0      3       66.67
--------------------------------------------------------------
correctness            40.00    10.0 - 80.0      5       60.00
--------------------------------------------------------------
len_chars             1234.6     988 - 2345      4

data:11111111|model:org/a#22222222"""

NO_ANSWERS = """\
org/a: 0 of 4 samples answered

                 substring %  95 % interval  count     words %
--------------------------------------------------------------

data:11111111|model:org/a#22222222"""


def test_the_table() -> None:
    assert table(outcome(), BY_RULE, "org/a", SIGNATURE, wide=True) == TABLE
    folded = table(outcome(), BY_RULE, "org/a", SIGNATURE).splitlines()
    assert folded[:-1] == TABLE.splitlines()[:-1]
    # By the shell: printf %s '{"data": "11111111"}' | sha256sum
    assert folded[-1] == "signature 764d3263: scores with the same one compare (parts: --wide)"
    keys = ("include", "len_chars", "correctness")
    some = {rule: {key: scores[key] for key in keys} for rule, scores in BY_RULE.items()}
    assert table(outcome(1, True, "words"), some, "org/a", SIGNATURE, wide=True) == WORDS_TABLE
    none: dict[str, dict[str, Estimate]] = {"substring": {}, "words": {}}
    assert table(outcome(0, p0="timeout"), none, "org/a", SIGNATURE, wide=True) == NO_ANSWERS


def test_records_are_counted() -> None:
    """Of two answers to one sample the mean counts; a sample that failed may be answered later."""
    made = Outcome(SAMPLES, "words")
    for key, include, exact, reason in (
        ("p0", 1.0, 0.0, "stop"),
        ("p1", None, None, None),
        ("p0", 0.0, 0.0, "length"),
        ("p1", 0.5, 0.5, "reasoning_unfinished"),
        ("p2", None, None, None),
        ("p0", None, None, None),
    ):
        record = {"id": key, "answer": None, "error": "timeout", "finish_reason": reason}
        if include is not None:
            scores = {"scores_substring": {"include": include}, "scores": {"include": exact}}
            record |= {"answer": "Hm.</think>", "error": None, **scores}
        made.add(record)
    assert made.answers == [2, 1, 0, 0]
    assert (made.answered, made.repeated, made.failed) == (2, ["p0"], {"p2": "timeout"})
    assert [sample.id for sample in made.missing] == ["p2", "p3"]
    assert (made.truncated, made.reasoning_unset) == (2, 3)
    estimates = made.estimates(seed=0)
    assert {rule: scores["total"].mean for rule, scores in estimates.items()} == {
        "substring": 0.5,
        "words": 0.25,
    }
    assert {scores["include"].count for scores in estimates.values()} == {2}


def summarized(ended: Outcome) -> dict[str, Any]:
    made = summary(
        ended,
        BY_RULE,
        SIGNATURE,
        {"limit": None, "seed": 0, "typed": ["ragifeval", "local", "--data", "my data"]},
        model_config={"model": "org/a", "temperature": 0.0},
    )
    return dict(json.loads(json.dumps(made)))


def test_the_summary() -> None:
    made = summarized(outcome())
    assert made["matching"] == "substring"
    assert made["scores"]["include"] == {"mean": 2 / 3, "count": 3, "low": 0.25, "high": 1.0}
    assert made["scores_words"]["include"]["mean"] == 1 / 3
    assert list(made["scores"]) == list(made["scores_words"]) == list(SUBSTRING)
    assert made["signature"] == "data:11111111|model:org/a#22222222"
    assert made["signature_parts"] == {"data": "11111111", "model": "org/a#22222222"}
    assert made["options"] == {"limit": None, "seed": 0}
    assert made["command"] == "ragifeval local --data 'my data'"
    assert made["model_config"] == {"model": "org/a", "temperature": 0.0}
    # The other rule for a headline.
    made = summarized(outcome(matching="words"))
    assert made["scores"]["include"]["mean"] == 1 / 3
    assert made["scores_substring"]["include"]["mean"] == 2 / 3
    assert "scores_words" not in made


# Answered of 4, interrupted -> the state of the run.
STATES = [(4, False, "complete"), (3, False, "incomplete"), (3, True, "partial")]


@pytest.mark.parametrize(("answered", "interrupted", "status"), STATES)
def test_what_the_run_came_to(answered: int, interrupted: bool, status: str) -> None:
    failed = {} if answered == 4 else {"p3": "timeout"}
    ended = outcome(answered, interrupted, **failed)
    ended.truncated = 2
    made = summarized(ended)
    assert made["status"] == status
    assert (made["samples"], made["answered"]) == (4, answered)
    assert (made["failed"], made["failures"]) == (len(failed), failed)
    assert made["truncated"] == 2


def test_versions_are_those_that_are_pinned() -> None:
    versions = summarized(outcome())["versions"]
    assert versions["ragifeval"] == __version__
    assert versions["python"] == platform.python_version()
    files = (ROOT / "requirements.txt", ROOT / "requirements-dev.txt")
    pinned = "".join(path.read_text("utf-8") for path in files).splitlines()
    for package in ("spacy", "jinja2", "torch", "transformers", "openai"):
        line = next(line for line in pinned if line.startswith(package))
        assert line.partition("==")[2].startswith(versions[package].partition("+")[0])
