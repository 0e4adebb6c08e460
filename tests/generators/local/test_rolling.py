"""Models of other kinds, and rows that come and go."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BartConfig,
    BartForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    PreTrainedModel,
    Qwen3NextConfig,
    Qwen3NextForCausalLM,
    RwkvConfig,
    RwkvForCausalLM,
)

from ragifeval.generators.base import Message, Prompt, Request
from ragifeval.generators.local import LocalGenerator, rolling
from ragifeval.generators.local.rolling import common_length, rows_in
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


def phi() -> PreTrainedModel:
    """Its positions are turned otherwise once a text has more than 40 tokens."""
    factors = {"short_factor": [1.0] * 4, "long_factor": [4.0] * 4}
    rope = {"rope_type": "longrope", "rope_theta": 10_000.0, **factors}
    lengths = {"original_max_position_embeddings": 40, "max_position_embeddings": 160}
    heads = {key: value for key, value in HEADS.items() if key != "head_dim"}
    return Phi3ForCausalLM(Phi3Config(**SIZES, **heads, **lengths, rope_parameters=rope))


def rwkv() -> PreTrainedModel:
    """It has no attention mask."""
    sizes = {"hidden_size": 32, "attention_hidden_size": 32, "num_hidden_layers": 2}
    model = RwkvForCausalLM(RwkvConfig(vocab_size=VOCABULARY, context_length=512, **sizes, **ENDS))
    for parameter in model.parameters():
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.3)
    return model


def bart() -> PreTrainedModel:
    """It counts positions by the width of the cache."""
    sizes = {"d_model": 32, "decoder_layers": 2, "decoder_attention_heads": 4}
    kind = {"is_decoder": True, "is_encoder_decoder": False}
    config = BartConfig(
        vocab_size=VOCABULARY, decoder_ffn_dim=64, init_std=0.3, **kind, **sizes, **ENDS
    )
    return BartForCausalLM(config)


Saved = Callable[[Callable[[], PreTrainedModel] | None], Path]


@pytest.fixture(scope="module")
def saved_model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """Saves a model once, with random weights; None is the tiny model."""

    @functools.cache
    def save(make: Callable[[], PreTrainedModel] | None) -> Path:
        if make is None:
            return tiny_model
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return saved(make(), tiny_model, tmp_path_factory.mktemp("models"))

    return save


def check_answers(model: Path) -> None:
    """The answers of a batch are those of transformers, prompt by prompt."""
    asked = requests(QUESTIONS[1:])
    expected = [text for text, *_ in by_hand(model, asked)]
    assert len(set(expected)) == 5
    assert texts(answered(configured(model), asked)) == expected


@pytest.mark.parametrize("make", [mistral, gemma, mamba, hybrid])
def test_other_kinds_of_models_answer_as_in_transformers(
    saved_model: Saved, make: Callable[[], PreTrainedModel], caplog: pytest.LogCaptureFixture
) -> None:
    check_answers(saved_model(make))
    assert caplog.messages == []


@pytest.mark.parametrize("make", [phi, rwkv, bart])
def test_models_that_read_their_padding_answer_one_by_one(
    saved_model: Saved, make: Callable[[], PreTrainedModel], caplog: pytest.LogCaptureFixture
) -> None:
    check_answers(saved_model(make))
    (message,) = caplog.messages
    assert message.startswith("batch_size: the answers of this model would depend on their batch")


def asked_at_length() -> list[Request]:
    """Many questions behind some 50 tokens that they have in common."""
    system = Message("system", "Odpowiadaj po polsku, krótko i tylko na podstawie dokumentów. " * 4)
    texts = [f"{question} {word}" for question in QUESTIONS for word in ("", "Kiedy?")]
    return [Request(t, Prompt((system, Message("user", t)))) for t in sorted(texts)]


@pytest.mark.parametrize("make", [None, mistral, gemma], ids=["llama", "mistral", "gemma"])
def test_what_prompts_have_in_common_is_read_once(
    saved_model: Saved,
    make: Callable[[], PreTrainedModel] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, asked = saved_model(make), asked_at_length()
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


@pytest.mark.parametrize(
    ("prompts", "length"),
    [([[1, 2, 3], [1, 2, 4]], 2), ([[1, 2], [1, 2, 3]], 1), ([[1], [1]], 0), ([[2, 1], [3, 1]], 0)],
)
def test_common_length(prompts: list[list[int]], length: int) -> None:
    assert common_length(prompts) == length


def test_an_answer_that_ends_makes_room_at_once(tiny_model: Path) -> None:
    generator = LocalGenerator(configured(tiny_model, max_new_tokens=24), False)
    _, spans = timed(generator.generate(requests(QUESTIONS)))
    assert most_at_once(spans) == 4
    # The fifth is begun before the first four have ended.
    begins, ends = map(sorted, zip(*spans, strict=True))
    assert begins[4] < ends[3]


GIB = 2**30


@pytest.mark.parametrize(
    ("free_bytes", "row_bytes", "expected"),
    [
        (64 * GIB, 131_072 * 2048, 204),  # 0.8 x 64 GiB / (131,072 bytes x 2,048 tokens)
        (64 * GIB, 1024 * 2048, 256),
        (1 * GIB, 10**10, 1),
    ],
)
def test_rows_that_fit_into_the_memory(free_bytes: int, row_bytes: int, expected: int) -> None:
    assert rows_in(free_bytes, row_bytes) == expected


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
