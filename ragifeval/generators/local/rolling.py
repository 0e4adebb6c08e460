"""Rolling batches: an answer that ends makes room for the next prompt, and nothing is padded."""

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from transformers import Cache, LogitsProcessorList
from transformers.generation.stopping_criteria import StopStringCriteria

from ragifeval.generators.local.batches import CPU_BATCH, Batches, Row, TokenizedPrompt
from ragifeval.generators.local.loading import LoadedModel
from ragifeval.generators.local.rolling_cache import RollingCache, fork, states_of
from ragifeval.generators.local.sampling import choose

_LOG = logging.getLogger(__name__)

_LARGEST_BATCH = 256
# The share of the free memory for keys and values; the rest is for what a step computes.
_SHARE = 0.8
# Answers are mostly much shorter than max_new_tokens; where they are not, the batch is halved.
_EXPECTED_TOKENS = 1024
# Tokens behind a common head that a CPU reads at once.
_PART = 512
_BY_TOKEN = frozenset({"attention_mask", "position_ids"})
# Of scores, in their standard deviations: what reading a prompt in two parts may change by
# rounding. A model that must read it at once changes them by a third and more.
_MOST_CHANGE = {torch.float32: 0.001}
_MOST_CHANGE_IN_HALF = 0.1


class RollingBatch(Batches):
    """Reads prompts one by one, so without padding, and generates their answers side by side.

    What all prompts have in common at their head is read once, unless that changes the scores.

    How a prompt is prepared is left to transformers' own generate(), so that a model's settings act
    as they do there.
    """

    def __init__(self, loaded: LoadedModel, batch_size: int | None) -> None:
        super().__init__(loaded, batch_size)
        settings = loaded.model.generation_config
        self._stop_strings = None
        if settings.stop_strings:
            # Here, since generate() takes no tokenizer together with custom_generate.
            self._stop_strings = StopStringCriteria(loaded.tokenizer, settings.stop_strings)
            settings.stop_strings = None

    def generate(self, waiting: deque[TokenizedPrompt], rows: list[Row]) -> Iterator[Row]:
        """Answer all prompts that wait."""
        cache: RollingCache | None = None
        head: Cache | None = None
        self.rows_at_once = 0  # until the size of the cache is known
        while True:
            is_full = cache is not None and len(rows) == self.rows_at_once
            if waiting and not is_full and not self.is_stopping:
                rows.append(self.new_row(waiting.popleft()))
                scores, own = self._read(rows[-1], head)
                if cache is None:
                    limit = self.limit or self._rows_that_fit(own, rows[-1].prompt)
                    self.rows_at_once = min(limit, 1 + len(waiting))
                    cache = RollingCache(own, self.rows_at_once)
                    head = self._read_head(rows[-1], scores, waiting)
                cache.add(own, rows[-1].length)
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
                    yield row.end()
            if rows:
                cache.narrow(max(row.length for row in rows) - 1)

    def _rows_that_fit(self, cache: Cache, longest: TokenizedPrompt) -> int:
        """How many answers to generate at once where the config leaves it open.

        A step reads all weights whatever the batch, so an accelerator is given as many rows as its
        memory holds. A CPU is soon busy with the rows themselves, and a process that asks for too
        much memory is killed there: the batch is small.

        Args:
            cache: of the longest prompt.
        """
        device = self.loaded.device
        if device.type == "cpu":
            return CPU_BATCH
        states = [state for layer in states_of(cache) for state in layer]
        token_bytes = sum(state.nbytes / state.shape[-2] for state in states)
        tokens = len(longest.ids) + min(longest.max_new_tokens, _EXPECTED_TOKENS)
        return rows_in(_free_bytes(device), token_bytes * tokens)

    def _read_head(
        self, row: Row, scores: torch.Tensor, waiting: Sequence[TokenizedPrompt]
    ) -> Cache | None:
        """Read what a prompt has in common with all that wait, and try it on that prompt.

        Args:
            row: the prompt, which was read as a whole.
            scores: of its first token, (1, vocabulary).

        Returns:
            the keys and values of the common head; None where it is too short to be worth it, or
            where the prompt's scores are others with it.
        """
        length = common_length([row.prompt.ids, *(prompt.ids for prompt in waiting)])
        if length * len(waiting) <= row.length:  # what the trial costs
            return None
        part = TokenizedPrompt(row.prompt.request, row.prompt.ids[:length], 1)
        _, head = self._read(self.new_row(part), None)
        again, _ = self._read(row, head)
        change = (again - scores).std() / scores.std()
        if change < _MOST_CHANGE.get(self.loaded.model.dtype, _MOST_CHANGE_IN_HALF):
            return head
        _LOG.debug("the prompts' common head is read with each: the scores change by %f", change)
        return None

    @torch.inference_mode()
    def _read(self, row: Row, head: Cache | None) -> tuple[torch.Tensor, Cache]:
        """Give the prompt to the model.

        Args:
            head: keys and values of the prompt's first tokens, where they are known.

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
            length, start = input_ids.shape[1], 0 if head is None else head.get_seq_length()
            for end in [*range(start + part, length, part), length]:
                given = {key: arguments.get(key) for key in _BY_TOKEN}
                given = {key: value[:, :end] for key, value in given.items() if value is not None}
                inputs = model.prepare_inputs_for_generation(
                    input_ids[:, :end],
                    is_first_iteration=True,
                    next_sequence_length=end - start,
                    **{**arguments, **given},
                )
                output = model(**inputs, return_dict=True)
                start = end
            return _last_scores(output), output.past_key_values

        ids = torch.tensor([row.prompt.ids], device=self.loaded.device)
        past, part = {}, len(row.prompt.ids)
        if head is not None:
            past["past_key_values"] = fork(head)
            # Behind a head attention works out what the mask hides, too: on a CPU it shows.
            part = _PART if self.loaded.device.type == "cpu" else part
        result: tuple[torch.Tensor, Cache] = self.loaded.model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=row.prompt.max_new_tokens,
            custom_generate=read,
            **past,
        )
        return result

    @torch.inference_mode()
    def _step(self, rows: Sequence[Row], cache: RollingCache) -> torch.Tensor:
        """Give each row's last token to the model; return the scores of the next one."""
        model, device = self.loaded.model, self.loaded.device
        lengths = torch.tensor([row.length for row in rows], device=device)[:, None]
        mask = None
        if any(row.length != rows[0].length for row in rows):
            width = cache.get_seq_length() + 1
            mask = (torch.arange(width, device=device) >= width - lengths).long()
        inputs = model.prepare_inputs_for_generation(
            torch.tensor([row.tokens[-1:] for row in rows], device=device),
            next_sequence_length=1,
            past_key_values=cache,
            attention_mask=mask,
            position_ids=lengths - 1,
            use_cache=True,
        )
        return _last_scores(model(**inputs, return_dict=True))

    @torch.inference_mode()
    def _choose(self, rows: Sequence[Row], scores: torch.Tensor) -> None:
        """Append the next token to each row.

        Args:
            scores: (rows, vocabulary).
        """
        for place, row in enumerate(rows):
            if row.processors:
                # Each row alone: some of them keep what they know of a row from its prompt on.
                own = slice(place, place + 1)
                scores[own] = row.processors(self._ids(row), scores[own])
        chosen = choose(scores, self.loaded.temperature, [row.stream for row in rows])
        for row, token in zip(rows, chosen.tolist(), strict=True):
            row.tokens.append(token)

    def _is_done(self, row: Row) -> bool:
        is_full = len(row.tokens) == row.prompt.max_new_tokens
        if is_full or row.tokens[-1] in self.loaded.end_ids:
            return True
        return self._stop_strings is not None and bool(self._stop_strings(self._ids(row), None))

    def _ids(self, row: Row) -> Any:
        """Prompt and answer so far, a tensor (1, length)."""
        return torch.tensor([[*row.prompt.ids, *row.tokens]], device=self.loaded.device)


def common_length(prompts: Sequence[Sequence[int]]) -> int:
    """How many tokens all prompts begin with; fewer than any has, so that each has one of its own.

    >>> common_length([[7, 8, 9, 1], [7, 8, 9], [7, 8, 9, 9]])
    2
    """
    first, last = min(map(list, prompts)), max(map(list, prompts))
    pairs = zip(first, last, strict=False)
    length = next((place for place, (a, b) in enumerate(pairs) if a != b), len(first))
    return min(length, min(map(len, prompts)) - 1)


def rows_in(free_bytes: int, row_bytes: float) -> int:
    """How many rows of keys and values fit into the memory of an accelerator."""
    return max(1, min(_LARGEST_BATCH, int(_SHARE * free_bytes / row_bytes)))


def _free_bytes(device: torch.device) -> int:
    """What tensors may still take: what nobody holds, and what torch holds in reserve."""
    free, _ = torch.accelerator.get_memory_info(device)
    reserved = torch.accelerator.memory_reserved(device)
    return free + reserved - torch.accelerator.memory_allocated(device)


def _last_scores(output: Any) -> torch.Tensor:
    """The scores of the token after the last, (rows, vocabulary), without the logits' memory."""
    scores: torch.Tensor = output.logits[:, -1].to(torch.float32, copy=True)
    return scores
