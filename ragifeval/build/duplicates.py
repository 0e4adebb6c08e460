"""Chunks that repeat others, exactly or nearly, are left out."""

from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ragifeval.build.records import Chunk, Duplicate
from ragifeval.text.lemmas import WORD
from ragifeval.text.similar import SimilarSets

SIMILARITY = 0.8
"""Two chunks are near duplicates when this share of their runs of words is common."""
RUN = 5
"""So many words in a row are compared: single words are common to all texts on one subject."""

Numbers = NDArray[np.int64]


def drop_duplicates(
    chunks: Sequence[Chunk], similarity: float = SIMILARITY
) -> tuple[list[Chunk], list[Duplicate]]:
    """Keep each chunk that is like none that was kept before it.

    So a chunk that is left out repeats a kept one by itself, never by way of another. Letter case
    and marks between words do not count.

    Args:
        similarity: the share of their runs of words that must be common (Jaccard index).
    """
    words = _numbered([WORD.findall(chunk.text.lower()) for chunk in chunks])
    runs, alone = _ranked_runs(words)
    sets = SimilarSets(similarity, alone)
    first: dict[bytes, str] = {}
    kept: list[Chunk] = []
    duplicates: list[Duplicate] = []
    for chunk, numbers, ranks in zip(chunks, words, runs, strict=True):
        exact = first.get(numbers.tobytes())
        if exact is not None:
            duplicates.append(Duplicate(chunk, exact, 1.0))
        elif alike := max(sets.like(ranks.tolist()), key=itemgetter(1), default=None):
            duplicates.append(Duplicate(chunk, *alike))
        else:
            kept.append(chunk)
            first[numbers.tobytes()] = chunk.id
            sets.add(chunk.id, ranks.tolist())
    return kept, duplicates


def _numbered(texts: Sequence[Sequence[str]]) -> list[Numbers]:
    """Each word of each text as a number from 1; zeros make a short text as long as one run."""
    numbers: dict[str, int] = {}
    numbered = []
    for words in texts:
        row = [numbers.setdefault(word, len(numbers) + 1) for word in words]
        row += [0] * (RUN - len(row))
        numbered.append(np.array(row, dtype=np.int64))
    return numbered


def _ranked_runs(texts: Sequence[Numbers]) -> tuple[list[Numbers], int]:
    """The runs of words of each text, as their ranks by the number of texts that have them.

    Returns:
        The ranks, ascending, the rarest run of all being 0; how many runs no two texts share.
    """
    if not texts:
        return [], 0
    words = np.concatenate(texts)
    runs = words
    for place in range(1, RUN):
        # A run one word longer is numbered by its place among all such runs: no two the same.
        _, runs = np.unique(runs[:-1] * (words.max() + 1) + words[place:], return_inverse=True)
    ends = np.cumsum([len(text) for text in texts])
    of_texts = [
        np.unique(runs[end - len(text) : end - RUN + 1])
        for text, end in zip(texts, ends.tolist(), strict=True)
    ]
    counts = np.bincount(np.concatenate(of_texts), minlength=len(runs))
    ranks = np.empty_like(counts)
    ranks[np.argsort(counts, kind="stable")] = np.arange(len(counts))
    return [np.sort(ranks[text]) for text in of_texts], int((counts <= 1).sum())
