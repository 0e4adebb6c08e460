"""Texts made to take long: all are scored.

A megabyte that takes quadratic time does not end within an hour, one that takes linear time ends
within seconds; benchmarks/long_answers.py measures it.
"""

import pytest

from ragifeval.benchmark.baselines import _SENTENCE_END
from ragifeval.scoring.conditions import CITATION
from ragifeval.text.clean import pieces_of
from tools.testing.bad_input import REPEATED, check_answer, repeated


@pytest.mark.parametrize("name", REPEATED)
def test_scored(name: str) -> None:
    text = repeated(name, 20_000)
    check_answer(text)
    # What marks the report's words, and what cuts documents for the extractive baseline.
    pieces_of(text[:15_000])
    _SENTENCE_END.split(text)
    assert len(CITATION.findall(text)) == (5_000 if name == "citations" else 0)


@pytest.mark.parametrize(
    "text",
    [
        repeated("words", 1_000_000),
        f"[{'1' * 1_000_000}]",
        "[" * 500_000 + "]" * 500_000,
        f"5{' ' * 1_000_000}zł",
        "a" + "\u0301\u0323" * 500_000,
    ],
    ids=["words", "a long number", "brackets", "spaces", "marks"],
)
def test_a_megabyte(text: str) -> None:
    check_answer(text)
