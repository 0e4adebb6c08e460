"""Generation in a batch that is kept full: a finished answer makes room for the next prompt."""

import inspect
import random
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import Cache, LogitsProcessorList
from transformers.generation.stopping_criteria import StopStringCriteria

from ragifeval.generators.engine import Completion, Network, Prompted, out_of_memory
from ragifeval.generators.memory import batch_that_fits, is_shortage, release
from ragifeval.generators.rolling_cache import RollingCache, states_of
from ragifeval.generators.sampling import draw, stream


@dataclass(eq=False)
class _Row:
    """An answer that is being generated.

    Attributes:
        tokens: of the answer so far; the last one has not been given to the model yet.
        processors: what the model's own settings do to the scores of the next token.
    """

    prompt: Prompted
    stream: random.Random
    since: float = field(default_factory=time.perf_counter)
    tokens: list[int] = field(default_factory=list)
    processors: LogitsProcessorList = field(default_factory=LogitsProcessorList)

    @property
    def length(self) -> int:
        return len(self.prompt.ids) + len(self.tokens)


class RollingBatch:
    """Reads prompts one by one, so without padding, and generates their answers side by side.

    An answer that ends leaves the batch at once, and the next prompt takes its place. How a prompt
    is prepared is left to transformers' own generate(), so that a model's settings act as they do
    there.

    Args:
        batch_size: how many answers are generated at once; None to fill the memory.
    """

    def __init__(self, network: Network, batch_size: int | None) -> None:
        self._network = network
        self._limit = batch_size
        self._slots = 0  # rows that the present cache has room for
        self._stopping = False
        accepted = inspect.signature(network.model.forward).parameters
        self._takes_positions = "position_ids" in accepted
        settings = network.model.generation_config
        settings.cache_implementation = None
        self._stop_strings = None
        if settings.stop_strings:
            # Here, since generate() takes no tokenizer together with custom_generate.
            self._stop_strings = StopStringCriteria(network.tokenizer, settings.stop_strings)
            settings.stop_strings = None

    def stop(self) -> None:
        """Begin no more answers."""
        self._stopping = True

    def complete(self, prompts: Sequence[Prompted]) -> Iterator[Completion]:
        """Complete the prompts; where memory is short, begin again with half as many at once."""
        waiting = deque(prompts)
        while waiting and not self._stopping:
            self._slots = 0
            rows: list[_Row] = []
            try:
                yield from self._roll(waiting, rows)
            except (RuntimeError, MemoryError) as error:
                if not is_shortage(error):
                    raise
            # Out here the exception is gone, and with it the frames that hold the tensors.
            if not rows:
                continue
            release()
            if self._slots > 1:
                self._limit = self._slots // 2
                rows.sort(key=lambda row: len(row.prompt.ids))
                waiting.extendleft(row.prompt for row in rows)
            else:
                yield out_of_memory(rows[0].prompt, time.perf_counter() - rows[0].since)

    def _roll(self, waiting: deque[Prompted], rows: list[_Row]) -> Iterator[Completion]:
        """Generate until nothing waits and no row is left.

        Args:
            rows: filled with the rows that are begun, emptied as they end.
        """
        cache: RollingCache | None = None
        while True:
            is_full = cache is not None and len(rows) == self._slots
            if waiting and not is_full and not self._stopping:
                prompt = waiting.popleft()
                row = _Row(prompt, stream(self._network.seed, prompt.request.id))
                rows.append(row)
                scores, own = self._read(row)
                if cache is None:
                    self._slots = min(self._batch_size(own, prompt), 1 + len(waiting))
                    cache = RollingCache(own, self._slots)
                cache.add(own, len(prompt.ids))
                del own
                first = len(rows) - 1
            elif rows and cache is not None:
                scores = self._step(rows, cache)
                first = 0
            else:
                return
            self._choose(rows[first:], scores)
            # From the last to the first: where one leaves, the last one takes its place.
            for place in reversed(range(first, len(rows))):
                if self._is_done(row := rows[place]):
                    rows[place] = rows[-1]
                    rows.pop()
                    cache.remove(place)
                    yield Completion(row.prompt, row.tokens, time.perf_counter() - row.since)
            if rows:
                cache.narrow(max(row.length for row in rows) - 1)

    def _batch_size(self, cache: Cache, longest: Prompted) -> int:
        """How many answers are generated at once.

        Args:
            cache: of the longest prompt.
        """
        if self._limit is None:
            states = [state for layer in states_of(cache) for state in layer]
            bytes_a_token = sum(state.nbytes / state.shape[-2] for state in states)
            tokens = (len(longest.ids), longest.room)
            self._limit = batch_that_fits(self._network.device, bytes_a_token, *tokens)
        return self._limit

    @torch.inference_mode()
    def _read(self, row: _Row) -> tuple[torch.Tensor, Cache]:
        """Give the prompt to the model.

        Returns:
            the scores of the first token, (1, vocabulary), and the prompt's keys and values.
        """

        def read(
            model: Any,
            input_ids: torch.Tensor,
            logits_processor: LogitsProcessorList,
            stopping_criteria: object,
            generation_config: object,
            **arguments: Any,
        ) -> tuple[torch.Tensor, Cache]:
            row.processors = logits_processor
            inputs = model.prepare_inputs_for_generation(
                input_ids, is_first_iteration=True, **arguments
            )
            output = model(**inputs, return_dict=True)
            return _last_scores(output), output.past_key_values

        ids = torch.tensor([row.prompt.ids], device=self._network.device)
        result: tuple[torch.Tensor, Cache] = self._network.model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=row.prompt.room,
            custom_generate=read,
        )
        return result

    @torch.inference_mode()
    def _step(self, rows: Sequence[_Row], cache: RollingCache) -> torch.Tensor:
        """Give each row's last token to the model; return the scores of the next one."""
        model, device = self._network.model, self._network.device
        lengths = torch.tensor([row.length for row in rows], device=device)[:, None]
        mask = None
        if any(row.length != rows[0].length for row in rows):
            width = cache.get_seq_length() + 1
            mask = (torch.arange(width, device=device) >= width - lengths).long()
        arguments: dict[str, Any] = {"use_cache": True}
        if self._takes_positions:
            arguments["position_ids"] = lengths - 1
        inputs = model.prepare_inputs_for_generation(
            torch.tensor([row.tokens[-1:] for row in rows], device=device),
            next_sequence_length=1,
            past_key_values=cache,
            attention_mask=mask,
            **arguments,
        )
        return _last_scores(model(**inputs, return_dict=True))

    @torch.inference_mode()
    def _choose(self, rows: Sequence[_Row], scores: torch.Tensor) -> None:
        """Append the next token to each row.

        Args:
            scores: (rows, vocabulary).
        """
        for place, row in enumerate(rows):
            if row.processors:
                # Each row alone: some of them keep what they know of a row from its prompt on.
                own = slice(place, place + 1)
                scores[own] = row.processors(self._ids(row), scores[own])
        if self._network.temperature > 0:
            chosen = draw(scores, self._network.temperature, [row.stream for row in rows])
        else:
            chosen = scores.argmax(dim=-1)
        for row, token in zip(rows, chosen.tolist(), strict=True):
            row.tokens.append(token)

    def _is_done(self, row: _Row) -> bool:
        if row.tokens[-1] in self._network.end_ids or len(row.tokens) == row.prompt.room:
            return True
        return self._stop_strings is not None and bool(self._stop_strings(self._ids(row), None))

    def _ids(self, row: _Row) -> Any:
        """Prompt and answer so far, a tensor (1, length)."""
        return torch.tensor([[*row.prompt.ids, *row.tokens]], device=self._network.device)


def _last_scores(output: Any) -> torch.Tensor:
    """The scores of the token after the last, (rows, vocabulary), without the logits' memory."""
    scores: torch.Tensor = output.logits[:, -1].to(torch.float32, copy=True)
    return scores
