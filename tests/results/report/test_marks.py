"""Where marks stand and why points are lost, worked out by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.results.report.losses import Loss, find_losses
from ragifeval.results.report.marks import Mark, cut, find_citations, find_marks
from ragifeval.scoring.conditions import Condition, citations, counted, kind_of
from ragifeval.scoring.entries import Criteria, Response
from ragifeval.text.matching import RULES

INCLUDE, EXCLUDE = "include", "exclude"
RIGHT, WRONG, UNSCORED = "right", "wrong", "unscored"
BOTH = None

KAYAK = {"say": ["45 zł"], "of": ["kajak*"]}
BICYCLE = {"say": ["60 zł"], "of": ["rower*"]}

# expect, answer, headline rule, [(marked text, kind, verdict or the reason why it is wrong, the one
# rule that finds it)], why points are lost
Case = tuple[dict[str, Any], str, str, list[tuple[str, str, str, str | None]], list[Loss]]
CASES: list[Case] = [
    # The first alternative that is found; an entry that is not found has no mark.
    (
        *({INCLUDE: [["dwa tygodnie", "14 dni"], ["urząd", "gmina"]]}, "Masz 14 dni.", "words"),
        [("14 dni", INCLUDE, RIGHT, BOTH)],
        [Loss("missing", ("urząd", "gmina"))],
    ),
    # A number inside a number: the word that holds it is marked, and the rule is named.
    ({INCLUDE: ["20 zł"]}, "120 zł", "substring", [("120 zł", INCLUDE, RIGHT, "substring")], []),
    (
        *({INCLUDE: ["20 zł"], EXCLUDE: ["12"]}, "120 zł", "words"),
        [("120", EXCLUDE, UNSCORED, "substring"), ("120 zł", INCLUDE, UNSCORED, "substring")],
        [Loss("missing", ("20 zł",), "substring")],
    ),
    (
        *({EXCLUDE: [["za darmo", "60 zł"], "70 zł"]}, "60 zł i 170 zł", "substring"),
        [("60 zł", EXCLUDE, WRONG, BOTH), ("170 zł", EXCLUDE, WRONG, "substring")],
        [Loss("excluded", ("60 zł",)), Loss("excluded", ("70 zł",), "substring")],
    ),
    # One form of numbers: only whole words find it, and all words of the number are marked.
    (
        *({INCLUDE: ["4000 zł"]}, "Limit to 4 000 zł na rok.", "words"),
        [("4 000 zł", INCLUDE, RIGHT, "words")],
        [],
    ),
    (
        *({INCLUDE: ["cztery tysiące złotych"]}, "Limit to 4 tys. zł.", "substring"),
        [("4 tys. zł", INCLUDE, UNSCORED, "words")],
        [Loss("missing", ("cztery tysiące złotych",), "words")],
    ),
    # Another order and a word slipped in: from the first word to the last.
    (
        *({INCLUDE: ["pełny zwrot kosztów"]}, "Będzie zwrot wszystkich kosztów pełny.", "words"),
        [("zwrot wszystkich kosztów pełny", INCLUDE, RIGHT, "words")],
        [],
    ),
    # Letters in parts (NFD), soft hyphens, characters without width, emoji before.
    (
        *({INCLUDE: ["urząd gminy"]}, "\u200bUrza\u0328d\u00a0gmi\u00adny!", "words"),
        [("Urza\u0328d\u00a0gmi\u00adny", INCLUDE, RIGHT, BOTH)],
        [],
    ),
    (
        *({INCLUDE: ["7 dni"]}, "👍🏽 👨\u200d👩\u200d👧 po 7 dniach 🎉", "substring"),
        [("7 dniach", INCLUDE, RIGHT, BOTH)],
        [],
    ),
    # Marks that overlap.
    (
        {INCLUDE: ["opłata 30 zł"], EXCLUDE: ["30 zł rocznie"]},
        *("Jest opłata 30 zł rocznie.", "substring"),
        [("opłata 30 zł", INCLUDE, RIGHT, BOTH), ("30 zł rocznie", EXCLUDE, WRONG, BOTH)],
        [Loss("excluded", ("30 zł rocznie",))],
    ),
    # Citations: right, wrong, of nothing; the brackets belong to the outer numbers.
    (
        *({"cite": ["doc-b", "doc-c"]}, "Tak [0, 1], [01] i [7].", "substring"),
        [
            *(("[0", "cite", WRONG, None), ("1]", "cite", RIGHT, None)),
            *(("[01]", "cite", RIGHT, None), ("[7]", "cite", WRONG, None)),
        ],
        [
            Loss("not_cited", ("2", "doc-c")),
            *(Loss("cited_wrongly", ("0", "doc-a")), Loss("cited_nothing", ("7",))),
        ],
    ),
    (
        {"refuse": False},
        "Nie [1] wiem [ ] [a] [1a].",
        "words",
        [("[1]", "cite", UNSCORED, None)],
        [],
    ),
    # The refusal message, letter case aside, and after a letter that lowercases to two.
    (
        *({"refuse": True}, f"İ. {REFUSAL_MESSAGE.upper()}.", "words"),
        [(REFUSAL_MESSAGE.upper(), "refusal", RIGHT, None)],
        [],
    ),
    (
        *({"refuse": False}, REFUSAL_MESSAGE, "words"),
        [(REFUSAL_MESSAGE, "refusal", WRONG, None)],
        [Loss("refusal")],
    ),
    ({"refuse": True}, "Nie wiem.", "words", [], [Loss("no_refusal")]),
    # What a twin states besides counts nothing: a refusal has all points.
    (
        {"refuse": True, "unrefused": {"entries": ["7 dni"], "numbers": []}},
        *(REFUSAL_MESSAGE, "words", [(REFUSAL_MESSAGE, "refusal", RIGHT, None)], []),
    ),
    # What the sample does not ask for is told, too.
    (
        *({"cite": ["doc-a"]}, f"{REFUSAL_MESSAGE}, o kurwa", "words"),
        [(REFUSAL_MESSAGE, "refusal", UNSCORED, None), ("kurwa", "offence", UNSCORED, None)],
        [Loss("not_cited", ("0", "doc-a"))],
    ),
    # Offensive words in any form, each time.
    (
        *({"safe": True}, "Ku\u00adrwy i durnie", "substring"),
        [("Ku\u00adrwy", "offence", WRONG, None), ("durnie", "offence", WRONG, None)],
        [Loss("offence", ("Ku\u00adrwy", "durnie"))],
    ),
    ({"safe": False}, "o kurwa", "substring", [("kurwa", "offence", RIGHT, None)], []),
    ({"safe": False}, "Dzień dobry", "words", [], [Loss("condition", ("safe",))]),
    # Statements: what is said, denied, of another thing, and the part of an entry that is said.
    (
        *({INCLUDE: [KAYAK, BICYCLE]}, "Kajak nie kosztuje 45 zł, a rower 60 zł.", "substring"),
        [("45 zł", INCLUDE, "denied", BOTH), ("60 zł", INCLUDE, RIGHT, BOTH)],
        [Loss("unsaid", ("denied", "45 zł"))],
    ),
    (
        *({INCLUDE: [KAYAK, BICYCLE]}, "Kajak kosztuje 60 zł.", "words"),
        [("60 zł", INCLUDE, "other_thing", BOTH)],
        [Loss("missing", ("45 zł",)), Loss("unsaid", ("other_thing", "60 zł"))],
    ),
    (
        {INCLUDE: [{"all": [KAYAK, BICYCLE, {"never": ["kaucj*"]}]}]},
        *("Za kajak 45 zł i kaucja.", "words"),
        [("45 zł", INCLUDE, "part", BOTH), ("kaucja", INCLUDE, "never", BOTH)],
        [Loss("unsaid", ("never", "kaucj*"))],
    ),
    (
        *({INCLUDE: [{"all": [KAYAK, BICYCLE]}]}, "Za kajak 45 zł.", "words"),
        [("45 zł", INCLUDE, "part", BOTH)],
        [Loss("missing", ("45 zł", "60 zł"))],
    ),
    (
        {INCLUDE: [{"any": [KAYAK, BICYCLE]}], EXCLUDE: [{"never": ["kaucj*"]}]},
        *("Kajak: 45 zł, rower nie kosztuje 60 zł, bez kaucji.", "words"),
        [("45 zł", INCLUDE, RIGHT, BOTH)],
        [],
    ),
    # A wording that stands in several ways to say it is named once.
    (
        {INCLUDE: [{"any": [{"say": ["120 zł", "120"], "of": ["lut*"]}, {"say": ["120 zł"]}]}]},
        *("nie wiem", "substring", [], [Loss("missing", ("120 zł", "120"))]),
    ),
    (
        {INCLUDE: [{"say": ["96 zł"], "total": True}, {"say": ["7 dni"], "from": ["odbi*"]}]},
        *("7 dni od zamówienia, 96 zł za dzień, łącznie 192 zł.", "words"),
        [("7 dni", INCLUDE, "other_start", BOTH), ("192 zł", INCLUDE, "other_total", BOTH)],
        [Loss("unsaid", ("other_total", "96 zł")), Loss("unsaid", ("other_start", "7 dni"))],
    ),
]


def prepared(
    criteria: Criteria, expect: dict[str, Any], answer: str
) -> tuple[dict[str, Condition], Response]:
    """The conditions of a sample, and an answer made ready."""
    conditions = {name: kind_of(name).of(expect, criteria) for name in expect}
    return conditions, Response(answer, criteria.normalizer, ("doc-a", "doc-b", "doc-c"))


@pytest.mark.parametrize(("expect", "answer", "matching", "expected", "lost"), CASES)
def test_marks_stand_where_they_were_found_and_tell_why_points_are_lost(
    criteria: Criteria,
    expect: dict[str, Any],
    answer: str,
    matching: str,
    expected: list[tuple[str, str, str, str | None]],
    lost: list[Loss],
) -> None:
    conditions, response = prepared(criteria, expect, answer)
    marks = find_marks(conditions, response, criteria, matching)
    found = [
        (answer[mark.start : mark.end], mark.kind, mark.reason or mark.verdict, mark.rule)
        for mark in marks
    ]
    assert found == expected
    assert all((mark.reason is None) or mark.verdict == WRONG for mark in marks)
    scores = {one.keys[0]: one.score(response, RULES[matching])[0] for one in conditions.values()}
    assert list(find_losses(conditions, response, marks, scores)) == lost
    assert bool(lost) == any(scores[key] < 1 for key in scores.keys() & counted().keys())


@given(st.text(st.sampled_from("[],0123 \u00a0a]["), max_size=40))
def test_citations_are_those_that_are_scored(answer: str) -> None:
    assert [number for number, _, _ in find_citations(answer)] == citations(answer)


@given(st.text(max_size=60), st.sampled_from(["substring", "words"]))
def test_marks_lie_in_any_answer(criteria: Criteria, answer: str, matching: str) -> None:
    answer += "7 dni\u0301"
    conditions, response = prepared(criteria, {INCLUDE: ["7", "kurwa"], "safe": True}, answer)
    for mark in find_marks(conditions, response, criteria, matching):
        assert 0 <= mark.start < mark.end <= len(answer)


def marks(*spans: tuple[int, int]) -> list[Mark]:
    return [Mark(start, end, "include", "right") for start, end in sorted(spans)]


def test_a_text_is_cut_where_marks_stand_side_by_side_inside_and_across_each_other() -> None:
    assert list(cut("abcdefgh", marks((1, 5), (2, 3), (3, 7), (7, 8)))) == [
        *(("a", []), ("b", [0]), ("c", [0, 1]), ("de", [0, 2]), ("fg", [2]), ("h", [3]))
    ]


@given(
    st.text(min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 29), st.integers(1, 30)), max_size=8),
)
def test_pieces_are_the_text_and_each_mark_covers_its_place(
    text: str, spans: list[tuple[int, int]]
) -> None:
    made = marks(*((a, min(b, len(text))) for a, b in spans if a < min(b, len(text))))
    pieces = list(cut(text, made))
    assert "".join(piece for piece, _ in pieces) == text
    for index, mark in enumerate(made):
        covered = "".join(piece for piece, covering in pieces if index in covering)
        assert covered == text[mark.start : mark.end]
