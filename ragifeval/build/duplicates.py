"""Chunks that repeat others, exactly or nearly, are left out."""

from collections.abc import Sequence

from ragifeval.build.records import Chunk, Duplicate
from ragifeval.text.lemmas import WORD
from ragifeval.text.similar import similar_pairs

SIMILARITY = 0.8
"""Two chunks are near duplicates when this share of their runs of words is common."""
RUN = 5
"""Runs of this many words are compared: single words are common to all texts on one subject."""


def drop_duplicates(
    chunks: Sequence[Chunk], similarity: float = SIMILARITY
) -> tuple[list[Chunk], list[Duplicate]]:
    """Keep each chunk that is like none of those kept before it.

    A chunk that is left out repeats a kept one itself, never by way of another. Letter case and
    punctuation do not count.

    Args:
        similarity: the share of their runs of words that must be common (Jaccard index).
    """
    first: dict[frozenset[tuple[str, ...]], str] = {}
    exact = {chunk.id: first.setdefault(_runs(chunk.text), chunk.id) for chunk in chunks}
    # Id of a chunk that is left out -> id of the kept one that is most like it, and their share.
    nearest: dict[str, tuple[str, float]] = {}
    for kept, key, share in similar_pairs({key: runs for runs, key in first.items()}, similarity):
        if kept not in nearest and share > nearest.get(key, ("", 0.0))[1]:
            nearest[key] = (kept, share)
    kept_chunks, duplicates = [], []
    for chunk in chunks:
        same = exact[chunk.id]
        if same in nearest:
            duplicates.append(Duplicate(chunk, *nearest[same]))
        elif same != chunk.id:
            duplicates.append(Duplicate(chunk, same, 1.0))
        else:
            kept_chunks.append(chunk)
    return kept_chunks, duplicates


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = WORD.findall(text.lower())
    return frozenset(
        tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))
    )
