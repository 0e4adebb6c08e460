"""Sampling in which an answer depends on the seed and its sample alone, not on its batch."""

import random
from collections.abc import Sequence

import torch
from transformers import LogitsProcessor


class SeededSampling(LogitsProcessor):
    """Draws each row's next token from a stream of random numbers of that row's own.

    The token is drawn ahead of the choice: it alone keeps a score, and greedy search takes it.

    Args:
        temperature: what the scores are divided by; above 0.
        seed: of the run.
        sample_ids: the sample of each row.
    """

    def __init__(self, temperature: float, seed: int, sample_ids: Sequence[str]) -> None:
        self._temperature = temperature
        self._streams = [stream(seed, sample_id) for sample_id in sample_ids]

    def __call__(self, input_ids: torch.LongTensor, scores: torch.Tensor) -> torch.Tensor:
        """Replace the scores, (rows, vocabulary), by 0 for the drawn tokens and -inf elsewhere."""
        drawn = self.draw(scores)[:, None]
        return torch.full_like(scores, -torch.inf).scatter(1, drawn, 0.0)

    def draw(self, scores: torch.Tensor) -> torch.Tensor:
        """Draw one token a row, (rows,), with the probabilities softmax(scores / temperature)."""
        return draw(scores, self._temperature, self._streams)


def stream(seed: int, sample_id: str) -> random.Random:
    """The random numbers of a sample."""
    # A string seeds through SHA-512: the same stream on every platform and in every process.
    return random.Random(f"{seed}:{sample_id}")


def draw(
    scores: torch.Tensor, temperature: float, streams: Sequence[random.Random]
) -> torch.Tensor:
    """Draw one token a row, (rows,), with the probabilities softmax(scores / temperature).

    torch.multinomial draws for a whole batch from one state, so that a row's tokens would depend on
    its neighbours and on everything drawn before.

    The draw is the Gumbel-max trick: the highest sum of score / temperature and a noise of the
    token's own. Scores differ by rounding from batch to batch; that changes a draw only where the
    two highest sums are as close. With a cumulative distribution, the border between any two tokens
    of the vocabulary would be such a place.

    Args:
        scores: (rows, vocabulary).
        temperature: above 0.
        streams: of each row; one number is taken from it.
    """
    # The difference to the maximum is divided, lest a low temperature overflow.
    logits = scores.float()
    logits = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    keys = torch.tensor([stream.getrandbits(63) for stream in streams])
    return (logits + gumbel(keys.to(scores.device), scores.shape[1])).argmax(dim=-1)


def gumbel(keys: torch.Tensor, size: int) -> torch.Tensor:
    """Noise of the standard Gumbel distribution, (rows, size), the same on every device.

    A key starts a row of SplitMix64 (Steele, Lea and Flood 2014), which, unlike torch's generators,
    needs nothing but the place of a number to compute it.

    Args:
        keys: int64, (rows,).
    """
    places = torch.arange(1, size + 1, device=keys.device)
    mixed = keys[:, None] + places * _signed(0x9E3779B97F4A7C15)
    mixed = (mixed ^ _shifted(mixed, 30)) * _signed(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ _shifted(mixed, 27)) * _signed(0x94D049BB133111EB)
    mixed = mixed ^ _shifted(mixed, 31)
    # Close to 0, where the highest noise comes from, a float32 keeps all its digits.
    uniform = (_shifted(mixed, 1).float() * 2.0**-63).clamp_min(2.0**-63)
    return -torch.log(-torch.log1p(-uniform))


def _signed(number: int) -> int:
    """The int64 of the same bits: modulo 2**64, torch multiplies signed numbers like unsigned."""
    return number - (1 << 64) if number >> 63 else number


def _shifted(numbers: torch.Tensor, bits: int) -> torch.Tensor:
    """Shift to the right, filling with 0 where torch copies the sign."""
    return (numbers >> bits) & ((1 << (64 - bits)) - 1)
