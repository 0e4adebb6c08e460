"""What can be wrong with a model, each in one line; and what the keys of a config do."""

import json
import shutil
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BloomConfig, GPT2Config, LlamaConfig

from ragifeval.errors import UserError
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.config.places import check_paths
from ragifeval.generators.local.loading import (
    LoadedModel,
    context_length,
    load_tokenizer,
)
from tests.generators.local.tiny import (
    QUESTIONS,
    adapted,
    answered,
    configured,
    copied,
    edit,
    requests,
    texts,
)

Change = Callable[[Path], object]


def edited(**changes: object) -> Change:
    return lambda directory: edit(directory / "config.json", **changes)


def without(*names: str) -> Change:
    return lambda directory: [(directory / name).unlink() for name in names]


def written(name: str, content: str) -> Change:
    return lambda directory: (directory / name).write_text(content)


def cut(directory: Path) -> None:
    path = directory / "model.safetensors"
    path.write_bytes(path.read_bytes()[:100_000])


def load(config: LocalConfig) -> Any:
    check_paths(config)
    return LoadedModel(config, load_tokenizer(config)).model


def refused(config: LocalConfig, reason: str) -> str:
    """The one line about what is wrong."""
    with pytest.raises(UserError, match=reason) as caught:
        load(config)
    assert "\n" not in str(caught.value)
    return str(caught.value)


NO_TOKENIZER = without("tokenizer.json", "tokenizer_config.json")
MISFIT = "do not fit its config.json: "
# What is done to a directory -> what is said about it.
BROKEN = [
    (without("config.json"), "holds no config.json"),
    (written("config.json", "{"), "not a valid JSON file"),
    (edited(model_type="nonsense"), "`nonsense`"),
    (edited(model_type="t5"), "is not a causal language model"),
    (NO_TOKENIZER, "holds no tokenizer; name one with the key 'tokenizer'"),
    (written("tokenizer.json", "{}"), "the tokenizer of .* cannot be loaded"),
    (cut, "cannot be loaded: SafetensorError"),
    (edited(intermediate_size=256), f"{MISFIT}6 are missing or of another shape"),
    (edited(num_hidden_layers=3), f"{MISFIT}9 are missing"),
    (written("generation_config.json", "{"), "generation_config.json is not a JSON object"),
    (edited(quantization_config={"quant_method": "foo"}), "transformers does not know: 'foo'"),
]


@pytest.mark.parametrize(("change", "reason"), BROKEN)
def test_broken_directory(tiny_model: Path, tmp_path: Path, change: Change, reason: str) -> None:
    directory = copied(tiny_model, tmp_path / "model")
    change(directory)
    assert refused(LocalConfig(model=str(directory), dtype="float32"), reason).startswith("model: ")


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"attn_implementation": "nonsense"}, 'attn_implementation="nonsense"'),
    ({"device_map": {"model": "cpu", "lm_head": 99}}, "^device_map: 99 does not work here: "),
    ({"device_map": "meta"}, "^device_map: 'meta' does not work here"),  # it holds nothing
    ({"tokenizer": "./nothing-here"}, "^tokenizer: there is no directory"),
]


@pytest.mark.parametrize(("settings", "reason"), SETTINGS)
def test_setting_that_does_not_work(
    tiny_model: Path, settings: dict[str, Any], reason: str
) -> None:
    refused(LocalConfig(model=str(tiny_model), dtype="float32", **settings), reason)


WORKING: list[tuple[dict[str, Any], str, set[object]]] = [
    ({"dtype": "bfloat16"}, "dtype", {torch.bfloat16}),
    ({"dtype": "auto"}, "dtype", {torch.float32}),  # that of the checkpoint
    ({"attn_implementation": "eager"}, "config._attn_implementation", {"eager"}),
    ({"device_map": "auto"}, "device.type", {"cpu", "cuda"}),
]


@pytest.mark.parametrize(("settings", "attribute", "values"), WORKING)
def test_setting_that_works(
    tiny_model: Path, settings: dict[str, Any], attribute: str, values: set[object]
) -> None:
    model = load(LocalConfig(model=str(tiny_model), **settings))
    assert attrgetter(attribute)(model) in values


def test_tokenizer_of_another_directory(tiny_model: Path, tmp_path: Path) -> None:
    directory = copied(tiny_model, tmp_path / "model")
    NO_TOKENIZER(directory)
    config = LocalConfig(model=str(directory), tokenizer=str(tiny_model))
    load(config)
    assert load_tokenizer(config).eos_token == "<|end|>"


def llama(rope_type: str, **rope: Any) -> LlamaConfig:
    parameters = {"rope_type": rope_type, "rope_theta": 10_000.0, **rope}
    return LlamaConfig(max_position_embeddings=100, rope_parameters=parameters)


LLAMA3 = {"original_max_position_embeddings": 25, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
SMALL: dict[str, Any] = {"vocab_size": 10, "hidden_size": 8, "n_layer": 1, "n_head": 1}


NO_LIMIT = int(1e30)
CONTEXTS = [
    (GPT2Config(**SMALL, n_positions=77), 50, 77),
    (BloomConfig(**SMALL), 50, 50),  # of a kind without a limit of its own
    (BloomConfig(**SMALL), NO_LIMIT, None),
    (llama("linear", factor=4.0), NO_LIMIT, 400),
    (llama("linear", factor=4.0), 300, 300),
    (llama("linear", factor=4.0), 50, 100),
    # The extended length stands in max_position_embeddings already.
    (llama("yarn", factor=4.0, original_max_position_embeddings=25), NO_LIMIT, 100),
    (llama("llama3", factor=4.0, **LLAMA3), NO_LIMIT, 100),
]


@pytest.mark.parametrize(("config", "tokenizer_limit", "expected"), CONTEXTS)
def test_context_length(
    tiny_model: Path, config: Any, tokenizer_limit: int, expected: int | None
) -> None:
    tokenizer = load_tokenizer(LocalConfig(model=str(tiny_model)))
    tokenizer.model_max_length = tokenizer_limit
    assert context_length(config, tokenizer) == expected


def test_weights_that_are_left_over(
    tiny_model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    load(LocalConfig(model=str(tiny_model)))
    assert caplog.messages == []
    shorter = copied(tiny_model, tmp_path / "model", "config.json", num_hidden_layers=1)
    load(LocalConfig(model=str(shorter)))
    (message,) = caplog.messages
    assert "9 weights of" in message
    assert "are not used, model.layers.1." in message


def test_an_adapter_without_peft(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)  # as where it is not installed
    directory = copied(tiny_model, tmp_path / "model")
    (directory / "adapter_config.json").write_text("{}")
    with pytest.raises(UserError, match="holds a PEFT adapter: pip install peft, or merge"):
        check_paths(LocalConfig(model=str(directory)))


def test_an_adapter_answers_as_merged_into_its_base_model(tiny_model: Path, tmp_path: Path) -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    asked = requests(QUESTIONS)
    adapter, merged = adapted(tiny_model, tmp_path)
    beside_its_base = tmp_path / "beside"
    for part in (tiny_model, adapter):
        shutil.copytree(part, beside_its_base, dirs_exist_ok=True)
    alone, beside, as_merged, plain = (
        texts(answered(configured(model), asked))
        for model in (adapter, beside_its_base, merged, tiny_model)
    )
    assert alone == beside == as_merged != plain


def test_the_base_of_an_adapter_is_scored(tiny_model: Path, tmp_path: Path) -> None:
    base = copied(tiny_model, tmp_path / "model")
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    settings = {"peft_type": "LORA", "base_model_name_or_path": str(base)}
    (adapter / "adapter_config.json").write_text(json.dumps(settings))
    config = LocalConfig(model=str(adapter))
    before = config.scored_settings()
    edited(rope_theta=5.0)(base)
    after = config.scored_settings()
    assert {key for key in after if after[key] != before[key]} == {"base"}
    assert config.display_name == "adapter"
    shutil.rmtree(base)
    with pytest.raises(UserError, match=r"the base model of the adapter .* is not here"):
        check_paths(config)


METHODS = [
    ("gptq", None, "gptq|GPTQ|optimum"),
    ("gptq", "awq", "are quantized by gptq; leave the key out"),
    (None, "bitsandbytes_4bit", "bitsandbytes"),
    (None, "bnb", "unknown method 'bnb'; known are: "),
]


@pytest.mark.parametrize(("method", "asked", "said"), METHODS)
def test_quantization_that_cannot_run_is_told_before_the_weights_are_read(
    tiny_model: Path, tmp_path: Path, method: str | None, asked: str | None, said: str
) -> None:
    """Where a package is missing, as here, or there is no GPU."""
    own = {"quant_method": method, "bits": 4, "group_size": 32}
    changes = {"quantization_config": own} if method else {}
    directory = copied(tiny_model, tmp_path / "model", "config.json", **changes)
    (directory / "model.safetensors").write_bytes(b"no weights")
    said_so = refused(LocalConfig(model=str(directory), quantization=asked), said)
    assert "safetensors" not in said_so
