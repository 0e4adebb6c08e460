"""A sequence that keeps its items as bytes."""

from ragifeval.benchmark.packed import Packed

ROWS = [str(number).encode() for number in range(5_000)]


def test_is_a_sequence_of_what_it_unpacks() -> None:
    numbers = Packed(ROWS, int)
    assert len(numbers) == 5_000
    assert list(numbers) == list(range(5_000))
    assert (numbers[0], numbers[-1], numbers[4_999]) == (0, 4_999, 4_999)
    assert 4_321 in numbers
    assert list(numbers[10:13]) == list(numbers[10:][:3]) == [10, 11, 12]
    assert numbers[:None] == numbers
    assert numbers[1:] != numbers
    assert numbers != tuple(numbers)


def test_few_items_are_made_once() -> None:
    made: list[bytes] = []

    def unpack(row: bytes) -> list[bytes]:
        made.append(row)
        return [row]

    few = Packed(ROWS[: Packed.REMEMBERED], unpack)
    assert all(one is other for one, other in zip(list(few), few, strict=True))
    assert len(made) == Packed.REMEMBERED


def test_not_all_items_are_kept() -> None:
    numbers = Packed(ROWS, lambda row: [row])
    one, other = list(numbers), list(numbers)
    assert one == other == [[row] for row in ROWS]
    assert sum(item is same for item, same in zip(one, other, strict=True)) <= Packed.REMEMBERED
