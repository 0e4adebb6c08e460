"""What the ways to generate share: prompts as tokens in, answers as tokens out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from ragifeval.generators.base import Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.loading import context_length, load_model


@dataclass(frozen=True, slots=True)
class Prompted:
    """A request as the model sees it.

    Attributes:
        ids: the tokens of the prompt.
        room: how many tokens its answer may have; at least 1.
    """

    request: Request
    ids: Sequence[int]
    room: int


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model made of a prompt.

    Attributes:
        tokens: of the answer, its end token included; None where there is no answer.
        seconds: from the prompt's turn to the answer's end.
        error: why there is no answer.
    """

    prompt: Prompted
    tokens: Sequence[int] | None
    seconds: float
    error: str | None = None


def out_of_memory(prompt: Prompted, seconds: float) -> Completion:
    """The completion of a prompt that does not fit even alone."""
    error = f"out of memory: the prompt has {len(prompt.ids)} tokens"
    return Completion(prompt, None, seconds, error)


class Engine(Protocol):
    """A way to have a model complete prompts."""

    def complete(self, prompts: Sequence[Prompted]) -> Iterator[Completion]:
        """Complete the prompts, the first ones first; yield each as soon as it is done."""
        ...

    def stop(self) -> None:
        """Begin nothing more: complete() yields what it has begun, and ends."""
        ...


class Network:
    """A loaded model, and what one has to know to generate with it.

    Args:
        tokenizer: of the model.

    Attributes:
        model: a causal language model of transformers, set to generate one greedy answer.
        end_ids: the tokens that end an answer.
        pad_id: the token that fills up a row; it is masked, so any serves.
        device: where the model takes its input.
        context_length: how many tokens it takes in; None if it names no limit.

    Raises:
        UserError: the model cannot be loaded.
    """

    def __init__(self, config: LocalConfig, tokenizer: Any) -> None:
        # Typed as if a model might be unable to generate; a causal language model is not.
        self.model: Any = load_model(config)
        self.tokenizer = tokenizer
        self.context_length = context_length(self.model, tokenizer)
        self.temperature, self.seed = config.temperature, config.seed
        settings = self.model.generation_config
        if settings.eos_token_id is None:
            settings.eos_token_id = tokenizer.eos_token_id
        ends = settings.eos_token_id
        self.end_ids = frozenset(ends if isinstance(ends, list) else [ends])
        pads = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        self.pad_id = settings.pad_token_id = next(pad for pad in pads if pad is not None)
        # Weights on disk are on no device; what they are given comes from the CPU.
        device = self.model.device
        self.device = torch.device("cpu") if device.type == "meta" else device
