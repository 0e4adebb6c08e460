"""The documents nearest to a question, by BM25 over lemmas."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ragifeval.benchmark.benchmark import Document
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.stop_words import stop_words

# BM25's customary parameters (Robertson and Zaragoza 2009).
_K1, _B = 1.5, 0.75
# Logarithms differ in their last digits from machine to machine, ranks must not.
_DIGITS = 6


class Index:
    """The documents by their lemmas."""

    def __init__(self, documents: Mapping[str, Document], normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        self._keys = list(documents)
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, document in enumerate(documents.values()):
            lemmas = normalizer(f"{document.title or ''}\n{document.contents}").lemmas
            self._lengths.append(len(lemmas))
            for lemma, count in Counter(lemmas).items():
                self._postings[lemma].append((place, count))
        self._average = sum(self._lengths) / len(self._lengths) or 1

    def rank(self, question: str) -> Sequence[str]:
        """The ids of all documents, the nearest first; of equal ones in the order of the data."""
        scores = [0.0] * len(self._keys)
        unasked = stop_words(self._normalizer.language)
        for lemma in dict.fromkeys(self._normalizer(question).lemmas):
            postings = self._postings.get(lemma, ())
            if lemma in unasked or not postings:
                continue
            weight = math.log(1 + (len(self._keys) - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, count in postings:
                length = _K1 * (1 - _B + _B * self._lengths[place] / self._average)
                scores[place] += weight * count * (_K1 + 1) / (count + length)
        order = sorted(range(len(self._keys)), key=lambda place: -round(scores[place], _DIGITS))
        return [self._keys[place] for place in order]
