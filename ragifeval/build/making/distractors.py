"""The chunks that are nearest to a question: BM25 over lemmas, by the bm25s package."""

from collections.abc import Iterator, Sequence

from ragifeval.build.records import Chunk
from ragifeval.text.normalizer import Normalizer


class Index:
    """An index of chunks by their lemmas, so that inflection makes no difference.

    Args:
        chunks: what is looked up, in the order in which equally near ones are given.
        normalizer: gives the lemmas of chunks and queries.
    """

    def __init__(self, chunks: Sequence[Chunk], normalizer: Normalizer) -> None:
        from bm25s import BM25

        self._chunks = chunks
        self._normalizer = normalizer
        self._bm25 = BM25()
        # Numbered here, in order: bm25s would number them in the order of a set, which differs
        # from one process to the next.
        self._numbers: dict[str, int] = {}
        numbered = [
            [self._numbers.setdefault(lemma, len(self._numbers)) for lemma in lemmas]
            for lemmas in (normalizer(chunk.text).lemmas for chunk in chunks)
        ]
        if self._numbers:
            self._bm25.index((numbered, self._numbers), False, show_progress=False)

    def nearest(self, query: str) -> Iterator[Chunk]:
        """Yield all chunks, best first; those that have nothing in common with the query last."""
        import numpy as np

        lemmas = self._normalizer(query).lemmas
        known = [self._numbers[lemma] for lemma in lemmas if lemma in self._numbers]
        if not known:
            yield from self._chunks
            return
        scores = self._bm25.get_scores_from_ids(known)
        for index in np.argsort(-scores, kind="stable").tolist():
            yield self._chunks[index]
