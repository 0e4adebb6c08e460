"""Generation by transformers' own continuous batching, over a paged cache of keys and values."""

import math
import textwrap
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from transformers import ContinuousBatchingConfig

from ragifeval.errors import UserError
from ragifeval.generators.engine import Completion, Network, Prompted
from ragifeval.generators.memory import CPU_BATCH, is_shortage

_POLL_SECONDS = 0.2
# Answers that are begun: transformers generates as many of them at once as its cache holds.
_ROWS = 256
# On a CPU the cache is made no larger than this needs; left alone it would take most of the memory.
_CPU_STEP_TOKENS = 2048
_PAGE = 256
# What a model may have settled about the choice of tokens that continuous batching leaves out; and
# what stands there if it has not.
_UNHEEDED = {
    "repetition_penalty": 1.0,
    "encoder_repetition_penalty": 1.0,
    "guidance_scale": 1,
    "no_repeat_ngram_size": 0,
    "min_new_tokens": 0,
    "bad_words_ids": None,
    "begin_suppress_tokens": None,
    "exponential_decay_length_penalty": None,
    "forced_bos_token_id": None,
    "forced_eos_token_id": None,
    "sequence_bias": None,
    "stop_strings": None,
    "watermarking_config": None,
}


class ContinuousBatching:
    """What transformers' generate_batch() does, with each answer as it is done.

    Raises:
        UserError: the config or the model asks for what continuous batching cannot do.
    """

    def __init__(self, network: Network) -> None:
        _check(network)
        self._network = network
        self._stopping = False

    def stop(self) -> None:
        """Begin no more answers."""
        self._stopping = True

    def complete(self, prompts: Sequence[Prompted]) -> Iterator[Completion]:
        """Complete the prompts."""
        if not prompts:
            return
        settings = self._settings(max(len(prompt.ids) + prompt.room for prompt in prompts))
        try:
            manager = self._network.model.init_continuous_batching(
                continuous_batching_config=settings
            )
            manager.warmup()
        except (ValueError, NotImplementedError, AttributeError) as error:
            raise UserError(f"continuous_batching: not with this model: {error}") from None
        waiting = deque(prompts)
        begun: dict[str, Prompted] = {}
        try:
            manager.start()
            while begun or (waiting and not self._stopping):
                while waiting and len(begun) < settings.max_requests_per_batch:
                    if self._stopping:
                        break
                    prompt = waiting.popleft()
                    key = prompt.request.id
                    begun[key] = prompt
                    manager.add_request(list(prompt.ids), key, max_new_tokens=prompt.room)
                result = manager.get_result(timeout=_POLL_SECONDS)
                if result is not None:
                    yield _completion(begun.pop(result.request_id), result)
                elif not manager.is_running():
                    raise RuntimeError("transformers' continuous batching broke off")
        finally:
            if manager.is_running():
                manager.stop(hard_stop=True)
            manager.destroy()

    def _settings(self, longest: int) -> Any:
        """The settings of transformers.

        Args:
            longest: the most tokens of a prompt and its answer.
        """
        settings = ContinuousBatchingConfig(page_size=_PAGE, max_requests_per_batch=_ROWS)
        if self._network.device.type == "cpu":
            settings.max_requests_per_batch = CPU_BATCH
            settings.max_batch_tokens = _CPU_STEP_TOKENS
            settings.num_blocks = CPU_BATCH * (math.ceil(longest / _PAGE) + 1)
        return settings


def _completion(prompt: Prompted, result: Any) -> Completion:
    begin, end = result.lifespan
    if result.error is None:
        return Completion(prompt, result.generated_tokens, end - begin)
    reason = textwrap.shorten(str(result.error), 300, placeholder=" ...")
    if is_shortage(RuntimeError(reason)):
        reason = f"out of memory: the prompt has {len(prompt.ids)} tokens"
    return Completion(prompt, None, max(0.0, end - begin), reason)


def _check(network: Network) -> None:
    """Refuse what continuous batching would leave out, or do otherwise, without a word."""
    if network.temperature > 0:
        raise UserError(
            "continuous_batching: draws the tokens of all samples from one stream, so that an "
            'answer would depend on the others; set "temperature": 0, or leave it off'
        )
    settings = network.model.generation_config
    for key, default in _UNHEEDED.items():
        if getattr(settings, key, None) not in (None, default):
            raise UserError(
                f"continuous_batching: does not heed {key}, which the model's "
                "generation_config.json sets; leave it off"
            )
    devices = set(getattr(network.model, "hf_device_map", {}).values())
    if len(devices) > 1 or network.model.device.type == "meta":
        raise UserError("continuous_batching: needs a model that is whole on one device")
