"""Sources -> chunks: pieces of a text of some length, each with its place there, none twice."""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from semantic_text_splitter import TextSplitter

from ragifeval.build.records import Chunk, Duplicate, Source
from ragifeval.text.lemmas import WORD
from ragifeval.text.similar import similar_pairs

SIMILARITY = 0.8
"""Two chunks are near duplicates when this share of their runs of words is common."""
RUN = 5
"""Runs of this many words are compared: single words are common to all texts on one subject."""

_LONGEST_SLUG = 60
# Letters that no decomposition makes ASCII.
_ASCII = str.maketrans(
    {"ł": "l", "ß": "ss", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i"}
)


def cut(sources: Iterable[Source], size: int | None, overlap: int) -> Iterator[Chunk]:
    """Cut sources into chunks: between paragraphs, lines, sentences, words or letters.

    What holds no letter or digit is left out.

    Args:
        size: of a chunk, in characters, at most; None leaves each source whole.
        overlap: how much of the end of a chunk the next one may repeat, in characters; less than
            the size.
    """
    slugs = _Slugs()
    numbers: Counter[str] = Counter()
    for source in sources:
        for start, end in _spans(source.text, size, overlap):
            numbers[source.file] += 1
            yield Chunk(
                id=f"{slugs.of(source.file)}-{numbers[source.file]:04d}",
                text=source.text[start:end],
                file=source.file,
                start=start,
                title=source.title,
                page=bisect_right(source.pages, start) if source.pages else None,
                row=source.row,
            )


def _spans(text: str, size: int | None, overlap: int) -> Iterator[tuple[int, int]]:
    """Where the chunks of a text begin and end, in characters."""
    if size is None:
        pieces = [(len(text) - len(text.lstrip()), text.strip())]
    else:
        pieces = TextSplitter(size, overlap=overlap).chunk_indices(text)
    seen = 0
    for start, piece in pieces:
        end = start + len(piece)
        # The overlap alone brings nothing new.
        if any(map(str.isalnum, text[max(start, seen) : end])):
            seen = end
            yield start, end


class _Slugs:
    """Gives each file a name of small ASCII letters, digits and hyphens, no two the same.

    A file's ending is part of it, so that a file more, or less, seldom changes another's; one that
    must be told from an earlier file gets a few digits made of its own name.
    """

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        self._taken: set[str] = set()

    def of(self, file: str) -> str:
        if file not in self._of:
            slug = _slug(file)
            for digits in range(6, 65):
                if slug not in self._taken:
                    break
                slug = f"{_slug(file)}-{_digest(file)[:digits]}"
            self._taken.add(slug)
            self._of[file] = slug
        return self._of[file]


def _slug(file: str) -> str:
    plain = unicodedata.normalize("NFKD", file.lower()).translate(_ASCII)
    ascii_only = plain.encode("ascii", "ignore").decode("ascii")
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")
    if len(slug) > _LONGEST_SLUG:
        return f"{slug[:_LONGEST_SLUG].strip('-')}-{_digest(file)[:6]}"
    if re.search("[a-z0-9]", ascii_only.rpartition(".")[0]):
        return slug
    # In another alphabet: nothing is left of it but its ending.
    return f"{_digest(file)[:6]}-{slug}"


def _digest(file: str) -> str:
    return hashlib.sha256(file.encode("utf-8")).hexdigest()


def drop_duplicates(chunks: Sequence[Chunk]) -> tuple[list[Chunk], list[Duplicate]]:
    """Keep each chunk that is like none of those kept before it.

    A chunk that is left out repeats a kept one itself, never by way of another. Letter case and
    punctuation do not count.
    """
    first: dict[frozenset[tuple[str, ...]], str] = {}
    exact = {chunk.id: first.setdefault(_runs(chunk.text), chunk.id) for chunk in chunks}
    # Id of a chunk that is left out -> id of the kept one that is most like it, and their share.
    nearest: dict[str, tuple[str, float]] = {}
    for kept, key, share in similar_pairs({key: runs for runs, key in first.items()}, SIMILARITY):
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
