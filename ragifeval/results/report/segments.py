"""Marks may overlap, elements of a page may not: a text is cut wherever a mark begins or ends."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragifeval.results.report.marks import Mark

# A piece of the text, and the indices of the marks that cover it. Not offsets: JavaScript counts
# other characters than Python does.
Segment = tuple[str, Sequence[int]]


def cut(text: str, marks: Sequence[Mark]) -> Iterator[Segment]:
    """Yield the pieces of a text; joined, they are the text, character by character."""
    edges = {0, len(text)}
    beginning = defaultdict(list)
    for index, mark in enumerate(marks):
        edges |= {mark.start, mark.end}
        beginning[mark.start].append(index)
    covering: list[int] = []
    for start, end in pairwise(sorted(edges)):
        covering = [index for index in covering if marks[index].end > start] + beginning[start]
        yield text[start:end], covering
