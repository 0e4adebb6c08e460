"""What an answer mentions without claiming it; `never` lets it pass.

A mention is no claim where it is quoted ("„60 zł za kajak” – to inny cennik"), reported ("ludzie
powtarzają, że 60 zł") or not to be confused ("nie mylić z SD-3"), part of a sum ("60 + 36 = 96
zł"), struck through or crossed out, supposed ("musiałby zapłacić 60 zł", "choćby podawano 60 zł"),
denied further on ("60 zł kasa nie pobiera"), asked, nothing ("dopłaca Pan 0 zł"), or listed under a
head that calls it wrong ("Czego tu nie ma:").
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from ragifeval.statements.patterns import Place
from ragifeval.statements.polarity import SUPPOSING, UNREAL_ENDINGS
from ragifeval.statements.quantities import unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.units import Clause
from ragifeval.statements.wordings import table, word_set

_WRONG, _UNFIT = word_set("claims", "wrong"), word_set("claims", "unfit")
_CONFUSED, _SEEMING = word_set("claims", "confused"), word_set("claims", "seeming")
_UNFIT_WHAT, _ASKING = word_set("claims", "unfit_what"), word_set("claims", "asking")
_REPORTING, _THAT = word_set("claims", "reporting"), word_set("claims", "that")
_JOINS, _LIMITS = word_set("polarity", "joins"), table("claims")["limits"]
_OPENING, _CLOSING = frozenset('„«“"'), frozenset('”»“"')
_CROSSES = frozenset("✗✘❌✖")
_OPERATORS, _DIVIDING = frozenset("+−×÷<>"), frozenset([" : ", " / "])
_PAST_ENDINGS = tuple(table("claims")["past_endings"])
_RESULTING, _CONCEDING = word_set("claims", "resulting"), word_set("claims", "conceding")
# What opens a clause that begins a thought of its own: a line, a cell, a sentence.
_BEGINS = frozenset("\n|.?!")
# How far before a mention what reports it stands; the longest head; in tokens.
_REACH, _LONGEST_HEAD, _LONGEST_CLAUSE = 15, 20, 40
_REACH_LIMIT, _REACH_NOTHING, _LEAST_QUOTED = 6, 3, 2


class Claims:
    """Which mentions an answer claims.

    Args:
        reading: the answer.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._wrong_heads: dict[int, bool] = {}

    def has(self, place: Place) -> bool:
        """Whether what stands at a place is claimed."""
        return not (
            self._is_operand(place)
            or self._is_quoted(place)
            or self._is_struck(place)
            or self._is_reported(place)
            or self._is_supposed(place)
            or self._is_denied(place)
            or self._is_limited(place)
            or self._is_crossed_out(place)
            or self._is_of_nothing(place)
            or self._is_asked(place)
            or any(map(self._calls_wrong, self._heads(place)))
        )

    def _is_operand(self, place: Place) -> bool:
        """Whether it is a number that is added, multiplied or compared."""
        tokens, gaps = self._reading.tokens, self._reading.gaps
        numbers = [token for token in place.taken if tokens[token][0].isdigit()]
        if not place.unit and place.start not in numbers:
            return False
        around = [
            gap
            for token in (*numbers, place.start, place.end - 1)
            for gap in (gaps[token].rpartition("\n")[2], gaps[token + 1].partition("\n")[0])
        ]
        is_operand = not (_DIVIDING.isdisjoint(around) and _OPERATORS.isdisjoint("".join(around)))
        return is_operand or self._is_wrong_result(place)

    def _is_denied(self, place: Place) -> bool:
        """Whether its clause says no further on: "ryczałtu automat nie zatwierdza"."""
        words, clause = self._reading.words, self._reading.units.clause[place.end - 1]
        behind = range(place.end, min(clause.tokens[-1], place.end + _REACH))
        denial = next((at for at in behind if words[at] == "nie"), None)
        if denial is None:
            return False
        # "Miejsce i pora nie mają na to wpływu": of both.
        tokens = self._reading.tokens
        is_joined = any(
            words[at] in _JOINS and not unit_of(tokens[at + 1]) for at in range(place.end, denial)
        )
        return not is_joined or words[denial + 1].endswith("ą")

    def _is_limited(self, place: Place) -> bool:
        """Whether it holds for other cases alone: "potrzebna tylko wtedy, gdy ..."."""
        words, sentence = self._reading.words, self._reading.units.sentence(place.start)
        behind = " ".join(words[place.end : min(sentence.end, place.end + _REACH_LIMIT)])
        return any(limit in behind for limit in _LIMITS)

    def _is_wrong_result(self, place: Place) -> bool:
        """Whether it is what a denied sum gives: "a nie 5 × 9 = 45 zł"."""
        units = self._reading.units
        clause = units.clause[place.start]
        if clause.opener != "=" or not clause.number:
            return False
        return "nie" in [
            self._reading.words[at] for at in units.clauses[clause.number - 1].tokens[:2]
        ]

    def _is_supposed(self, place: Place) -> bool:
        """Whether it would only hold if things were otherwise: "inaczej musiałby płacić"."""
        units, words = self._reading.units, self._reading.words
        clause = units.clause[place.start]
        before = units.clauses[clause.number - 1] if clause.number else clause
        if clause.opener == ":" and words[before.tokens[0]] in SUPPOSING:
            return True
        if words[clause.tokens[0]] in _RESULTING and self._is_unreal(before):
            # "mogłoby wyjść 30 zł, czyli razem 60 zł", "byłoby przy saunie, gdzie płaci się 60 zł"
            return True
        return self._is_unreal(clause)

    def _is_unreal(self, clause: Clause) -> bool:
        """Whether a clause has a verb of what would be: "musiałby", "choćby podawano"."""
        words = self._reading.words
        tokens = clause.tokens[:_LONGEST_CLAUSE]
        is_conceded = words[tokens[0]] in _CONCEDING
        endings = UNREAL_ENDINGS + _PAST_ENDINGS if is_conceded else UNREAL_ENDINGS
        return any(words[at].endswith(endings) for at in tokens)

    def _is_quoted(self, place: Place) -> bool:
        """Whether it stands in a quotation that begins a line, a cell or a sentence.

        A line that is nothing but a quotation claims what it quotes: nobody speaks against it.
        """
        at = bisect_right(self._quotations, (place.start, len(self._reading)))
        return bool(at) and place.end <= self._quotations[at - 1][1]

    @cached_property
    def _quotations(self) -> Sequence[tuple[int, int]]:
        """The tokens of quotations that are a thought of their own, as (first, behind the last)."""
        found, opened = [], -1
        for index in (*self._reading.breaks, len(self._reading)):
            for sign in self._reading.gaps[index]:
                if sign == "\n":
                    opened = -1
                elif opened < 0 and sign in _OPENING:
                    opened = index
                elif opened >= 0 and sign in _CLOSING:
                    is_thought = index - opened >= _LEAST_QUOTED and self._begins_thought(opened)
                    if is_thought and not self._is_line(opened, index):
                        found.append((opened, index))
                    opened = -1
        return found

    def _is_line(self, start: int, end: int) -> bool:
        """Whether some tokens are a whole line."""
        units = self._reading.units
        is_end = end == len(self._reading) or units.line(end).start == end
        return is_end and units.line(start).start == start

    def _begins_thought(self, token: int) -> bool:
        clause = self._reading.units.clause[token]
        if (token and self._reading.words[token - 1] in _THAT) or "/" in self._reading.gaps[token]:
            return True
        return clause.tokens[0] == token and clause.opener in _BEGINS

    def _is_asked(self, place: Place) -> bool:
        """Whether it begins in a question that the next sentence answers: "Kaucja? Nie tu."."""
        sentence = self._reading.units.sentence
        return sentence(place.start) is not sentence(place.end - 1)

    def _is_of_nothing(self, place: Place) -> bool:
        """Whether what is to be paid is nothing: "za nocleg dopłaca Pan 0 zł"."""
        tokens = self._reading.tokens
        behind = tokens[place.end : place.end + _REACH_NOTHING]
        return not place.unit and "0 złoty" in behind

    def _is_crossed_out(self, place: Place) -> bool:
        """Whether its line begins with a cross: "✗ 37 zł"."""
        line = self._reading.units.line(place.start)
        return not _CROSSES.isdisjoint(self._reading.gaps[line.start].rpartition("\n")[2])

    def _is_struck(self, place: Place) -> bool:
        """Whether it is struck through: "~~60 zł~~ 45 zł"."""
        at = bisect_right(self._strikes, place.start)
        return at % 2 == 1 and at < len(self._strikes) and place.end <= self._strikes[at]

    @cached_property
    def _strikes(self) -> Sequence[int]:
        """The tokens behind "~~", which opens and closes in turn."""
        gaps = self._reading.gaps
        return [
            index
            for index in (*self._reading.breaks, len(self._reading))
            for _ in range(gaps[index].count("~~"))
        ]

    def _is_reported(self, place: Place) -> bool:
        """Whether others say or confuse it, or its line begins with "że"."""
        words, sentence = self._reading.words, self._reading.units.sentence(place.start)
        if words[sentence.start] in _THAT and sentence.start == sentence.line.start:
            return True
        before = words[max(sentence.start, place.start - _REACH) : place.start]
        if any(word in _REPORTING for word in before):
            return True
        return any(f"{one} {other}" in _SEEMING for one, other in pairwise(before))

    def _heads(self, place: Place) -> Iterator[Sequence[int]]:
        """What heads a place: its list, its section, its column, what stands before a colon."""
        units = self._reading.units
        clause = units.clause[place.start]
        line = clause.sentence.line
        for number in units.heads(line):
            last = units.sentence(units.lines[number + 1].start - 1)
            is_head = units.lines[number].is_heading or last.mark == ":"
            # What follows a list is no longer headed by what heads the list.
            if is_head and (line.is_item or line.is_row or number + 1 == line.number):
                yield last.tokens
        if line.is_row:
            yield from self._column_heads.get((units.table_head(line), clause.cell), ())
        colon = next((mini for mini in units.minis(clause.sentence) if mini.opener == ":"), None)
        if colon is not None and colon.tokens[0] <= place.start:
            yield range(clause.sentence.start, colon.tokens[0])

    @cached_property
    def _column_heads(self) -> dict[tuple[int, int], list[Sequence[int]]]:
        """By line and cell, the clauses of the first rows of tables."""
        units = self._reading.units
        found: dict[tuple[int, int], list[Sequence[int]]] = {}
        for clause in units.clauses:
            line = clause.sentence.line
            if line.is_row and units.table_head(line) == line.number:
                found.setdefault((line.number, clause.cell), []).append(clause.tokens)
        return found

    def _calls_wrong(self, head: Sequence[int]) -> bool:
        """Whether a head says of what it heads that it is wrong: "Co tu nie działa"."""
        known = self._wrong_heads.get(head[0])
        if known is None:
            known = len(head) <= _LONGEST_HEAD and self._says_wrong(head)
            self._wrong_heads[head[0]] = known
        return known

    def _says_wrong(self, head: Sequence[int]) -> bool:
        words = [self._reading.words[token] for token in head]
        if any(word in _WRONG for word in words):
            return True
        for at, (word, following) in enumerate(pairwise(words)):
            if f"{word} {following}" in _CONFUSED:
                return True
            if word == "nie" and following in _UNFIT:
                return True
            if word == "nie" and following in _UNFIT_WHAT:
                return any(before in _ASKING for before in words[:at])
        return False
