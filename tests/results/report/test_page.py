"""The page as a text: what may stand in it, and what its texts and colours must be."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from ragifeval.results.report import page
from ragifeval.results.report.collect import Content
from ragifeval.results.report.headline import (
    Cell,
    GroupTable,
    Headline,
    RunFacts,
    ScoreRow,
    axis_for,
)
from ragifeval.results.report.page import render
from ragifeval.results.report.texts import LANGUAGES, Numbers, load_texts
from ragifeval.results.single_page import embedded
from ragifeval.scoring.statistics import Estimate
from ragifeval.statements.judging import Reason
from tests.browser import check_policy

REPORT = Path(page.__file__).parent
HOSTILE = "</title></script><script>alert(1)</script>'\"&\u202e"


def rendered(name: str = "model", language: str = "pl") -> str:
    facts = RunFacts(
        *(name, f"{name}.jsonl", 1, 0, 0, [name]), rates={"right": Estimate(0.5, 2, 0, 1)}
    )
    cell = Cell(Estimate(0.5, 2, 0.25, 0.75), 0.5)
    head = Headline(
        matching="substring",
        other="words",
        samples=1,
        runs=[facts, facts],
        aggregates=[ScoreRow("total", [cell, cell])],
        conditions=[ScoreRow("include", [cell, None]), ScoreRow("my_own_condition", [cell, cell])],
        categories=[ScoreRow(name, [cell, cell])],
        groups=[GroupTable("kind", ["right"], [(name, 0, 1, {"right": Estimate(0.5, 2, 0, 1)})])],
    )
    shown = Content([name], "substring", ["include"], [0], [name], strings=[name])
    return render(shown, head, [name], language)


def test_what_a_log_says_is_escaped_everywhere() -> None:
    plain, hostile = rendered(), rendered(HOSTILE)
    for tag in ("<script", "</script", "</title", "<img"):
        assert hostile.count(tag) == plain.count(tag)
    assert "alert(1)" in hostile


def test_unseen_characters_in_names_are_spelt_out() -> None:
    text = rendered("a\u202eb\x00\u2028\ud83d ół 👍")
    assert "<bdi>a‹U+202E›b‹U+0000›‹U+2028›‹U+D83D› ół 👍</bdi>" in text
    text.encode()


def test_only_the_pages_own_script_and_style_run_and_parse_no_html() -> None:
    check_policy(rendered())


@limits(deadline=None)  # of a busy machine
@given(st.text(st.characters(), max_size=40))
def test_embedded_json_reads_back(text: str) -> None:
    written = embedded([text])
    assert "<" not in written
    assert json.loads(written) == [text]
    written.encode()


def test_every_text_is_there_in_every_language_and_used() -> None:
    catalogues = [load_texts(language) for language in LANGUAGES]
    sources = "".join(
        path.read_text(encoding="utf-8")
        for pattern in ("*.js", "*.jinja", "*.py")
        for path in REPORT.glob(pattern)
    )
    families = (
        *("rate_", "group_", "figure_", "order_", "loss_", "mark_"),
        *("reason_", "finish_", "rule_", "role_", "points_", "notice_"),
    )
    scores = {"include", "exclude", "cite_f1", "cite_precision", "cite_recall", "refuse", "safe"}
    for name in catalogues[0]:
        placeholders = [sorted(re.findall(r"\{\w+\}", texts[name])) for texts in catalogues]
        assert all(found == placeholders[0] for found in placeholders), name
        is_named = re.search(rf"""["'.]{name}["'\s,\)\]}}|;:]""", sources)
        assert is_named or name.startswith(families) or name in scores, f"{name} is not used"


def test_every_mark_and_loss_has_its_text() -> None:
    texts = load_texts("en")
    for kind in ("include", "exclude", "cite", "refusal", "offence"):
        for verdict in ("right", "part", "wrong", "unscored"):
            impossible = (kind, verdict) == ("exclude", "right")
            impossible |= verdict == "part" and kind != "include"
            assert (f"mark_{kind}_{verdict}" in texts) is not impossible
    reasons = {reason.replace(" ", "_") for reason in get_args(Reason)} - {"said", "missing"}
    assert reasons | {"never"} == {name[7:] for name in texts if name.startswith("reason_")}
    losses = set(re.findall(r'Loss\(\s*"(\w+)"', (REPORT / "losses.py").read_text()))
    losses |= {"no_refusal", "refusal"}
    assert losses == {name[5:] for name in texts if name.startswith("loss_")}


def test_numbers_are_written_as_the_language_does() -> None:
    polish, english = (Numbers(load_texts(language)) for language in ("pl", "en"))
    assert (polish.decimal(12345.678), english.decimal(12345.678)) == ("12\u00a0345,7", "12,345.7")
    assert (polish.percent(0.5), english.percent(1)) == ("50,0%", "100.0%")
    assert polish.interval(0.25, 1) == "25,0–100,0"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.41, 0.58, [0.4, 0.45, 0.5, 0.55, 0.6]),
        (0.791, 0.804, [0.79, 0.8, 0.81]),
        (1.0, 1.0, [0.99, 1]),
        (0.0, 0.0, [0, 0.01]),
    ],
)
def test_the_axis_holds_the_intervals(low: float, high: float, ticks: list[float]) -> None:
    axis = axis_for([Estimate((low + high) / 2, 1, low, high)])
    assert axis.ticks == pytest.approx(ticks)
    assert axis.place(axis.ticks[0]) == 0
    assert axis.place(axis.ticks[-1]) == pytest.approx(100)


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_the_contrast_that_wcag_asks_for(scheme: str) -> None:
    css = (REPORT / "page.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)
    colours = {name: light if scheme == "light" else dark for name, light, dark in pairs}
    assert len(colours) == css.count("light-dark(")
    texts = [
        (ink, ground)
        for ink in ("ink", "muted", "accent", "good", "bad", "warn")
        for ground in ("page", "surface", "sunken")
    ]
    texts += [(name, f"{name}-ground") for name in ("good", "bad", "warn")]
    texts += [("ink", "good-ground"), ("ink", "bad-ground"), ("surface", "accent")]
    # The edge of a control and a bar need 3 to 1.
    signs = [("line-strong", "surface"), ("line-strong", "page"), ("fill", "surface")]
    for least, wanted in ((4.5, texts), (3.0, signs)):
        for ink, ground in wanted:
            lights = sorted([luminance(colours[ink]), luminance(colours[ground])])
            assert (lights[1] + 0.05) / (lights[0] + 0.05) >= least, (ink, ground)
