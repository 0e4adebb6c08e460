"""An answer as tokens: lemmas and quantities, without citations and the numbers of lists."""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from operator import add

from ragifeval.statements.quantities import Tokens, merge_quantities
from ragifeval.statements.units import Units
from ragifeval.text.canonical import is_number
from ragifeval.text.matching import Text

LONGEST = 20_000
"""Statements are looked for in these many tokens of an answer, some fifty pages."""


class Reading:
    """A text read into tokens and units.

    Attributes:
        tokens: lemmas; each amount, period and date is one token.
        words: the lowercased word that each token begins with.
        gaps: what stands before each token and, at last, behind the last one.
        first: for each token, the index of its first word in the normalized text.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        merged = _without_list_numbers(merge_quantities(_without_citations(text)))
        self.tokens: Sequence[str] = merged.tokens
        self.words: Sequence[str] = merged.words
        self.first: Sequence[int] = merged.first
        self.gaps: Sequence[str] = merged.gaps

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def units(self) -> Units:
        """Its lines, sentences and clauses, found when first asked for."""
        return Units(self.tokens, self.words, self.gaps, self._begins_lowercase)

    @cached_property
    def quantities(self) -> Sequence[int]:
        """The tokens that are amounts, periods and dates."""
        return [index for index, token in enumerate(self.tokens) if " " in token]

    def _begins_lowercase(self, index: int) -> bool:
        return self.text.normalized.text[self._offsets[self.first[index]]].islower()

    @cached_property
    def _offsets(self) -> Sequence[int]:
        """Where each word of the normalized text begins, in characters."""
        normalized = self.text.normalized
        # Much faster than `spans`; but a few letters are of another length in lowercase.
        sizes = map(add, map(len, normalized.gaps), (0, *map(len, normalized.words)))
        offsets = list(accumulate(sizes))
        if offsets[-1] == len(normalized.text):
            return offsets
        return [start for start, _ in normalized.spans]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last word of some tokens, as `matching` gives places."""
        words = len(self.text.normalized.words)
        behind = self.first[end] if end < len(self.first) else words
        return self.first[start], max(self.first[start], behind - 1)


def read_quantities(text: Text) -> Tokens:
    """A whole text as tokens; each amount, period and date is one."""
    return merge_quantities(_canonical_tokens(text, len(text.canonical.tokens)))


def _canonical_tokens(text: Text, longest: int) -> Tokens:
    canonical, normalized = text.canonical, text.normalized
    words, gaps = normalized.words, normalized.gaps
    origins = canonical.words[:longest]
    tokens = Tokens(
        list(canonical.tokens[:longest]),
        [words[origin] for origin in origins],
        [gaps[origin] for origin in origins],
        list(origins),
    )
    # Tokens that were read from one word, or from the decimals, have nothing between them.
    for index, (before, origin) in enumerate(pairwise(tokens.first), start=1):
        is_decimal = "." in tokens.tokens[index - 1] and words[origin].isdigit()
        if origin == before or (is_decimal and not is_number(tokens.tokens[index])):
            tokens.gaps[index] = ""
    tokens.gaps.append(gaps[-1] if len(origins) < longest else "\n")
    return tokens


def _without_citations(text: Text) -> Tokens:
    """The canonical tokens of a text without what is cited as "[1, 2]"."""
    tokens = _canonical_tokens(text, LONGEST)
    brackets = [index for index, gap in enumerate(tokens.gaps) if "[" in gap]
    return _cut(tokens, brackets) if brackets else tokens


# What stands between two words is not longer than this, but in answers made to take long.
_LONGEST_GAP = 100


def _cut(tokens: Tokens, brackets: Sequence[int]) -> Tokens:
    """Leave out the numbers in brackets; what stands before and behind them is one gap."""
    count = len(tokens.tokens)
    kept = Tokens([], [], [], [])
    done, before = 0, ""
    for start in brackets:
        end = start
        while end < count and is_number(tokens.tokens[end]):
            end += 1
            if "]" in tokens.gaps[end] or "[" in tokens.gaps[end]:
                break
        if start < done or end == start or "]" not in tokens.gaps[end]:
            continue
        tokens.gaps[done] = before + tokens.gaps[done]
        tokens.slice(done, start, kept)
        # What stands before the bracket belongs to the gap behind it.
        opened = tokens.gaps[start] if start > done else tokens.gaps[done]
        before = opened.rpartition("[")[0][-_LONGEST_GAP:]
        tokens.gaps[end] = tokens.gaps[end].partition("]")[2]
        done = end
    tokens.gaps[done] = before + tokens.gaps[done]
    tokens.slice(done, count, kept)
    kept.gaps.append(tokens.gaps[count])
    return kept


def _without_list_numbers(tokens: Tokens) -> Tokens:
    """The tokens without the "1." or "2)" that a line begins with; a bullet stands for them."""
    gaps = tokens.gaps
    numbers = [
        index
        for index, token in enumerate(tokens.tokens)
        if (not index or "\n" in gaps[index])
        and token.isdigit()
        and len(token) < 3
        and gaps[index + 1].startswith((". ", ") ", ".\u00a0", ". **"))
    ]
    for index in reversed(numbers):
        gaps[index] = f"{gaps[index]}- {gaps.pop(index + 1)[1:].lstrip()}"
        for values in (tokens.tokens, tokens.words, tokens.first):
            values.pop(index)
    return tokens
