"""What a judge says of an answer, in a browser: beside the conditions, and to be chosen by."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
from ragifeval.paths import SAMPLES
from tests.end_to_end.test_report import HOSTILE, Page, page, pytestmark  # noqa: F401
from tools.testing.process import records

CLAIMS = {
    "reference_claims": ["Opłata wynosi 30 zł.", "Termin to 14 dni."],
    "candidate_claims": ["Opłata wynosi 30 zł."],
    "common_claims": ["Opłata wynosi 30 zł."],
    "explanation": HOSTILE,
    "disagreements": ["common: 2 counted, 1 listed"],
}
# Of the first four of ten right answers: the scores, and what is behind them.
JUDGED: list[tuple[dict[str, float], dict[str, Any]]] = [
    ({"correctness": 4.5, "passing": 1.0}, {"correctness": {"reason": "Zgodna."}}),
    ({"correctness": 2.0, "passing": 0.0}, {"correctness": {"reason": "Za krótka. " * 50}}),
    ({"recall": 0.5, "precision": 1.0, "f1": 2 / 3}, {"claims": CLAIMS}),
    ({}, {"correctness": {"unjudged": "the reply cannot be read: it holds no score"}}),
]

SECOND = records(SAMPLES)[1]["id"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a judged log."""
    folder = tmp_path_factory.mktemp("opinions")
    log = folder / "judged.jsonl"
    options = ["--model", "baseline/reference", "--limit", "10", "--log_path", str(log)]
    assert evaluate("local", options) == 0
    found = records(log)
    for record, (scores, judgements) in zip(found, JUDGED, strict=False):
        record |= {"judged": scores, "judgements": judgements}
    log.write_text("".join(json.dumps(record) + "\n" for record in found), encoding="utf-8")
    assert main(["report", str(log), "-o", str(folder / "page.html"), "--lang", "en"]) == 0
    return folder / "page.html"


def test_scores_and_reasons_stand_beside_the_conditions(
    page: Page,  # noqa: F811
    judged: Path,
) -> None:
    page.open(judged, 320)
    assert "correctness3.2500 n = 2" in page.texts("[aria-labelledby=judged] .facts div")
    cards = "[...document.querySelectorAll('article')].slice(0, 4)"
    badges = page.run(
        f"return {cards}.map((card) => [...card.querySelectorAll('.badge.judged')].map((badge) => "
        "[badge.querySelector('.name').textContent, badge.querySelector('b').textContent, "
        "badge.classList.contains('differs')]))"
    )
    assert badges == [
        [["correctness", "4.5", False], ["passing", "1", False]],
        [["correctness", "2", False], ["passing", "0", True]],
        [["recall", "0.5", False], ["precision", "1", False], ["f1", "0.6667", False]],
        [],
    ]
    assert page.texts(".opinion .reason")[0] == "Reason: correctness"
    assert page.texts(".opinion .plain-text")[0] == "Zgodna."
    assert page.texts(".opinion .no-answer") == [
        "correctness: unjudged: the reply cannot be read: it holds no score"
    ]
    assert page.texts(".doubt") == [
        "The judge counts otherwise than it lists: common: 2 counted, 1 listed"
    ]
    assert page.texts(".claims summary") == ["Claims (reference: 2, answer: 1, in common: 1)"]
    # A long reason is opened first; what a judge says is text.
    assert page.texts("details.reason summary")[0] == "Reason: correctness"
    assert len(page.texts("details.reason .plain-text")) == 0
    page.open_all()
    assert page.texts("details.reason .plain-text")[0].startswith("Za krótka. Za krótka.")
    assert HOSTILE in page.texts(".opinion .plain-text")
    assert page.texts(".claims li")[:2] == CLAIMS["reference_claims"]
    assert page.run("return window.pwned === undefined")
    assert page.complaints() == []
    wide = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.run(wide)


def test_questions_are_chosen_by_it(page: Page, judged: Path) -> None:  # noqa: F811
    page.open(judged)
    for choice in ("the judge finds fault", "judge and rules differ"):
        page.choose("points", f"only where {choice}")
        assert page.texts("article .about code") == [SECOND]
    page.choose("points", "only unjudged")
    assert page.text("#count") == "Questions: 1 of 10"
