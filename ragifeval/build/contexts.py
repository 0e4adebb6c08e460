"""Which chunks stand in a question's context beside the one that it was asked about."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ragifeval.benchmark.validate.entries import is_part_of_a_number, is_said
from ragifeval.benchmark.validate.repeats import long_sentences
from ragifeval.build.phrases import Entry
from ragifeval.build.records import Chunk
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer

# Texts of chunks kept ready; one of 2,000 characters takes some 60 kB.
_READY = 1_000


class Index:
    """An index of chunks by their lemmas, so that inflection makes no difference.

    Args:
        chunks: what is looked up, in the order in which equally near ones are given.
        normalizer: gives the lemmas of chunks and queries.
    """

    def __init__(self, chunks: Sequence[Chunk], normalizer: Normalizer) -> None:
        from bm25s import BM25  # which imports scipy

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
        lemmas = self._normalizer(query).lemmas
        known = [self._numbers[lemma] for lemma in lemmas if lemma in self._numbers]
        if not known:
            yield from self._chunks
            return
        scores = self._bm25.get_scores_from_ids(known)
        for index in np.argsort(-scores, kind="stable").tolist():
            yield self._chunks[index]


class Contexts:
    """Finds the chunks that may stand beside another in a context.

    Args:
        chunks: all chunks of the build.
    """

    def __init__(self, chunks: Sequence[Chunk], normalizer: Normalizer) -> None:
        self._normalizer = normalizer
        self._index = Index(chunks, normalizer)
        self._joined: dict[str, str] = {}
        self._ready = lru_cache(_READY)(lambda text: Text(normalizer(text)))

    def text(self, chunk: Chunk) -> Text:
        """The text of a chunk, ready for either rule."""
        return self._ready(chunk.text)

    def beside(self, chunk: Chunk, question: str, entries: Sequence[Entry]) -> Iterator[Chunk]:
        """Yield chunks that do not answer the question, nearest first.

        Passed over is what would be another right source: a chunk that holds all entries, or that
        says one of them in the very sentence of the chunk; and a chunk in which an entry is part of
        another number, as the substring rule would find it there.
        """
        telling: set[str] | None = None
        for other in self._others(chunk, question):
            said = [self._is_said(entry, other) for entry in entries]
            if all(said):
                continue
            if any(said):
                text = self.text(other)
                if any(is_part_of_a_number(phrase, text) for e in entries for phrase in e.texts):
                    continue
                if telling is None:
                    telling = self._telling(chunk, entries)
                if telling and not telling.isdisjoint(self._sentences(other)):
                    continue
            yield other

    def without(self, chunk: Chunk, question: str, entries: Sequence[Entry]) -> Iterator[Chunk]:
        """Yield chunks that hold none of the entries, nearest first."""
        for other in self._others(chunk, question):
            if not any(self._is_said(entry, other) for entry in entries):
                yield other

    def _others(self, chunk: Chunk, question: str) -> Iterator[Chunk]:
        for other in self._index.nearest(question):
            if other.id != chunk.id and not _overlap(chunk, other):
                yield other

    def _is_said(self, entry: Entry, other: Chunk) -> bool:
        # What stands on every page is looked for in all chunks, so the lemmas of all are kept; the
        # whole-word rule needs more, and is asked where the substring rule says no.
        if other.id not in self._joined:
            self._joined[other.id] = self.text(other).normalized.joined
        joined = self._joined[other.id]
        if any(phrase.normalized.joined in joined for phrase in entry.texts):
            return True
        return is_said(entry.texts, self.text(other))

    def _telling(self, chunk: Chunk, entries: Sequence[Entry]) -> set[str]:
        """The long sentences of a chunk that say an entry."""
        return {
            words
            for words, sentence in long_sentences(chunk.text, self._normalizer)
            if any(is_said(entry.texts, Text(self._normalizer(sentence))) for entry in entries)
        }

    def _sentences(self, chunk: Chunk) -> Iterator[str]:
        return (words for words, _ in long_sentences(chunk.text, self._normalizer))


def _overlap(one: Chunk, other: Chunk) -> bool:
    """Whether two chunks have a part of their source in common."""
    is_same = one.file == other.file and one.row == other.row
    return is_same and one.start < other.end and other.start < one.end
