"""The table on the screen, and the summary beside the log."""

import json
import platform
from typing import Any

from ragifeval import __version__
from ragifeval.benchmark.benchmark import Sample
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
    "safe": Estimate(1.0, 1234, 1.0, 1.0),
    "len_chars": Estimate(1234.56, 4, 987.6, 2345.4),
    "correctness": Estimate(0.6, 5, 0.125, 0.9),
    "total": Estimate(0.9976, 1240, 0.996, 0.999),
}
WORDS = SUBSTRING | {
    "include": Estimate(1 / 3, 3, 0.0, 0.5),
    "correctness": Estimate(0.4, 5, 0.1, 0.8),
}
BY_RULE = {"substring": SUBSTRING, "words": WORDS}

TABLE = """\
org/a: 4 of 4 samples answered

                 substring %  95 % interval  count     words %
include                66.67   25.0 - 100.0      3       33.33
safe                  100.00  100.0 - 100.0   1234      100.00
--------------------------------------------------------------
correctness            60.00    12.5 - 90.0      5       40.00
total                  99.76    99.6 - 99.9   1240       99.76
--------------------------------------------------------------
len_chars             1234.6     988 - 2345      4

data:11111111|model:org/a#22222222"""


def test_the_table() -> None:
    assert table(outcome(), BY_RULE, "org/a", SIGNATURE, wide=True) == TABLE
    folded = table(outcome(), BY_RULE, "org/a", SIGNATURE).splitlines()
    # By the shell: printf %s '{"data": "11111111"}' | sha256sum
    assert folded[-1] == "signature 764d3263: scores with the same one compare (parts: --wide)"
    # The other rule for a headline.
    words = table(outcome(1, True, "words"), BY_RULE, "org/a", SIGNATURE).splitlines()
    assert words[0] == "org/a: 1 of 4 samples answered (interrupted)"
    assert words[3].split() == ["include", "33.33", "0.0", "-", "50.0", "3", "66.67"]
    none: dict[str, dict[str, Estimate]] = {"substring": {}, "words": {}}
    nothing = table(outcome(0, p0="timeout"), none, "org/a", SIGNATURE)
    assert nothing.startswith("org/a: 0 of 4 samples answered\n")


def summarized(ended: Outcome) -> dict[str, Any]:
    typed = ["ragifeval", "local", "--data", "my data"]
    made = summary(ended, BY_RULE, SIGNATURE, {"seed": 0, "typed": typed}, more="told")
    return dict(json.loads(json.dumps(made)))


def test_the_summary() -> None:
    made = summarized(outcome(3, p3="timeout"))
    assert made["matching"] == "substring"
    assert made["scores"]["include"] == {"mean": 2 / 3, "count": 3, "low": 0.25, "high": 1.0}
    assert made["scores_words"]["include"]["mean"] == 1 / 3
    assert list(made["scores"]) == list(made["scores_words"]) == list(SUBSTRING)
    assert made["signature"] == "data:11111111|model:org/a#22222222"
    assert made["signature_parts"] == {"data": "11111111", "model": "org/a#22222222"}
    assert (made["status"], made["samples"], made["answered"]) == ("incomplete", 4, 3)
    assert (made["failed"], made["failures"]) == (1, {"p3": "timeout"})
    assert (made["options"], made["more"]) == ({"seed": 0}, "told")
    assert made["command"] == "ragifeval local --data 'my data'"
    assert made["versions"]["ragifeval"] == __version__
    assert made["versions"]["python"] == platform.python_version()
    made = summarized(outcome(matching="words"))
    assert made["scores"]["include"]["mean"] == 1 / 3
    assert made["scores_substring"]["include"]["mean"] == 2 / 3
    assert "scores_words" not in made
