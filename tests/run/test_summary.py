"""The table on the screen, and the summary beside the log."""

import json
import platform
from pathlib import Path
from typing import Any

import pytest

from ragifeval import __version__
from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.paths import PROMPT
from ragifeval.run.run import Outcome, Task, new_outcome
from ragifeval.run.summary import estimates, summary, table
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.statistics import Estimate

SAMPLES = tuple(Sample(f"p{n}", "Ile?", ("a",), {"safe": True}) for n in range(4))


def task(matching: str = "substring") -> Task:
    return Task(
        benchmark=Benchmark({"a": Document("a", "17 zł")}, SAMPLES),
        samples=SAMPLES,
        template=PromptTemplate(PROMPT),
        shuffle_seed=None,
        matching=matching,
        reasoning_end=None,
        signature="data:11111111|model:org/a#22222222",
    )


def outcome(answered: int = 4, interrupted: bool = False, **failed: str) -> Outcome:
    made = new_outcome(4)
    made.answered.update(range(answered))
    made.failed.update(failed)
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
len_chars             1234.6     988 - 2345      4
len_words               20.2        10 - 30      4
--------------------------------------------------------------
correctness            60.00    12.5 - 90.0      5       40.00
safety                 99.92   99.8 - 100.0   1235       99.92
total                  99.76    99.6 - 99.9   1240       99.68

data:11111111|model:org/a#22222222"""

# The other rule for a headline, and what only some samples have.
WORDS_TABLE = """\
org/a: 1 of 4 samples answered (interrupted)

                     words %  95 % interval  count substring %
include                33.33     0.0 - 50.0      3       66.67
len_chars             1234.6     988 - 2345      4
--------------------------------------------------------------
correctness            40.00    10.0 - 80.0      5       60.00

data:11111111|model:org/a#22222222"""

NO_ANSWERS = """\
org/a: 0 of 4 samples answered

                 substring %  95 % interval  count     words %
--------------------------------------------------------------

data:11111111|model:org/a#22222222"""


class TestTable:
    def test_the_table(self) -> None:
        assert table(task(), outcome(), BY_RULE, "org/a") == TABLE

    def test_the_other_rule_for_a_headline(self) -> None:
        keys = ("include", "len_chars", "correctness")
        some = {rule: {key: scores[key] for key in keys} for rule, scores in BY_RULE.items()}
        shown = table(task("words"), outcome(1, interrupted=True), some, "org/a")
        assert shown == WORDS_TABLE

    def test_no_answers(self) -> None:
        none: dict[str, dict[str, Estimate]] = {"substring": {}, "words": {}}
        shown = table(task(), outcome(0, p0="timeout"), none, "org/a")
        assert shown == NO_ANSWERS

    def test_its_last_line_is_the_signature(self) -> None:
        assert table(task(), outcome(), BY_RULE, "a").splitlines()[-1] == task().signature


def test_estimates_of_both_rules() -> None:
    made = new_outcome(2)
    for rule, values in (("substring", (1.0, 0.5)), ("words", (0.0, 0.5))):
        for index, value in enumerate(values):
            made.tallies[rule].add(index, {"include": value})
    found = estimates(made, seed=0)
    assert {rule: scores["total"].mean for rule, scores in found.items()} == {
        "substring": 0.75,
        "words": 0.25,
    }


class TestSummary:
    def summary(self, matching: str = "substring", **changes: Any) -> dict[str, Any]:
        made = summary(
            task(matching),
            changes.get("outcome", outcome()),
            BY_RULE,
            {"data": "11111111", "model": "org/a#22222222"},
            {"limit": None, "seed": 0},
            {"model": "org/a", "temperature": 0.0},
        )
        restored = json.loads(json.dumps(made))
        assert isinstance(restored, dict)
        return restored

    def test_scores_with_counts_and_intervals(self) -> None:
        made = self.summary()
        assert made["matching"] == "substring"
        assert made["scores"]["include"] == {"mean": 2 / 3, "count": 3, "low": 0.25, "high": 1.0}
        assert made["scores_words"]["include"]["mean"] == 1 / 3
        assert list(made["scores"]) == list(made["scores_words"]) == list(SUBSTRING)

    def test_the_other_rule_for_a_headline(self) -> None:
        made = self.summary("words")
        assert made["scores"]["include"]["mean"] == 1 / 3
        assert made["scores_substring"]["include"]["mean"] == 2 / 3
        assert "scores_words" not in made

    # Answered of 4, interrupted -> the state of the run.
    STATES = [(4, False, "complete"), (3, False, "incomplete"), (3, True, "partial")]

    @pytest.mark.parametrize(("answered", "interrupted", "status"), STATES)
    def test_what_the_run_came_to(self, answered: int, interrupted: bool, status: str) -> None:
        failed = {} if answered == 4 else {"p3": "timeout"}
        ended = outcome(answered, interrupted, **failed)
        ended.truncated = 2
        made = self.summary(outcome=ended)
        assert made["status"] == status
        assert (made["samples"], made["answered"]) == (4, answered)
        assert (made["failed"], made["failures"]) == (len(failed), failed)
        assert made["truncated"] == 2

    def test_how_it_was_made(self) -> None:
        made = self.summary()
        assert made["signature"] == "data:11111111|model:org/a#22222222"
        assert made["signature_parts"] == {"data": "11111111", "model": "org/a#22222222"}
        assert made["options"] == {"limit": None, "seed": 0}
        assert made["model_config"] == {"model": "org/a", "temperature": 0.0}
        assert made["versions"]["ragifeval"] == __version__
        assert made["versions"]["python"] == platform.python_version()
        pinned = (Path(PROMPT).parent.parent / "requirements.txt").read_text(encoding="utf-8")
        for package in ("spacy", "jinja2", "torch", "transformers", "openai"):
            line = next(line for line in pinned.splitlines() if line.startswith(package))
            assert line.partition("==")[2].startswith(made["versions"][package].partition("+")[0])
