"""A model of Hugging Face transformers on this machine."""

import gc
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import LogitsProcessorList

from ragifeval.config import LocalConfig
from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.loading import (
    check_paths,
    context_length,
    load_model,
    load_tokenizer,
)
from ragifeval.generators.sampling import SeededSampling
from ragifeval.generators.tokens import Coder

# What errors about memory say that are no torch.OutOfMemoryError: on CPU, on MPS, in cuBLAS.
_MEMORY_SHORTAGES = ("can't allocate memory", "out of memory", "STATUS_ALLOC_FAILED")


@dataclass(frozen=True, slots=True)
class _Prompted:
    """A request and the token ids of its prompt."""

    request: Request
    ids: list[int]


class LocalGenerator:
    """Answers in batches of similar length, the longest first: lack of memory shows at once.

    A sample's answer does not depend on its batch, but for rounding, which float16 and bfloat16 do
    coarsely: prompts are padded on the left and masked, tokens are drawn from a stream of the
    sample's own, and an answer cut off where a longer neighbour's context ends is generated again
    alone.

    Args:
        config: which model, and how.
        text_completion: prompts are one text to go on with, not a chat.

    Raises:
        UserError: the model cannot be loaded, or has no chat template where a chat is asked for.
    """

    def __init__(self, config: LocalConfig, text_completion: bool) -> None:
        self._config = config
        check_paths(config)
        tokenizer = load_tokenizer(config)
        # Before the weights: what is wrong with a chat template need not wait for them.
        self._coder = Coder(tokenizer, text_completion, config.reasoning_end)
        self._model = load_model(config)
        self._context_length = context_length(self._model, tokenizer)
        self._batch_size = config.batch_size
        self._stopping = False

        settings = self._model.generation_config
        if settings.eos_token_id is None:
            settings.eos_token_id = tokenizer.eos_token_id
        ends = settings.eos_token_id
        self._end_ids = set(ends if isinstance(ends, list) else [ends])
        pads = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        # Padding is masked, so any token serves.
        self._pad_id = settings.pad_token_id = next(pad for pad in pads if pad is not None)
        self._tokenizer = tokenizer
        # Weights on disk are on no device; what they are given comes from the CPU.
        device = self._model.device
        self._device = torch.device("cpu") if device.type == "meta" else device

    @property
    def name(self) -> str:
        """The directory's own name, or the id on the Hub."""
        path = Path(self._config.model)
        return path.resolve().name if path.is_dir() else self._config.model

    def stop(self) -> None:
        """Have generate() end after the batch that is under way; a signal handler may call this."""
        self._stopping = True

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, each batch's answers as it is done."""
        prompts = []
        for request in requests:
            prompt = _Prompted(request, self._coder.encode(request.prompt))
            self._check_ids(prompt.ids)
            if self._room(prompt) > 0:
                prompts.append(prompt)
            else:
                yield Answer(
                    request,
                    None,
                    f"the prompt has {len(prompt.ids)} tokens, "
                    f"the model's context holds {self._context_length}",
                )
        prompts.sort(key=lambda prompt: len(prompt.ids), reverse=True)
        waiting, alone = deque(prompts), deque[_Prompted]()
        while (waiting or alone) and not self._stopping:
            size = 1 if alone else min(self._batch_size, len(waiting))
            batch = [(alone or waiting).popleft() for _ in range(size)]
            # The longest prompt sets the end: past its context a model may fail, for every row.
            room = min(map(self._room, batch))
            start = time.perf_counter()
            rows = self._complete(batch, room)
            seconds = time.perf_counter() - start
            if rows is not None:
                for prompt, row in zip(batch, rows, strict=True):
                    if len(row) == room < self._room(prompt):
                        alone.append(prompt)
                    else:
                        yield self._answer(prompt, row, room, seconds)
            elif size > 1:
                self._batch_size = size // 2
                waiting.extendleft(reversed(batch))
            else:
                error = f"out of memory: the prompt has {len(batch[0].ids)} tokens"
                yield Answer(batch[0].request, None, error, seconds=seconds)

    def _check_ids(self, ids: Sequence[int]) -> None:
        """Refuse a tokenizer whose ids the model does not know: it is another model's."""
        known = self._model.config.get_text_config().vocab_size
        if max(ids, default=0) >= known:
            raise UserError(
                f"tokenizer: is not this model's: it gives the token {max(ids)}, "
                f"where the model knows {known} tokens"
            )

    def _room(self, prompt: _Prompted) -> int:
        """How many tokens the answer to a prompt may have."""
        if self._context_length is None:
            return self._config.max_new_tokens
        return min(self._config.max_new_tokens, self._context_length - len(prompt.ids))

    def _complete(self, batch: Sequence[_Prompted], room: int) -> list[list[int]] | None:
        """Generate up to `room` tokens for each prompt, its end token included.

        Returns:
            The tokens of each row; None where the memory does not suffice.
        """
        try:
            return self._generate(batch, room)
        except (RuntimeError, MemoryError) as error:
            if not _is_memory_shortage(error):
                raise
        # Out here the exception is gone, and with it the frames that hold the tensors.
        gc.collect()
        if torch.accelerator.is_available():
            torch.accelerator.empty_cache()
        return None

    def _generate(self, batch: Sequence[_Prompted], room: int) -> list[list[int]]:
        width = max(len(prompt.ids) for prompt in batch)
        padding = [width - len(prompt.ids) for prompt in batch]
        ids = [[self._pad_id] * pad + row.ids for pad, row in zip(padding, batch, strict=True)]
        mask = [[0] * pad + [1] * (width - pad) for pad in padding]
        processors = LogitsProcessorList()
        if self._config.temperature > 0:
            samples = [prompt.request.sample.id for prompt in batch]
            processors.append(SeededSampling(self._config.temperature, self._config.seed, samples))
        # Typed as if a model might lack it; a causal language model does not.
        generate: Any = self._model.generate
        with torch.inference_mode():
            generated = generate(
                input_ids=torch.tensor(ids, device=self._device),
                attention_mask=torch.tensor(mask, device=self._device),
                max_new_tokens=room,
                logits_processor=processors,
                tokenizer=self._tokenizer,  # for a model that names strings to stop at
            )
        return [self._ended(row) for row in generated[:, width:].tolist()]

    def _ended(self, row: list[int]) -> list[int]:
        """A row up to its end token, without the padding that came of longer neighbours."""
        for position, token in enumerate(row):
            if token in self._end_ids:
                return row[: position + 1]
        if self._model.generation_config.stop_strings:
            while row and row[-1] == self._pad_id:
                row.pop()
        return row

    def _answer(self, prompt: _Prompted, row: Sequence[int], room: int, seconds: float) -> Answer:
        ended = len(row) < room or row[-1] in self._end_ids
        return Answer(
            prompt.request,
            self._coder.decode(row),
            finish_reason="stop" if ended else "length",
            usage={"prompt_tokens": len(prompt.ids), "completion_tokens": len(row)},
            seconds=seconds,
        )


def _is_memory_shortage(error: Exception) -> bool:
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
        mark in str(error) for mark in _MEMORY_SHORTAGES
    )
