"""Models of other kinds, batches that fill the memory, and rows that come and go."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    PreTrainedModel,
    Qwen3NextConfig,
    Qwen3NextForCausalLM,
)

from ragifeval.generators import memory
from ragifeval.generators.local import LocalGenerator
from ragifeval.generators.rolling_cache import RollingLayer
from tests.conftest import SPECIAL_TOKENS, VOCABULARY, make_tokenizer
from tests.generators.test_local import (
    QUESTIONS,
    answered,
    configured,
    generated_by_hand,
    most_at_once,
    requests,
    texts,
)

ENDS: dict[str, Any] = {
    "bos_token_id": SPECIAL_TOKENS.index("<|start|>"),
    "eos_token_id": SPECIAL_TOKENS.index("<|end|>"),
    "pad_token_id": SPECIAL_TOKENS.index("<|pad|>"),
}
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "initializer_range": 0.3,
    **ENDS,
}
HEADS: dict[str, Any] = {
    "intermediate_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
}


def mistral() -> PreTrainedModel:
    return MistralForCausalLM(MistralConfig(**SIZES, **HEADS, sliding_window=20))


def gemma() -> PreTrainedModel:
    """Every other layer looks back no farther than a window."""
    return Gemma2ForCausalLM(Gemma2Config(**SIZES, **HEADS, sliding_window=20))


def phi() -> PreTrainedModel:
    """Its positions are turned otherwise once a text has more than 40 tokens."""
    factors = {"short_factor": [1.0] * 4, "long_factor": [4.0] * 4}
    rope = {"rope_type": "longrope", "rope_theta": 10_000.0, **factors}
    lengths = {"original_max_position_embeddings": 40, "max_position_embeddings": 160}
    heads = {key: value for key, value in HEADS.items() if key != "head_dim"}
    return Phi3ForCausalLM(Phi3Config(**SIZES, **heads, **lengths, rope_parameters=rope))


def mamba() -> PreTrainedModel:
    """No keys and values at all."""
    return MambaForCausalLM(MambaConfig(**SIZES))


def hybrid() -> PreTrainedModel:
    """One layer of linear attention, one with keys and values."""
    config = Qwen3NextConfig(
        **SIZES,
        **HEADS,
        layer_types=["linear_attention", "full_attention"],
        linear_num_key_heads=2,
        linear_num_value_heads=2,
        linear_key_head_dim=16,
        linear_value_head_dim=16,
        num_experts=2,
        num_experts_per_tok=1,
        moe_intermediate_size=32,
        shared_expert_intermediate_size=32,
    )
    return Qwen3NextForCausalLM(config)


@pytest.mark.parametrize("make", [mistral, gemma, mamba, hybrid, phi])
def test_models_that_remember_otherwise(
    tmp_path: Path, make: Callable[[], PreTrainedModel]
) -> None:
    make_tokenizer(tmp_path)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = make()
    model.save_pretrained(tmp_path)
    asked = requests(QUESTIONS)
    expected = [text for text, *_ in generated_by_hand(tmp_path, asked, tokens=40)]
    assert len(set(expected)) > 5
    # The positions of phi are turned by the longest row of a batch, in any batch of transformers.
    for batch_size in (1, 1 if make is phi else 4):
        config = configured(tmp_path, max_new_tokens=40, batch_size=batch_size)
        assert texts(answered(config, asked)) == expected


def test_an_answer_that_ends_makes_room_at_once(tiny_model: Path) -> None:
    generator = LocalGenerator(configured(tiny_model, batch_size=4), False)
    spans = []
    for answer in generator.generate(requests(QUESTIONS)):
        end = time.perf_counter()
        spans.append((end - answer.seconds, end))
    assert most_at_once(spans) == 4
    # The fifth is begun before the first four have ended.
    begun, ended = (sorted(moments) for moments in zip(*spans, strict=True))
    assert begun[4] < ended[3]


def test_a_batch_as_large_as_the_memory_allows(tiny_model: Path) -> None:
    asked = requests(QUESTIONS)
    expected = texts(answered(configured(tiny_model), asked))
    assert texts(answered(configured(tiny_model, batch_size="auto"), asked)) == expected


GIB = 2**30


@pytest.mark.parametrize(
    ("free", "reserved", "bytes_a_token", "longest", "max_new_tokens", "expected"),
    [
        # 0.8 x 64 GiB / (131,072 bytes x (1,500 + 548) tokens)
        (64 * GIB, 0, 131_072, 1500, 548, 204),
        # What torch holds in reserve is free as well.
        (32 * GIB, 32 * GIB, 131_072, 1500, 548, 204),
        # Of an answer, 1,024 tokens are reckoned with.
        (64 * GIB, 0, 131_072, 1024, 4096, 204),
        (64 * GIB, 0, 1024, 1024, 1024, 256),
        (1 * GIB, 0, 10**6, 10_000, 1024, 1),
    ],
)
def test_batch_that_fits(
    monkeypatch: pytest.MonkeyPatch,
    free: int,
    reserved: int,
    bytes_a_token: int,
    longest: int,
    max_new_tokens: int,
    expected: int,
) -> None:
    monkeypatch.setattr(torch.accelerator, "get_memory_info", lambda device: (free, 80 * GIB))
    monkeypatch.setattr(torch.accelerator, "memory_reserved", lambda device: reserved + GIB)
    monkeypatch.setattr(torch.accelerator, "memory_allocated", lambda device: GIB)
    for device, rows in (("cuda", expected), ("cpu", 8)):
        fits = memory.batch_that_fits(torch.device(device), bytes_a_token, longest, max_new_tokens)
        assert fits == rows


def row(length: int, value: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of a row, one head of size 1; its tokens are value, value + 1, and so on."""
    keys = (value + torch.arange(length, dtype=torch.float32))[None, None, :, None]
    return keys, -keys


def step(layer: RollingLayer, *values: float) -> list[list[float]]:
    """Give each row a token; return the keys of all rows."""
    token = torch.tensor(values)[:, None, None, None]
    keys, values_ = layer.update(token, -token)
    assert torch.equal(keys, -values_)
    return keys[:, 0, :, 0].tolist()


def test_rows_end_in_the_same_column() -> None:
    layer = RollingLayer(slots=3, is_sliding=False)
    layer.add(row(3, 10), 3)
    layer.add(row(1, 20), 1)
    assert step(layer, 13, 21) == [[10, 11, 12, 13], [0, 0, 20, 21]]
    layer.remove(0)  # the last takes its place
    layer.narrow(2)
    assert layer.get_seq_length() == 2
    assert step(layer, 22) == [[20, 21, 22]]
    layer.add(row(4, 30), 4)  # longer than what is there
    assert step(layer, 23, 34) == [[0, 20, 21, 22, 23], [30, 31, 32, 33, 34]]


def test_a_row_of_which_only_the_end_is_known() -> None:
    layer = RollingLayer(slots=2, is_sliding=True)
    layer.add(row(2, 10), 5)
    assert step(layer, 12) == [[0, 0, 0, 10, 11, 12]]


def test_what_a_broken_row_leaves_does_not_reach_another() -> None:
    layer = RollingLayer(slots=1, is_sliding=False)
    layer.add(row(4, torch.nan), 4)
    layer.remove(0)
    layer.add(row(4, 10), 4)
    layer.remove(0)
    layer.add(row(1, 20), 3)
    assert step(layer, 21) == [[0, 0, 20, 21]]


def test_more_steps_than_there_was_room_for() -> None:
    layer = RollingLayer(slots=2, is_sliding=False)
    layer.add(row(2, 0), 2)
    layer.add(row(1, 0), 1)
    for token in range(2, 700):
        keys = step(layer, token, token - 1)
    assert keys == [list(range(700)), [0, *range(699)]]
