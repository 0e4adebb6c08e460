"""The words of a text, and what stands between them."""

from collections.abc import Sequence

from ragifeval.text.normalizer import Normalized

DIGITS = frozenset("0123456789")
# No reader looks further ahead than this from a word that is there.
_BEYOND = ("",) * 5
_SPACES = " \u00a0\u202f\u2009\t\n"

# The tokens that were read at a word, and the index of the word after them.
Reading = tuple[list[str], int]


class Words:
    """The words of a normalized text by index, safe to ask beyond the last one.

    Attributes:
        words: in lowercase; "" beyond the last one.
        gaps: what stands before each word and, at last, up to the text's end.
        lemmas: of the words that are there.
    """

    def __init__(self, normalized: Normalized) -> None:
        self._normalized = normalized
        self.words: Sequence[str] = [*normalized.words, *_BEYOND]
        self.gaps: Sequence[str] = [*normalized.gaps, *_BEYOND]
        self.lemmas = normalized.lemmas

    def written(self, index: int) -> str:
        """The word as it stands in the text."""
        start, end = self._normalized.spans[index]
        return self._normalized.text[start:end]

    def digit_count(self, index: int) -> int:
        """Of how many ASCII digits the word is a run; 0 where it is none."""
        word = self.words[index]
        return len(word) if word.isdigit() and word.isascii() else 0


def all_digits(word: str) -> bool:
    """Whether a word is a run of ASCII digits."""
    return word.isdigit() and word.isascii()


def is_space(gap: str) -> bool:
    """Whether there is white space and nothing else."""
    return gap == " " or (gap != "" and not gap.strip(_SPACES))
