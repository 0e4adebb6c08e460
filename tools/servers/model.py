"""A Llama that is trained in seconds, small enough for every server and sure enough of its tokens.

A random model's best two tokens are often so close that each engine picks another one.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from ragifeval.paths import DOCUMENTS, SAMPLES

_CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_SPECIAL = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
VOCABULARY = 2000
_STEPS, _BATCH, _TOKENS = 200, 16, 96


def save_model(directory: Path) -> None:
    """Train a model on the questions and their answers, and save it with its tokenizer."""
    tokenizer = train_tokenizer(_SPECIAL, _CHAT_TEMPLATE, eos_token="<|end|>", pad_token="<|pad|>")
    tokenizer.save_pretrained(directory)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=2,  # vLLM has no attention on the CPU for heads narrower than 32
            num_key_value_heads=2,
            max_position_embeddings=4096,
            tie_word_embeddings=False,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    samples = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    texts = [
        f"<|user|>{sample['question']}<|end|><|assistant|>{sample['reference']}<|end|>"
        for sample in samples
    ]
    encoded = tokenizer(
        texts, padding="max_length", truncation=True, max_length=_TOKENS, return_tensors="pt"
    )
    labels = encoded.input_ids.masked_fill(encoded.attention_mask == 0, -100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(_STEPS):
        rows = torch.randint(len(texts), (_BATCH,))
        loss = model(
            input_ids=encoded.input_ids[rows],
            attention_mask=encoded.attention_mask[rows],
            labels=labels[rows],
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(directory)


def train_tokenizer(
    special: Sequence[str], chat_template: str, **tokens: str
) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE on the documents of the benchmark.

    Args:
        special: the tokens that stand for no text, from 0.
        tokens: what they are for: eos_token, pad_token and the like.
    """
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        DOCUMENTS.read_text(encoding="utf-8").splitlines(),
        vocab_size=VOCABULARY,
        special_tokens=special,
        show_progress=False,
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        additional_special_tokens=[one for one in special if one not in tokens.values()],
        chat_template=chat_template,
        **tokens,
    )
