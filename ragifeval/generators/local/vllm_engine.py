"""The generator that runs a model with vLLM, in this process."""

import os
import time
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import torch
from pydantic import ValidationError
from transformers import AutoConfig

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local.loading import KEPT_SETTINGS, one_line
from ragifeval.generators.local.sampling import OVERFLOW, stream
from ragifeval.generators.local.tokens import load_coder

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
# Of a model's generation_config.json -> in vLLM's words; None where there is nothing to say.
_SETTINGS = {
    **dict.fromkeys(["eos_token_id", "pad_token_id", "bos_token_id", "use_cache"]),
    **dict.fromkeys(["disable_compile", "suppress_tokens"]),
    "stop_strings": "stop",
    "repetition_penalty": "repetition_penalty",
    "min_new_tokens": "min_tokens",
}


class VllmGenerator:
    """Answers as many prompts at once as vLLM has room for.

    Prompts are written and answers read as by LocalGenerator: the two differ in rounding alone.

    Arguments and errors are those of LocalGenerator.
    """

    def __init__(self, config: LocalConfig, text_completion: bool) -> None:
        self._config = config
        self._coder = load_coder(config, text_completion)
        self._engine, self._adapter = _load_engine(config)
        self._context: int = self._engine.model_config.max_model_len
        self._vocabulary_size: int = self._engine.model_config.get_vocab_size()
        self._settings = self._published_settings()
        self._keys = map(str, count())
        self._is_stopping = False

    @property
    def name(self) -> str:
        """The directory's own name, or the id on the Hub."""
        return self._config.display_name

    def stop(self) -> None:
        """Have generate() end with what is under way; a signal handler may call this."""
        self._is_stopping = True

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, each as it is done; UserError if vLLM breaks off."""
        waiting = iter(requests)
        most_at_once = self._engine.vllm_config.scheduler_config.max_num_seqs
        begun: dict[str, tuple[Request, float]] = {}
        while True:
            while len(begun) < most_at_once and not self._is_stopping:
                if (request := next(waiting, None)) is None:
                    break
                ids = self._coder.encode(request.prompt)
                error = self._coder.check(ids, self._vocabulary_size, self._context)
                if error is not None:
                    yield Answer(request, None, error)
                    continue
                key = next(self._keys)
                begun[key] = request, time.perf_counter()
                parameters = self._parameters(request, len(ids))
                prompt = {"prompt_token_ids": ids}
                self._engine.add_request(key, prompt, parameters, lora_request=self._adapter)
            if not begun:
                return
            try:
                outputs = self._engine.step()
            except Exception as error:
                if "NaN" in str(error):
                    raise UserError(OVERFLOW) from None
                raise UserError(f"model: vLLM broke off: {one_line(error)}") from error
            for output in outputs:
                if output.finished:
                    yield self._answer(output, *begun.pop(output.request_id))

    def _parameters(self, request: Request, length: int) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        return SamplingParams(
            **self._settings,
            temperature=self._config.temperature,
            # A state of its own for each request: its answer does not depend on the others.
            seed=stream(self._config.seed, request.id).getrandbits(63),
            max_tokens=min(self._config.max_new_tokens, self._context - length),
            detokenize="stop" in self._settings,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    def _answer(self, output: Any, request: Request, start: float) -> Answer:
        (made,) = output.outputs
        seconds = time.perf_counter() - start
        if made.finish_reason not in ("stop", "length"):
            return Answer(request, None, f"vLLM ended it: {made.finish_reason}", seconds=seconds)
        counts = {"prompt_tokens": len(output.prompt_token_ids)}
        counts["completion_tokens"] = len(made.token_ids)
        text = self._coder.decode(made.token_ids)
        return Answer(request, text, None, made.finish_reason, counts, seconds)

    def _published_settings(self) -> dict[str, Any]:
        """What a model's generation_config.json does to the choice of tokens, in vLLM's words."""
        own = self._engine.model_config.try_get_generation_config()
        given = {key: own[key] for key in KEPT_SETTINGS & own.keys() if own[key] is not None}
        if unknown := given.keys() - _SETTINGS.keys():
            raise UserError(
                f"model: its generation_config.json sets {min(unknown)}, which vLLM does not know; "
                'set engine to "transformers"'
            )
        settings = {word: given[key] for key, word in _SETTINGS.items() if word and key in given}
        ends = given.get("eos_token_id", self._coder.tokenizer.eos_token_id)
        settings["stop_token_ids"] = ends if isinstance(ends, list) else [ends]
        settings["ignore_eos"] = True  # the tokenizer's need not be among them
        if suppressed := frozenset(given.get("suppress_tokens") or ()):
            everything = range(self._vocabulary_size)
            settings["allowed_token_ids"] = [i for i in everything if i not in suppressed]
        return settings


def _load_engine(config: LocalConfig) -> tuple[Any, Any]:
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
