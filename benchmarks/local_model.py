"""A Llama with random weights and a tokenizer of one token a word, for the measurements here."""

import random
from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from ragifeval.generators.base import Prompt, Request

VOCABULARY = 32_000
END = 0
PROMPT_TOKENS = (300, 1500)


def save_model(
    directory: Path, dtype: torch.dtype = torch.float32, ends: int = 0, **sizes: int
) -> None:
    """Save a model and its tokenizer.

    Args:
        ends: each so many-th token ends an answer, so that answers have different lengths, the
            same ones whoever runs the model; 0 for `<end>` alone.
        sizes: for LlamaConfig: hidden_size, num_hidden_layers and so on.
    """
    save_tokenizer(directory)
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
            model = LlamaForCausalLM(config)
        if ends:
            model.generation_config.eos_token_id = [*range(END, VOCABULARY, ends)]
        model.save_pretrained(directory)
    finally:
        torch.set_default_dtype(before)


def save_tokenizer(directory: Path) -> None:
    """Save a tokenizer that makes one token of a word."""
    words = {"<end>": END, **{f"t{number}": number for number in range(1, VOCABULARY)}}
    trained = Tokenizer(models.WordLevel(words, unk_token="<end>"))
    trained.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained, eos_token="<end>", pad_token="<end>", padding_side="left"
    )
    tokenizer.save_pretrained(directory)


def requests(
    count: int, tokens: tuple[int, int] = PROMPT_TOKENS, head: int = 0
) -> Sequence[Request]:
    """Prompts of random words, in random order.

    Args:
        tokens: the fewest and the most of a prompt.
        head: how many words all have in common at their head.
    """
    pick = random.Random(0)
    found = []
    common = [f"t{pick.randrange(1, VOCABULARY)}" for _ in range(head)]
    for index in range(count):
        length = pick.randint(*tokens) - head
        words = common + [f"t{pick.randrange(1, VOCABULARY)}" for _ in range(length)]
        found.append(Request(f"{index:06}", Prompt(text=" ".join(words))))
    return found


def machine() -> str:
    """What is measured on beside the processor, in one line."""
    parts = [
        f"{torch.get_num_threads()} threads",
        f"torch {torch.__version__}, transformers {transformers.__version__}",
    ]
    if torch.cuda.is_available():
        parts.insert(0, torch.cuda.get_device_name())
    return "; ".join(parts)
