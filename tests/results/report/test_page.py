"""The page as a text: what may stand in it, what its texts must be, where its plots draw what."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from ragifeval.results.report import page
from ragifeval.results.report.collect import Content
from ragifeval.results.report.headline import GroupTable, Headline, RunFacts, ScoreRow
from ragifeval.results.report.page import render
from ragifeval.results.report.texts import LANGUAGES, load_texts
from ragifeval.results.report.variants import Cell
from ragifeval.results.single_page import embedded
from ragifeval.run.performance import Figures
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


def test_embedded_json_reads_back_and_closes_no_script() -> None:
    text = "\ud83d\u2028\u202e\x7f</script>"
    written = embedded([text])
    assert json.loads(written) == [text]
    assert not {"<", "\u202e"} & set(written)
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


# The axis of these intervals goes from 20 to 100 %: 25 % stand at 6.25 of it, 50 % at 37.5, 75 % at
# 68.75, 100 % at its end.
LOW, HALF, HIGH = (
    Estimate(0.25, 2, 0.25, 0.5),
    Estimate(0.5, 2, 0.25, 0.75),
    Estimate(0.75, 2, 0.5, 1),
)


def plotted(*totals: Estimate, costs: Sequence[float | None], names: Sequence[str] = "ab") -> str:
    """The page of runs with these totals and costs of 1,000 questions."""
    runs = [
        RunFacts(
            *(name, f"{name}.jsonl", 2, 0, 0, ["s"]),
            figures=Figures(1, 1, 1.0, 1.0, 1.0, 1.0, 0, cost, cost),
        )
        for name, cost in zip(names, costs, strict=False)
    ]
    cells = [Cell(total, 0.5) for total in totals]
    head = Headline("substring", "words", 2, runs, [ScoreRow("total", cells)], [], [])
    return render(Content([], "substring", [], [0], []), head, ["m"], "en")


def plot(text: str, title: str) -> str:
    """The figure under a title."""
    return text.partition(f"<figcaption>{title}</figcaption>")[2].partition("</figure>")[0]


def drawn(text: str, kind: str, *places: str) -> list[tuple[str, ...]]:
    """These attributes of each element of a class."""
    elements = re.findall(rf'<\w+ class="{kind}"[^>]*>', text)
    return [tuple(re.search(rf' {at}="([^"]*)"', one)[1] for at in places) for one in elements]


def words(text: str, kind: str) -> list[str]:
    return re.findall(rf'<text class="{kind}"[^>]*>([^<]*)<', text)


def test_totals_stand_on_one_axis_with_their_intervals() -> None:
    """Of each line of three, the first goes from end to end."""
    figure = plot(plotted(HALF, HIGH, costs=[None, None]), "Total with its 95% interval")
    ends = [("6.25%", "68.75%"), ("37.50%", "100.00%")]
    assert drawn(figure, "whisker", "x1", "x2")[::3] == ends
    assert drawn(figure, "dot", "cx") == [("37.50%",), ("68.75%",)]
    ticks = zip(words(figure, "tick"), drawn(figure, "tick", "x"), strict=True)
    assert dict(ticks)["40%"] == ("25.00%",)


def test_costs_are_drawn_from_nothing_to_the_most_and_a_free_model_is_among_them() -> None:
    """2.3 pixels a per cent of the axis, up from 240; names are 15 pixels apart."""
    text = plotted(HALF, HIGH, LOW, HALF, LOW, costs=[2, 4, 0, None, 1], names="abcde")
    figure = plot(text, "Total over the cost of 1,000 questions")
    dots = [("100.00%", "81.9"), ("50.00%", "153.8"), ("0.00%", "225.6"), ("25.00%", "225.6")]
    assert drawn(figure, "dot", "cx", "cy") == dots
    # The last name would stand below the foot, so that two move up.
    assert words(figure, "label") == ["b", "a", "c", "e"]
    assert [y for (y,) in drawn(figure, "label", "y")] == ["81.9", "153.8", "225.0", "240.0"]
