"""What a data set says twice: questions that ask the same, long sentences of two documents."""

import re
from collections.abc import Iterator

from ragifeval.text.normalizer import Normalizer

SIMILAR_QUESTIONS = 0.7
"""Two questions are near duplicates when this share of their lemmas is common (Jaccard index)."""
LONG_SENTENCE = 12
"""A sentence of this many words is one that two documents do not hold by chance."""

_END = re.compile(r"[.!?;:]\s|\n")


def is_repeated(share: float, one: object, other: object) -> bool:
    """Whether two questions by one pattern ask the same.

    Args:
        share: of their lemmas that is common.
        one, other: the entries of `include`; None or empty where a refusal is right.
    """
    return share == 1 or (bool(one) and one == other)


def long_sentences(text: str, normalizer: Normalizer) -> Iterator[tuple[str, str]]:
    """Yield the words of each long sentence, lowercased and joined by one space, and the sentence.

    It ends at a line's end, too.
    """
    for sentence in _END.split(text):
        words = normalizer(sentence).words
        if len(words) >= LONG_SENTENCE:
            yield " ".join(words), sentence.strip()
