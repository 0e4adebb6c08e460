"""The choice of the next token: an answer depends on its seed and its request, not on its batch."""

import random
from collections.abc import Sequence

import torch
from transformers import LogitsProcessor

from ragifeval.errors import UserError

OVERFLOW = (
    "dtype: the model's scores overflow (NaN); many models do in float16: set dtype to "
    '"bfloat16" or "float32". If they do there as well, the weights are damaged'
)


class TokenChoice(LogitsProcessor):
    """Chooses each row's next token ahead of transformers, which takes the best score.

    Args:
        temperature: what the scores are divided by; 0 for the best token.
        streams: the random numbers of each row.
    """

    def __init__(self, temperature: float, streams: Sequence[random.Random]) -> None:
        self._temperature = temperature
        self._streams = streams

    def __call__(self, input_ids: torch.LongTensor, scores: torch.Tensor) -> torch.Tensor:
        """Replace the scores, (rows, vocabulary), by 0 for the chosen tokens and -inf elsewhere."""
        chosen = choose(scores, self._temperature, self._streams)[:, None]
        return torch.full_like(scores, -torch.inf).scatter(1, chosen, 0.0)


def stream(seed: int, request_id: str) -> random.Random:
    """The random numbers of a request."""
    # A string seeds through SHA-512: the same stream on every platform and in every process.
    return random.Random(f"{seed}:{request_id}")


def choose(
    scores: torch.Tensor, temperature: float, streams: Sequence[random.Random]
) -> torch.Tensor:
    """Choose one token a row, (rows,): the best one, or one drawn from softmax(scores / T).

    torch.multinomial draws for a whole batch from one state, so that a row's tokens would depend on
    its neighbours and on everything drawn before.

    The draw is the Gumbel-max trick: the highest sum of score / temperature and a noise of the
    token's own. Scores differ by rounding from batch to batch; that changes a draw only where the
    two highest sums are as close. With a cumulative distribution, the border between any two tokens
    of the vocabulary would be such a place.

    Args:
        scores: (rows, vocabulary).
        temperature: T; 0 for the best token.
        streams: of each row; one number is taken from it for a draw.

    Raises:
        UserError: scores are NaN or infinite.
    """
    if not bool((scores < torch.inf).all()):
        raise UserError(OVERFLOW)
    if temperature == 0:
        return scores.argmax(dim=-1)
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
