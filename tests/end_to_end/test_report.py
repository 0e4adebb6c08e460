"""The report in a browser: made by the command from real logs, and opened as a file."""

import csv
import json
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import evaluate, main
from ragifeval.paths import ROOT, SAMPLES
from tests.browser import BrowserPage, needs_chromium
from tools.testing.process import call, records

pytestmark = needs_chromium

_PACKAGE = find_spec("axe_playwright_python")
AXE = Path(_PACKAGE.origin or "").with_name("axe.min.js") if _PACKAGE is not None else Path("-")

BASELINES = ("extractive", "refuse", "reference")
# Some samples of every kind, so that the runs are short.
LIMIT = 60

HOSTILE = (
    '<script>window.pwned=1</script></script><img src=x onerror="window.pwned=2"></details>'
    "</article><svg onload=window.pwned=3>{{ 7*7 }} <!-- 170 zł [1][3] kurwa "
    "\u2028\u2029\x00\x1b[0m \u202efdp.exe wnio\u00adsek \ud83d zo\u0301łw [2] [99] ' \" &lt;b&gt;"
)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The logs of the baselines, and one that was written to do harm."""
    folder = tmp_path_factory.mktemp("logs")
    made = {name: folder / f"{name}.jsonl" for name in (*BASELINES, "hostile")}
    for name in BASELINES:
        options = ["--model", f"baseline/{name}", "--log_path", made[name], "--limit", LIMIT]
        assert call(partial(evaluate, "local"), *options, cwd=folder).code == 0
    ids = [sample["id"] for sample in records(SAMPLES)]
    written: list[dict[str, Any]] = [
        {
            **{"id": ids[0], "answer": HOSTILE, "reasoning": HOSTILE, "finish_reason": HOSTILE},
            "usage": {"prompt_tokens": 1234, "completion_tokens": 56},
            "seconds": 2.5,
        },
        {"id": ids[1], "answer": None, "error": HOSTILE},
        {"id": ids[2], "answer": "słowo " * 2000, "finish_reason": "length"},
        {"id": HOSTILE, "answer": HOSTILE},
    ]
    signature = f"data:{HOSTILE}|mode:chat|model:{HOSTILE}#1".replace("\n", " ")
    made["hostile"].write_text(
        "".join(json.dumps(record | {"signature": signature}) + "\n" for record in written)
    )
    return made


@pytest.fixture(scope="module")
def pages(logs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    wanted = {
        "one": ([logs["extractive"]], "pl"),
        "again": ([logs["extractive"]], "pl"),
        "three": ([logs[name] for name in BASELINES], "en"),
        "hostile": ([logs["hostile"], logs["extractive"]], "pl"),
    }
    made = {name: folder / f"{name}.html" for name in wanted}
    for name, (paths, language) in wanted.items():
        options = [*paths, "-o", made[name], "--lang", language]
        if name == "one":
            command = [sys.executable, "-m", "ragifeval", "report", *options]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            assert done.stdout == f"{made['one']}: {LIMIT} questions, {LIMIT} answers\n"
        else:
            assert call(main, "report", *options, cwd=folder).code == 0
    return made


SETTLE = """
const element = document.querySelector(arguments[0]);
return new Promise((done) => {
  const look = (before) => {
    element.scrollIntoView({ block: "center" });
    const { top } = element.getBoundingClientRect();
    if (top === before) done();
    else requestAnimationFrame(() => requestAnimationFrame(() => look(top)));
  };
  look();
});
"""


class Page(BrowserPage):
    """A report in the browser."""

    def open_all(self) -> None:
        self.run("for (const closed of document.querySelectorAll('details')) closed.open = true")
        self.run("return new Promise((done) => setTimeout(done, 50))")  # what they hold is built

    def fits(self) -> bool:
        """Whether nothing stands beyond the right edge of the window."""
        root = "document.documentElement"
        return bool(self.run(f"return {root}.scrollWidth <= {root}.clientWidth"))

    def data(self) -> Any:
        """What the page's own script reads."""
        return self.run("return JSON.parse(document.getElementById('data').textContent)")

    def count(self, selector: str) -> int:
        return int(self.run("return document.querySelectorAll(arguments[0]).length", selector))

    def focused(self, what: str) -> Any:
        """Something of the element that has the focus."""
        return self.run(f"return document.activeElement.{what}")

    def click(self, selector: str) -> None:
        # Cards are laid out when they come into view, which moves what stands below them.
        self.run(SETTLE, selector)
        self.driver.find_element("css selector", selector).click()

    def cells(self, rows: str) -> list[list[str]]:
        """The texts of the cells of rows."""
        script = (
            "return [...document.querySelectorAll(arguments[0])]"
            ".map((row) => [...row.cells].map((cell) => cell.innerText))"
        )
        return list(self.run(script, rows))

    def board(self) -> dict[str, list[str]]:
        """The leaderboard: what is behind the last slash of a model's name -> its cells."""
        rows = self.cells(".leaderboard tbody tr")
        return {row[1].rpartition("/")[2]: row for row in rows}

    def choose(self, control: str, value: str) -> None:
        from selenium.webdriver.support.select import Select

        Select(self.driver.find_element("id", control)).select_by_visible_text(value)

    def search(self, text: str) -> None:
        """Put a text into the field at once: a busy browser drops keys; test_keys types."""
        self.run(
            "const box = document.getElementById('search'); box.value = arguments[0];"
            "box.dispatchEvent(new Event('input', {bubbles: true}))",
            text,
        )

    def wait_for_count(self, text: str) -> None:
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, 30, 0.02).until(lambda _: self.text("#count") == text)


@pytest.fixture
def page(chromium: Any) -> Page:
    return Page(chromium)


@pytest.mark.parametrize(
    ("name", "width", "scheme"), [("one", 1280, "light"), ("three", 320, "dark")]
)
def test_a_page_loads_quietly_and_fits(
    page: Page, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    page.open(pages[name], width, scheme)
    page.open_all()
    assert page.complaints() == []
    # The page itself; its icon is empty and inside it.
    assert [url for url in page.requests() if not url.startswith("data:")] == [pages[name].as_uri()]
    assert page.fits()


def test_the_numbers_are_those_of_the_run(
    page: Page, pages: dict[str, Path], logs: dict[str, Path]
) -> None:
    page.open(pages["three"])
    assert page.run("return document.documentElement.lang") == "en"
    rows = page.board()
    assert list(rows) == ["reference", "extractive", "refuse"]
    # The gold answers, then what is worse with p < 0.05, then what is worse than that.
    assert [row[0] for row in rows.values()] == ["1", "2", "3"]
    for place, name in enumerate(BASELINES):
        summary = json.loads(logs[name].with_suffix(".summary.json").read_text())
        for aggregate in ("safety", "correctness", "total"):
            score = summary["scores"][aggregate]
            interval = f"{score['low'] * 100:.1f}–{score['high'] * 100:.1f}"
            assert f"{score['mean'] * 100:.1f}% {interval}" in rows[name]
        assert interval in page.texts(".plot text.label")[place]
        for rate in ("right", "false_refusal", "no_refusal", "uncited"):
            found = summary["rates"][rate]
            assert f"{found['mean'] * 100:.1f}% n={found['count']}" in rows[name]
    missing = "40 of the 100 questions in the data have no answer."
    assert page.texts(".notices li") == [f"baseline/{name}: {missing}" for name in BASELINES]


@pytest.mark.skipif(_PACKAGE is None, reason="needs axe-playwright-python, of requirements-dev.txt")
@pytest.mark.parametrize(("view", "part"), [("cards", "html"), ("grid", ".questions")])
def test_axe_finds_nothing(page: Page, pages: dict[str, Path], view: str, part: str) -> None:
    """In the page, of whose cards, rows and phrases, which are alike, two stay."""
    page.open(pages["three"])
    page.run("location.hash = arguments[0]", f"#kind=typo&view={view}")
    page.open_all()
    # Cards outside the window are laid out only where they are shown; axe compares places.
    page.run(
        "for (const one of document.querySelectorAll("
        "':is(.question, .row, tbody tr, .others q):nth-of-type(n + 3)')) one.remove();"
        "for (const card of document.querySelectorAll('.question'))"
        " card.style.contentVisibility = 'visible'"
    )
    page.driver.set_script_timeout(150)
    page.run(AXE.read_text(encoding="utf-8"))
    script = (
        "const [part, done] = arguments;"
        "axe.run(part, {resultTypes: ['violations']}).then((result) => done(result.violations"
        ".map((one) => one.id + ': ' + one.nodes[0].html + ' ' + one.nodes[0].failureSummary)))"
    )
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.show(width, scheme)
        assert page.driver.execute_async_script(script, part) == [], (width, scheme)


def test_the_grid_its_order_and_links(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["three"])
    page.choose("view", "grid: questions and models")
    page.choose("order", "lowest score")
    questions = {
        question["id"]: [
            sum(answer["scores"][key] for key in question["conditions"])
            / len(question["conditions"])
            for (answer,) in question["answers"]
        ]
        for question in page.data()["questions"]
    }
    rows = page.cells(".grid-table tbody tr")
    for question, *cells in rows:
        totals = questions[question.split()[0]]
        for cell, total in zip(cells, totals, strict=True):
            sign, score = cell.split()[:2]
            assert sign == ("✓" if total == 1 else "✗" if total == 0 else "◐")
            assert abs(int(score) - total * 100) <= 0.5
    means = [sum(questions[row[0].split()[0]]) for row in rows]
    assert means == sorted(means)
    # Opened again at its address, the page is the same; a question's link shows its card.
    first = page.text(".grid-table tbody a")
    page.driver.refresh()
    assert page.text(".grid-table tbody a") == first
    page.click(".grid-table tbody a")
    page.run("return new Promise((done) => setTimeout(done, 100))")
    assert page.focused("querySelector('.about code').textContent") == first


def test_filters_stand_in_the_address(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    assert page.count("article") == 50
    page.click("#more")
    assert page.count("article") == 60
    data = page.data()
    typos = [question for question in data["questions"] if "typo" in question.get("kind", ())]
    page.choose("kind", "typo")
    assert page.text("#count") == f"Pytania: {len(typos)} z 60"
    page.driver.refresh()
    assert page.texts("article .about code") == [question["id"] for question in typos]
    page.click("#reset")
    assert page.run("return location.hash") == ""
    # What is to be refused, and was not.
    refuse = data["keys"].index("refuse")
    lost = [
        question["id"]
        for question in data["questions"]
        if refuse in question["conditions"] and question["answers"][0][0]["scores"][refuse] < 1
    ]
    page.choose("condition", "Właściwa odmowa")
    page.choose("points", "tylko stracone punkty")
    assert page.texts("article .about code") == lost


def test_what_is_shown_is_downloaded(page: Page, pages: dict[str, Path], tmp_path: Path) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    page.open(pages["three"])
    page.run("location.hash = '#kind=typo'")
    page.driver.execute_cdp_cmd(
        "Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    names = {"ragifeval.csv", "ragifeval.jsonl"}
    for name in names:
        page.click(f"#{name.partition('.')[2]}")
    WebDriverWait(page.driver, 30).until(lambda _: {p.name for p in tmp_path.iterdir()} == names)
    with (tmp_path / "ragifeval.csv").open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    found = records(tmp_path / "ragifeval.jsonl")
    ids = page.texts("article .about code")
    assert [record["id"] for record in found] == [key for key in ids for _ in BASELINES]
    assert [row["answer"].lstrip("'") for row in table] == [record["answer"] for record in found]
    assert {record["total"] for record in found if record["model"].endswith("reference")} == {1}


def test_search_takes_polish_letters_or_leaves_them_out(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    data = page.data()
    texts = [
        data["strings"][q["text"]] + "\n" + "".join(t for t, _ in q["answers"][0][0]["segments"])
        for q in data["questions"]
    ]
    with_marks = sum("opłat" in text.lower() for text in texts)
    assert 0 < with_marks < 60
    for query, count in {"oplat OPŁAT": with_marks, "opłát": 0}.items():
        page.search(query)
        page.wait_for_count(f"Pytania: {count} z 60")


def test_a_hostile_log_shows_as_text_and_runs_nothing(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["hostile"])
    page.open_all()
    assert page.run("return window.pwned === undefined")
    assert page.texts(".answer-text")[0] == HOSTILE
    assert page.text("details.reasoning .plain-text") == HOSTILE
    assert HOSTILE in page.text(".no-answer")
    assert page.count("#list img, #list script, #list svg") == 0
    assert page.complaints() == []
    # What cannot be seen is written out, and turns no order.
    codes = page.run(
        "return [...document.querySelector('.answer-text').querySelectorAll('.unseen')]"
        ".map((e) => e.dataset.code)"
    )
    assert codes == ["U+2028", "U+2029", "U+0000", "U+001B", "U+202E", "U+00AD", "U+D83D"]
    # Right and wrong are told apart, and the marks change no letter.
    marks = page.run(
        "return [...document.querySelector('.answer-text').querySelectorAll('mark')]"
        ".map((e) => [e.textContent, e.className])"
    )
    # The mark of a statement may end within that of a citation, and then cuts it in two.
    assert "".join(text for text, name in marks if name.startswith("cite right")) == "[1][3]"
    assert [text for text, name in marks if name.startswith("cite wrong")] == ["[2]", "[99]"]
    assert [text for text, name in marks if name.startswith("offence")] == ["kurwa"]


def test_documents_prompt_and_gold_answer(page: Page, pages: dict[str, Path]) -> None:
    sample = json.loads(SAMPLES.read_text(encoding="utf-8").splitlines()[0])
    page.open(pages["one"])
    assert page.count(".document, .message") == 0
    page.search(sample["id"])
    page.wait_for_count("Pytania: 1 z 60")
    page.open_all()
    assert page.texts(".document h4 code") == sample["context"]
    expected = page.run(
        "return [...document.querySelectorAll('.document')]"
        ".filter((e) => e.querySelector('.tag.expected'))"
        ".map((e) => e.querySelector('code').textContent)"
    )
    assert expected == sample["expect"]["cite"]
    assert page.text("details.reference .plain-text") == sample["reference"]
    dry = call(partial(evaluate, "local"), "--dry_run", "--limit", "1", cwd=ROOT)
    assert "".join(page.texts("details.prompt pre")[1:]) in dry.out


def test_the_same_logs_give_the_same_page(pages: dict[str, Path]) -> None:
    assert pages["again"].read_bytes() == pages["one"].read_bytes()


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


def test_what_a_judge_says_stands_beside_the_conditions(page: Page, judged: Path) -> None:
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
    assert page.fits()


def test_questions_are_chosen_by_what_a_judge_says(page: Page, judged: Path) -> None:
    page.open(judged)
    for choice in ("the judge finds fault", "judge and rules differ"):
        page.choose("points", f"only where {choice}")
        assert page.texts("article .about code") == [records(SAMPLES)[1]["id"]]
    page.choose("points", "only unjudged")
    assert page.text("#count") == "Questions: 1 of 10"
