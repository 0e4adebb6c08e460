"""Sources -> chunks: pieces of a text of some length, each with its place there."""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from ragifeval.build.records import Chunk, Source

SEPARATORS = ("\n\n", "\n", ".", " ", "")
"""Where a text is cut, if it can be: between paragraphs, lines, sentences, words, letters."""

_MARK = re.compile("[\U00010000-\U0010ffff]")
_LONGEST_SLUG = 60
# Letters that no decomposition makes ASCII.
_ASCII = str.maketrans(
    {"ł": "l", "ß": "ss", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i"}
)


def cut(sources: Iterable[Source], size: int | None, overlap: int) -> Iterator[Chunk]:
    """Cut sources into chunks; one without a letter or digit is left out.

    Args:
        size: of a chunk, in characters, at most; None leaves each source whole.
        overlap: how much of the end of a chunk the next one may repeat, in characters; less than
            the size.
    """
    pieces = _Pieces(size, overlap) if size is not None else None
    slugs = _Slugs()
    numbers: Counter[str] = Counter()
    for source in sources:
        spans = pieces.spans(source.text) if pieces else [(0, len(source.text))]
        for start, end in _trimmed(source.text, spans):
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


def _trimmed(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans without white space at either end, and without those that bring nothing new."""
    seen = 0
    for start, end in spans:
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if end > seen and any(map(str.isalnum, text[max(start, seen) : end])):
            seen = end
            yield start, end


class _Pieces:
    """Cuts texts by langchain's recursive splitter, and knows where each piece begins.

    The splitter looks for each piece in the text to tell its start_index, which goes wrong where
    the text repeats itself. It asks nothing of a letter but whether it is part of a separator,
    though: so it is given numbered marks in the place of letters, and they tell the place.
    """

    _FIRST_MARK, _MARKS = 0x10000, 0x100000

    def __init__(self, size: int, overlap: int) -> None:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        self._overlap = overlap
        self._splitter = RecursiveCharacterTextSplitter(
            separators=list(SEPARATORS),
            # A full stop belongs to the sentence before it.
            keep_separator="end",
            # With more letters than marks in a piece, marks would tell no place.
            chunk_size=min(size, self._MARKS),
            chunk_overlap=overlap,
            strip_whitespace=False,
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        start = 0
        for piece in self._splitter.split_text(self._marked(text)):
            mark = _MARK.search(piece)
            if mark is None:
                # White space and full stops, of which a long run must not pass for a short one.
                start += max(0, len(piece) - self._overlap)
                continue
            place = ord(mark[0]) - self._FIRST_MARK - mark.start()
            # The first such place that is not before the piece before.
            start += (place - start) % self._MARKS
            yield start, start + len(piece)

    def _marked(self, text: str) -> str:
        """The text with a mark for each letter: a character that tells its place."""
        letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        marks = np.arange(len(letters), dtype=np.uint32) % self._MARKS + self._FIRST_MARK
        separating = np.isin(letters, [ord(letter) for letter in "".join(SEPARATORS)])
        return np.where(separating, letters, marks).astype("<u4").tobytes().decode("utf-32-le")


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
