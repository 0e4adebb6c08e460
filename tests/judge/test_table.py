"""The table: means over the answers that were judged, worked out by hand."""

import json
from fractions import Fraction

import pytest

from ragifeval.judge.chains import Judgement
from ragifeval.judge.claims import judged_claims, read_claims
from ragifeval.judge.table import reasons, rows, table

# (reference, candidate, common) claims -> how many of 100 answers have them.
COUNTS = {(4, 5, 4): 40, (3, 4, 2): 25, (1, 1, 1): 20, (2, 6, 1): 10, (5, 2, 3): 3, (2, 3, 0): 2}


def by_hand() -> tuple[Fraction, Fraction, Fraction]:
    """The means, in fractions."""
    sums = [Fraction(0)] * 3
    for (reference, candidate, common), times in COUNTS.items():
        recall = Fraction(common, reference)
        precision = Fraction(common, max(candidate, common))
        f1 = 2 * recall * precision / (recall + precision) if common else Fraction(0)
        sums = [
            before + times * value
            for before, value in zip(sums, (recall, precision, f1), strict=True)
        ]
    recall, precision, f1 = (value / 100 for value in sums)
    return recall, precision, f1


def reply(reference: int, candidate: int, common: int) -> str:
    """As in the published prompt."""
    value = {
        "Golden Response Claims": {str(n): f"g{n}" for n in range(reference)},
        "Candidate Response Claims": {str(n): f"c{n}" for n in range(candidate)},
        "Common Claims": {str(n): f"g{n}" for n in range(common)},
        "No of Golden Response Claims": reference,
        "No of Candidate Response Claims": candidate,
        "No of Common Claims": common,
    }
    return f"```json\n{json.dumps(value, indent=4)}\n```"


def test_the_means_of_a_hundred_replies() -> None:
    judged = [
        {"claims": judged_claims(read_claims(reply(*counts)))}
        for counts, times in COUNTS.items()
        for _ in range(times)
    ]
    found = rows({"claims": {"recall": "", "precision": "", "f1": ""}}, judged)
    assert [row.mean for row in found] == pytest.approx([float(value) for value in by_hand()])
    assert [f"{row.mean:.4f}" for row in found] == ["0.8347", "0.6917", "0.7459"]
    assert all((row.judged, row.unjudged) == (100, 0) for row in found)


def test_unjudged_is_no_zero_and_no_nan() -> None:
    judged = [
        {"correctness": Judgement({"correctness": 4.0, "passing": 1.0})},
        {"correctness": Judgement({}, unjudged="no reference")},
        {"correctness": Judgement({}, unjudged="no reference")},
        {},
    ]
    names = {"correctness": {"correctness": "from 1 to 5"}, "claims": {"recall": "of claims"}}
    text = table("title", rows(names, judged), "signature")
    assert text.splitlines() == [
        "title",
        "",
        "               mean  judged  unjudged",
        "correctness  4.0000       1         3  from 1 to 5",
        "recall            -       0         4  of claims",
        "",
        "signature",
    ]
    assert reasons(judged, "correctness") == [("no reference", 2), ("not asked", 1)]
