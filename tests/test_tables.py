"""One grid, three ways to print it."""

from ragifeval.tables import Grid

GRID = Grid("5 % of all", ["model", "a_b", "of"], [["x|y", "1 - 2", "3"], ["z", "10", "100"]])


def test_text() -> None:
    assert GRID.text().splitlines() == [
        "5 % of all",
        "",
        "model    a_b   of",
        "-----  -----  ---",
        "x|y    1 - 2    3",
        "z         10  100",
    ]


def test_what_is_cut_stays_apart() -> None:
    """At the end, but where texts begin the same: there at the beginning."""
    rows = [["somebody/model-a", "1"], ["somebody/model-b", "22"], ["a-model-of-others", "3"]]
    grid = Grid("", ["model", "tokens in", "tokens out"], [[*row, "4"] for row in rows])
    assert grid.text(width=21).splitlines()[2:] == [
        "…ody/model-a    1   4",
        "…ody/model-b   22   4",
        "a-model-of-…    3   4",
    ]


def test_markdown_and_latex() -> None:
    assert GRID.markdown().splitlines()[2:5] == [
        "| model |   a_b |  of |",
        "|:------|------:|----:|",
        "| x\\|y  | 1 - 2 |   3 |",
    ]
    lines = [" ".join(line.split()) for line in GRID.latex().splitlines()]
    assert lines[3:6] == [r"model & a\_b & of \\", r"\midrule", r"x|y & 1--2 & 3 \\"]
