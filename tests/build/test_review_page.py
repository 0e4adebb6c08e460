"""The review page: as a text, and in a browser, as a file."""

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragifeval.build.records import Candidate, Chunk
from ragifeval.build.review import page as review_page
from ragifeval.build.review.page import render
from ragifeval.build.review.table import Reviewed, Row, Verdict, read_table, write_table
from ragifeval.results.report.texts import LANGUAGES, load_texts
from ragifeval.text.normalizer import load_normalizer
from tests.browser import BrowserPage, check_policy, needs_chromium

HOSTILE = (
    '=HYPERLINK("x")</title></script><script>window.pwned=1</script><img src=x '
    "onerror='window.pwned=2'></textarea></article><!-- {{ 7*7 }} \u2028\x00\u202efdp.exe "
    'wnio\u00adsek " &lt;b&gt;\n-1;=2 | 3'
)
TEXT = "Wniosek składa się na siedem dni przed początkiem urlopu. Opłata: 17 zł."


def rows() -> list[Row]:
    """Four questions on two chunks, the last hostile in all that it says."""
    chunks = [
        Chunk("reg-1", TEXT, "regulamin.pdf", 0, page=3),
        Chunk(HOSTILE, HOSTILE * 2, HOSTILE, 0, row=12),
    ]
    ratings, words = {"groundedness": 5.0, HOSTILE: 4.5}, {"groundedness": "Dobre.\nTak."}
    phrases = ["siedem dni", ["początek urlopu", "przed urlopem"]]
    asked = ("Kiedy składa się wniosek?", "Siedem dni przed urlopem.")
    candidates = [
        Candidate("reg-1-1", "reg-1", *asked, ratings, words, phrases),
        Candidate("reg-1-2", "reg-1", "Ile wynosi opłata?", "17 zł", phrases=["18 zł", "opłata"]),
        Candidate("reg-1-3", "reg-1", "Co się składa?", "Wniosek.", phrases=["wnioskami"]),
        Candidate(HOSTILE, HOSTILE, HOSTILE, HOSTILE, ratings, {HOSTILE: HOSTILE}, [HOSTILE]),
    ]
    places = {chunk.id: chunk for chunk in chunks}
    return [Row(of, places[of.chunk], refuse=index == 1) for index, of in enumerate(candidates)]


def rendered(made: Sequence[Row], title: str, language: str = "en") -> str:
    return render(made, language, title, load_normalizer())


def test_only_the_pages_own_script_and_style_run_and_nothing_of_a_text_is_markup() -> None:
    plain, hostile = rendered([], "urlopy"), rendered(rows(), HOSTILE)
    check_policy(hostile)
    for tag in ("<script", "</script", "</title", "<img", "</textarea", "<!--"):
        assert hostile.count(tag) == plain.count(tag)
    hostile.encode()


class Page(BrowserPage):
    """A review in the browser, the file that it is in, and where its downloads go."""

    def __init__(self, driver: Any, downloads: Path) -> None:
        super().__init__(driver)
        self.downloads = downloads
        self.path = Path()

    def open_review(self, made: Sequence[Row], title: str = "") -> None:
        """Of one and the same build, unless a title is given."""
        text = rendered(made, title or f"urlopy {self.path}")
        self.path.write_text(text, encoding="utf-8")
        self.open(self.path)

    def verdicts(self) -> list[str]:
        """What the list shows of each sample."""
        return [text.rstrip(": ") for text in self.texts("#list .unheard")]

    def go_to(self, place: int) -> None:
        self.run("document.querySelectorAll('#list button')[arguments[0]].click()", place)

    def value(self, name: str) -> str:
        return str(self.run("return document.getElementById(arguments[0]).value", name))

    def is_shown(self, name: str) -> bool:
        return bool(self.driver.find_element("id", name).is_displayed())

    def click(self, name: str) -> None:
        self.driver.find_element("id", name).click()

    def fill(self, name: str, text: str) -> None:
        box = self.driver.find_element("id", name)
        box.send_keys("\ue009a\ue000", "\ue017", text)  # Ctrl and A, delete

    def choose(self, text: str) -> None:
        from selenium.webdriver.support.select import Select

        Select(self.driver.find_element("id", "filter")).select_by_visible_text(text)

    def reload(self, count: str) -> None:
        """Until it shows what was kept: Chromium hands that over in its own time."""
        for _ in range(20):
            self.driver.refresh()
            if self.text("#count").startswith(count):
                return
            time.sleep(0.5)
        raise AssertionError(self.text("#count"))

    def download(self) -> Path:
        from selenium.webdriver.support.wait import WebDriverWait

        path = self.downloads / "review.csv"
        path.unlink(missing_ok=True)
        self.click("download")
        WebDriverWait(self.driver, 10, 0.02).until(lambda _: path.exists() and path.stat().st_size)
        return path


@pytest.fixture(scope="module")
def browser(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Page:
    downloads = tmp_path_factory.mktemp("downloads")
    chromium.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
    )
    return Page(chromium, downloads)


@pytest.fixture
def page(browser: Page, tmp_path: Path) -> Page:
    """The review of rows(), nothing of it done yet."""
    browser.path = tmp_path / "review.html"
    browser.open_review(rows())
    return browser


def known() -> dict[str, Row]:
    return {row.candidate.id: row for row in rows()}


def judged(row: Row, verdict: Verdict, note: str = "") -> Row:
    """A row as an earlier review left it."""
    return replace(row, reviewed=replace(row.original, verdict=verdict, note=note))


def said(news: list[Reviewed]) -> list[tuple[str, str, str]]:
    return [(of.id[:7], of.verdict, of.note) for of in news]


@needs_chromium
@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(320, "light", "en"), (1400, "dark", "pl")]
)
def test_a_page_loads_quietly_and_fits(
    browser: Page, tmp_path: Path, width: int, scheme: str, language: str
) -> None:
    path = tmp_path / "review.html"
    path.write_text(rendered(rows()[::-1], HOSTILE, language), encoding="utf-8")
    browser.open(path, width, scheme)
    browser.press("e")
    assert browser.complaints() == []
    assert browser.run("return document.documentElement.lang") == language
    assert browser.text("#place") == {"en": "1 of 4", "pl": "1 z 4"}[language]
    requested = [url for url in browser.requests() if not url.startswith("data:")]
    assert requested == [path.as_uri()]
    for element in ("document.documentElement", "document.getElementById('sample')"):
        assert not browser.run(f"return {element}.scrollWidth > {element}.clientWidth"), element
    ground = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert (ground == "rgb(246, 247, 248)") == (scheme == "light")


@needs_chromium
def test_what_a_sample_shows(page: Page) -> None:
    assert [
        page.text(f"#{name}") for name in ("place", "question", "answer", "source", "text")
    ] == [
        *("1 of 4", "Kiedy składa się wniosek?", "Siedem dni przed urlopem."),
        *("regulamin.pdf, page 3", TEXT),
    ]
    assert page.texts("#ratings li")[0] == "groundedness: 5. Dobre. Tak."
    assert not page.is_shown("refuse")
    # In other forms too: "początek urlopu" is "początkiem urlopu" in the text.
    assert page.texts("#answer mark") == ["Siedem dni", "przed urlopem"]
    assert page.texts("#text mark") == ["siedem dni", "początkiem urlopu"]
    assert page.texts("#phrases li") == [
        "siedem dni in the answer and in the text",
        "początek urlopu or przed urlopem in the answer and in the text",
    ]
    page.press("\ue014")  # arrow right
    assert page.is_shown("refuse")
    assert page.texts("#phrases li") == [
        "18 zł not in the answer, not in the text",
        "opłata not in the answer, in the question already",
    ]


def test_every_text_is_there_in_every_language_and_used() -> None:
    catalogues = [load_texts(language, review_page._CATALOGUE) for language in LANGUAGES]
    own = Path(review_page.__file__).parent
    sources = "".join(
        path.read_text(encoding="utf-8")
        for pattern in ("*.js", "*.jinja")
        for path in own.glob(pattern)
    )
    for name in catalogues[0]:
        placeholders = [set(re.findall(r"\{\w+\}", texts[name])) for texts in catalogues]
        assert placeholders[0] == placeholders[1], name
        used = rf"""\bt\.{name}\b|\btexts\.{name}\b|say\("{name}"|t\["{name}"\]"""
        assert re.search(used, sources), f"{name} is not used"


@needs_chromium
def test_review_by_keys_and_buttons(page: Page) -> None:
    page.click("keys")  # off
    page.press("a", "r", "\ue014")
    assert page.text("#place") == "1 of 4"
    assert page.text("#count") == "0 of 4 reviewed: 0 accepted, 0 rejected"
    page.click("keys")
    page.press("a")
    assert page.text("#place") == "2 of 4"
    page.click("reject")
    assert page.text("#count") == "2 of 4 reviewed: 1 accepted, 1 rejected"
    assert page.run("return document.activeElement.id") == "reject"  # for the next one

    page.press("e")
    assert page.run("return document.activeElement.id") == "edit-question"
    page.press("are")  # typed, not obeyed
    assert page.text("#question") == "Co się składa?are"
    page.fill("edit-question", "Co składa się przed urlopem?")
    page.fill("edit-phrases", "wniosek | siedem dni\nopłata")
    assert page.texts("#text mark") == ["Wniosek", "siedem dni", "Opłata"]
    assert page.text("#edited") == "edited"
    page.press("\ue00c")  # escape
    assert not page.is_shown("editor")
    page.fill("edit-note", "nieźle; -1")
    page.press("\ue00c", "a")
    assert page.text("#count") == "3 of 4 reviewed: 2 accepted, 1 rejected"

    page.reload("3 of 4 reviewed: 2 accepted, 1 rejected")
    assert page.text("#place") == "4 of 4"  # the first that is open
    page.press("\ue012")  # arrow left
    assert page.text("#question") == "Co składa się przed urlopem?"
    assert page.value("edit-note") == "nieźle; -1"
    assert page.run("return document.getElementById('accept').ariaPressed") == "true"

    back = read_table(page.download(), known())
    assert said(back) == [
        ("reg-1-1", "accept", ""),
        ("reg-1-2", "reject", ""),
        ("reg-1-3", "accept", "nieźle; -1"),
    ]
    assert back[2].question == "Co składa się przed urlopem?"
    assert back[2].answer == "Wniosek."
    assert back[2].phrases == (("wniosek", "siedem dni"), "opłata")
    assert [row.is_edited(of) for of, row in zip(back, rows(), strict=False)] == [
        *(False, False, True)
    ]

    page.press("o", "e")
    page.click("restore")
    assert read_table(page.download(), known())[2].question == "Co się składa?"
    assert page.complaints() == []


@needs_chromium
def test_a_verdict_is_kept_for_its_build_alone(page: Page, tmp_path: Path) -> None:
    page.press("a")
    moved = tmp_path / "moved.html"
    shutil.copy(page.path, moved)
    page.open(moved)
    page.reload("1 of 4")
    first, *others = rows()
    asked = replace(first.candidate, question="Gdzie składa się wniosek?")
    elsewhere = replace(first.chunk, text=TEXT + TEXT)
    for made, title, count in (
        ([first, *others[1:]], "", "1 of 3"),  # it has lost a sample
        (rows(), f"opłaty {tmp_path}", "0 of 4"),
        ([replace(first, candidate=asked), *others], "", "0 of 4"),
        ([replace(first, chunk=elsewhere), *others], "", "0 of 4"),
    ):
        page.open_review(made, title)
        assert page.text("#count").startswith(count)


def applied(note: str = "", **verdicts: Verdict) -> dict[str, Row]:
    """rows() after a round in which the first of them, q1, q2 and q3, got a verdict."""
    given = {f"reg-1-{name[1:]}": verdict for name, verdict in verdicts.items()}
    return {
        key: judged(row, given[key], note) if key in given else row for key, row in known().items()
    }


@needs_chromium
def test_earlier_verdicts_are_shown_changed_kept_and_downloaded(page: Page) -> None:
    made = applied("raz", q1="accept", q2="reject", q3="accept")
    page.open_review([*made.values()])
    assert page.verdicts() == ["accepted", "rejected", "accepted", "open"]
    assert page.text("#count") == "3 of 4 reviewed: 2 accepted, 1 rejected"
    assert page.text("#place") == "4 of 4"  # the first that is open
    assert read_table(page.download(), made) == []

    page.go_to(1)
    assert page.value("edit-note") == "raz"
    page.press("a")  # another verdict
    page.go_to(0)
    page.press("o")  # none any more
    page.fill("edit-note", "")
    page.reload("2 of 4 reviewed: 2 accepted, 0 rejected")
    assert page.verdicts() == ["open", "accepted", "accepted", "open"]
    for name, count in (("open", 2), ("accepted", 2), ("rejected", 0)):
        page.choose(name)
        assert len(page.texts("#list li")) == count, name
    assert said(read_table(page.download(), made)) == [
        ("reg-1-1", "open", ""),
        ("reg-1-2", "accept", "raz"),
    ]
    assert page.complaints() == []


@needs_chromium
def test_what_was_applied_goes_before_an_earlier_word_and_what_was_not_is_kept(page: Page) -> None:
    page.press("a", "r")
    page.open_review([*applied(q1="reject").values()])
    page.reload("2 of 4 reviewed: 0 accepted, 2 rejected")
    assert page.verdicts() == ["rejected", "rejected", "open", "open"]
    page.go_to(0)
    page.press("a")  # a later word
    page.reload("2 of 4 reviewed: 1 accepted, 1 rejected")
    assert page.verdicts()[:2] == ["accepted", "rejected"]


@needs_chromium
def test_where_the_browser_keeps_nothing_the_page_says_so(page: Page) -> None:
    script = "Object.defineProperty(window, 'localStorage', { get() { throw new Error(); } })"
    added = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        page.open(page.path)
        assert page.is_shown("lost")
        page.press("a")
        assert page.text("#count").startswith("1 of 4")
        assert said(read_table(page.download(), known())) == [("reg-1-1", "accept", "")]
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@needs_chromium
def test_nothing_is_accepted_without_an_answer(page: Page) -> None:
    page.press("e")
    page.fill("edit-answer", " ")
    page.press("\ue00c", "a")
    assert page.text("#message") == ("A sample that is accepted needs a question and an answer.")
    assert page.text("#count").startswith("0 of 4")
    page.fill("edit-answer", "x")
    page.click("accept")
    page.click("previous")
    assert page.text("#verdict") == "accepted"
    page.click("edit")
    page.fill("edit-answer", "")  # it cannot stay accepted
    assert page.text("#verdict") == "open"


@needs_chromium
def test_hostile_texts_show_as_texts_and_run_nothing(page: Page) -> None:
    for _ in range(3):
        page.press("\ue014")
    page.press("e")
    assert page.run("return window.pwned === undefined")
    assert [page.text(f"#{name}") for name in ("question", "answer", "text", "source")] == [
        *(HOSTILE, HOSTILE, HOSTILE * 2, f"{HOSTILE}, row 12")
    ]
    assert page.value("edit-answer") == HOSTILE
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0
    codes = page.run(
        "return [...document.querySelectorAll('#question .unseen')].map((e) => e.dataset.code)"
    )
    assert codes == ["U+2028", "U+0000", "U+202E", "U+00AD"]
    assert page.complaints() == []


@needs_chromium
def test_the_page_writes_what_python_writes(page: Page, tmp_path: Path) -> None:
    long = Chunk("long", "👍 długi " * 6000, "d.txt", 0)  # a cell does not hold all of it
    one = Row(Candidate("long-1", "long", "Czy długi?", "👍 długi", phrases=["długi"]), long)
    made = [one, *(judged(row, "reject", "-1; źle\n=2 ") for row in rows())]
    write_table(tmp_path / "review.csv", made)
    page.open_review(made)
    assert page.download().read_bytes() == (tmp_path / "review.csv").read_bytes()
    assert page.text("#text") == long.text
    assert len(page.texts("#text mark")) == 6000
