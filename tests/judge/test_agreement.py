"""Agreement of judge and rules: kappa and rho by hand."""

import numpy as np
import pytest

from ragifeval.judge.agreement import agreements, kappa, rho
from ragifeval.judge.items import Item, Judgement

# Cohen's own kind of table: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no. Observed 35/50; by chance
# 25/50 x 30/50 + 25/50 x 20/50 = 1/2; kappa (0.7 - 0.5) / 0.5.
COHEN = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        (COHEN, pytest.approx(0.4)),
        ([(1, 1), (0, 0)], 1.0),
        ([(1, 0), (0, 1)], -1.0),
        ([(1, 1), (1, 1)], None),
    ],
)
def test_kappa_by_hand(pairs: list[tuple[int, int]], value: float | None) -> None:
    assert kappa(np.array(pairs, dtype=float)) == value


def test_rho_by_hand() -> None:
    """Ranks 1 2 3 4 against 1 3 2 4: 1 - 6 x 2 / (4 x 15) = 0.8."""
    assert rho(np.array([(1, 10), (2, 30), (3, 20), (4, 40)], dtype=float)) == pytest.approx(0.8)
    assert rho(np.array([(1, 1), (1, 2)], dtype=float)) is None


def test_over_the_answers_that_have_both() -> None:
    items = [
        Item(str(number), "q", "a", record={"scores": {"include": share, "cite_f1": share}})
        for number, share in enumerate([1.0, 1.0, 0.5, 0.0])
    ]
    items += [Item("no rules", "q", "a"), Item("unjudged", "q", "a", record=items[0].record)]
    judged = [
        {
            "correctness": Judgement({"correctness": grade, "passing": float(grade >= 4)}),
            "faithfulness": Judgement({"faithfulness": float(grade >= 4)}),
        }
        for grade in (5.0, 4.0, 3.0, 1.0, 5.0)
    ]
    judged.append({"correctness": Judgement({}, unjudged="no reference")})
    first, second = agreements(items, judged, seed=0)
    assert (first.count, second.count) == (4, 4)
    assert first.kappa.value == 1
    assert first.rho.value == pytest.approx(0.9487, abs=1e-4)  # one tie by the rules
    assert first.rho.low is not None
    assert first.rho.low <= first.rho.value <= (first.rho.high or 0)
    assert second.kappa.value == 1
    assert agreements(items[4:], judged[4:], seed=0) == []
    (only,) = agreements(items[:2], judged[:2], seed=0)[:1]
    assert str(only.kappa) == str(only.rho) == "undefined (one side is the same for all)"
