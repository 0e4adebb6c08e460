"""What thing a value belongs to: "za kajak 45 zł, za rower 60 zł" binds 45 zł to the kayak.

Looked for in this order: the table's row and column, the mini-clause, the pairing of values and
things in the sentence, the sentence before and behind, the line and what heads it.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from ragifeval.statements.patterns import Place
from ragifeval.statements.quantities import unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.units import Clause, Line
from ragifeval.statements.wordings import table, word_set

OWN, NOTHING, RIVAL = 1, 0, -1

_RESPECTIVELY = word_set("segments", "respectively")
_BOTH = word_set("segments", "both")
_JOINS = word_set("polarity", "joins")
_COMPARED = word_set("polarity", "compared")
_DESCRIBING = word_set("segments", "describing")
_ASIDE = word_set("polarity", "relative")
_TOTAL = word_set("classes", "total")
_LINKS = frozenset(["za", "od", "na", "dla", "w", "u", "przy", "do", "z", "po", "dotyczy", "to"])
# Between "nie" and a thing: "a nie od dnia zgubienia".
_SET_ASIDE = _LINKS.union(table("starts")["days"], ["jest", "o"])
_JOINS_CLAUSES = frozenset(["a", "i", "ale", "lecz"])
# How far a preposition binds a value to the thing behind it, in tokens.
_REACH_LINK = 4
_REACH_BACK = 12


class Thing(NamedTuple):
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
        self._words = reading.words
        self._units = reading.units
        self._values = values
        self._value_set = frozenset(values)
        self._value_minis = {self._units.mini(token) for token in values}
        if not looks_back:
            own = [place for place in own if not self._is_set_aside(place)]
        self._things = sorted(_outermost(own, rivals), key=_start_of)
        self._starts = [thing.start for thing in self._things]
        self._by_mini: dict[Clause, list[Thing]] = {}
        self._by_line: dict[int, list[Thing]] = {}
        # The first thing of each cell of a table.
        self._by_cell: dict[tuple[int, int], Thing] = {}
        for thing in self._things:
            mini = self._units.mini(thing.start)
            line = mini.sentence.line.number
            self._by_mini.setdefault(mini, []).append(thing)
            self._by_line.setdefault(line, []).append(thing)
            self._by_cell.setdefault((line, mini.cell), thing)
        self._pairs: dict[int, dict[Clause, int]] = {}
        self._named: dict[Clause, Sequence[Thing]] = {}

    def side(self, place: Place) -> int:
        """What a place is bound to: OWN, RIVAL, or NOTHING (to no thing, or to both)."""
        if not self._things:
            return NOTHING
        for look in (
            self._each,
            self._in_order,
            self._in_row,
            self._near,
            self._in_brackets,
            self._in_apposition,
            self._paired,
            self._around,
        ):
            side = look(place)
            if side is not None:
                return side
        return self._by_layout(place)

    def _is_set_aside(self, place: Place) -> bool:
        """Whether a "nie" stands right before a thing: "od zgłoszenia, a nie od zgubienia"."""
        words, at = self._words, place.start - 1
        while at > 0 and words[at] in _SET_ASIDE and place.start - at <= _REACH_LINK:
            at -= 1
        is_first = at <= 0 or self._reading.gaps[at] != " " or words[at - 1] in _JOINS_CLAUSES
        return at >= 0 and words[at] == "nie" and is_first

    def _between(self, start: int, end: int) -> Sequence[Thing]:
        """The things that begin between two tokens."""
        return self._things[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _each(self, place: Place) -> int | None:
        """The value is that of each: "po 500 zł", "obaj mają 30 dni"."""
        words, start = self._words, place.start
        if start and words[start - 1] == "po" and place.unit in _MONEY:
            clause = self._units.clause[start]
            near = self._between(clause.tokens[0], clause.tokens[-1] + 1)
            return near[0].side if len({thing.side for thing in near}) == 1 else NOTHING
        mini = self._units.mini(start)
        if mini in self._by_mini:
            # "Kajak dla obojga kosztuje 45 zł."
            return None
        first = bisect_left(mini.tokens, start - _REACH_BACK)
        tokens = mini.tokens[first : bisect_left(mini.tokens, start + _REACH_BACK)]
        if not any(words[token] in _BOTH for token in tokens):
            return None
        # What must never be said of a thing is said of it, too.
        are_known = {thing.side for thing in self._things} == {OWN, RIVAL}
        return OWN if are_known else NOTHING

    def _in_order(self, place: Place) -> int | None:
        """The k-th value is that of the k-th thing: "odpowiednio 500 i 250 zł".

        Without "odpowiednio", where the values stand in a row, behind all things or before.
        """
        sentence = self._units.sentence(place.start)
        first, last = sentence.start, sentence.end
        things = self._between(first, last)
        if len(things) < _LEAST_LISTED or last - first > _LONGEST_LISTING:
            return None
        values = self._values[bisect_left(self._values, first) : bisect_left(self._values, last)]
        is_listed = any(self._words[token] in _RESPECTIVELY for token in sentence.tokens)
        if is_listed:
            # "odpowiednio 100 i 200 zł, łącznie 300 zł"
            values = [token for token in values if not self._is_total(token)]
        if place.start not in values:
            return None
        if is_listed and len(values) == 1 and len(things) == _LEAST_LISTED:
            # "odpowiednio kurator i wojewoda", of whom one alone is known.
            is_first = place.end < last and self._words[place.end] in _JOINS
            return things[0 if is_first else 1].side
        if not is_listed:
            values = [token for token in values if abs(token - place.start) <= 2 * len(things)]
            is_row = all(self._is_joined(one, other) for one, other in pairwise(values))
            # "45 i 60 zł za kajak i rower"
            are_ahead = len(values) > 1 and values[-1] < things[0].start
            is_listed = is_row and (are_ahead or things[-1].start < values[0])
        if is_listed and len(values) == len(things):
            return things[values.index(place.start)].side
        return None

    def _is_joined(self, one: int, other: int) -> bool:
        """Whether nothing but a comma, "i" or the like stands between two values."""
        if other - one == 1:
            return self._reading.gaps[other].strip() in _JOINTS
        return other - one == 2 and self._words[one + 1] in _JOINS_VALUES

    def _in_row(self, place: Place) -> int | None:
        """In a table, the thing of the row's first cell, of its column's head, of the row."""
        units = self._units
        line, cell = units.line(place.start), units.clause[place.start].cell
        if not line.is_row:
            return None
        if (line.number, cell) in self._by_cell:
            return self._near(place)
        head = units.table_head(line)
        for key in ((head, cell), (line.number, units.clause[line.start].cell)):
            if key in self._by_cell:
                return self._by_cell[key].side
        in_row = self._by_line.get(line.number)
        return in_row[0].side if in_row else None

    def _near(self, place: Place) -> int | None:
        """The thing of the mini-clause."""
        mini = self._units.mini(place.start)
        if mini not in self._by_mini:
            return None
        things = self._named_in(mini)
        if len(things) == 1:
            if not place.unit and self._is_compared(things[0]):
                return None
            if place.unit and self._is_parted(place, things[0]):
                return NOTHING
            return things[0].side if self._is_nearest(place, things[0]) else None
        first = bisect_left(things, place.start, key=_start_of)
        behind = bisect_left(things, place.end, key=_start_of)
        if behind < len(things) and self._is_linked(place, things[behind]):
            return things[behind].side
        return things[first if first < behind else max(0, first - 1)].side

    def _named_in(self, mini: Clause) -> Sequence[Thing]:
        """The things of a mini-clause that has some: those that nothing is only compared with."""
        named = self._named.get(mini)
        if named is None:
            things = self._by_mini[mini]
            named = [one for one in things if not self._is_compared(one)] or things
            self._named[mini] = named
        return named

    def _is_parted(self, place: Place, thing: Thing) -> bool:
        """Whether a "nie" parts the value from the thing behind: "45 zł nie zastępuje kaucji"."""
        between = self._words[place.end : thing.start]
        return "nie" in between and not any(word in _COMPARED for word in between)

    def _is_nearest(self, place: Place, thing: Thing) -> bool:
        """Whether no other value of the mini-clause is nearer to its only thing."""
        mini = self._units.mini
        at = bisect_left(self._values, thing.start)
        near = [
            token
            for token in self._values[max(0, at - 1) : at + 1]
            if mini(token) is mini(place.start)
        ]
        if not near or not place.unit or place.start not in self._value_set:
            return True
        return place.start == min(near, key=lambda token: abs(token - thing.start))

    def _is_linked(self, place: Place, thing: Thing) -> bool:
        """Whether a preposition right behind the value leads to the thing."""
        between = range(place.end, thing.start)
        return (
            len(between) < _REACH_LINK
            and not any(self._words[token] in _TOGETHER for token in between)
            and any(self._words[token] in _LINKS for token in between)
            and self._value_set.isdisjoint(between)
        )

    def _in_brackets(self, place: Place) -> int | None:
        """The last thing before the brackets: "kajak (45 zł)"."""
        clause = self._units.clause
        opened = clause[place.start]
        earlier = bisect_left(self._starts, opened.tokens[0])
        if opened.opener != "(" or not earlier:
            return None
        thing = self._things[earlier - 1]
        before = clause[opened.tokens[0] - 1]
        if clause[thing.start] is not before:
            return None
        # "Kajak jest droższy niż rower (60 zł zamiast 45 zł)": neither is known.
        is_compared = "niż" in self._words[before.tokens[0] : thing.start]
        is_double = "zamiast" in [self._words[token] for token in opened.tokens]
        return NOTHING if is_compared and is_double else thing.side

    def _in_apposition(self, place: Place) -> int | None:
        """The thing of the clause behind: "dłuższy, 60-dniowy, jest tylko na rower"."""
        mini = self._units.mini(place.start)
        behind = self._units.following(mini)
        if mini.opener != "," or len(mini.tokens) > len(place.taken) or behind is None:
            return None
        is_free = behind in self._by_mini and behind not in self._value_minis
        is_said = behind.opener == "," and self._words[behind.tokens[0]] in _APPLYING
        return self._by_mini[behind][0].side if is_free and is_said else None

    def _paired(self, place: Place) -> int | None:
        """The thing that pairs off with the value in the sentence: "rower: 60 zł, kajak: 45 zł"."""
        sentence = self._units.sentence(place.start)
        pairs = self._pairs.get(sentence.number)
        if pairs is None:
            pairs = self._pairs[sentence.number] = self._pair_off(self._units.minis(sentence))
        return pairs.get(self._units.mini(place.start))

    def _pair_off(self, minis: Sequence[Clause]) -> dict[Clause, int]:
        """Pair mini-clauses that have a value alone with those that have a thing alone."""
        pairs: dict[Clause, int] = {}
        unclaimed: list[Clause] = []
        claimed: set[Clause] = set()
        for mini, behind, then in zip_longest(minis, minis[1:], minis[2:]):
            if mini in self._by_mini:
                is_free = mini not in self._value_minis and mini not in claimed
                if is_free and not self._is_aside(mini):
                    unclaimed.append(mini)
                continue
            if mini not in self._value_minis:
                continue
            is_free = behind in self._by_mini and behind not in self._value_minis
            is_free = is_free and not self._is_compared(self._by_mini[behind][0])
            # "A: x, y, B: z": the y is not of B.
            if is_free and claimed:
                is_label = then is not None and then.opener in (":", "–")
                is_free = behind.opener != ";" and not is_label
            is_list = then is not None and then.opener == ":"
            if is_free and (behind.opener == ":" or (behind.opener == "(" and not is_list)):
                partner = behind
            elif unclaimed:
                partner = unclaimed.pop()
            elif is_free:
                partner = behind
            else:
                continue
            claimed.add(partner)
            # "Sąd jest tańszy niż notariusz: 105 zł"
            pairs[mini] = self._named_in(partner)[-1].side
        return pairs

    def _around(self, place: Place) -> int | None:
        """The nearest thing before in the sentence, else behind it."""
        mini = self._units.mini(place.start)
        minis, at = self._units.minis(mini.sentence), mini.rank
        for other in reversed(minis[max(0, at - _REACH_BACK) : at]):
            # What must never be said is not bound to a thing with a value of its own.
            is_taken = not self._looks_back and place.unit and other in self._value_minis
            # "w Kalinostawie 2 zł za sztukę, czyli 54 zł"
            is_taken = is_taken and self._words[mini.tokens[0]] != "czyli"
            if other in self._by_mini and not self._is_aside(other) and not is_taken:
                return self._by_mini[other][-1].side
        for other in minis[at + 1 : at + 1 + _REACH_BACK]:
            is_free = other in self._by_mini and other not in self._value_minis
            if is_free and not self._is_compared(self._by_mini[other][0]):
                return self._by_mini[other][0].side
        return None

    def _is_aside(self, mini: Clause) -> bool:
        """Whether a mini-clause speaks of its thing by the way: "inaczej niż rower".

        But not where it leads to the next: "inaczej jest z rowerem: ...".
        """
        following = self._units.following(mini)
        if following is not None and following.opener == ":":
            return False
        if any(self._words[token] in _ASIDE for token in mini.tokens[:2]):
            return True
        return self._is_compared(self._by_mini[mini][0])

    def _is_compared(self, thing: Thing) -> bool:
        """Whether it is what is compared with: "o 24 zł więcej niż rok wcześniej"."""
        before = self._words[max(0, thing.start - 2) : thing.start]
        return not _COMPARING.isdisjoint(before)

    def _by_layout(self, place: Place) -> int:
        """The thing of the line, of what heads it, or of the sentences before."""
        units = self._units
        line = units.line(place.start)
        earlier = bisect_left(self._starts, place.start)
        if things := self._by_line.get(line.number):
            before = bisect_left(things, place.start, key=_start_of)
            for thing in reversed(things[max(0, before - _REACH_BACK) : before]):
                # "Nie tyle, jak przy paczce, tylko mniej, i to 37 zł."
                is_claimed = self._looks_back or thing.side != OWN
                if is_claimed or not self._is_aside(units.mini(thing.start)):
                    return self._in_line(place, thing)
            is_near = self._looks_back or units.sentence(things[0].start) is units.sentence(
                place.start
            )
            first = units.mini(things[0].start)
            # "Czas: zwykle 15 minut; grupa ma 30 minut"
            is_taken = not self._looks_back and place.unit and first in self._value_minis
            is_taken = is_taken and things[0].side == OWN
            if line.is_item and is_near and not self._is_aside(first) and not is_taken:
                return things[0].side
        if not self._looks_back and place.unit and self._is_total(place.start):
            return NOTHING
        for head in self._heads(line):
            if things := self._by_line.get(head):
                is_near = self._looks_back or line.is_item or head + 1 == line.number
                return things[-1].side if is_near or things[-1].side == OWN else NOTHING
        if earlier and self._looks_back:
            thing = self._things[earlier - 1]
            distance = units.sentence(place.start).number - units.sentence(thing.start).number
            if distance <= _SENTENCES_BACK:
                # A sentence that speaks of both leaves open which.
                near = self._between(units.sentence(thing.start).start, place.start)
                return thing.side if len({other.side for other in near}) == 1 else NOTHING
        return NOTHING

    def _is_total(self, value: int) -> bool:
        """Whether its clause calls a value the total: of all, not of what heads it."""
        tokens = self._units.clause[value].tokens
        near = tokens[: bisect_left(tokens, value + _REACH_LINK)]
        return any(self._words[token] in _TOTAL for token in near)

    def _in_line(self, place: Place, thing: Thing) -> int:
        """The thing before a place in its line.

        What must never be said is not bound to a rival of another sentence, nor to a thing that has
        a value of its own.
        """
        sentence, line = self._units.sentence(thing.start), self._units.line(place.start)
        is_head = line.is_item and sentence.start == line.start
        if self._looks_back or is_head:
            return thing.side
        is_far = sentence is not self._units.sentence(place.start)
        is_taken = place.unit and self._units.mini(thing.start) in self._value_minis
        if is_far and place.unit:
            # "Skrócony i wielojęzyczny kosztują po 22 zł. Za zupełny trzeba dać 33 zł."
            at = bisect_left(self._values, thing.end)
            is_taken = is_taken or (at < len(self._values) and self._values[at] < sentence.end)
        return NOTHING if is_taken or (is_far and thing.side == RIVAL) else thing.side

    def _heads(self, line: Line) -> Iterable[int]:
        """The lines that head a line: that of its list, its heading."""
        is_behind_list = (
            line.number and not line.is_item and self._units.lines[line.number - 1].is_item
        )
        return () if is_behind_list and not self._looks_back else self._units.heads(line)


def _start_of(thing: Thing) -> int:
    return thing.start


_JOINTS = frozenset([",", "/"])
_JOINS_VALUES = frozenset(["i", "oraz", "a", "wobec", "kontra"])
_TOGETHER = ("razem", "wraz", "łącznie")
_MONEY = frozenset(["złoty", "euro", "dolar", "funt", "grosz"])
_LONGEST_LISTING = 200
_SENTENCES_BACK = 2
_LEAST_LISTED = 2
_APPLYING = word_set("segments", "applying")
_COMPARING = frozenset(["niż", "odróżnieniu", "przeciwieństwie"])


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
    """The tokens that are quantities of a unit, without those that describe a thing.

    "Pozew o 1500 zł" describes the claim; "zamiast 60 zł" is not what is paid.
    """
    return [
        index
        for index in reading.quantities
        if unit_of(reading.tokens[index]) == unit
        and not (index and reading.words[index - 1] in _DESCRIBING)
    ]
