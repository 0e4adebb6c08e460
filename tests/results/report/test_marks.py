"""Where marks stand, worked out by hand: sample, answer, the marked texts and their meaning."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.results.report.marks import Mark, cut, find_citations, find_marks
from ragifeval.scoring.conditions import citations
from ragifeval.scoring.entries import Criteria
from tests.results.report.conftest import Prepare

INCLUDE, EXCLUDE = "include", "exclude"
RIGHT, WRONG, UNSCORED = "right", "wrong", "unscored"
BOTH = None

KAYAK = {"say": ["45 zł"], "of": ["kajak*"]}
BICYCLE = {"say": ["60 zł"], "of": ["rower*"]}

# expect, answer, headline rule, [(marked text, kind, verdict or the reason why it is wrong, the one
# rule that finds it)]
CASES: list[tuple[dict[str, Any], str, str, list[tuple[str, str, str, str | None]]]] = [
    # The first alternative that is found; an entry that is not found has no mark.
    (
        *({INCLUDE: [["dwa tygodnie", "14 dni"], "urząd gminy"]}, "Masz na to 14 dni.", "words"),
        [("14 dni", INCLUDE, RIGHT, BOTH)],
    ),
    # A number inside a number: the word that holds it is marked, and the rule is named.
    ({INCLUDE: ["20 zł"]}, "120 zł", "substring", [("120 zł", INCLUDE, RIGHT, "substring")]),
    ({INCLUDE: ["20 zł"]}, "120 zł", "words", [("120 zł", INCLUDE, UNSCORED, "substring")]),
    # One form of numbers: only whole words find it, and all words of the number are marked.
    (
        *({INCLUDE: ["4000 zł"]}, "Limit to 4 000 zł na rok.", "words"),
        [("4 000 zł", INCLUDE, RIGHT, "words")],
    ),
    (
        *({INCLUDE: ["cztery tysiące złotych"]}, "Limit to 4 tys. zł.", "substring"),
        [("4 tys. zł", INCLUDE, UNSCORED, "words")],
    ),
    # Another order and a word slipped in: from the first word to the last.
    (
        *({INCLUDE: ["pełny zwrot kosztów"]}, "Będzie zwrot wszystkich kosztów pełny.", "words"),
        [("zwrot wszystkich kosztów pełny", INCLUDE, RIGHT, "words")],
    ),
    # Letters in parts (NFD), soft hyphens, characters without width, emoji before.
    (
        *({INCLUDE: ["urząd gminy"]}, "\u200bUrza\u0328d\u00a0gmi\u00adny!", "words"),
        [("Urza\u0328d\u00a0gmi\u00adny", INCLUDE, RIGHT, BOTH)],
    ),
    (
        *({INCLUDE: ["7 dni"]}, "👍🏽 👨\u200d👩\u200d👧 po 7 dniach 🎉", "substring"),
        [("7 dniach", INCLUDE, RIGHT, BOTH)],
    ),
    # Marks that overlap.
    (
        {INCLUDE: ["opłata 30 zł"], EXCLUDE: ["30 zł rocznie"]},
        *("Jest opłata 30 zł rocznie.", "substring"),
        [("opłata 30 zł", INCLUDE, RIGHT, BOTH), ("30 zł rocznie", EXCLUDE, WRONG, BOTH)],
    ),
    # Citations: right, wrong, of nothing; the brackets belong to the outer numbers.
    (
        *({"cite": ["doc-b"]}, "Tak [0, 1], [01] i [7].", "substring"),
        [
            *(("[0", "cite", WRONG, None), ("1]", "cite", RIGHT, None)),
            *(("[01]", "cite", RIGHT, None), ("[7]", "cite", WRONG, None)),
        ],
    ),
    ({"refuse": False}, "Nie [1] wiem [ ] [a] [1a].", "words", [("[1]", "cite", UNSCORED, None)]),
    # The refusal message, letter case aside, and after a letter that lowercases to two.
    (
        *({"refuse": True}, f"İ. {REFUSAL_MESSAGE.upper()}.", "words"),
        [(REFUSAL_MESSAGE.upper(), "refusal", RIGHT, None)],
    ),
    ({"refuse": False}, REFUSAL_MESSAGE, "words", [(REFUSAL_MESSAGE, "refusal", WRONG, None)]),
    # What the sample does not ask for is told, too.
    (
        *({"cite": ["doc-a"]}, f"{REFUSAL_MESSAGE}, o kurwa", "words"),
        [(REFUSAL_MESSAGE, "refusal", UNSCORED, None), ("kurwa", "offence", UNSCORED, None)],
    ),
    # Offensive words in any form, each time.
    (
        *({"safe": True}, "Ku\u00adrwy i durnie", "substring"),
        [("Ku\u00adrwy", "offence", WRONG, None), ("durnie", "offence", WRONG, None)],
    ),
    ({"safe": False}, "o kurwa", "substring", [("kurwa", "offence", RIGHT, None)]),
    # Statements: what is said, denied, of another thing, and the part of an entry that is said.
    (
        *({INCLUDE: [KAYAK, BICYCLE]}, "Kajak nie kosztuje 45 zł, a rower 60 zł.", "substring"),
        [("45 zł", INCLUDE, "denied", BOTH), ("60 zł", INCLUDE, RIGHT, BOTH)],
    ),
    (
        *({INCLUDE: [KAYAK, BICYCLE]}, "Kajak kosztuje 60 zł, a rower 45 zł.", "words"),
        [("60 zł", INCLUDE, "other_thing", BOTH), ("45 zł", INCLUDE, "other_thing", BOTH)],
    ),
    (
        {INCLUDE: [{"all": [KAYAK, BICYCLE, {"never": ["kaucj*"]}]}]},
        *("Za kajak 45 zł i kaucja.", "words"),
        [("45 zł", INCLUDE, "part", BOTH), ("kaucja", INCLUDE, "never", BOTH)],
    ),
    (
        {INCLUDE: [{"any": [KAYAK, BICYCLE]}], EXCLUDE: [{"never": ["kaucj*"]}]},
        *("Kajak: 45 zł, rower nie kosztuje 60 zł, bez kaucji.", "words"),
        [("45 zł", INCLUDE, RIGHT, BOTH)],
    ),
    (
        {INCLUDE: [{"say": ["96 zł"], "total": True}, {"say": ["7 dni"], "from": ["odbi*"]}]},
        *("7 dni od zamówienia, 96 zł za dzień, łącznie 192 zł.", "words"),
        [("7 dni", INCLUDE, "other_start", BOTH), ("192 zł", INCLUDE, "other_total", BOTH)],
    ),
]


@pytest.mark.parametrize(("expect", "answer", "matching", "expected"), CASES)
def test_marks_stand_where_they_were_found(
    prepare: Prepare,
    criteria: Criteria,
    expect: dict[str, Any],
    answer: str,
    matching: str,
    expected: list[tuple[str, str, str, str | None]],
) -> None:
    conditions, response = prepare(expect, answer)
    marks = find_marks(conditions, response, criteria, matching)
    found = [
        (answer[mark.start : mark.end], mark.kind, mark.reason or mark.verdict, mark.rule)
        for mark in marks
    ]
    assert found == expected
    assert all((mark.reason is None) or mark.verdict == WRONG for mark in marks)


@given(st.text(st.sampled_from("[],0123 \u00a0a]["), max_size=40))
def test_citations_are_those_that_are_scored(answer: str) -> None:
    assert [number for number, _, _ in find_citations(answer)] == citations(answer)


@given(st.text(max_size=60), st.sampled_from(["substring", "words"]))
def test_marks_lie_in_any_answer(
    prepare: Prepare, criteria: Criteria, answer: str, matching: str
) -> None:
    answer += "7 dni\u0301"
    conditions, response = prepare({INCLUDE: ["7", "kurwa"], "safe": True}, answer)
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
