"""A model and its tokenizer from a directory or the Hub, and what is wrong where there is none."""

import logging
import os
import textwrap
from pathlib import Path
from typing import Any, cast

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from ragifeval.errors import UserError
from ragifeval.generators.config import LocalConfig

# Ways to spread a model over devices that are no device themselves.
_SPREADS = frozenset({"auto", "balanced", "balanced_low_0", "sequential", "disk"})
# Settings of a published model that are switched off: for other ways to generate than taking one
# token after the other, and limits of length and time.
_SWITCHED_OFF = (
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "top_h",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
    "early_stopping",
    "length_penalty",
    "num_return_sequences",
    "num_beam_groups",
    "diversity_penalty",
    "constraints",
    "force_words_ids",
    "penalty_alpha",
    "dola_layers",
    "prompt_lookup_num_tokens",
    "assistant_early_exit",
    "use_mtp",
    "return_dict_in_generate",
    "output_scores",
    "output_logits",
    "output_attentions",
    "output_hidden_states",
    "max_length",
    "min_length",
    "max_time",
)
# What configurations call the length of the context.
_CONTEXT_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_sequence_length",
    "max_seq_len",
    "seq_length",
    "n_ctx",
)
# Where a tokenizer knows no limit it gives 1e30.
_NO_LIMIT = 1e12


def check_paths(config: LocalConfig) -> None:
    """Tell paths that lead nowhere from ids on the Hub, as far as their form shows.

    Raises:
        UserError: a path is no directory, or the model's holds no model.
    """
    for key, path in (("model", config.model), ("tokenizer", config.tokenizer)):
        if path is None:
            continue
        if Path(path).is_file():
            raise UserError(
                f"{key}: {path!r} is a file; it is to be a directory, or an id on the Hub"
            )
        if path.startswith(("/", ".", "~", "\\")) and not Path(path).is_dir():
            raise UserError(f"{key}: there is no directory {path!r}")
    directory = Path(config.model)
    if directory.is_dir() and not (directory / "config.json").is_file():
        raise UserError(f"model: the directory {config.model!r} holds no config.json, so no model")


def load_tokenizer(config: LocalConfig) -> PreTrainedTokenizerBase:
    """Load the tokenizer.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    _be_quiet()
    key = "tokenizer" if config.tokenizer else "model"
    path = config.tokenizer or config.model
    # False, not None, has transformers refuse a model's own code instead of asking on stdin.
    options = {"trust_remote_code": config.trust_remote_code}
    tokenizer: PreTrainedTokenizerBase = _load(key, path, "tokenizer", AutoTokenizer, options)
    return tokenizer


def load_model(config: LocalConfig) -> PreTrainedModel:
    """Load the model onto its device, set to generate one greedy answer.

    Raises:
        UserError: there is none, it is broken or no causal language model, or a setting of the
            config does not work.
    """
    _be_quiet()
    options: dict[str, Any] = {
        "dtype": config.dtype,
        "trust_remote_code": config.trust_remote_code,
        "ignore_mismatched_sizes": True,  # they are reported below
        "output_loading_info": True,
    }
    if config.attn_implementation is not None:
        options["attn_implementation"] = config.attn_implementation
    device_map = config.device_map if config.device_map is not None else _accelerator()
    if device_map is not None:
        _check_devices(device_map)
        options["device_map"] = device_map
    model, report = _load("model", config.model, "model", AutoModelForCausalLM, options)
    # Quantized checkpoints store their weights under names of their own.
    absent = {str(key) for key in report["missing_keys"]}
    if getattr(model, "hf_quantizer", None) is not None:
        absent = set()
    absent |= {str(key[0]) for key in report["mismatched_keys"]}
    if absent:
        raise UserError(
            f"model: the weights of {config.model!r} do not fit its config.json: "
            f"{len(absent)} are missing or of another shape, {min(absent)} among them"
        )
    model.generation_config.update(do_sample=False, num_beams=1, **dict.fromkeys(_SWITCHED_OFF))
    return cast(PreTrainedModel, model)


def context_length(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens of prompt and answer the model takes in; None if it names no limit."""
    config = model.config.get_text_config()
    for key in _CONTEXT_KEYS:
        limit = getattr(config, key, None)
        if isinstance(limit, int) and limit > 0:
            return limit
    return int(tokenizer.model_max_length) if tokenizer.model_max_length < _NO_LIMIT else None


def _accelerator() -> str | None:
    device = torch.accelerator.current_accelerator(check_available=True)
    return None if device is None else device.type


def _be_quiet() -> None:
    """Leave the log of transformers to errors, unless the user wants more; progress bars stay."""
    if "TRANSFORMERS_VERBOSITY" not in os.environ:
        for name in ("transformers", "ContinuousBatchingLogger"):
            logging.getLogger(name).setLevel(logging.ERROR)


def _check_devices(device_map: str | dict[str, int | str]) -> None:
    named = {device_map} if isinstance(device_map, str) else set(device_map.values())
    for device in named - _SPREADS:
        try:
            # Reading the element back shows up "meta", a device that holds nothing.
            torch.zeros(1, device=device).item()
        except (RuntimeError, AssertionError) as error:
            raise UserError(
                f"device_map: {device!r} does not work here: {_one_line(error)}"
            ) from None


def _load(key: str, path: str, what: str, kind: Any, options: dict[str, Any]) -> Any:
    """Load a model or a tokenizer; say in one line what is wrong if it cannot be loaded."""
    try:
        return kind.from_pretrained(path, **options)
    except Exception as error:  # noqa: BLE001 - a broken file may raise anything
        raise UserError(f"{key}: {_reason(path, what, error)}") from None


def _reason(path: str, what: str, error: Exception) -> str:
    text = str(error)
    if "trust_remote_code" in text:
        return (
            f"{path!r} comes with code of its own; "
            "if you trust it, set trust_remote_code to true in the model config"
        )
    if "Unrecognized configuration class" in text:
        return f"{path!r} is no causal language model: {_one_line(error)}"
    if not Path(path).is_dir() and isinstance(error, OSError):
        return (
            f"there is no directory {path!r}, and the Hugging Face Hub gives nothing of that name: "
            f"{_one_line(error)}"
        )
    if "Couldn't instantiate the backend tokenizer" in text:
        return f"{path!r} holds no tokenizer; name one with the key 'tokenizer': {_one_line(error)}"
    return f"the {what} of {path!r} cannot be loaded: {_one_line(error)}"


def _one_line(error: Exception) -> str:
    return textwrap.shorten(f"{type(error).__name__}: {error}", 300, placeholder=" ...")
