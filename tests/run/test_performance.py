"""Tokens, seconds, retries and cost of records, by hand; and the groups of their questions."""

from typing import Any

import pytest

from ragifeval.run.groups import groups_of, ordered
from ragifeval.run.performance import Figures, Performance, sentence


def record(asked: str, seconds: float, *tokens: int, **more: Any) -> dict[str, Any]:
    usage = dict(zip(("prompt_tokens", "completion_tokens"), tokens, strict=False))
    return {"answer": "Tak", "asked": asked, "seconds": seconds, "usage": usage, **more}


def test_figures() -> None:
    performance = Performance()
    for one in (
        record("2026-01-01T10:00:00+00:00", 4.0, 1_000, 50),
        record("2026-01-01T12:00:02+02:00", 1.0, 2_000, 150, retries=2),  # within the first
        record("2026-01-01T10:00:03+00:00", 3.0, 3_000, 100),  # to 10:00:06
        # The next day, and with an error: its time counts, no tokens do.
        record("2026-01-02T00:00:00+00:00", 4.0, answer=None, retries=1),
        {"answer": "an old record"},
        {"answer": "", "usage": "?", "seconds": "soon", "retries": True, "asked": 3},
    ):
        performance.add(one)
    figures = performance.figures((2.0, 10.0))
    assert figures == Figures(
        prompt_tokens=6_000,
        completion_tokens=300,
        median_seconds=3.0,  # of 1, 3, 4
        p95_seconds=4.0,
        wall_seconds=10.0,  # 6 and 4
        tokens_per_second=30.0,
        retries=3,
        cost=pytest.approx(0.015),  # type: ignore[arg-type]  # 0.012 + 0.003
        cost_per_1000=pytest.approx(5.0),  # type: ignore[arg-type]
    )
    assert sentence(figures) == (
        "6,000 tokens in, 300 out; 3.00 s an answer (4.00 s p95); 10 s in all; 30 tokens/s; "
        "3 retries; cost 0.0150 (5.0000 per 1,000 questions)"
    )
    assert performance.figures().cost is None


def test_a_log_that_tells_nothing() -> None:
    performance = Performance()
    performance.add({"answer": "Tak"})
    none = (None, None, None, None, None, None)
    assert performance.figures((1.0, 1.0)) == Figures(*none, 0, None, None)
    assert sentence(performance.figures()) == ""


def test_quantiles_are_values_that_occurred() -> None:
    performance = Performance()
    for seconds in range(20, 0, -1):
        performance.add({"answer": "Tak", "seconds": seconds})
    figures = performance.figures()
    # The least that half of 20 values, and 95 % of them, do not exceed.
    assert (figures.median_seconds, figures.p95_seconds) == (10, 19)


GROUPS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"category": None, "kind": [], "context": None}, []),
    ({"category": "wybory", "variant": "twin"}, [("category", "wybory"), ("variant", "twin")]),
    ({"kind": ["typo", "tempting"]}, [("kind", "typo"), ("kind", "tempting")]),
    *[
        ({"context": ["d"] * count}, [("documents", group)])
        for count, group in [(8, "8"), (9, "9-16"), (16, "9-16"), (17, "17-32")]
    ],
    *[
        ({"prompt_chars": n}, [("length", group)])
        for n, group in [(3_999, "0-4k"), (4_000, "4-8k")]
    ],
]


@pytest.mark.parametrize(("told", "groups"), GROUPS)
def test_groups(told: dict[str, Any], groups: list[tuple[str, str]]) -> None:
    core = [] if "variant" in told else [("variant", "core")]
    assert sorted(groups_of(told)) == sorted([*groups, *core])


def test_the_order_of_groups() -> None:
    assert ordered("documents", ["17-32", "3", "9-16"]) == ["3", "9-16", "17-32"]
    assert ordered("kind", ["typo", "fact"]) == ["fact", "typo"]
