"""What a judge says of an answer, in a browser: beside the conditions, and to be chosen by."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
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


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of a log, and of the same log judged."""
    folder = tmp_path_factory.mktemp("opinions")
    config = folder / "config.json"
    config.write_text('{"model": "baseline/reference"}', encoding="utf-8")
    log = folder / "plain.jsonl"
    options = ["--model_config", str(config), "--limit", "10", "--log_path", str(log)]
    assert evaluate("local", options) == 0
    found = records(log)
    for record, (scores, judgements) in zip(found, JUDGED, strict=False):
        record |= {"judged": scores, "judgements": judgements}
    judged = folder / "judged.jsonl"
    judged.write_text("".join(json.dumps(record) + "\n" for record in found), encoding="utf-8")
    made = {}
    for path in (log, judged):
        made[path.stem] = folder / f"{path.stem}.html"
        assert main(["report", str(path), "-o", str(made[path.stem]), "--lang", "en"]) == 0
    return made


def test_a_page_of_no_judged_log_holds_nothing_of_it(pages: dict[str, Path]) -> None:
    plain, judged = (pages[name].read_text(encoding="utf-8") for name in ("plain", "judged"))
    for part in ("makeOpinion", ".opinions {", '"opinion_low"', "<dd>3.2500 "):
        assert part not in plain
        assert part in judged


def test_scores_and_reasons_stand_beside_the_conditions(
    page: Page,  # noqa: F811
    pages: dict[str, Path],
) -> None:
    page.open(pages["judged"], 320)
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


CHOICES = {
    "only where the judge finds fault": 1,
    "only where judge and rules differ": 1,
    "only unjudged": 1,
    "all questions": 10,
}


def test_questions_are_chosen_by_it(page: Page, pages: dict[str, Path]) -> None:  # noqa: F811
    page.open(pages["judged"])
    for choice, count in CHOICES.items():
        page.choose("points", choice)
        assert page.text("#count") == f"Questions: {count} of 10"
    page.open(pages["plain"])
    assert not set(page.texts("#points option")) & (set(CHOICES) - {"all questions"})
