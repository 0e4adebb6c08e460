"""BM25 over lemmas: how near texts are to a question."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

# Its customary parameters (Robertson and Zaragoza 2009).
_K1, _B = 1.5, 0.75


class Index:
    """Texts by their lemmas.

    Args:
        texts: the lemmas of each; one at least.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, lemmas in enumerate(texts):
            self._lengths.append(len(lemmas))
            for lemma, count in Counter(lemmas).items():
                self._postings[lemma].append((place, count))
        self._average = sum(self._lengths) / len(self._lengths) or 1

    def weight(self, lemma: str) -> float:
        """The inverse document frequency of a lemma."""
        having = len(self._postings.get(lemma, ()))
        return math.log(1 + (len(self._lengths) - having + 0.5) / (having + 0.5))

    def scores(self, lemmas: Sequence[str]) -> list[float]:
        """The score of each text.

        Args:
            lemmas: of the question, each once; their order may show in the scores' last digits.
        """
        scores = [0.0] * len(self._lengths)
        for lemma in lemmas:
            weight = self.weight(lemma)
            for place, count in self._postings.get(lemma, ()):
                length = _K1 * (1 - _B + _B * self._lengths[place] / self._average)
                scores[place] += weight * count * (_K1 + 1) / (count + length)
        return scores
