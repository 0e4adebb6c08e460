"""The words of a text, and what stands between them."""

from collections.abc import Sequence

from ragifeval.text.normalizer import Normalized

DIGITS = frozenset("0123456789")
# Words that begin with a digit come before this in the order of characters, and no others.
BEHIND_DIGITS = ":"
# No reader looks further ahead than this from a word that is there.
_BEYOND = ("",) * 5
_SPACES = frozenset(" \u00a0\u202f\u2009\t\n")

# The tokens that were read at a word, and the index of the word after them.
Reading = tuple[list[str], int]


class Words:
    """The words of a normalized text by index, safe to ask beyond the last one."""

    def __init__(self, normalized: Normalized) -> None:
        self.lemmas = normalized.lemmas
        self._normalized = normalized
        self._words = [*normalized.words, *_BEYOND]
        self._gaps = normalized.gaps

    def __len__(self) -> int:
        return len(self._words) - len(_BEYOND)

    def __getitem__(self, index: int) -> str:
        """The lowercased word; "" beyond the last one."""
        return self._words[index]

    def written(self, index: int) -> str:
        """The word as it stands in the text."""
        start, end = self._normalized.spans[index]
        return self._normalized.text[start:end]

    def gap(self, index: int) -> str:
        """What stands before the word; beyond the last word, what stands up to the text's end."""
        return self._gaps[index]

    def are_digits(self, index: int, lengths: Sequence[int] = ()) -> bool:
        """Whether the word is a run of ASCII digits, of one of these lengths if any are given."""
        word = self._words[index]
        return (not lengths or len(word) in lengths) and word.isdigit() and word.isascii()


def all_digits(word: str) -> bool:
    """Whether a word is a run of ASCII digits."""
    return word.isascii() and word.isdigit()


def is_space(gap: str) -> bool:
    """Whether there is white space and nothing else."""
    return gap == " " or (bool(gap) and all(character in _SPACES for character in gap))
