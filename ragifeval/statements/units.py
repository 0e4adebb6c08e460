"""An answer as its lines, sentences, clauses and mini-clauses.

A line ends at a line break; it may be an item of a list, a heading or the row of a table. A
sentence ends at a full stop, question mark or exclamation mark before a capital letter. A clause
ends at a comma, semicolon, colon, dash, bracket, or before "a", "ale", "bo"; Polish sets a comma
before every subordinate clause. A mini-clause ends also before "i", "oraz", "lub" or "+" with a
number of its own: "za kartę 10 zł i za odpis 33 zł" are two.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ragifeval.statements.quantities import is_year
from ragifeval.statements.wordings import table, word_set
from ragifeval.text.canonical import is_number

_ABBREVIATIONS = word_set("segments", "abbreviations")
_ABBREVIATED_ENDS = word_set("segments", "abbreviated_ends")
_STARTERS = frozenset(table("segments")["starters"])
_PURPOSE, _DEMANDING = word_set("segments", "purpose"), word_set("segments", "demanding")
# Clauses of no more tokens may lean on the one before.
_SHORT = 5
_PARTS = frozenset(table("segments")["parts"])
# How far behind "i" or "oraz" a number makes it the beginning of a mini-clause, in tokens.
_NUMBER_AHEAD = 7


@dataclass(slots=True)
class Line:
    """One line: its first token, and what kind of line it is."""

    start: int
    is_item: bool = False
    is_row: bool = False
    is_heading: bool = False
    depth: int = 0


@dataclass(slots=True)
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


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the characters between two words mean.

    Attributes:
        ends_line: whether there is a line break.
        stop: the mark that may end a sentence, with white space behind it, or "".
        marks: the clause marks in order, "(" and ")" among them.
    """

    ends_line: bool
    stop: str
    marks: str
    is_item: bool
    is_row: bool
    is_heading: bool
    depth: int
    bars: int


_BULLETS = ("- ", "* ", "• ", "– ", "— ", "+ ", "· ", "✓", "✔")
_CLAUSE_MARKS = frozenset(",;:()→|=")
_DASHES = (" – ", " — ", " - ", " − ")


def _has_space(gap: str, stop: str) -> bool:
    """Whether white space follows the mark."""
    return any(map(str.isspace, gap[gap.index(stop) + 1 :]))


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
        stop if stop and _has_space(lines[0], stop) else "",
        marks,
        begun.startswith(_BULLETS),
        "|" in last,
        "#" in begun,
        len(last) - len(begun),
        last.count("|"),
    )


class Units:
    """The lines, sentences and clauses of a text, each as token -> unit.

    Attributes:
        line, sentence, clause: for each token, the index of the unit it stands in.
        cell: for each token of a table's row, the number of its cell, from 0.
        lines, clauses: the units.
        sentence_ends: the mark that ends each sentence, "" for none.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        words: Sequence[str],
        gaps: Sequence[str],
        begins_lowercase: Callable[[int], bool],
    ) -> None:
        self._tokens, self._words, self._gaps = tokens, words, gaps
        self._begins_lowercase = begins_lowercase
        self.line: list[int] = []
        self.sentence: list[int] = []
        self.clause: list[int] = []
        self.cell: list[int] = []
        self.lines: list[Line] = []
        self.clauses: list[Clause] = []
        self.sentence_ends: list[str] = []
        self._sentence_starts: list[int] = []
        self._outer: list[int] = []
        self._read()

    def _read(self) -> None:
        gaps, words = self._gaps, self._words
        count = len(words)
        # Most words follow a space, and begin nothing.
        breaks = [
            index
            for index in range(count)
            if gaps[index] != " " or words[index] in _STARTERS or not index
        ]
        cell = 0
        for index, end in zip(breaks, [*breaks, count][1:], strict=True):
            cell = self._enter(index, cell)
            size = end - index
            current = self._outer[-1]
            self.line += [len(self.lines) - 1] * size
            self.sentence += [len(self.sentence_ends) - 1] * size
            self.clause += [current] * size
            self.cell += [cell] * size
            self.clauses[current].tokens += range(index, end)
        if words:
            self._end_line(gaps[count])

    def _enter(self, index: int, cell: int) -> int:
        """Begin the units that begin at a token; return the number of its cell."""
        marks = _marks(self._gaps[index])
        if marks.ends_line or not index:
            self._begin_line(index, marks)
            return marks.bars
        if marks.stop and self._ends_sentence(index, marks.stop):
            self._begin_sentence(index, marks.stop)
        else:
            for mark in marks.marks:
                if mark != "+":
                    self._begin_clause(mark)
            if self._words[index] in _STARTERS and not marks.marks:
                self._begin_clause(",")
        return cell + marks.bars

    def _begin_line(self, index: int, marks: _Marks) -> None:
        if self.lines:
            self._end_line(self._gaps[index])
        line = Line(index, depth=marks.depth)
        line.is_item, line.is_row, line.is_heading = marks.is_item, marks.is_row, marks.is_heading
        self.lines.append(line)
        self._begin_sentence(index, "")

    def _end_line(self, gap: str) -> None:
        line = self.lines[-1]
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
        self._sentence_starts.append(index)
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
        if stop != ".":
            return not self._begins_lowercase(index) or stop != "…"
        before = self._words[index - 1]
        if before in _ABBREVIATIONS:
            return False
        starts_with_digit = self._words[index][:1].isdigit()
        if before in _ABBREVIATED_ENDS and starts_with_digit:
            return False
        return starts_with_digit or not self._begins_lowercase(index)

    def tokens_of_sentence(self, sentence: int) -> range:
        """The tokens of a sentence."""
        starts = self._sentence_starts
        end = starts[sentence + 1] if sentence + 1 < len(starts) else len(self._words)
        return range(starts[sentence], end)

    @cached_property
    def tied(self) -> frozenset[int]:
        """The clauses that share what is said of them with the clause before.

        "Szczepić? Nie trzeba.", "szczepienie: niepotrzebne", "wypis trzeba dołączyć, mapy nie",
        "nie ma potrzeby, żeby szczepić".
        """
        return frozenset(filter(self._is_tied, range(1, len(self.clauses))))

    def _is_tied(self, number: int) -> bool:
        clause, before = self.clauses[number], self.clauses[number - 1]
        if not clause.tokens or not before.tokens:
            return False
        words, is_short = self._words, len(clause.tokens) <= _SHORT
        if clause.sentence != before.sentence:
            is_asked = self.sentence_ends[before.sentence] == "?"
            return is_asked and len(self.tokens_of_sentence(before.sentence)) <= 2 * _SHORT
        if clause.opener in ":–":
            return len(before.tokens) <= _SHORT and clause.tokens[0] > before.tokens[-1]
        if words[clause.tokens[0]] in _PURPOSE:
            return words[before.tokens[-1]] in _DEMANDING
        first = [words[token] for token in clause.tokens[:2]]
        return is_short and ("nie" in first or words[clause.tokens[-1]] == "nie")

    @cached_property
    def minis(self) -> "Minis":
        """The mini-clauses, found when first asked for."""
        return Minis(self, self._starts_of_minis())

    def _starts_of_minis(self) -> dict[int, list[int]]:
        """By clause, the tokens inside it at which a mini-clause begins."""
        starts: dict[int, list[int]] = {}
        words, gaps = self._words, self._gaps
        for index in range(1, len(words)):
            if words[index] in _PARTS or "+" in gaps[index]:
                clause = self.clause[index]
                if self.clauses[clause].tokens[0] != index and self._is_number_ahead(index):
                    starts.setdefault(clause, []).append(index)
        return starts

    def _is_number_ahead(self, index: int) -> bool:
        """Whether a number stands among the next few tokens of the clause."""
        ahead = range(index, min(index + _NUMBER_AHEAD + 1, len(self._tokens)))
        return any(
            is_number(self._tokens[token])
            and not is_year(self._tokens[token])
            and self.clause[token] == self.clause[index]
            for token in ahead
        )


class Minis:
    """The mini-clauses of a text; the first one of a clause has the clause's number.

    Attributes:
        of: for each token, the number of its mini-clause.
        tokens: the tokens of each.
        by_sentence: those of each sentence, in order.
        rank: the index of each among those of its sentence.
    """

    def __init__(self, units: Units, starts: dict[int, list[int]]) -> None:
        self._clauses = units.clauses
        self.of = list(units.clause)
        self.tokens: dict[int, list[int]] = {}
        self.by_sentence: list[list[int]] = [[] for _ in units.sentence_ends]
        self.rank: dict[int, int] = {}
        number = len(units.clauses)
        for index, clause in enumerate(units.clauses):
            at = [bisect_left(clause.tokens, token) for token in starts.get(index, ())]
            for start, end in zip([0, *at], [*at, len(clause.tokens)], strict=True):
                mini = number if start else index
                number += bool(start)
                self.tokens[mini] = clause.tokens[start:end]
                for token in clause.tokens[start:end] if start else ():
                    self.of[token] = mini
        # A clause that goes on behind brackets comes before what stands in them.
        for mini, tokens in sorted(self.tokens.items(), key=lambda item: item[1][:1]):
            if tokens:
                minis = self.by_sentence[units.sentence[tokens[0]]]
                self.rank[mini] = len(minis)
                minis.append(mini)

    def opener(self, mini: int) -> str:
        """The mark before a mini-clause; "" where it goes on behind "i" or "oraz"."""
        return self._clauses[mini].opener if mini < len(self._clauses) else ""
