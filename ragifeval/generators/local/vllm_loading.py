"""A model in an engine of vLLM, and what is wrong where there is none."""

import os
from typing import Any

import torch
from pydantic import ValidationError
from transformers import AutoConfig

from ragifeval.errors import UserError
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local.loading import one_line

# Read when vLLM is imported. In one process Ctrl-C ends the questions, not the engine; NaN among
# the scores is an error, not an answer; nothing is reported to the makers of vLLM.
_ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_RAISE_ON_LOGIT_NANS": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
}
_PASSED_ON = (
    *("tokenizer", "trust_remote_code", "tensor_parallel_size", "data_parallel_size"),
    *("gpu_memory_utilization", "max_model_len", "quantization"),
)
_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)  # that vLLM has room for in an adapter
# By one scale for a whole matrix: vLLM has no kernel for that on a CPU.
_FP8_PER_TENSOR = frozenset({"fp8", "fp8_per_tensor"})


def load_engine(config: LocalConfig) -> tuple[Any, Any]:
    """Load the model into an engine of vLLM, and its adapter, if it has one.

    Raises:
        UserError: with what vLLM says if it cannot.
    """
    os.environ.update({k: v for k, v in _ENVIRONMENT.items() if k not in os.environ})
    options = {key: getattr(config, key) for key in _PASSED_ON}
    if "batch_size" in config.model_fields_set and config.batch_size != "auto":
        options["max_num_seqs"] = config.batch_size
    try:
        from vllm import LLM
        from vllm.lora.request import LoRARequest
        from vllm.platforms import current_platform

        if current_platform.is_cpu() and config.quantization in _FP8_PER_TENSOR:
            _try_fp8()
        # Where the choice is vLLM's, it makes float16 of float32.
        options["dtype"] = config.dtype
        if config.dtype == "auto":
            code = config.trust_remote_code
            own = AutoConfig.from_pretrained(config.base_model, trust_remote_code=code)
            options["dtype"] = own.dtype
        # To compile for a CPU takes a compiler, and longer than a run.
        options |= {"enforce_eager": current_platform.is_cpu(), "enable_prefix_caching": True}
        adapter = None
        if config.adapter is not None:
            adapter = LoRARequest("adapter", 1, config.model)
            rank = config.adapter.get("r", 1)
            options["max_lora_rank"] = next((r for r in _RANKS if r >= rank), _RANKS[-1])
            options["enable_lora"] = True
            options["tokenizer"] = config.tokenizer_path
        given = {key: value for key, value in options.items() if value is not None}
        engine = LLM(config.base_model, **given).llm_engine
        if adapter is not None:
            engine.add_lora(adapter)  # here, where what is wrong with it can be told
        return engine, adapter
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - what an engine raises is up to it
        if isinstance(error, ValidationError):  # it names the settings it was given, too
            error = error.errors()[0].get("ctx", {}).get("error", error)
        reason = one_line(error)
        raise UserError(f"model: vLLM cannot run {config.display_name!r}: {reason}") from None


def _try_fp8() -> None:
    """Quantize a number: vLLM itself finds out that it cannot as it reads the weights."""
    from vllm._custom_ops import scaled_fp8_quant

    try:
        scaled_fp8_quant(torch.ones(1, 1), torch.ones(1))
    except RuntimeError:
        raise UserError(
            "quantization: vLLM has no kernel on this CPU that makes fp8 of weights by tensor; "
            "fp8_per_channel and fp8_per_block are others. Weights that are fp8 need no key"
        ) from None
