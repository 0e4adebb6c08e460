"""Variants beside each other: figures worked out by hand from a few records."""

from collections.abc import Mapping, Sequence

import pytest

from ragifeval.benchmark.variants.source import VariantSample
from ragifeval.run.by_variant import Spread, scores_by_variant, spreads, variant_table
from ragifeval.run.outcome import Outcome

# Variant -> the score of each of four questions: of `include`, for the twin of `refuse`.
SCORES: Mapping[str, Sequence[float]] = {
    "core": (1.0, 1.0, 0.5, 0.0),
    "twin": (1.0, 0.0, 1.0, 1.0),
    "order:1": (1.0, 0.5, 0.5, 1.0),
    "order:2": (0.0, 1.0, 0.5, 1.0),
}


def sample(variant: str, number: int) -> VariantSample:
    origin = f"q{number}"
    key = origin if variant == "core" else f"{origin}@{variant}"
    return VariantSample(key, "Ile?", ("d",), {}, variant=variant, origin=origin)


def outcome(variants: Sequence[str], repeats: int = 1) -> Outcome:
    samples = [sample(variant, number) for variant in variants for number in range(4)]
    return Outcome(samples, "words", None, repeats)


def add(made: Outcome, key: str, score: float | None, repeat: int = 1) -> None:
    scores = {"refuse" if "twin" in key else "include": score}
    said = {"answer": "A.", "finish_reason": "stop", "scores": scores, "scores_substring": scores}
    made.add(
        {
            "id": key,
            "repeat": repeat,
            **({"answer": None, "error": "timeout"} if score is None else said),
        }
    )


@pytest.fixture
def run() -> Outcome:
    made = outcome(list(SCORES))
    for variant, scores in SCORES.items():
        for number, score in enumerate(scores):
            add(made, sample(variant, number).id, score)
    return made


def test_variants(run: Outcome) -> None:
    core, twin, first, second = scores_by_variant(run, seed=0)
    assert [one.scores["total"].mean for one in (core, twin, first, second)] == [
        *(0.625, 0.75, 0.75, 0.625)
    ]
    assert (core.difference, core.pair) == (None, None)
    # q0 is right and refused, q1 is right alone, q2 and q3 are refused alone.
    assert twin.difference is None
    assert twin.pair is not None
    assert (twin.pair.mean, twin.pair.count) == (0.25, 4)
    # Question by question: 0, -0.5, 0, +1.
    assert first.difference is not None
    assert (first.difference.mean, first.difference.count) == (0.125, 4)
    assert -0.5 <= first.difference.low < 0.125 < first.difference.high <= 1
    # Alone, as in a run of the core alone.
    alone = outcome(["core"])
    for number, score in enumerate(SCORES["core"]):
        add(alone, f"q{number}", score)
    assert alone.estimates(seed=0) == run.estimates(seed=0) == run.estimates(0, "core")


def test_spread(run: Outcome) -> None:
    scores = list(scores_by_variant(run, seed=0))
    # q0 and q1 are right under one of the seeds, q3 under both, q2 under none.
    assert list(spreads(run, scores)) == [Spread("order:SEED", 2, 0.625, 0.75, 0.5)]


def test_the_head_is_the_first_without_a_core() -> None:
    made = outcome(["order:1", "order:2"])
    add(made, "q0@order:2", 1.0)
    add(made, "q1@order:1", 0.0)
    assert (made.headline, made.estimates(0)["words"]["total"].mean) == ("order:1", 0.0)
    assert [one.difference for one in scores_by_variant(made, 0)] == [None, None]


def test_repeats() -> None:
    made = outcome(["core"], repeats=2)
    for number, scores in enumerate([(1.0, 1.0), (1.0, 0.5), (0.0, 0.0)]):
        for repeat, score in enumerate(scores, start=1):
            add(made, f"q{number}", score, repeat)
    add(made, "q3", 1.0, repeat=2)
    add(made, "q3", None, repeat=1)
    assert (made.unanswered, made.status, made.failed) == (1, "incomplete", {"q3": "timeout"})
    assert [made.is_answered(3, repeat) for repeat in (1, 2)] == [False, True]
    (core,) = scores_by_variant(made, seed=0)
    # Totals of the repeats: 2/3 and 2.5/4. A question counts once, with the mean of its answers.
    assert core.scores["total"].mean == (1 + 0.75 + 0 + 1) / 4
    assert (core.always, core.sometimes, core.never) == (0.5, 0.25, 0.25)
    assert core.spread == pytest.approx(abs(2 / 3 - 2.5 / 4) / 2**0.5)
    add(made, "q3", 1.0, repeat=1)
    assert (made.unanswered, made.status, made.failed) == (0, "complete", {})
    assert not made.repeated


def test_table(run: Outcome) -> None:
    lines = variant_table(run, seed=0).splitlines()
    _, _, first, _ = scores_by_variant(run, seed=0)
    assert first.difference is not None
    halves = [
        f"±{(one.high - one.low) * 50:.1f}" for one in (first.scores["total"], first.difference)
    ]
    assert lines[3].split() == ["order:1", "4", "75.0", halves[0], "+12.5", halves[1], "-"]
    wide = variant_table(run, seed=0, wide=True).splitlines()
    ends = [str(round(end * 100, 1)) for end in (first.difference.low, first.difference.high)]
    assert wide[3].split()[6:10] == ["+12.5", ends[0], "-", ends[1]]
    assert lines[5] == (
        "order:SEED: total 62.5 % to 75.0 % over 2 seeds; right under some of them alone: 50.0 %"
    )
