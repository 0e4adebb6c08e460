"""An answer as its lines, sentences, clauses and mini-clauses.

A line ends at a line break; it may be an item of a list, a heading or the row of a table. A
sentence ends at a full stop, question mark or exclamation mark before a capital letter. A clause
ends at a comma, semicolon, colon, dash, bracket, or before "a", "ale", "bo"; Polish sets a comma
before every subordinate clause. A mini-clause ends also before "i", "oraz", "lub" or "+" with a
number of its own: "za kartę 10 zł i za odpis 33 zł" are two.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ragifeval.statements.quantities import Tokens, is_year, merge_quantities
from ragifeval.statements.wordings import word_set
from ragifeval.text.canonical import is_number
from ragifeval.text.matching import Text

_ABBREVIATIONS = word_set("segments", "abbreviations")
_ABBREVIATED_ENDS = word_set("segments", "abbreviated_ends")
_STARTERS = word_set("segments", "starters")
_PARTS = word_set("segments", "parts")
# How far behind "i" or "oraz" a number makes it the beginning of a mini-clause, in tokens.
_NUMBER_AHEAD = 7


@dataclass(slots=True)
class Line:
    """One line: its tokens, and what kind of line it is."""

    start: int
    end: int = 0
    is_item: bool = False
    is_row: bool = False
    is_heading: bool = False
    depth: int = 0


@dataclass
class Clause:
    """One clause.

    Attributes:
        tokens: its tokens, in order; those in brackets are a clause of their own.
        opener: the mark that stands before it: one of ``,;:(–=|.?`` or a line break.
        sentence: the index of its sentence.
    """

    opener: str
    sentence: int
    tokens: list[int] = field(default_factory=list)


class Reading:
    """A text read into tokens and units.

    Attributes:
        tokens: lemmas; each amount, period and date is one token.
        words: the lowercased word that each token begins with.
        first: for each token, the index of its first word in the normalized text.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        merged = _without_list_numbers(merge_quantities(_without_citations(text)))
        self.tokens: Sequence[str] = merged.tokens
        self.words: Sequence[str] = merged.words
        self.first: Sequence[int] = merged.first
        self._gaps = merged.gaps

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def units(self) -> "Units":
        """Its lines, sentences and clauses, found when first asked for."""
        return Units(self, self._gaps)

    def begins_lowercase(self, index: int) -> bool:
        """Whether a token begins with a lowercase letter."""
        normalized = self.text.normalized
        return normalized.text[normalized.spans[self.first[index]][0]].islower()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last word of some tokens, as `matching` gives places."""
        words = len(self.text.normalized.words)
        behind = self.first[end] if end < len(self.first) else words
        return self.first[start], max(self.first[start], behind - 1)


def _without_citations(text: Text) -> Tokens:
    """The canonical tokens of a text without what is cited as "[1, 2]"."""
    canonical, normalized = text.canonical, text.normalized
    words, gaps = normalized.words, normalized.gaps
    origins = canonical.words
    tokens = Tokens(
        list(canonical.tokens),
        [words[origin] for origin in origins],
        [gaps[origin] for origin in origins],
        list(origins),
    )
    # Tokens that were read from one word have nothing between them.
    for index in range(1, len(origins)):
        if origins[index] == origins[index - 1]:
            tokens.gaps[index] = ""
    tokens.gaps.append(gaps[-1])
    if not any("[" in gap for gap in tokens.gaps):
        return tokens
    kept = Tokens([], [], [], [])
    pending, is_inside = "", False
    for index, token in enumerate(tokens.tokens):
        gap = tokens.gaps[index]
        opens, closes = gap.rfind("["), gap.rfind("]")
        if opens > closes:
            is_inside = True
        elif closes > opens:
            is_inside = False
        if is_inside and is_number(token):
            pending += gap.rpartition("[")[0]
            continue
        kept.tokens.append(token)
        kept.words.append(tokens.words[index])
        kept.gaps.append(pending + gap.replace("]", ""))
        kept.first.append(tokens.first[index])
        pending = ""
    kept.gaps.append(pending + tokens.gaps[-1].replace("]", ""))
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


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the characters between two words mean.

    Attributes:
        ends_line: whether there is a line break.
        stop: the mark that may end a sentence, or "".
        marks: the clause marks in order, "(" and ")" among them.
    """

    ends_line: bool
    stop: str
    marks: str
    is_item: bool
    is_row: bool
    is_heading: bool
    depth: int
    opens_bold: bool
    closes_bold: bool


_BULLETS = ("- ", "* ", "• ", "– ", "— ", "+ ", "· ", "✓", "✔")
_CLAUSE_MARKS = frozenset(",;:()→|=")
_DASHES = (" – ", " — ", " - ", " − ")


@lru_cache(4096)
def _marks(gap: str) -> _Marks:
    lines = gap.split("\n")
    ends_line = len(lines) > 1
    last = lines[-1]
    begun = last.lstrip(" \t>")
    stop = next((mark for mark in lines[0] if mark in ".!?…"), "")
    plain = gap.replace("*", "") if not ends_line else lines[0].replace("*", "")
    marks = "".join(mark for mark in plain if mark in _CLAUSE_MARKS)
    if any(dash in f"{plain} " for dash in _DASHES):
        marks += "–"
    if "+" in plain:
        marks += "+"
    if ends_line:
        marks = ""
    return _Marks(
        ends_line,
        stop if len(gap) > 1 else "",
        marks,
        begun.startswith(_BULLETS),
        "|" in last,
        "#" in begun,
        len(last) - len(begun),
        "**" in last or "__" in last,
        "**" in lines[0] or "__" in lines[0],
    )


class Units:
    """The lines, sentences, clauses and mini-clauses of a reading.

    Attributes:
        line, sentence, clause, mini: for each token, the index of the unit it stands in.
        cell: for each token of a table's row, the number of its cell, from 0.
        lines, clauses: the units.
        sentence_ends: the mark that ends each sentence, "" for none.
        minis_of: the mini-clauses of each sentence, in order.
        mini_tokens: the tokens of each mini-clause.
        rank_of: the index of each mini-clause among those of its sentence.
    """

    def __init__(self, reading: Reading, gaps: Sequence[str]) -> None:
        self._reading, self._gaps = reading, gaps
        count = len(reading)
        self.line: list[int] = []
        self.sentence: list[int] = []
        self.clause: list[int] = []
        self.cell: list[int] = [0] * count
        self.lines: list[Line] = []
        self.clauses: list[Clause] = []
        self.sentence_ends: list[str] = []
        self.sentence_starts: list[int] = []
        self._outer: list[int] = []
        self._read()
        self._split_minis()

    def _read(self) -> None:
        gaps, words = self._gaps, self._reading.words
        cell = 0
        for index, word in enumerate(words):
            gap = gaps[index]
            if gap == " " and index:
                if word in _STARTERS:
                    self._begin_clause(",")
            elif gap:
                marks = _marks(gap)
                if marks.ends_line or not index:
                    self._begin_line(index, marks)
                    cell = gap.rpartition("\n")[2].count("|")
                elif marks.stop and self._ends_sentence(index, marks.stop):
                    self._begin_sentence(index, marks.stop)
                else:
                    for mark in marks.marks:
                        if mark != "+":
                            self._begin_clause(mark)
                    if word in _STARTERS and not marks.marks:
                        self._begin_clause(",")
                if "|" in gap and index and not marks.ends_line:
                    cell += gap.count("|")
            elif not index:
                self._begin_line(index, _marks(gap))
            if self.lines[-1].is_row:
                self.cell[index] = cell
            self.line.append(len(self.lines) - 1)
            self.sentence.append(len(self.sentence_ends) - 1)
            current = self._outer[-1]
            self.clause.append(current)
            self.clauses[current].tokens.append(index)
        if words:
            self._end_line(len(words), gaps[len(words)])

    def _begin_line(self, index: int, marks: _Marks) -> None:
        if self.lines:
            self._end_line(index, self._gaps[index])
        line = Line(index, depth=marks.depth)
        line.is_item, line.is_row, line.is_heading = marks.is_item, marks.is_row, marks.is_heading
        self.lines.append(line)
        self._begin_sentence(index, "")

    def _end_line(self, end: int, gap: str) -> None:
        line = self.lines[-1]
        line.end = end
        head = gap.partition("\n")[0]
        self.sentence_ends[-1] = next((mark for mark in head if mark in ".!?…:"), "")
        opens = self._gaps[line.start].rpartition("\n")[2]
        is_bold = opens.endswith("**") and "**" in head
        if not line.is_row and (is_bold or head.rstrip(" *").endswith(":")):
            line.is_heading = line.is_heading or not line.is_item

    def _begin_sentence(self, index: int, stop: str) -> None:
        if stop:
            self.sentence_ends[-1] = stop
        self.sentence_ends.append("")
        self.sentence_starts.append(index)
        self._outer.clear()
        self._outer.append(len(self.clauses))
        self.clauses.append(Clause(stop or "\n", len(self.sentence_ends) - 1))

    def _begin_clause(self, mark: str) -> None:
        if mark == ")":
            if len(self._outer) > 1:
                self._outer.pop()
            return
        if mark != "(":
            self._outer.pop()
        self._outer.append(len(self.clauses))
        self.clauses.append(Clause(mark, len(self.sentence_ends) - 1))

    def _ends_sentence(self, index: int, stop: str) -> bool:
        """Whether the mark before a token ends a sentence."""
        if self._gaps[index].strip(" \u00a0") == "" or not _has_space(self._gaps[index], stop):
            return False
        if stop != ".":
            return not self._reading.begins_lowercase(index) or stop != "…"
        before = self._reading.words[index - 1]
        if before in _ABBREVIATIONS:
            return False
        starts_with_digit = self._reading.words[index][:1].isdigit()
        if before in _ABBREVIATED_ENDS and starts_with_digit:
            return False
        return starts_with_digit or not self._reading.begins_lowercase(index)

    def _split_minis(self) -> None:
        """Number the mini-clauses."""
        reading, clause = self._reading, self.clause
        self.mini: list[int] = list(clause)
        self.minis_of: list[list[int]] = [[] for _ in self.sentence_ends]
        self.mini_tokens: dict[int, list[int]] = {}
        self.rank_of: dict[int, int] = {}
        extra = len(self.clauses)
        current: dict[int, int] = {}
        is_number_ahead = _numbers_ahead(reading, clause)
        for index, number in enumerate(clause):
            mini = current.get(number, number)
            is_start = reading.words[index] in _PARTS or "+" in self._gaps[index]
            if is_start and is_number_ahead[index] and number in current:
                mini, extra = extra, extra + 1
            if mini not in self.mini_tokens:
                self.mini_tokens[mini] = []
                minis = self.minis_of[self.sentence[index]]
                self.rank_of[mini] = len(minis)
                minis.append(mini)
            current[number] = mini
            self.mini[index] = mini
            self.mini_tokens[mini].append(index)

    def tokens_of_sentence(self, sentence: int) -> range:
        """The tokens of a sentence."""
        starts = self.sentence_starts
        end = starts[sentence + 1] if sentence + 1 < len(starts) else len(self._reading)
        return range(starts[sentence], end)

    def mini_opener(self, mini: int) -> str:
        """The mark before a mini-clause; "" where it goes on behind "i" or "oraz"."""
        return self.clauses[mini].opener if mini < len(self.clauses) else ""

    def sentence_at(self, token: int) -> int:
        """The sentence of a token."""
        return bisect_left(self.sentence_starts, token + 1) - 1


def _has_space(gap: str, stop: str) -> bool:
    """Whether white space follows the mark."""
    behind = gap[gap.index(stop) + 1 :]
    return any(character.isspace() for character in behind)


def _numbers_ahead(reading: Reading, clause: Sequence[int]) -> list[bool]:
    """For each token, whether a number stands among the next few of its clause."""
    ahead = [False] * len(reading)
    nearest = -1
    for index in range(len(reading) - 1, -1, -1):
        token = reading.tokens[index]
        if is_number(token) and not is_year(token):
            nearest = index
        if 0 <= nearest - index <= _NUMBER_AHEAD:
            ahead[index] = clause[nearest] == clause[index]
    return ahead
