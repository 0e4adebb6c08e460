"""A Llama with random weights and a tokenizer of one token a word, for the measurements here."""

import functools
import os
import platform
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from ragifeval.generators.base import Prompt, Request

VOCABULARY = 32_000
END = 0
ANSWER_TOKENS = 64
PROMPT_TOKENS = (300, 1500)


def save_model(directory: Path, dtype: torch.dtype = torch.float32, **sizes: int) -> None:
    """Save a model and its tokenizer.

    Args:
        sizes: for LlamaConfig: hidden_size, num_hidden_layers and so on.
    """
    words = {"<end>": END, **{f"t{number}": number for number in range(1, VOCABULARY)}}
    trained = Tokenizer(models.WordLevel(words, unk_token="<end>"))
    trained.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained, eos_token="<end>", pad_token="<end>", padding_side="left"
    )
    tokenizer.save_pretrained(directory)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=END,
        pad_token_id=END,
        tie_word_embeddings=False,
        dtype=dtype,
        **sizes,
    )
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        # Billions of random numbers are drawn faster there.
        with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
            LlamaForCausalLM(config).save_pretrained(directory)
    finally:
        torch.set_default_dtype(before)


def set_ends(answer_tokens: int = ANSWER_TOKENS) -> None:
    """Have every Llama end its answers by position, whoever runs it: all make the same tokens.

    Without this a random model ends at random, or never.

    Args:
        answer_tokens: the most of an answer; the fewest are 1.
    """
    forward: Callable[..., Any] = LlamaForCausalLM.forward

    @functools.wraps(forward)  # generate() looks at its arguments
    def ending(self: LlamaForCausalLM, *args: Any, **kwargs: Any) -> Any:
        output = forward(self, *args, **kwargs)
        kept = kwargs.get("logits_to_keep", 0)
        kept = slice(-kept, None) if isinstance(kept, int) else kept
        ends = kwargs["position_ids"][:, kept] % answer_tokens == answer_tokens - 1
        highest = torch.finfo(output.logits.dtype).max
        output.logits[..., END] = torch.where(ends, highest, -highest)
        return output

    LlamaForCausalLM.forward = ending  # type: ignore[method-assign]


def requests(count: int, tokens: tuple[int, int] = PROMPT_TOKENS) -> Sequence[Request]:
    """Prompts of random words, in random order.

    Args:
        tokens: the fewest and the most of a prompt.
    """
    pick = random.Random(0)
    found = []
    for index in range(count):
        words = [f"t{pick.randrange(1, VOCABULARY)}" for _ in range(pick.randint(*tokens))]
        found.append(Request(f"{index:06}", Prompt(text=" ".join(words))))
    return found


def machine() -> str:
    """What is measured on, in one line."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    parts = [
        names[0] if names else platform.processor(),
        f"{os.cpu_count()} cores, {torch.get_num_threads()} threads",
        f"torch {torch.__version__}, transformers {transformers.__version__}",
    ]
    if torch.cuda.is_available():
        parts.insert(0, torch.cuda.get_device_name())
    return "; ".join(parts)
