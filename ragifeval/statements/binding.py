"""What thing a value belongs to: "za kajak 45 zł, za rower 60 zł" binds 45 zł to the kayak.

Looked for in this order: the table's row and column, the mini-clause, the pairing of values and
things in the sentence, the sentence before and behind, the line and what heads it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ragifeval.statements.patterns import Place
from ragifeval.statements.quantities import is_year, unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.wordings import word_set

OWN, NOTHING, RIVAL = 1, 0, -1

_RESPECTIVELY = word_set("segments", "respectively")
_BOTH = word_set("segments", "both")
_PURPOSE = word_set("segments", "purpose")
_JOINS = word_set("polarity", "joins")
_DESCRIBING = word_set("segments", "describing")
_RELATIVE = word_set("polarity", "relative")
_LINKS = frozenset(["za", "od", "na", "dla", "w", "u", "przy", "do", "z", "po", "dotyczy", "to"])
# How far a preposition binds a value to the thing behind it, in tokens.
_REACH_LINK = 4
_REACH_BACK = 12


@dataclass(frozen=True, slots=True)
class Thing:
    """A mention of a thing: of the statement's own, of a rival, or of both (`side` is NOTHING)."""

    start: int
    end: int
    side: int


class Things:
    """The mentions of a statement's thing and of its rivals in one answer.

    Args:
        own: where the statement's own thing is mentioned.
        rivals: where others are.
        values: the tokens of values that things may be bound to: they pair off with the things.
        looks_back: whether a thing of the sentences before counts, where nothing nearer does.
    """

    def __init__(
        self,
        own: Sequence[Place],
        rivals: Sequence[Place],
        values: Sequence[int],
        reading: Reading,
        *,
        looks_back: bool,
    ) -> None:
        self._looks_back = looks_back
        self._reading = reading
        self._units = reading.units
        self._minis = reading.units.minis
        self.things = sorted(_outermost(own, rivals), key=lambda thing: thing.start)
        self._starts = [thing.start for thing in self.things]
        self._values = values
        self._by_mini: dict[int, list[Thing]] = {}
        self._by_line: dict[int, list[Thing]] = {}
        # The first thing of each cell of a table.
        self._by_cell: dict[tuple[int, int], Thing] = {}
        for thing in self.things:
            self._by_mini.setdefault(self._minis.of[thing.start], []).append(thing)
            line = self._units.line[thing.start]
            self._by_line.setdefault(line, []).append(thing)
            self._by_cell.setdefault((line, self._units.cell[thing.start]), thing)
        self._pairs: dict[int, dict[int, int]] = {}

    def side(self, place: Place) -> int:
        """What a place is bound to: OWN, RIVAL, or NOTHING (to no thing, or to both)."""
        if not self.things:
            return NOTHING
        for look in (
            self._each,
            self._in_order,
            self._in_row,
            self._near,
            self._in_brackets,
            self._in_relative,
            self._in_purpose,
            self._paired,
        ):
            side = look(place)
            if side is not None:
                return side
        side = self._around(place)
        return self._by_layout(place) if side is None else side

    def _each(self, place: Place) -> int | None:
        """The value is that of each: "po 500 zł", "obaj mają 30 dni"."""
        words, start = self._reading.words, place.start
        if start and words[start - 1] == "po" and place.unit in _MONEY:
            return NOTHING
        mini = self._minis.of
        if mini[start] in self._by_mini:
            # "Kajak dla obojga kosztuje 45 zł."
            return None
        near = range(max(0, start - _REACH_BACK), min(len(words), start + _REACH_BACK))
        if any(words[token] in _BOTH and mini[token] == mini[start] for token in near):
            return NOTHING
        return None

    def _in_order(self, place: Place) -> int | None:
        """The k-th value is that of the k-th thing: "odpowiednio 500 i 250 zł"."""
        units, words = self._units, self._reading.words
        sentence = units.tokens_of_sentence(units.sentence[place.start])
        if len(sentence) > _LONGEST_LISTING:
            return None
        first, last = sentence.start, sentence.stop
        values = self._values[bisect_left(self._values, first) : bisect_left(self._values, last)]
        things = self.things[bisect_left(self._starts, first) : bisect_left(self._starts, last)]
        if place.start not in values or not things:
            return None
        is_listed = any(words[token] in _RESPECTIVELY for token in sentence)
        if not is_listed:
            # "Za kajak i rower 45 zł i 60 zł": values in a row, with all things before them.
            values = [token for token in values if abs(token - place.start) <= 2 * len(things)]
            is_row = all(self._is_joined(one, other) for one, other in pairwise(values))
            is_listed = is_row and len(values) > 1 and things[-1].start < values[0]
        if is_listed and len(values) == len(things):
            return things[values.index(place.start)].side
        if is_listed and len(values) == 1 and len(things) == 2:
            # "odpowiednio kurator i wojewoda", of whom one alone is known.
            following = words[place.end] if place.end < len(words) else ""
            return things[0 if following in _JOINS else 1].side
        return None

    def _is_joined(self, one: int, other: int) -> bool:
        """Whether nothing but "i" or the like stands between two values."""
        if other - one == 1:
            return self._reading.gaps[other].strip() in _JOINTS
        return other - one == 2 and self._reading.words[one + 1] in _JOINS_VALUES

    def _in_row(self, place: Place) -> int | None:
        """In a table, the thing of the row's first cell, of its column's head, of the row."""
        units = self._units
        line = units.line[place.start]
        if not units.lines[line].is_row:
            return None
        cell = units.cell[place.start]
        if (line, cell) in self._by_cell:
            return self._near(place)
        head = line
        while head and units.lines[head - 1].is_row and line - head < _LONGEST_TABLE:
            head -= 1
        first = units.cell[units.lines[line].start]
        for key in ((head, cell), (line, first)):
            if key in self._by_cell:
                return self._by_cell[key].side
        in_row = self._by_line.get(line)
        return in_row[0].side if in_row else None

    def _near(self, place: Place) -> int | None:
        """The thing of the mini-clause."""
        things = self._by_mini.get(self._minis.of[place.start], [])
        if not things:
            return None
        if len(things) == 1:
            return things[0].side if self._is_nearest(place, things[0]) else None
        first = bisect_left(things, place.start, key=_start_of)
        behind = bisect_left(things, place.end, key=_start_of)
        if behind < len(things) and self._is_linked(place, things[behind]):
            return things[behind].side
        if first < behind:
            return things[first].side
        return things[max(0, first - 1)].side

    def _is_nearest(self, place: Place, thing: Thing) -> bool:
        """Whether no other value of the mini-clause is nearer to its only thing."""
        mini = self._minis.of
        at = bisect_left(self._values, thing.start)
        near = [
            token
            for token in self._values[max(0, at - 1) : at + 1]
            if mini[token] == mini[place.start]
        ]
        if not near or place.start not in self._value_set:
            return True
        return place.start == min(near, key=lambda token: abs(token - thing.start))

    def _is_linked(self, place: Place, thing: Thing) -> bool:
        """Whether a preposition right behind the value leads to the thing."""
        words = self._reading.words
        between = range(place.end, thing.start)
        return (
            len(between) < _REACH_LINK
            and any(words[token] in _LINKS for token in between)
            and self._value_set.isdisjoint(between)
        )

    def _in_purpose(self, place: Place) -> int | None:
        """The thing that the value is for: "zostają 2 dni, by złożyć skargę"."""
        minis = self._minis.by_sentence[self._units.sentence[place.start]]
        following = self._minis.rank[self._minis.of[place.start]] + 1
        if following == len(minis) or minis[following] not in self._by_mini:
            return None
        mini = minis[following]
        if self._reading.words[self._minis.tokens[mini][0]] in _PURPOSE:
            return self._by_mini[mini][0].side
        return None

    def _in_relative(self, place: Place) -> int | None:
        """The thing right before "który": "inaczej niż kajak, który kosztuje 45 zł"."""
        mini = self._minis.of[place.start]
        rank = self._minis.rank[mini]
        first = self._reading.words[self._minis.tokens[mini][0]]
        if not rank or not first.startswith("któr"):
            return None
        before = self._minis.by_sentence[self._units.sentence[place.start]][rank - 1]
        return self._by_mini[before][-1].side if before in self._by_mini else None

    def contrasts(self, place: Place) -> Iterator[tuple[int, int]]:
        """The things of a short clause behind: the side of each, and -1 for "nie", 1 for "tylko".

        "Kajak kosztuje 45 zł, rower nie", "nie kajak kosztuje 45 zł, tylko rower".
        """
        words = self._reading.words
        number = self._units.clause[place.end - 1] + 1
        if number >= len(self._units.clauses):
            return
        clause = self._units.clauses[number]
        tokens = clause.tokens
        if clause.opener != "," or not 0 < len(tokens) <= _LONGEST_CONTRAST:
            return
        sign = -1 if "nie" in [words[token] for token in (*tokens[:2], tokens[-1])] else 1
        if sign > 0 and words[tokens[0]] not in ("tylko", "lecz", "ale"):
            return
        if not self._value_set.isdisjoint(tokens):
            return
        first = bisect_left(self._starts, tokens[0])
        for thing in self.things[first : bisect_left(self._starts, tokens[-1] + 1)]:
            yield thing.side, sign

    def _in_brackets(self, place: Place) -> int | None:
        """The last thing before the brackets: "kajak (45 zł)"."""
        units = self._units
        clause = units.clauses[units.clause[place.start]]
        earlier = bisect_left(self._starts, clause.tokens[0])
        if clause.opener != "(" or not earlier:
            return None
        thing = self.things[earlier - 1]
        outer = units.clause[clause.tokens[0] - 1]
        return thing.side if units.clause[thing.start] == outer else None

    def _paired(self, place: Place) -> int | None:
        """The thing that pairs off with the value in the sentence: "rower: 60 zł, kajak: 45 zł"."""
        sentence = self._units.sentence[place.start]
        pairs = self._pairs.get(sentence)
        if pairs is None:
            pairs = self._pairs[sentence] = self._pair_off(sentence)
        return pairs.get(self._minis.of[place.start])

    @cached_property
    def _value_set(self) -> frozenset[int]:
        return frozenset(self._values)

    @cached_property
    def _value_minis(self) -> frozenset[int]:
        return frozenset(self._minis.of[token] for token in self._values)

    def _pair_off(self, sentence: int) -> dict[int, int]:
        """Pair mini-clauses that have a value alone with those that have a thing alone."""
        minis = self._minis.by_sentence[sentence]
        pairs: dict[int, int] = {}
        unclaimed: list[int] = []
        claimed: set[int] = set()
        for index, mini in enumerate(minis):
            if mini in self._by_mini:
                is_free = mini not in self._value_minis and mini not in claimed
                if is_free and not self._is_relative(mini):
                    unclaimed.append(mini)
                continue
            if mini not in self._value_minis:
                continue
            behind = minis[index + 1] if index + 1 < len(minis) else -1
            is_free = behind in self._by_mini and behind not in self._value_minis
            if is_free and self._minis.opener(behind) == "(" and self._is_alone(behind):
                partner = behind
            elif unclaimed:
                partner = unclaimed.pop()
            elif is_free:
                partner = behind
            else:
                continue
            claimed.add(partner)
            pairs[mini] = self._by_mini[partner][-1].side
        return pairs

    def _is_alone(self, mini: int) -> bool:
        """Whether the bracket that a mini-clause opens closes right behind it."""
        behind = self._minis.tokens[mini][-1] + 1
        return behind >= len(self._reading) or ")" in self._reading.gaps[behind]

    def _around(self, place: Place) -> int | None:
        """The nearest thing before in the sentence, else behind it."""
        units = self._units
        mini = self._minis.of[place.start]
        minis = self._minis.by_sentence[units.sentence[place.start]]
        at = self._minis.rank[mini]
        for other in reversed(minis[max(0, at - _REACH_BACK) : at]):
            if other in self._by_mini and not self._is_relative(other):
                return self._by_mini[other][-1].side
        for other in minis[at + 1 : at + 1 + _REACH_BACK]:
            if other in self._by_mini and other not in self._value_minis:
                return self._by_mini[other][0].side
        return None

    def _is_relative(self, mini: int) -> bool:
        tokens = self._minis.tokens[mini][:2]
        return any(self._reading.words[token] in _RELATIVE for token in tokens)

    def _by_layout(self, place: Place) -> int:
        """The thing of the line, of what heads it, or of the sentences before."""
        units = self._units
        line = units.line[place.start]
        if things := self._by_line.get(line):
            before = bisect_left(things, place.start, key=_start_of)
            if before or units.lines[line].is_item:
                return things[max(0, before - 1)].side
        for head in self._heads(line):
            if things := self._by_line.get(head):
                return things[-1].side
        sentence = units.sentence[place.start]
        earlier = bisect_left(self._starts, place.start)
        if earlier and self._looks_back:
            thing = self.things[earlier - 1]
            if sentence - units.sentence[thing.start] <= _SENTENCES_BACK:
                return thing.side
        return NOTHING

    def _heads(self, line: int) -> Iterator[int]:
        """The lines that head a line: that of its list, its heading."""
        lines = self._units.lines
        depth, is_item = lines[line].depth, lines[line].is_item
        for head in range(line - 1, max(-1, line - _LONGEST_TABLE), -1):
            above = lines[head]
            if above.is_heading or (is_item and not above.is_item):
                yield head
                if above.is_heading:
                    return
                is_item = False
            elif is_item and above.is_item and above.depth < depth:
                yield head
                depth = above.depth


def _start_of(thing: Thing) -> int:
    return thing.start


_JOINTS = frozenset([",", "/"])
_JOINS_VALUES = frozenset(["i", "oraz", "a", "wobec", "kontra"])
_MONEY = frozenset(["złoty", "euro", "dolar", "funt", "grosz"])
_LONGEST_LISTING = 200
_LONGEST_CONTRAST = 5
_LONGEST_TABLE = 40
_SENTENCES_BACK = 2


def _outermost(own: Sequence[Place], rivals: Sequence[Place]) -> Iterator[Thing]:
    """The mentions as things; one inside a longer mention belongs to the longer."""
    mentions = sorted(
        [(place.start, -place.end, OWN) for place in own]
        + [(place.start, -place.end, RIVAL) for place in rivals]
    )
    last_end, last = -1, (-1, -1)
    for start, negative_end, side in mentions:
        end = -negative_end
        if (start, end) == last:
            continue
        if end <= last_end:
            continue
        last_end, last = end, (start, end)
        yield Thing(start, end, side)


def values_of(unit: str, reading: Reading) -> list[int]:
    """The tokens that are quantities of a unit; of money, of any currency."""
    return [
        index
        for index, token in enumerate(reading.tokens)
        if unit_of(token) == unit
        and not is_year(token)
        # "Pozew o 1500 zł": this amount describes the thing.
        and not (index and reading.words[index - 1] in _DESCRIBING)
    ]
