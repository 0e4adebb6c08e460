"""Generation in batches that are padded on the left, each until its last answer ends."""

import time
from collections import deque
from collections.abc import Iterator, Sequence

import torch
from transformers import LogitsProcessorList

from ragifeval.generators.engine import Completion, Network, Prompted, out_of_memory
from ragifeval.generators.memory import CPU_BATCH, is_shortage, release
from ragifeval.generators.sampling import SeededSampling

# "auto", where what a row takes is not known: memory that does not suffice halves it.
_LARGEST = 32


class PaddedBatches:
    """Leaves everything to transformers' generate(): for models that RollingBatch is no way for.

    An answer that is cut off where a longer neighbour's context ends is generated again alone.

    Args:
        batch_size: how many answers are generated at once; None to fill the memory.
    """

    def __init__(self, network: Network, batch_size: int | None) -> None:
        self._network = network
        self._batch_size = batch_size or (CPU_BATCH if network.device.type == "cpu" else _LARGEST)
        self._stopping = False

    def stop(self) -> None:
        """Begin no more batches."""
        self._stopping = True

    def complete(self, prompts: Sequence[Prompted]) -> Iterator[Completion]:
        """Complete the prompts, each batch's as it is done."""
        waiting, alone = deque(prompts), deque[Prompted]()
        while (waiting or alone) and not self._stopping:
            size = 1 if alone else min(self._batch_size, len(waiting))
            batch = [(alone or waiting).popleft() for _ in range(size)]
            # The longest prompt sets the end: past its context a model may fail, for every row.
            room = min(prompt.room for prompt in batch)
            start = time.perf_counter()
            rows = self._try(batch, room)
            seconds = time.perf_counter() - start
            if rows is not None:
                for prompt, row in zip(batch, rows, strict=True):
                    if len(row) == room < prompt.room:
                        alone.append(prompt)
                    else:
                        yield Completion(prompt, row, seconds)
            elif size > 1:
                self._batch_size = size // 2
                waiting.extendleft(reversed(batch))
            else:
                yield out_of_memory(batch[0], seconds)

    def _try(self, batch: Sequence[Prompted], room: int) -> list[list[int]] | None:
        """Generate up to `room` tokens for each prompt, its end token included.

        Returns:
            the tokens of each row; None where the memory does not suffice.
        """
        try:
            return self._generate(batch, room)
        except (RuntimeError, MemoryError) as error:
            if not is_shortage(error):
                raise
        # Out here the exception is gone, and with it the frames that hold the tensors.
        release()
        return None

    def _generate(self, batch: Sequence[Prompted], room: int) -> list[list[int]]:
        network = self._network
        width = max(len(prompt.ids) for prompt in batch)
        padding = [width - len(prompt.ids) for prompt in batch]
        ids = [[network.pad_id] * pad + [*row.ids] for pad, row in zip(padding, batch, strict=True)]
        mask = [[0] * pad + [1] * (width - pad) for pad in padding]
        processors = LogitsProcessorList()
        if network.temperature > 0:
            samples = [prompt.request.id for prompt in batch]
            processors.append(SeededSampling(network.temperature, network.seed, samples))
        with torch.inference_mode():
            generated = network.model.generate(
                input_ids=torch.tensor(ids, device=network.device),
                attention_mask=torch.tensor(mask, device=network.device),
                max_new_tokens=room,
                logits_processor=processors,
                tokenizer=network.tokenizer,  # for a model that names strings to stop at
            )
        return [self._ended(row) for row in generated[:, width:].tolist()]

    def _ended(self, row: list[int]) -> list[int]:
        """A row up to its end token, without the padding that came of longer neighbours."""
        for position, token in enumerate(row):
            if token in self._network.end_ids:
                return row[: position + 1]
        if self._network.model.generation_config.stop_strings:
            while row and row[-1] == self._network.pad_id:
                row.pop()
        return row
