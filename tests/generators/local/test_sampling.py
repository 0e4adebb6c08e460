"""Sampling: the right distribution, and a stream of its own for each request."""

import math

import pytest
import torch

from ragifeval.errors import UserError
from ragifeval.generators.local.sampling import choose, gumbel, stream

PROBABILITIES = [0.5, 0.25, 0.0, 0.125, 0.125]
ROWS = 10_000


DISTRIBUTIONS = [
    (1.0, PROBABILITIES),
    # Probabilities to the power of 1 / temperature, which then sum to 11/32 and to 2.
    (0.5, [8 / 11, 2 / 11, 0.0, 0.5 / 11, 0.5 / 11]),
    (1000.0, [0.25, 0.25, 0.0, 0.25, 0.25]),
    (1e-30, [1.0, 0.0, 0.0, 0.0, 0.0]),
]


@pytest.mark.parametrize(("temperature", "expected"), DISTRIBUTIONS)
def test_distribution(temperature: float, expected: list[float]) -> None:
    scores = torch.tensor([PROBABILITIES] * ROWS).log()
    drawn = choose(scores, temperature, [stream(0, str(row)) for row in range(ROWS)]).tolist()
    statistic = 0.0
    for token, probability in enumerate(expected):
        count = drawn.count(token)
        if probability == 0:
            assert count == 0
        else:
            statistic += (count - ROWS * probability) ** 2 / (ROWS * probability)
    # Chi-square with at most 3 degrees of freedom: 16.27 is exceeded once in a thousand times.
    assert statistic < 16.27


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_that_overflow_are_an_error(score: float) -> None:
    scores = torch.tensor([PROBABILITIES, [*PROBABILITIES[:-1], score]])
    with pytest.raises(UserError, match=r'^dtype: .* set dtype to "bfloat16" or "float32"'):
        choose(scores, 0, [stream(0, "a"), stream(0, "b")])


def test_each_step_draws_anew() -> None:
    """test_generator.py shows that nothing but seed and request has a say in it."""
    streams = [stream(0, "a")]
    assert len({choose(torch.zeros(1, 1000), 1.0, streams).item() for _ in range(10)}) > 5


def test_noise_is_that_of_splitmix64() -> None:
    def splitmix64(state: int) -> int:
        """The published algorithm, in integers without a limit."""
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
        return state ^ (state >> 31)

    def noise(state: int) -> float:
        return -math.log(-math.log1p(-(splitmix64(state % 2**64) >> 1) / 2**63))

    keys, step = [0, 1234567, 2**63 - 1], 0x9E3779B97F4A7C15
    expected = [[noise(key + n * step) for n in range(1, 101)] for key in keys]
    # The first numbers of the reference implementation for the seed 1234567.
    assert splitmix64((1234567 + step) % 2**64) == 6457827717110365317
    made = gumbel(torch.tensor(keys), 100)
    assert torch.allclose(made, torch.tensor(expected), rtol=1.3e-6, atol=1e-5)
