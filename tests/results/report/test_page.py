"""The page as a text: what may stand in it, and what its texts and colours must be."""

import json
import re
from pathlib import Path
from typing import get_args

from ragifeval.results.report import page
from ragifeval.results.report.collect import Content
from ragifeval.results.report.headline import GroupTable, Headline, RunFacts, ScoreRow
from ragifeval.results.report.page import render
from ragifeval.results.report.texts import LANGUAGES, load_texts
from ragifeval.results.report.variants import Cell
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
