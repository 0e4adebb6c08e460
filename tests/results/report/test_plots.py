"""Where the plots draw what: coordinates worked out by hand."""

import re
from collections.abc import Sequence

from ragifeval.results.report.collect import Content
from ragifeval.results.report.headline import Headline, RunFacts, ScoreRow
from ragifeval.results.report.page import render
from ragifeval.results.report.variants import Cell
from ragifeval.run.performance import Figures
from ragifeval.scoring.statistics import Estimate

# The axis of these intervals goes from 20 to 100 %: 25 % stand at 6.25 of it, 50 % at 37.5, 75 % at
# 68.75, 100 % at its end.
LOW, HALF, HIGH = (
    Estimate(0.25, 2, 0.25, 0.5),
    Estimate(0.5, 2, 0.25, 0.75),
    Estimate(0.75, 2, 0.5, 1),
)


def page(*totals: Estimate, costs: Sequence[float | None], names: Sequence[str] = "ab") -> str:
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
    figure = plot(page(HALF, HIGH, costs=[None, None]), "Total with its 95% interval")
    ends = [("6.25%", "68.75%"), ("37.50%", "100.00%")]
    assert drawn(figure, "whisker", "x1", "x2")[::3] == ends
    assert drawn(figure, "dot", "cx") == [("37.50%",), ("68.75%",)]
    ticks = zip(words(figure, "tick"), drawn(figure, "tick", "x"), strict=True)
    assert dict(ticks)["40%"] == ("25.00%",)


def test_costs_are_drawn_from_nothing_to_the_most_and_a_free_model_is_among_them() -> None:
    """2.3 pixels a per cent of the axis, up from 240; names are 15 pixels apart."""
    text = page(HALF, HIGH, LOW, HALF, LOW, costs=[2, 4, 0, None, 1], names="abcde")
    figure = plot(text, "Total over the cost of 1,000 questions")
    dots = [("100.00%", "81.9"), ("50.00%", "153.8"), ("0.00%", "225.6"), ("25.00%", "225.6")]
    assert drawn(figure, "dot", "cx", "cy") == dots
    # The last name would stand below the foot, so that two move up.
    assert words(figure, "label") == ["b", "a", "c", "e"]
    assert [y for (y,) in drawn(figure, "label", "y")] == ["81.9", "153.8", "225.0", "240.0"]
