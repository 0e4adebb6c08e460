"""Long sentences of documents: one that stands in two of them can be cited twice."""

import re
from collections.abc import Iterator

from ragifeval.text.normalizer import Normalizer

LONG_SENTENCE = 12
"""A sentence of this many words is one that two documents do not hold by chance."""

_END = re.compile(r"[.!?;:]\s|\n")


def long_sentences(text: str, normalizer: Normalizer) -> Iterator[tuple[str, str]]:
    """Yield the words of each long sentence, lowercased and joined by one space, and the sentence.

    It ends at a line's end, too.
    """
    for sentence in _END.split(text):
        words = normalizer(sentence).words
        if len(words) >= LONG_SENTENCE:
            yield " ".join(words), sentence.strip()
