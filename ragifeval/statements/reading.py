"""An answer as tokens: lemmas and quantities, without citations and the numbers of lists."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from ragifeval.statements.quantities import Tokens, merge_quantities, named_unit
from ragifeval.statements.units import Clause, Units
from ragifeval.text.canonical import is_number
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Lexeme

_STOPS = frozenset(".!?…")
_NAMING = frozenset("|:?")
_ASKING = frozenset(["ile", "liczba"])
_LEADING = frozenset(["na", "po", "do"])
LONGEST = 20_000
"""Statements are looked for in these many tokens of an answer, some fifty pages."""


class Reading:
    """A text read into tokens and units.

    Attributes:
        tokens: lemmas; each amount, period and date is one token.
        words: the lowercased word that each token begins with.
        lexemes: of these words.
        gaps: what stands before each token and, at last, behind the last one.
        breaks: the first token, and those that follow more than a space.
        first: for each token, the index of its first word in the normalized text.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        merged = merge_quantities(_without_citations(text))
        # Most tokens follow a space, and begin nothing.
        self.breaks: Sequence[int] = _breaks(merged)
        if _drop_list_numbers(merged, self.breaks):
            self.breaks = _breaks(merged)
        self.tokens: Sequence[str] = merged.tokens
        self.words: Sequence[str] = merged.words
        self.first: Sequence[int] = merged.first
        self.gaps: Sequence[str] = merged.gaps
        self._name_units(merged.tokens)
        self.lexemes: Sequence[Lexeme] = merged.lexemes

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def units(self) -> Units:
        """Its lines, sentences and clauses, found when first asked for."""
        normalized = self.text.normalized
        gaps = self.gaps
        stops = [index for index in self.breaks if not _STOPS.isdisjoint(gaps[index])]
        begins = [self.first[index] for index in stops]
        # Whoever writes no capitals begins sentences without them.
        has_capitals = not normalized.text.islower()
        behind = {
            index: (normalized.words[begin - 1] if begin else "", has_capitals and is_lower)
            for index, begin, is_lower in zip(stops, begins, self._are_lower(begins), strict=True)
        }
        return Units(self.tokens, self.words, gaps, self.breaks, behind)

    def _are_lower(self, begins: Sequence[int]) -> Iterator[bool]:
        """Whether words of the normalized text, given in order, begin with a small letter."""
        normalized = self.text.normalized
        words, gaps, text = normalized.words, normalized.gaps, normalized.text
        if "İ" in text:  # two characters in lowercase
            yield from (text[normalized.spans[begin][0]].islower() for begin in begins)
            return
        done, offset = 0, len(gaps[0])
        for begin in begins:
            offset += len("".join((*words[done:begin], *gaps[done + 1 : begin + 1])))
            done = begin
            yield text[offset].islower()

    def _name_units(self, tokens: list[str]) -> None:
        """Give bare numbers the unit that their column's head, or their label, names."""
        bare = [
            index
            for index in self.breaks
            if index and tokens[index].isdigit() and not _NAMING.isdisjoint(self.gaps[index])
        ]
        # "Na ile lat: na 5"
        bare += [
            index + 1
            for index in self.breaks
            if ":" in self.gaps[index]
            and self.words[index] in _LEADING
            and tokens[index + 1 : index + 2]
            and tokens[index + 1].isdigit()
        ]
        if not bare:
            return
        heads: dict[int, int] = {}
        for line in self.units.lines:
            if line.is_row:
                heads[line.number] = heads.get(line.number - 1, line.number)
        named: dict[tuple[int, int], str] = {}
        for clause in self.units.clauses:
            number = clause.sentence.line.number
            for token in clause.tokens if heads.get(number) == number else ():
                if unit := self._unit_at(token):
                    named[number, clause.cell] = unit
        for index in bare:
            clause = self.units.clause[index]
            line = clause.sentence.line
            before = self.units.clauses[max(0, clause.number - 1)]
            label = self._counted(self.units.clause[line.start] if line.is_row else before)
            unit = named.get((heads.get(line.number, -1), clause.cell), "")
            if line.is_row or clause.opener == ":" or self.words[label - 1] in _ASKING:
                unit = unit or self._unit_at(label)
            if unit:
                tokens[index] += f" {unit}"

    def _unit_at(self, token: int) -> str:
        """The unit that a token of a head or label names; or ""."""
        following = self.words[token + 1] if token + 1 < len(self.words) else ""
        return named_unit(self.tokens[token], self.words[token], following)

    def _counted(self, label: Clause) -> int:
        """The token of a row's label that may say what its numbers count: "ile dni wstecz"."""
        tokens = label.tokens
        asked = (token for token in tokens[1:] if self.words[token - 1] in _ASKING)
        return next(asked, tokens[-1])

    def has_break(self, start: int, end: int) -> bool:
        """Whether more than spaces stand between two tokens; else they are of one clause."""
        at = bisect_right(self.breaks, start)
        return at < len(self.breaks) and self.breaks[at] <= end

    @cached_property
    def quantities(self) -> Sequence[int]:
        """The tokens that are amounts, periods and dates."""
        return [index for index, token in enumerate(self.tokens) if " " in token]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last word of some tokens, as `matching` gives places."""
        words = len(self.text.normalized.words)
        behind = self.first[end] if end < len(self.first) else words
        return self.first[start], max(self.first[start], behind - 1)

    def characters(self, first: int, last: int) -> tuple[int, int]:
        """Where some tokens, the last among them, begin and end in the text as it was given."""
        start, end = self.span(first, last + 1)
        spans = self.text.normalized.original_spans
        return spans[start][0], spans[end][1]

    def written(self, first: int, last: int) -> str:
        """Some tokens, the last among them, as they were given."""
        start, end = self.characters(first, last)
        return self.text.normalized.original[start:end]


def read_quantities(text: Text) -> Tokens:
    """A whole text as tokens; each amount, period and date is one."""
    return merge_quantities(_canonical_tokens(text, len(text.canonical.tokens)))


def _canonical_tokens(text: Text, longest: int) -> Tokens:
    canonical, normalized = text.canonical, text.normalized
    words, gaps = normalized.words, normalized.gaps
    origins = canonical.words[:longest]
    tokens = Tokens(
        list(canonical.tokens[:longest]),
        list(map(words.__getitem__, origins)),
        list(map(gaps.__getitem__, origins)),
        list(origins),
        list(map(normalized.lexemes.__getitem__, origins)),
    )
    # Tokens that were read from one word, or from the decimals, have nothing between them.
    for index in canonical.inner[: bisect_left(canonical.inner, longest)]:
        is_decimal = "." in tokens.tokens[index - 1] and not is_number(tokens.tokens[index])
        is_same = origins[index] == origins[index - 1]
        if is_same or (is_decimal and words[origins[index]].isdigit()):
            tokens.gaps[index] = ""
    # A wording is read like a line, and so is what is cut off.
    tokens.gaps.append(gaps[-1] if len(origins) < longest else "\n")
    return tokens


def _without_citations(text: Text) -> Tokens:
    """The canonical tokens of a text without what is cited as "[1, 2]"."""
    tokens = _canonical_tokens(text, LONGEST)
    if "[" not in text.normalized.text:
        return tokens
    brackets = [index for index, gap in enumerate(tokens.gaps) if gap != " " and "[" in gap]
    return _cut(tokens, brackets) if brackets else tokens


# What stands between two words is not longer than this, but in answers made to take long.
_LONGEST_GAP = 100


def _cut(tokens: Tokens, brackets: Sequence[int]) -> Tokens:
    """Leave out the numbers in brackets; what stands before and behind them is one gap."""
    count = len(tokens.tokens)
    kept = Tokens([], [], [], [], [])
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


def _breaks(tokens: Tokens) -> Sequence[int]:
    return [index for index, gap in enumerate(tokens.gaps[:-1]) if gap != " " or not index]


def _drop_list_numbers(tokens: Tokens, breaks: Sequence[int]) -> bool:
    """Put a bullet for the "1." or "2)" that a line begins with; say whether there was one.

    A "2)" within a line that goes on from a "1)" parts two thoughts.
    """
    gaps = tokens.gaps
    numbers = [
        index
        for index in breaks
        if len(tokens.tokens[index]) < 3
        and tokens.tokens[index].isdecimal()
        and gaps[index + 1].startswith((". ", ") ", ".\u00a0", ". **"))
    ]
    found, last = [], 0
    for index in numbers:
        is_next = gaps[index + 1][0] == ")" and int(tokens.tokens[index]) == last + 1
        if not index or "\n" in gaps[index] or is_next:
            found.append(index)
            last = int(tokens.tokens[index])
    for index in reversed(found):
        behind = gaps.pop(index + 1)[1:].lstrip()
        before = gaps[index].removesuffix("(")
        sign = "- " if not index or "\n" in before else ";" * (before == " ")
        gaps[index] = f"{before}{sign}{behind}"
        for values in (tokens.tokens, tokens.words, tokens.first, tokens.lexemes):
            values.pop(index)
    return bool(found)
