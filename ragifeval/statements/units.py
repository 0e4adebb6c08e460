"""An answer as its lines, sentences, clauses and mini-clauses.

A line ends at a line break; it may be an item of a list, a heading or the row of a table. A
sentence ends at a full stop, question mark or exclamation mark before a capital letter, at a full
stop behind a longer word also before a small one. A clause ends at a comma, semicolon, colon, dash
or bracket; Polish sets a comma before every subordinate clause, and before "a", "ale", "bo". A
mini-clause ends also before "i", "oraz", "lub" or "+" with a number of its own: "za kartę 10 zł i
za odpis 33 zł" are two.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from ragifeval.statements.quantities import is_year
from ragifeval.statements.wordings import table, word_set
from ragifeval.text.canonical import is_number

_ABBREVIATIONS = word_set("segments", "abbreviations")
_ABBREVIATED_ENDS = word_set("segments", "abbreviated_ends")
_LONGEST_ABBREVIATION = 4
_PURPOSE, _DEMANDING = word_set("segments", "purpose"), word_set("segments", "demanding")
# Clauses of no more tokens may lean on the one before.
_SHORT = 5
_PARTS = frozenset(table("segments")["parts"])
# The rows of a table, and the lines of a list, that are looked at for what heads them.
_LONGEST_TABLE = 40
# How far behind "i" or "oraz" a number makes it the beginning of a mini-clause, in tokens.
_NUMBER_AHEAD = 7


@dataclass(slots=True, eq=False)
class Line:
    """One line: its number, its first token, and what kind of line it is."""

    number: int
    start: int
    is_item: bool
    is_row: bool
    is_heading: bool
    depth: int


@dataclass(slots=True, eq=False)
class Sentence:
    """One sentence: its tokens, its line, the mark that ends it ("" for none)."""

    number: int
    line: Line
    start: int
    end: int
    mark: str = ""

    @property
    def tokens(self) -> range:
        """Its tokens."""
        return range(self.start, self.end)


@dataclass(slots=True, eq=False)
class Clause:
    """One clause or mini-clause.

    Attributes:
        number: its place among all; a mini-clause has that of its clause.
        opener: the mark that stands before it: one of ``,;:(–=|.?`` or a line break; "" before a
            mini-clause that goes on behind "i" or "oraz".
        cell: the number of its cell in a table's row, from 0.
        tokens: its tokens, in order; those in brackets are a clause of their own.
        rank: its place among the mini-clauses of its sentence; a clause without parts is one.
    """

    number: int
    opener: str
    sentence: Sentence
    cell: int
    tokens: Sequence[int]
    rank: int = 0


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


_BULLETS = ("- ", "* ", "• ", "– ", "— ", "+ ", "· ", "✓", "✔", "☐")
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
    # "luty: 30 zł · marzec: 45 zł"
    marks = "".join(mark for mark in plain.replace("·", ";") if mark in _CLAUSE_MARKS)
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
    """The units of a text.

    Args:
        breaks: the first token, and those that follow more than a space.
        behind_stops: for each token behind a mark that may end a sentence, the word before it, and
            whether it is in lowercase.

    Attributes:
        clause: for each token, the clause it stands in.
        lines, sentences, clauses: the units, in order of their first tokens.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        words: Sequence[str],
        gaps: Sequence[str],
        breaks: Sequence[int],
        behind_stops: Mapping[int, tuple[str, bool]],
    ) -> None:
        self._tokens, self._words, self._gaps = tokens, words, gaps
        self._behind_stops = behind_stops
        self.clause: list[Clause] = []
        self.lines: list[Line] = []
        self.sentences: list[Sentence] = []
        self.clauses: list[Clause] = []
        self._cell = 0
        # The clause that tokens go to, or the mark before one that is to begin; below it, what goes
        # on behind brackets.
        self._open: list[Clause | str] = []
        self._pluses: list[int] = []
        self._read(breaks)

    def _read(self, breaks: Sequence[int]) -> None:
        count = len(self._words)
        for index, end in pairwise([*breaks, count]):
            self._enter(index)
            clause = self._open[-1]
            if isinstance(clause, str):
                clause = self._begin_clause(clause, range(index, end))
            elif isinstance(clause.tokens, list):
                clause.tokens += range(index, end)
            elif clause.tokens[-1] + 1 == index:
                clause.tokens = range(clause.tokens[0], end)
            else:
                # It goes on behind brackets.
                clause.tokens = [*clause.tokens, *range(index, end)]
            self.clause += [clause] * (end - index)
        if count:
            self._end_line(count)

    def _enter(self, index: int) -> None:
        """Begin the units that begin at a token."""
        marks = _marks(self._gaps[index])
        if marks.ends_line or not index:
            if index:
                self._end_line(index)
            self._cell = marks.bars
            line = Line(
                len(self.lines), index, marks.is_item, marks.is_row, marks.is_heading, marks.depth
            )
            self.lines.append(line)
            self._begin_sentence(index, "")
        elif marks.stop and self._ends_sentence(index, marks.stop):
            self._begin_sentence(index, marks.stop)
            self._cell += marks.bars
        elif marks.marks:
            self._cell += marks.bars
            if marks.marks in ",;:–":
                self._open[-1] = marks.marks[-1]
            else:
                for mark in marks.marks:
                    self._mark(mark)

    def _mark(self, mark: str) -> None:
        if mark == "(":
            self._open.append(mark)
        elif mark == ")":
            if len(self._open) > 1:
                self._open.pop()
        elif mark == "+":
            self._pluses.append(len(self.clause))
        else:
            self._open[-1] = mark

    def _begin_clause(self, opener: str, tokens: Sequence[int]) -> Clause:
        clause = Clause(len(self.clauses), opener, self.sentences[-1], self._cell, tokens)
        self.clauses.append(clause)
        self._open[-1] = clause
        return clause

    @cached_property
    def _split(self) -> tuple[Mapping[int, Clause], Sequence[Sequence[Clause]]]:
        """Mini-clauses: by token, those of a clause that has several; by sentence, all."""
        starts: dict[Clause, list[int]] = {}
        parts = [index for index, word in enumerate(self._words) if word in _PARTS]
        for index in sorted({*parts, *self._pluses}):
            clause = self.clause[index]
            if index != clause.tokens[0] and self._is_number_ahead(index):
                starts.setdefault(clause, []).append(bisect_left(clause.tokens, index))
        by_token: dict[int, Clause] = {}
        by_sentence: list[list[Clause]] = [[] for _ in self.sentences]
        for clause in self.clauses:
            opener, minis = clause.opener, by_sentence[clause.sentence.number]
            at = starts.get(clause)
            if at is None:
                minis.append(clause)
                continue
            for one, other in pairwise([0, *at, len(clause.tokens)]):
                tokens = clause.tokens[one:other]
                mini = Clause(clause.number, opener, clause.sentence, clause.cell, tokens)
                by_token.update(dict.fromkeys(tokens, mini))
                minis.append(mini)
                opener = ""
        for minis in by_sentence:
            # A clause may go on behind brackets.
            minis.sort(key=lambda mini: mini.tokens[0])
            for rank, mini in enumerate(minis):
                mini.rank = rank
        return by_token, by_sentence

    def mini(self, token: int) -> Clause:
        """The mini-clause of a token."""
        return self._split[0].get(token) or self.clause[token]

    def minis(self, sentence: Sentence) -> Sequence[Clause]:
        """The mini-clauses of a sentence, in order."""
        return self._split[1][sentence.number]

    def _begin_sentence(self, index: int, stop: str) -> None:
        if stop:
            self.sentences[-1].mark = stop
            self.sentences[-1].end = index
        number = len(self.sentences)
        self.sentences.append(Sentence(number, self.lines[-1], index, len(self._words)))
        self._open = [stop or "\n"]

    def _end_line(self, index: int) -> None:
        line, head = self.lines[-1], self._gaps[index].partition("\n")[0]
        self.sentences[-1].mark = next((mark for mark in head if mark in ".!?…:"), "")
        self.sentences[-1].end = index
        opens = self._gaps[line.start].rpartition("\n")[2]
        is_bold = opens.endswith("**") and "**" in head
        if not line.is_row and (is_bold or head.rstrip(" *").endswith(":")):
            line.is_heading = line.is_heading or not line.is_item

    def _ends_sentence(self, index: int, stop: str) -> bool:
        """Whether the mark before a token ends a sentence."""
        before, is_lowercase = self._behind_stops[index]
        if stop != ".":
            return not is_lowercase or stop != "…"
        if before in _ABBREVIATIONS:
            return False
        starts_with_digit = self._words[index][:1].isdigit()
        if before in _ABBREVIATED_ENDS and starts_with_digit:
            return False
        # Whoever begins sentences with small letters abbreviates shorter words.
        return starts_with_digit or not is_lowercase or len(before) > _LONGEST_ABBREVIATION

    def _is_number_ahead(self, index: int) -> bool:
        """Whether a number stands among the next few tokens of the clause."""
        ahead = range(index, min(index + _NUMBER_AHEAD + 1, len(self._tokens)))
        return any(
            is_number(self._tokens[token])
            and not is_year(self._tokens[token])
            and self.clause[token] is self.clause[index]
            for token in ahead
        )

    def sentence(self, token: int) -> Sentence:
        """The sentence of a token."""
        return self.clause[token].sentence

    def line(self, token: int) -> Line:
        """The line of a token."""
        return self.clause[token].sentence.line

    def following(self, clause: Clause) -> Clause | None:
        """The clause that begins next."""
        number = clause.number + 1
        return self.clauses[number] if number < len(self.clauses) else None

    def heads(self, line: Line) -> Iterator[int]:
        """The numbers of the lines that head a line: those of its list, its heading."""
        depth, is_item = line.depth, line.is_item
        for above in reversed(self.lines[max(0, line.number - _LONGEST_TABLE) : line.number]):
            if above.is_heading or (is_item and not above.is_item):
                yield above.number
                if above.is_heading:
                    return
                is_item = False
            elif is_item and above.is_item and above.depth < depth:
                yield above.number
                depth = above.depth

    def table_head(self, line: Line) -> int:
        """The number of the first row of a row's table."""
        head = line.number
        while head and self.lines[head - 1].is_row and line.number - head < _LONGEST_TABLE:
            head -= 1
        return head

    def is_tied(self, number: int) -> bool:
        """Whether a clause, by its number, shares what is said of it with the clause before.

        "Szczepić? Nie trzeba.", "szczepienie: niepotrzebne", "wypis trzeba dołączyć, mapy nie",
        "nie ma potrzeby, żeby szczepić".
        """
        before, clause = self.clauses[number - 1], self.clauses[number]
        words, tokens = self._words, clause.tokens
        if clause.sentence is not before.sentence:
            asked = before.sentence
            return asked.mark == "?" and asked.end - asked.start <= 2 * _SHORT
        if clause.opener == ";":
            return False
        if clause.opener in ":–":
            # "Meldować nie trzeba – zrobi to urząd" is no label.
            is_said = clause.opener == "–" and "nie" in [words[at] for at in before.tokens[:_SHORT]]
            return len(before.tokens) <= _SHORT and tokens[0] > before.tokens[-1] and not is_said
        if words[tokens[0]] in _PURPOSE:
            return words[before.tokens[-1]] in _DEMANDING
        return len(tokens) <= _SHORT and "nie" in [words[at] for at in (*tokens[:2], tokens[-1])]
