"""Models of other kinds, and rows that come and go."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, LlamaForCausalLM

from ragifeval.generators.base import Message, Prompt, Request
from ragifeval.generators.local import LocalGenerator, rolling, rolling_cache
from ragifeval.generators.local.rolling import rows_in
from ragifeval.generators.local.rolling_cache import RollingLayer
from tests.conftest import SPECIAL_TOKENS, VOCABULARY
from tests.generators.local.tiny import (
    QUESTIONS,
    answered,
    by_hand,
    configured,
    most_at_once,
    replies,
    requests,
    saved,
    texts,
    timed,
)

ENDS = {
    f"{name}_token_id": SPECIAL_TOKENS.index(f"<|{token}|>")
    for name, token in (("bos", "start"), ("eos", "end"), ("pad", "pad"))
}
SIZES: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "initializer_range": 0.3}
HEADS: dict[str, Any] = {
    **SIZES,
    **{"intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2},
}
ROPE = {"short_factor": [1.0] * 4, "long_factor": [4.0] * 4, "rope_theta": 10_000.0}
# Kind of model -> its config.
KINDS: dict[str, dict[str, Any]] = {
    "mistral": {**HEADS, "head_dim": 16, "sliding_window": 20},
    # Every other layer looks back no farther than a window.
    "gemma2": {**HEADS, "head_dim": 16, "sliding_window": 20},
    # No keys and values at all.
    "mamba": SIZES,
    # One layer of linear attention, one with keys and values.
    "qwen3_next": {
        **{**HEADS, "head_dim": 16, "layer_types": ["linear_attention", "full_attention"]},
        **{f"linear_num_{part}_heads": 2 for part in ("key", "value")},
        **{f"linear_{part}_head_dim": 16 for part in ("key", "value")},
        **{"num_experts": 2, "num_experts_per_tok": 1},
        **{"moe_intermediate_size": 32, "shared_expert_intermediate_size": 32},
    },
    # Its positions are turned otherwise once a text has more than 40 tokens.
    "phi3": {
        **HEADS,
        **{"original_max_position_embeddings": 40, "max_position_embeddings": 160},
        "rope_parameters": {"rope_type": "longrope", **ROPE},
    },
    # It has no attention mask.
    "rwkv": {"hidden_size": 32, "attention_hidden_size": 32, "num_hidden_layers": 2},
    # It counts positions by the width of the cache.
    "bart": {
        **{"d_model": 32, "decoder_layers": 2, "decoder_attention_heads": 4, "init_std": 0.3},
        **{"decoder_ffn_dim": 64, "is_decoder": True, "is_encoder_decoder": False},
    },
}

Saved = Callable[[str], Path]


@pytest.fixture(scope="module")
def saved_model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """Saves a model of a kind once, with random weights; "llama" is the tiny model."""

    @functools.cache
    def save(kind: str) -> Path:
        if kind == "llama":
            return tiny_model
        config = AutoConfig.for_model(kind, vocab_size=VOCABULARY, **ENDS, **KINDS[kind])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = AutoModelForCausalLM.from_config(config)
            for parameter in model.parameters() if kind == "rwkv" else ():
                if parameter.dim() == 2:
                    torch.nn.init.normal_(parameter, std=0.3)
        return saved(model, tiny_model, tmp_path_factory.mktemp("models"))

    return save


def check_answers(model: Path) -> None:
    """The answers of a batch are those of transformers, prompt by prompt."""
    asked = requests(QUESTIONS[1:])
    expected = [text for text, *_ in by_hand(model, asked)]
    assert len(set(expected)) == 5
    assert texts(answered(configured(model), asked)) == expected


@pytest.mark.parametrize("kind", ["mistral", "gemma2", "mamba", "qwen3_next"])
def test_other_kinds_of_models_answer_as_in_transformers(
    saved_model: Saved, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    check_answers(saved_model(kind))
    assert caplog.messages == []


@pytest.mark.parametrize("kind", ["phi3", "rwkv", "bart"])
def test_models_that_read_their_padding_answer_one_by_one(
    saved_model: Saved, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    check_answers(saved_model(kind))
    (message,) = caplog.messages
    assert message.startswith("batch_size: the answers of this model would depend on their batch")


def asked_at_length() -> list[Request]:
    """Many questions behind some 50 tokens that they have in common."""
    system = Message("system", "Odpowiadaj po polsku, krótko i tylko na podstawie dokumentów. " * 4)
    texts = [f"{question} {word}" for question in QUESTIONS for word in ("", "Kiedy?")]
    return [Request(t, Prompt((system, Message("user", t)))) for t in sorted(texts)]


@pytest.mark.parametrize("kind", ["llama", "mistral", "gemma2"])
def test_what_prompts_have_in_common_is_read_once(
    saved_model: Saved, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, asked = saved_model(kind), asked_at_length()
    expected = by_hand(model, asked, 8)
    for batch_size, part in ((1, 1000), (8, 10)):  # the rest at once; in several parts
        monkeypatch.setattr(rolling, "_PART", part)
        read, prompts = tokens_read(model, asked)
        assert read < 0.7 * prompts
        config = configured(model, batch_size=batch_size, max_new_tokens=8)
        assert replies(answered(config, asked)) == expected


def tokens_read(model: Path, asked: list[Request]) -> tuple[int, int]:
    """How many tokens a model is given for one token of each answer, and how many prompts have."""
    generator = LocalGenerator(configured(model, max_new_tokens=1), False)
    counts: list[int] = []
    generator._loaded.model.register_forward_pre_hook(
        lambda _module, _args, given: counts.append(given["input_ids"].numel()), with_kwargs=True
    )
    answers = list(generator.generate(asked))
    return sum(counts), sum(a.usage["prompt_tokens"] for a in answers if a.usage)


def test_a_model_that_must_read_a_prompt_at_once_does(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if its keys were others behind what is read already."""
    forward = LlamaForCausalLM.forward

    @functools.wraps(forward)
    def turned(self: Any, *args: Any, **given: Any) -> Any:
        past = given.get("past_key_values")
        if past is not None and past.get_seq_length() and given["input_ids"].shape[1] > 1:
            given["position_ids"] = given["position_ids"] + 50
        return forward(self, *args, **given)

    asked = asked_at_length()
    expected = by_hand(tiny_model, asked, 8)
    monkeypatch.setattr(LlamaForCausalLM, "forward", turned)
    assert replies(answered(configured(tiny_model, max_new_tokens=8), asked)) == expected
    read, prompts = tokens_read(tiny_model, asked)
    assert read > prompts


def test_an_answer_that_ends_makes_room_at_once(tiny_model: Path) -> None:
    generator = LocalGenerator(configured(tiny_model, max_new_tokens=24), False)
    _, spans = timed(generator.generate(requests(QUESTIONS)))
    assert most_at_once(spans) == 4
    # The fifth is begun before the first four have ended.
    begins, ends = map(sorted, zip(*spans, strict=True))
    assert begins[4] < ends[3]


GIB = 2**30


def test_rows_that_fit_into_the_memory() -> None:
    # 0.8 x 64 GiB / (131,072 bytes x 2,048 tokens)
    assert rows_in(64 * GIB, 131_072 * 2048) == 204
    assert rows_in(64 * GIB, 1024 * 2048) == 256
    assert rows_in(1 * GIB, 10**10) == 1


def test_rows_outgrow_their_room(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rolling_cache, "_SPARE", 2)
    check_answers(tiny_model)


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
    assert step(layer, 22) == [[20, 21, 22]]
    layer.add(row(2, 30), 2)
    assert step(layer, 23, 32) == [[20, 21, 22, 23], [0, 30, 31, 32]]
