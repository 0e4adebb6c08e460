"""The report in a browser: made by the command from real logs, and opened as a file."""

import base64
import csv
import json
import re
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from ragifeval.__main__ import evaluate, main
from ragifeval.paths import ROOT, SAMPLES
from tests.browser import BrowserPage, needs_chromium
from tools.testing.process import call, records, write_records

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


class Page(BrowserPage):
    """A report in the browser."""

    def open_all(self) -> None:
        self.run("for (const closed of document.querySelectorAll('details')) closed.open = true")
        self.run("return new Promise((done) => setTimeout(done, 50))")  # what they hold is built

    def data(self) -> Any:
        """What the page's own script reads."""
        return self.run("return JSON.parse(document.getElementById('data').textContent)")

    def count(self, selector: str) -> int:
        return int(self.run("return document.querySelectorAll(arguments[0]).length", selector))

    def focused(self, what: str) -> Any:
        """Something of the element that has the focus."""
        return self.run(f"return document.activeElement.{what}")

    def ground(self) -> str:
        return str(self.run("return getComputedStyle(document.documentElement).backgroundColor"))

    def click(self, selector: str) -> None:
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

    def take_axe(self) -> None:
        """Load axe into the page, of whose cards, rows and phrases, which are alike, two stay."""
        # Cards outside the window are laid out only where they are shown; axe compares places.
        self.run(
            "for (const one of document.querySelectorAll("
            "':is(.question, .row, tbody tr, .others q):nth-of-type(n + 3)')) one.remove();"
            "for (const card of document.querySelectorAll('.question'))"
            " card.style.contentVisibility = 'visible'"
        )
        self.driver.set_script_timeout(150)
        self.run(AXE.read_text(encoding="utf-8"))

    def violations(self, part: str) -> list[str]:
        """What axe finds in a part of the page."""
        found: list[str] = self.driver.execute_async_script(
            "const [part, done] = arguments;"
            "axe.run(part, {resultTypes: ['violations']}).then((result) => "
            "done(result.violations.map((one) => one.id + ': ' + one.nodes[0].html + ' ' "
            "+ one.nodes[0].failureSummary)))",
            part,
        )
        return found

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
    ("name", "width", "scheme"),
    [
        ("one", 1280, "light"),
        ("three", 320, "light"),
        ("three", 1280, "dark"),
        ("hostile", 320, "dark"),
    ],
)
def test_a_page_loads_quietly_and_fits(
    page: Page, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    page.open(pages[name], width, scheme)
    page.open_all()
    assert page.complaints() == []
    # The page itself; its icon is empty and inside it.
    assert [url for url in page.requests() if not url.startswith("data:")] == [pages[name].as_uri()]
    wide = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.run(wide)
    assert (page.ground() == "rgb(246, 247, 248)") == (scheme == "light")


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
@pytest.mark.parametrize(
    ("name", "view", "part"),
    [
        ("one", "cards", "section:first-child"),
        ("three", "cards", "html"),
        ("three", "grid", ".questions"),
    ],
)
def test_axe_finds_nothing(
    page: Page, pages: dict[str, Path], name: str, view: str, part: str
) -> None:
    page.open(pages[name])
    page.run("location.hash = arguments[0]", f"#kind=typo&view={view}")
    page.open_all()
    page.take_axe()
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            page.show(width, scheme)
            assert page.violations(part) == [], (width, scheme)


def test_the_leaderboard_sorts(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["three"])
    heads = page.driver.find_elements("css selector", ".leaderboard th button")
    named = {head.text: head for head in heads}
    named["Model"].click()
    assert list(page.board()) == ["extractive", "reference", "refuse"]
    named["Safety"].click()
    safety = {name: float(row[4].partition("%")[0]) for name, row in page.board().items()}
    assert list(safety.values()) == sorted(safety.values())
    named["Safety"].click()
    assert list(page.board()) == [*reversed(safety)]
    assert page.count("[aria-sort=descending]") == 1


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
    assert len(rows) == 50
    for question, *cells in rows:
        totals = questions[question.split()[0]]
        for cell, total in zip(cells, totals, strict=True):
            sign, score = cell.split()[:2]
            assert sign == ("✓" if total == 1 else "✗" if total == 0 else "◐")
            assert abs(int(score) - total * 100) <= 0.5
    means = [sum(questions[row[0].split()[0]]) for row in rows]
    assert means == sorted(means)
    page.choose("order", "largest difference")
    first = page.text(".grid-table tbody a")
    spread = {key: max(found) - min(found) for key, found in questions.items()}
    assert spread[first] == max(spread.values())
    # Opened again at its address, the page is the same; a question's link shows its card.
    assert page.run("return location.hash") == "#order=differ&view=grid"
    page.driver.refresh()
    assert page.text(".grid-table tbody a") == first
    page.click(".grid-table tbody a")
    page.run("return new Promise((done) => setTimeout(done, 100))")
    assert page.focused("querySelector('.about code').textContent") == first
    assert page.run("return location.hash") == f"#at={first}"


def test_filters_by_kind_and_rule_stand_in_the_address(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    data = page.data()
    typos = [question for question in data["questions"] if "typo" in question.get("kind", ())]
    page.choose("kind", "typo")
    assert page.text("#count") == f"Pytania: {len(typos)} z 60"
    category = data["categories"][typos[0]["category"]]
    page.choose("category", category)
    page.driver.refresh()
    left = [q["id"] for q in typos if data["categories"][q["category"]] == category]
    assert page.texts("article .about code") == left
    page.click("#reset")
    assert page.run("return location.hash") == ""
    # Several words, in any order, anywhere in question or answer.
    text = data["strings"][typos[0]["text"]].split()
    page.search(f"{text[-1]} {text[0]} {typos[0]['id']}")
    page.wait_for_count("Pytania: 1 z 60")


def test_what_is_shown_is_downloaded(page: Page, pages: dict[str, Path], tmp_path: Path) -> None:
    page.open(pages["three"])
    page.run("location.hash = '#kind=typo'")
    page.driver.execute_cdp_cmd(
        "Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    for kind in ("csv", "jsonl"):
        page.click(f"#{kind}")
    from selenium.webdriver.support.wait import WebDriverWait

    names = {"ragifeval.csv", "ragifeval.jsonl"}
    WebDriverWait(page.driver, 30).until(lambda _: {p.name for p in tmp_path.iterdir()} == names)
    with (tmp_path / "ragifeval.csv").open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    found = records(tmp_path / "ragifeval.jsonl")
    ids = page.texts("article .about code")
    assert [record["id"] for record in found] == [key for key in ids for _ in BASELINES]
    assert [row["answer"].lstrip("'") for row in table] == [record["answer"] for record in found]
    assert {record["total"] for record in found if record["model"].endswith("reference")} == {1}


def test_filters(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    assert page.text("#count") == "Pytania: 60 z 60"
    assert page.count("article") == 50
    page.click("#more")
    assert page.count("article") == 60
    assert page.focused("dataset.index") == "50"
    assert not page.driver.find_element("id", "more").is_displayed()

    data = page.data()
    questions = data["questions"]
    refuse = data["keys"].index("refuse")
    refused = [q for q in questions if refuse in q["conditions"]]
    lost = [q for q in refused if q["answers"][0][0]["scores"][refuse] < 1]
    page.choose("condition", "Właściwa odmowa")
    assert page.text("#count") == f"Pytania: {len(refused)} z 60"
    page.choose("points", "tylko stracone punkty")
    assert page.text("#count") == f"Pytania: {len(lost)} z 60"
    assert page.texts("article .about code") == [q["id"] for q in lost]
    page.click("#reset")
    assert page.text("#count") == "Pytania: 60 z 60"
    page.search("nic takiego nie ma")
    page.wait_for_count("Pytania: 0 z 60")
    assert page.text(".nothing") == "Żadne pytanie nie pasuje do filtrów."
    # A bar's name shows its questions.
    page.run("document.querySelector('button[title*=\"Kultura języka\"]').click()")
    safe = data["keys"].index("safe")
    assert page.text("#count") == f"Pytania: {sum(safe in q['conditions'] for q in questions)} z 60"


def test_search_takes_polish_letters_or_leaves_them_out(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    strings = page.data()
    texts = [
        strings["strings"][q["text"]] + "\n" + "".join(t for t, _ in q["answers"][0][0]["segments"])
        for q in strings["questions"]
    ]
    with_marks = sum("żeby" in text.lower() for text in texts)
    assert 0 < with_marks < 60
    for query in ("żeby", "ŻEBY", "zeby", "Z\u0307EBY"):
        page.search(query)
        page.wait_for_count(f"Pytania: {with_marks} z 60")
    page.search("żebý")
    page.wait_for_count("Pytania: 0 z 60")


def test_keys(page: Page, pages: dict[str, Path]) -> None:
    from selenium.webdriver import Keys

    page.open(pages["one"])
    page.press("/")
    assert page.focused("id") == "search"
    page.press("jk/")  # typed, not obeyed
    assert page.focused("value") == "jk/"
    page.wait_for_count("Pytania: 0 z 60")
    page.press(Keys.ESCAPE)
    page.wait_for_count("Pytania: 60 z 60")
    page.press(Keys.TAB)
    assert page.focused("id") == "points"
    page.run("document.activeElement.blur()")
    places = []
    for key in "jjjkj":
        page.press(key)
        places.append(page.focused("dataset.index"))
    assert places == ["0", "1", "2", "1", "2"]
    # The focused card stands below the filters, which stay in place; its parts open by key.
    assert page.run(
        "return document.activeElement.getBoundingClientRect().top >= "
        "document.getElementById('filters').getBoundingClientRect().bottom"
    )
    page.press(Keys.TAB)
    assert page.focused("getAttribute('href')").startswith("#at=")
    page.press(Keys.TAB)
    assert page.focused("tagName") == "SUMMARY"
    assert page.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press(Keys.ENTER)
    assert page.focused("parentElement.open")
    page.run("document.querySelectorAll('article')[49].focus()")
    page.press("j")  # beyond what is shown: more is shown
    assert page.focused("dataset.index") == "50"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_statements_are_marked_where_they_fail(page: Page, tmp_path: Path, scheme: str) -> None:
    """Said, denied, of another thing: by ground, line, sign and word."""
    kayak, bicycle = (
        {"say": [v], "of": [t]} for v, t in (("45 zł", "kajak*"), ("60 zł", "rower*"))
    )
    sample = {"question": "Ile?", "context": ["a"], "expect": {"include": [kayak, bicycle]}}
    samples = [{"id": f"p{number}", **sample} for number in range(3)]
    answers = [
        "Kajak kosztuje 45 zł, a rower 60 zł.",
        "Kajak nie kosztuje 45 zł, a rower kosztuje 60 zł.",
        "Kajak kosztuje 60 zł, a rower 45 zł.",
    ]
    log = [{"id": f"p{number}", "answer": text} for number, text in enumerate(answers)]
    documents = [{"id": "a", "contents": "Kajak: 45 zł, rower: 60 zł."}]
    for name, rows in (("documents", documents), ("samples", samples), ("log", log)):
        write_records(tmp_path / f"{name}.jsonl", rows)
    options = ["log.jsonl", "-o", "page.html", "--data", ".", "--lang", "en"]
    assert call(main, "report", *options, cwd=tmp_path).code == 0
    page.open(tmp_path / "page.html", scheme=scheme)
    marks = page.run(
        "return [...document.querySelectorAll('.answer-text')].map((text) =>"
        "[...text.querySelectorAll('mark')].map((mark) => [mark.textContent, mark.className,"
        "getComputedStyle(mark, '::after').content, getComputedStyle(mark).borderBottomStyle]))"
    )
    said, denied, other = (
        ("include right end", '"✓"', "solid"),
        ("include wrong end", '"✗ denied"', "dashed"),
        ("include wrong end", '"✗ said of another thing"', "dashed"),
    )
    assert marks == [
        [["45 zł", *said], ["60 zł", *said]],
        [["45 zł", *denied], ["60 zł", *said]],
        [["60 zł", *other], ["45 zł", *other]],
    ]
    grounds = page.run(
        "return [...document.querySelectorAll('.answer-text mark')].map((mark) =>"
        "getComputedStyle(mark).backgroundColor)"
    )
    assert len(set(grounds)) == 2
    assert page.texts(".losses li") == [
        "Statement denied: 45 zł",
        "Statement said of another thing: 45 zł",
        "Statement said of another thing: 60 zł",
    ]


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
    assert page.texts("article:first-child .meta li")[:2] == ["tokeny: 1\u00a0234 + 56", "2,50 s"]
    assert page.run("return document.querySelector('.answer-text.long').tabIndex") == 0
    # Names outside of the list are written by the template.
    spelt = re.sub(
        "[\u2028\u2029\x00\x1b\u202e\u00ad\ud83d]",
        lambda match: f"‹U+{ord(match[0]):04X}›",
        HOSTILE,
    )
    assert spelt in page.text(".notices")
    assert spelt in page.text(".models")


def test_models_stand_side_by_side_and_one_under_the_other_on_a_phone(
    page: Page, pages: dict[str, Path]
) -> None:
    page.open(pages["three"])
    places = (
        "return [...document.querySelectorAll('article:first-child .run-answers')]"
        ".map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.top])"
    )
    assert page.texts("article:first-child .run-name") == [f"baseline/{name}" for name in BASELINES]
    beside = page.run(places)
    assert len({top for _, top in beside}) == 1
    assert len({left for left, _ in beside}) == 3
    page.choose("points", "lost by baseline/reference")
    page.wait_for_count("Questions: 0 of 60")
    page.choose("points", "only where models differ")
    assert page.text("#count") != "Questions: 0 of 60"
    page.open(pages["three"], width=360)
    stacked = page.run(places)
    assert len({left for left, _ in stacked}) == 1
    assert len({top for _, top in stacked}) == 3


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


def test_the_theme_can_be_chosen(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"], scheme="light")
    light = page.ground()
    page.choose("theme", "ciemny")
    dark = page.ground()
    assert dark != light
    page.driver.refresh()
    assert page.ground() == dark
    page.choose("theme", "jak w systemie")
    assert page.ground() == light


def test_on_paper_everything_is_open_and_nothing_can_be_pressed(
    page: Page, pages: dict[str, Path]
) -> None:
    page.open(pages["hostile"], scheme="dark")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.run("document.getElementById('print-questions').click()")
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.count("details:not([open])") == 0
    assert page.count("article") == 60
    assert page.count(".message") >= 60
    for selector in ("#filters", "#more", "#theme-control", "#keys"):
        element = page.driver.find_element("css selector", selector)
        assert element.value_of_css_property("display") == "none"
    assert page.ground() in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    page.run("dispatchEvent(new Event('afterprint'))")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert page.count("article") == 50
    assert page.count("details[open]") == 0


def test_twelve_models_and_their_costs_fit_on_two_printed_pages(
    page: Page, logs: dict[str, Path], tmp_path: Path
) -> None:
    stored = records(logs["extractive"])[::6]
    asked = {record["id"] for record in stored}
    write_records(tmp_path / "samples", (one for one in records(SAMPLES) if one["id"] in asked))
    names = [f"some-organisation/A-model-{number}-instruct" for number in range(10, 22)]
    for number, name in enumerate(names, start=1):
        # 1,000 questions cost 0.40, and 0.16 more for each hundred tokens of an answer.
        usage = {"prompt_tokens": 1000, "completion_tokens": 100 * number}
        told = {"usage": usage, "seconds": 0.5, "signature": f"mode:chat|model:{name}#1"}
        write_records(tmp_path / f"{number:02}.jsonl", (record | told for record in stored))
    options = [*sorted(tmp_path.glob("*.jsonl")), "-o", "page.html", "--price", "0.4,1.6"]
    options += ["--eval_path", "samples", "--lang", "pl"]
    assert call(main, "report", *options, cwd=tmp_path).code == 0
    page.open(tmp_path / "page.html")
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    sheets = PdfReader(BytesIO(base64.b64decode(printed["data"]))).pages
    board, plots = (" ".join(sheet.extract_text().split()) for sheet in sheets)
    for number, name in enumerate(names, start=1):
        assert f"{0.4 + 0.16 * number:.4f}".replace(".", ",") in board  # the last column
        assert name in plots
        assert plots.count(name.partition("/")[2]) > 1
    for title in ("Wynik łączny z przedziałem 95%", "Wynik łączny a koszt 1000 pytań"):
        assert title in plots


def test_without_javascript_the_results_are_there(page: Page, pages: dict[str, Path]) -> None:
    page.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.open(pages["one"])
        body = page.driver.find_element("tag name", "body").text
    finally:
        page.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "Wynik łączny" in body
    assert "Frazy wymagane" in body
    assert "trzeba go włączyć" in body
    assert "Filtry" not in body
    assert "Szukaj" not in body


def test_the_same_logs_give_the_same_page(pages: dict[str, Path]) -> None:
    assert pages["again"].read_bytes() == pages["one"].read_bytes()


MISTAKES = {
    "missing.jsonl -o page.html": "missing.jsonl: cannot be read",
    "{log} -o no/such/folder/page.html": "cannot be written",
    "{log} -o page.html --prompt missing.jinja": "missing.jinja: cannot be read",
    "{log} -o page.html --refusal_message=": "--refusal_message: is empty",
}


@pytest.mark.parametrize(("command", "reason"), MISTAKES.items())
def test_what_the_user_can_mend_is_said_in_one_line(
    logs: dict[str, Path], tmp_path: Path, command: str, reason: str
) -> None:
    run = call(main, "report", *command.format(log=logs["refuse"]).split(), cwd=tmp_path)
    assert run.code == 2
    assert reason in run.err
    assert run.err.count("\n") == 1
