"""A model and its tokenizer from a directory or the Hub, and what is wrong where there is none."""

import logging
import os
import textwrap
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import constants
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedTokenizerBase,
)

from ragifeval.errors import UserError, unknown
from ragifeval.generators.config import LocalConfig

_LOG = logging.getLogger(__name__)

# Values of device_map that do not name a device.
_SPREADS = frozenset({"auto", "balanced", "balanced_low_0", "sequential", "disk"})
# Settings of a published model that stay. All others are for other ways to generate than taking one
# token after the other, for limits of length and time, and for what is returned.
KEPT_SETTINGS = frozenset(
    {"eos_token_id", "pad_token_id", "bos_token_id", "use_cache", "stop_strings", "min_new_tokens"}
    | {"repetition_penalty", "encoder_repetition_penalty", "exponential_decay_length_penalty"}
    | {"no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids", "sequence_bias"}
    | {"suppress_tokens", "begin_suppress_tokens", "forced_bos_token_id", "forced_eos_token_id"}
    | {"guidance_scale", "watermarking_config", "disable_compile"}
)
# What configurations call the length of the context.
_CONTEXT_KEYS = (
    *("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len"),
    *("seq_length", "n_ctx"),
)
# Where a tokenizer knows no limit it gives 1e30.
_NO_LIMIT = 1e12


class LoadedModel:
    """A model on its device, and what one has to know to generate with it.

    Args:
        tokenizer: of the model.

    Attributes:
        model: a causal language model of transformers, set to generate one greedy answer.
        end_ids: the tokens that end an answer.
        pad_id: the token that fills up a row; it is masked, so any serves.
        device: where the model takes its input.
        vocabulary_size: how many tokens it knows.
        context_length: how many tokens it takes in; None if it names no limit.

    Raises:
        UserError: there is no model, it is broken or not a causal language model, or a setting of
            the config does not work.
    """

    def __init__(self, config: LocalConfig, tokenizer: PreTrainedTokenizerBase) -> None:
        self.model = _load_model(config)
        self.tokenizer: Any = tokenizer
        self.context_length = context_length(self.model.config, tokenizer)
        self.temperature, self.seed = config.temperature, config.seed
        settings = self.model.generation_config
        names = vars(GenerationConfig()).keys()  # type: ignore[no-untyped-call]  # transformers' own
        settings.update(**dict.fromkeys(names - KEPT_SETTINGS))
        settings.update(do_sample=False, num_beams=1)
        if settings.eos_token_id is None:
            settings.eos_token_id = tokenizer.eos_token_id
        ends = settings.eos_token_id
        self.end_ids = frozenset(ends if isinstance(ends, list) else [ends])
        self.vocabulary_size: int = self.model.config.get_text_config().vocab_size
        pads: tuple[Any, ...] = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        known = (pad for pad in pads if pad is not None and pad < self.vocabulary_size)
        self.pad_id: int = next(known)
        settings.pad_token_id = self.pad_id
        # Weights on disk are on no device; what they are given comes from the CPU.
        device = self.model.device
        self.device = torch.device("cpu") if device.type == "meta" else device


def load_tokenizer(config: LocalConfig) -> PreTrainedTokenizerBase:
    """Load the tokenizer.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    key = "tokenizer" if config.tokenizer else "model"
    path = config.tokenizer_path
    # False, not None, has transformers refuse a model's own code instead of asking on stdin.
    options = {"trust_remote_code": config.trust_remote_code}
    tokenizer: PreTrainedTokenizerBase = _load(key, path, "tokenizer", AutoTokenizer, options)
    return tokenizer


def context_length(model_config: Any, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens of prompt and answer a model takes in; None if it names no limit."""
    config = model_config.get_text_config()
    for key in _CONTEXT_KEYS:
        limit = getattr(config, key, None)
        if isinstance(limit, int) and limit > 0:
            return _scaled(limit, config, int(tokenizer.model_max_length))
    return int(tokenizer.model_max_length) if tokenizer.model_max_length < _NO_LIMIT else None


def _scaled(limit: int, config: Any, tokenizer_limit: int) -> int:
    """The length of a context whose rotary positions are stretched, as vLLM reckons it.

    For longrope and llama3 the limit is that of the stretched positions already.
    """
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") not in ("linear", "dynamic", "yarn"):
        return limit
    original = limit
    if rope["rope_type"] == "yarn":
        original = rope.get("original_max_position_embeddings") or limit
    return max(limit, min(int(original * rope.get("factor", 1)), tokenizer_limit))


def one_line(error: Exception) -> str:
    """The kind of an exception and what it says, shortened."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", 300, placeholder=" ...")


def _load_model(config: LocalConfig) -> Any:
    options: dict[str, Any] = {
        "dtype": config.dtype,
        "trust_remote_code": config.trust_remote_code,
        "ignore_mismatched_sizes": True,  # they are reported below
        "output_loading_info": True,
    }
    if config.attn_implementation is not None:
        options["attn_implementation"] = config.attn_implementation
    if (method := _quantization(config)) is not None:
        options["quantization_config"] = method
    device_map = config.device_map if config.device_map is not None else _accelerator()
    if device_map is not None:
        _check_devices(device_map)
        options["device_map"] = device_map
    model, report = _load("model", config.model, "model", AutoModelForCausalLM, options)
    # Quantized checkpoints store their weights under names of their own.
    is_quantized = getattr(model, "hf_quantizer", None) is not None
    absent = set() if is_quantized else {str(key) for key in report["missing_keys"]}
    absent |= {str(key[0]) for key in report["mismatched_keys"]}
    if absent:
        raise UserError(
            f"model: the weights of {config.model!r} do not fit its config.json: "
            f"{len(absent)} are missing or of another shape, {min(absent)} among them"
        )
    quantization = getattr(model.config, "quantization_config", None)
    if quantization and not is_quantized:
        method = quantization.get("quant_method") if isinstance(quantization, dict) else None
        raise UserError(
            f"model: config.json of {config.model!r} names a quantization method that transformers "
            f"does not know: {method!r}"
        )
    if left_over := sorted(str(key) for key in report["unexpected_keys"]):
        _LOG.warning(
            "model: %d weights of %r have no place in its config.json and are not used, "
            "%s among them",
            *(len(left_over), config.model, left_over[0]),
        )
    return model


def _quantization(config: LocalConfig) -> Any:
    """How to quantize the weights as they are loaded; None for what the checkpoint says.

    Raises:
        UserError: there is no such method, the checkpoint has another, or the method's package is
            missing.
    """
    if config.quantization is None:
        return None
    from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING

    kinds = AUTO_QUANTIZATION_CONFIG_MAPPING
    if config.quantization not in kinds:
        raise UserError(f"quantization: {unknown(config.quantization, kinds, 'method')}")
    options = {"trust_remote_code": config.trust_remote_code}
    own = _load("model", config.base_model, "config.json", AutoConfig, options)
    own = getattr(own, "quantization_config", None)
    if own is not None:
        method = str(own.get("quant_method") if isinstance(own, dict) else own.quant_method)
        if not config.quantization.startswith(method):
            raise UserError(
                f"quantization: the weights of {config.base_model!r} are quantized by {method}; "
                "leave the key out"
            )
        return None
    bits = {f"load_in_{bits}": True for bits in ("4bit", "8bit") if bits in config.quantization}
    try:
        return kinds[config.quantization](**bits)
    except Exception as error:  # noqa: BLE001 - a package that is missing may show in any way
        raise UserError(f"quantization: {one_line(error)}") from None


def _accelerator() -> str | None:
    device = torch.accelerator.current_accelerator(check_available=True)
    return None if device is None else device.type


def _check_devices(device_map: str | dict[str, int | str]) -> None:
    named = {device_map} if isinstance(device_map, str) else set(device_map.values())
    for device in named - _SPREADS:
        try:
            # Reading the element back shows up "meta", a device that holds nothing.
            torch.zeros(1, device=device).item()
        except (RuntimeError, AssertionError) as error:
            raise UserError(
                f"device_map: {device!r} does not work here: {one_line(error)}"
            ) from None


def _load(key: str, path: str, what: str, kind: Any, options: dict[str, Any]) -> Any:
    """Load a model or a tokenizer; say in one line what is wrong if it cannot be loaded."""
    # The log of transformers is left to errors, unless the user wants more; progress bars stay.
    if "TRANSFORMERS_VERBOSITY" not in os.environ:
        logging.getLogger("transformers").setLevel(logging.ERROR)
    try:
        return kind.from_pretrained(path, **options)
    except Exception as error:  # noqa: BLE001 - a broken file may raise anything
        is_model = key == "model" and not Path(path).is_dir() and isinstance(error, OSError)
        hint = "; a model behind an API is asked by `ragifeval remote`" if is_model else ""
        raise UserError(f"{key}: {_reason(path, what, error)}{hint}") from None


def _reason(path: str, what: str, error: Exception) -> str:
    text = str(error)
    if "trust_remote_code" in text:
        return (
            f"{path!r} comes with code of its own; "
            "if you trust it, set trust_remote_code to true in the model config"
        )
    if "Unrecognized configuration class" in text:
        return f"{path!r} is not a causal language model: {one_line(error)}"
    if not Path(path).is_dir() and isinstance(error, OSError):
        if constants.HF_HUB_OFFLINE:
            return f"there is no directory {path!r}, and the Hugging Face Hub is not to be reached"
        return (
            f"there is no directory {path!r}, and the Hugging Face Hub gives nothing of that name: "
            f"{one_line(error)}"
        )
    if "Couldn't instantiate the backend tokenizer" in text:
        return f"{path!r} holds no tokenizer; name one with the key 'tokenizer': {one_line(error)}"
    return f"the {what} of {path!r} cannot be loaded: {one_line(error)}"
