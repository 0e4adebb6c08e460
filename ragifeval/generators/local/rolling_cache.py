"""Keys and values of a batch whose rows come and go."""

import copy
import inspect
from collections.abc import Sequence
from typing import Any

import torch
from transformers import Cache, DynamicCache
from transformers.cache_utils import CacheLayerMixin, DynamicLayer, DynamicSlidingWindowLayer

# Columns that a new block of memory has to spare: so many steps until the next one.
_SPARE = 256


class RollingLayer(CacheLayerMixin):
    """One layer's keys and values, each in one block of memory; all rows end in the same column.

    The layers of transformers copy all keys and values for each token. Here a token is written
    where there is room; memory is copied only when a row leaves, whose place the last one takes,
    and once in hundreds of steps. What stands to the left of a row is masked, but must be numbers.

    Args:
        slots: how many rows there is room for.
        is_sliding: whether the model looks back no farther than a window. The rows are kept whole
            all the same; the mask hides what it does not see.
    """

    def __init__(self, slots: int, is_sliding: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.is_sliding = is_sliding
        self._slots = slots
        self._rows = 0
        # The columns of the longest row.
        self._start = self._end = 0
        # Keys and values, (slots, heads, columns, size).
        self._blocks: Sequence[torch.Tensor] = ()

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        self.is_initialized = True

    def add(self, states: Sequence[torch.Tensor], length: int) -> None:
        """Add a row. Prompts come the longest first, so none is longer than the rows there are.

        Args:
            states: its keys and values, (1, heads, tokens, size): of its last tokens, where the
                model sees no farther.
            length: of the row, in tokens.
        """
        if self._rows == 0:
            self._start, self._end = 0, length
            if not self._blocks:
                self._grow(states)
        for block, state in zip(self._blocks, states, strict=True):
            begin = self._end - state.shape[-2]
            block[self._rows, :, :begin] = 0
            block[self._rows, :, begin : self._end] = state[0]
        self._rows += 1

    def remove(self, index: int) -> None:
        """Remove a row; the last one takes its place."""
        self._rows -= 1
        if index < self._rows:
            for block in self._blocks:
                block[index] = block[self._rows]

    def narrow(self, width: int) -> None:
        """Leave out the columns on the left that no row needs any more."""
        self._start = self._end - width

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write one token of each row, (rows, heads, 1, size); return what all rows hold."""
        if self._end == self._blocks[0].shape[-2]:
            self._grow(self._blocks)
        for block, state in zip(self._blocks, (key_states, value_states), strict=True):
            block[: self._rows, :, self._end] = state[:, :, 0]
        self._end += 1
        keys, values = (block[: self._rows, :, self._start : self._end] for block in self._blocks)
        return keys, values

    def get_seq_length(self) -> int:
        """The tokens of the longest row."""
        return self._end - self._start

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.get_seq_length() + query_length, 0

    def get_max_length(self) -> int:
        return -1

    def _grow(self, like: Sequence[torch.Tensor]) -> None:
        """Take new blocks, with columns to spare, and move the rows there.

        Args:
            like: states of keys and of values, for heads, size, type and device.
        """
        kept = self.get_seq_length()
        blocks = [
            state.new_zeros(self._slots, state.shape[1], kept + _SPARE, state.shape[3])
            for state in like
        ]
        for block, old in zip(blocks, self._blocks, strict=False):
            block[: self._rows, :, :kept] = old[: self._rows, :, self._start : self._end]
        self._blocks = blocks
        self._start, self._end = 0, kept


class RollingCache(Cache):
    """The keys and values of all layers.

    Args:
        like: the cache of one row, for the kinds of its layers.
        slots: how many rows there is room for.
    """

    def __init__(self, like: Cache, slots: int) -> None:
        self._rolling = [RollingLayer(slots, is_sliding) for is_sliding in like.is_sliding]
        super().__init__(list(self._rolling))

    @torch.inference_mode()
    def add(self, row: Cache, length: int) -> None:
        """Add a row of `length` tokens from a cache of its own."""
        for layer, states in zip(self._rolling, states_of(row), strict=True):
            layer.add(states, length)

    @torch.inference_mode()
    def remove(self, index: int) -> None:
        """Remove a row; the last one takes its place."""
        for layer in self._rolling:
            layer.remove(index)

    def narrow(self, width: int) -> None:
        """Leave out the columns on the left that no row needs any more."""
        for layer in self._rolling:
            layer.narrow(width)


def states_of(row: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The keys and values that a cache of transformers holds, layer by layer."""
    return [(layer.keys, layer.values) for layer in row.layers]


def fork(row: Any) -> Any:
    """A cache of transformers that goes on from another's, and leaves that one as it is.

    The tensors are the same: a layer does not write into them, it takes longer ones in their place.
    """
    forked = copy.copy(row)
    forked.layers = [copy.copy(layer) for layer in row.layers]
    return forked


def can_hold(model: Any) -> bool:
    """Whether all that a model remembers of a row is keys and values, token by token.

    A model that is not given positions counts them by the width of the cache, which is that of the
    longest row.
    """
    if model.is_remote_code() or model.generation_config.use_cache is False:
        return False
    if (
        not {"past_key_values", "position_ids"}
        <= inspect.signature(model.forward).parameters.keys()
    ):
        return False
    layers = DynamicCache(config=model.config.get_text_config(decoder=True)).layers
    return bool(layers) and all(
        type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in layers
    )
