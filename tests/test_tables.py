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
    bare = Grid("", ["", "n", ""], [["first", "1", "in words"]], align="lrl")
    assert bare.text(ruled=False).splitlines() == ["       n", "first  1  in words"]


def test_markdown() -> None:
    assert GRID.markdown().splitlines() == [
        "5 % of all:",
        "",
        "| model |   a_b |  of |",
        "|:------|------:|----:|",
        "| x\\|y  | 1 - 2 |   3 |",
        "| z     |    10 | 100 |",
    ]


def test_latex() -> None:
    assert [" ".join(line.split()) for line in GRID.latex().splitlines()] == [
        "% 5 % of all",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"model & a\_b & of \\",
        r"\midrule",
        r"x|y & 1--2 & 3 \\",
        r"z & 10 & 100 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
