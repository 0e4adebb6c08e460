"""A text cut at its marks."""

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from ragifeval.results.report.marks import Mark, cut


def marks(*spans: tuple[int, int]) -> list[Mark]:
    return [Mark(start, end, "include", "right") for start, end in sorted(spans)]


def test_marks_side_by_side_inside_and_across_each_other() -> None:
    assert list(cut("abcdefgh", marks((1, 5), (2, 3), (3, 7), (7, 8)))) == [
        ("a", []),
        ("b", [0]),
        ("c", [0, 1]),
        ("de", [0, 2]),
        ("fg", [2]),
        ("h", [3]),
    ]


@limits(deadline=None)  # of a busy machine
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
