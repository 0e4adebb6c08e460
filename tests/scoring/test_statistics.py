"""Scores of samples -> means over conditions, with intervals."""

from fractions import Fraction
from itertools import permutations, product

import pytest

from ragifeval.scoring.statistics import Estimate, Tally

# Three samples, and the means by hand.
SCORES: list[dict[str, float]] = [
    {
        **{"include": 1 / 2, "len_chars": 100.0, "len_words": 20.0},
        **{"cite_f1": 2 / 3, "cite_precision": 1 / 2, "cite_recall": 1.0},
    },
    {"exclude": 1.0, "refuse": 0.0, "len_chars": 50.0, "len_words": 7.0},
    {"safe": 1.0, "include": 1.0, "len_chars": 0.0, "len_words": 0.0},
]
# Key, in the order of the registry -> mean, number of conditions.
MEANS = {
    "include": (Fraction(3, 4), 2),
    "exclude": (Fraction(1), 1),
    "cite_f1": (Fraction(2, 3), 1),
    "cite_precision": (Fraction(1, 2), 1),
    "cite_recall": (Fraction(1), 1),
    "refuse": (Fraction(0), 1),
    "safe": (Fraction(1), 1),
    "len_chars": (Fraction(50), 3),
    "len_words": (Fraction(9), 3),
    # (1/2 + 2/3 + 1 + 1) / 4: over conditions. Over samples it would be (7/12 + 1 + 1) / 3.
    "correctness": (Fraction(19, 24), 4),
    "safety": (Fraction(1, 2), 2),
    # (1/2 + 2/3 + 1 + 0 + 1 + 1) / 6
    "total": (Fraction(25, 36), 6),
}


def tally_of(scores: dict[int, dict[str, float]], size: int) -> Tally:
    tally = Tally(size)
    for index, values in scores.items():
        tally.add(index, values)
    return tally


def test_means_are_over_conditions_not_over_samples() -> None:
    tally = tally_of(dict(enumerate(SCORES)), 3)
    assert tally.running_total == pytest.approx(25 / 36)
    estimates = tally.estimates(seed=0)
    assert [(key, one.mean, one.count) for key, one in estimates.items()] == [
        (key, pytest.approx(float(mean)), count) for key, (mean, count) in MEANS.items()
    ]


def test_the_interval_of_one_sample_is_all_that_a_share_can_be() -> None:
    """A length has no ends: its own value stays."""
    alone = tally_of({0: SCORES[0]}, 1).estimates(seed=0)
    ends = {key: (estimate.low, estimate.high) for key, estimate in alone.items()}
    assert ends.pop("len_chars") == (100, 100)
    assert ends.pop("len_words") == (20, 20)
    assert set(ends) >= {"include", "cite_f1", "correctness", "total"}
    assert set(ends.values()) == {(0, 1)}
    # So it is where others are there, but not for this score.
    exclude = tally_of(dict(enumerate(SCORES)), 3).estimates(seed=0)["exclude"]
    assert exclude == Estimate(1, 1, 0, 1)
    twice = tally_of({0: {"include": 1.0, "exclude": 0.0}, 1: {"include": 0.0}}, 2)
    difference = twice.difference("include", [0], [1], seed=0)
    assert difference == Estimate(-1, 1, -1, 1)


def test_what_no_sample_has_is_left_out() -> None:
    estimates = tally_of({0: {"refuse": 1.0}}, 1).estimates(seed=0)
    assert list(estimates) == ["refuse", "safety", "total"]
    assert Tally(3).estimates(seed=0) == {}


def test_the_order_of_adding_is_all_one() -> None:
    # Thirds and tenths: their sum depends on the order in floating point.
    scores = [{"include": n / 3, "cite_f1": n / 10, "len_chars": n / 7} for n in range(4)]
    found = [
        tally_of({index: scores[index] for index in order}, 4).estimates(seed=0)
        for order in permutations(range(4))
    ]
    assert all(estimates == found[0] for estimates in found)


def test_samples_without_an_answer_are_left_out() -> None:
    scores = [{"include": n / 5, "len_chars": 1.0 * n} for n in range(6)]
    some = tally_of({3 * index + 1: scores[index] for index in range(6)}, 100)
    assert some.estimates(seed=0) == tally_of(dict(enumerate(scores)), 6).estimates(seed=0)


class TestInterval:
    def test_the_same_seed_gives_the_same_interval(self) -> None:
        scores = {n: {"include": (n * 37 % 101) / 101} for n in range(50)}
        one, same, other = (tally_of(scores, 50).estimates(seed) for seed in (1, 1, 2))
        assert one == same
        assert one["include"].mean == other["include"].mean
        assert one["include"] != other["include"]

    @pytest.mark.parametrize("seed", [-1, 2**32, 10**30])
    def test_any_integer_is_a_seed(self, seed: int) -> None:
        estimate = tally_of({n: {"safe": n % 2} for n in range(20)}, 20).estimates(seed)["safe"]
        assert 0.2 < estimate.low < 0.5 < estimate.high < 0.8

    # Samples, each the scores of its counted conditions -> all n^n resamplings can be listed.
    CASES: dict[str, list[dict[str, float]]] = {
        "one condition each": [{"include": value} for value in (0.0, 0.3, 0.55, 1.0)],
        "one of four samples right": [{"include": value} for value in (0.0, 0.0, 0.0, 1.0)],
        "unlike numbers of conditions": [
            {"include": 1.0, "cite_f1": 0.4, "exclude": 0.9},
            {"refuse": 0.0},
            {"include": 0.2, "safe": 1.0},
            {"include": 0.7, "cite_f1": 0.0, "refuse": 1.0, "safe": 1.0},
        ],
    }

    @pytest.mark.parametrize("samples", CASES.values(), ids=CASES)
    @pytest.mark.parametrize("seed", [0, 1, 7])
    def test_against_all_resamplings(self, samples: list[dict[str, float]], seed: int) -> None:
        means = sorted(
            sum(sum(sample.values()) for sample in drawn) / sum(len(sample) for sample in drawn)
            for drawn in product(samples, repeat=len(samples))
        )
        found = tally_of(dict(enumerate(samples)), len(samples)).estimates(seed)["total"]
        for bound, share in ((found.low, 0.025), (found.high, 0.975)):
            # With 1,000 resamplings the share below a bound is off by 0.005 (one standard error).
            error = 3 * (0.025 * 0.975 / 1_000) ** 0.5
            lowest = means[int((share - error) * len(means))]
            highest = means[min(int((share + error) * len(means)), len(means) - 1)]
            assert lowest - 1e-9 <= bound <= highest + 1e-9

    def test_many_samples_are_resampled_in_pieces(self) -> None:
        # 2,000,000 indices are drawn at once: 5,000 samples take two pieces and a rest.
        scores = {n: {"include": float(n % 2)} for n in range(5_000)}
        estimate = tally_of(scores, 5_000).estimates(seed=0)["include"]
        # Standard error of the mean: 0.5 / sqrt(5000) = 0.00707; 1.96 of them either side.
        assert estimate.low == pytest.approx(0.5 - 0.01386, abs=0.0015)
        assert estimate.high == pytest.approx(0.5 + 0.01386, abs=0.0015)
