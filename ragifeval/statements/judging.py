"""Whether an answer says what a statement wants said.

Each place where a statement's wordings stand gets a sign (affirmed, denied, neither) and a thing
(its own, a rival, none). The statement is met when a place has the wanted sign and no rival's
thing; not when the answer contradicts it, names another total or another start.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple

from ragifeval.statements.binding import NOTHING, OWN, RIVAL, Things, values_of
from ragifeval.statements.claims import Claims
from ragifeval.statements.entries import Statement
from ragifeval.statements.patterns import AnyOf, Finder, Place, join, place_at, shared
from ragifeval.statements.polarity import AFFIRMED, DENIED, SUPPOSING, Signs, is_unreal
from ragifeval.statements.quantities import PERIODS, unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.vocabulary import Vocabulary
from ragifeval.statements.wordings import WordList, word_set
from ragifeval.text.normalizer import Normalizer

_CONDITIONAL = word_set("conditional", "words")
_CONTRAST = word_set("contrast", "words")
_TOTAL, _DUE = "@total", "@due"
# "razem z chorobową" names a part, "łączny limit" a limit.
_NO_TOTAL = word_set("polarity", "no_total")
# "W całości", "pozew o sumę".
_IN_TOTAL = frozenset(["w", "o"])
_STARTS, _RUNNING = word_set("starts", "before"), word_set("starts", "running")
_NOT_STARTS, _DAYS = word_set("starts", "other"), word_set("starts", "days")
_TOO_LATE = word_set("starts", "too_late")

Reason = Literal[
    "said", "missing", "denied", "other thing", "contradicted", "other start", "other total"
]


class Outcome(NamedTuple):
    """What an answer does with a statement.

    Attributes:
        is_found: whether the statement is said as wanted; for `never`, whether it is affirmed.
        reason: why it is found or not.
        place: the place that decided, as (first word, last word) of the normalized answer.
    """

    is_found: bool
    reason: Reason
    place: tuple[int, int] | None = None


_MISSING = Outcome(False, "missing")


class _Mention(NamedTuple):
    """A place with what it says: its sign as the statement counts it, and its thing."""

    place: Place
    sign: int
    side: int
    is_verdict: bool = False


@dataclass(slots=True)
class _Compiled:
    statement: Statement
    say: AnyOf
    anti: AnyOf
    own: AnyOf
    rivals: AnyOf
    start: AnyOf
    # What rivals are said to be, for pairing values off with things.
    others: AnyOf
    but: AnyOf
    # Where it tells the only amounts: their units, and what calls an amount due.
    units: frozenset[str]
    due: AnyOf
    # Sets of atoms: an answer that has none of one neither says nor denies the statement.
    needed: tuple[frozenset[str], ...] = field(init=False)

    def __post_init__(self) -> None:
        if self.statement.has_verdict:
            self.needed = ()
        elif self.statement.is_only:
            self.needed = (self.due.any_of,)
        else:
            self.needed = (shared(self.say.any_of | self.anti.any_of),)
            # What must never be said of a thing counts only where the thing is named.
            if self.statement.is_never and self.own:
                self.needed += (self.own.any_of,)


class Statements:
    """The statements of one sample, ready to be judged.

    Args:
        statements: in order; what those of `include` are said of are each other's rivals.
        normalizer: for their wordings.
    """

    def __init__(self, statements: Sequence[Statement], normalizer: Normalizer) -> None:
        self.statements = statements
        self._vocabulary = Vocabulary(normalizer)
        self._total = self._vocabulary.compile([_TOTAL])
        self._compiled = [self._compile(statement) for statement in statements]

    def _compile(self, statement: Statement) -> _Compiled:
        compile_all = self._vocabulary.compile
        rivals: list[str] = list(statement.rivals)
        others: list[str] = []
        if statement.of:
            for other in self.statements:
                if other.is_never:
                    continue
                if statement.is_never:
                    others += other.say
                if other.of and set(statement.of).isdisjoint(other.of):
                    rivals += [wording for wording in other.of if wording not in statement.of]
                    others += other.say
        return _Compiled(
            statement,
            compile_all(statement.say),
            compile_all(statement.anti),
            compile_all(statement.of),
            compile_all(rivals),
            compile_all(statement.start),
            compile_all(others),
            compile_all(statement.but),
            *self._due(statement),
        )

    def _due(self, statement: Statement) -> tuple[frozenset[str], AnyOf]:
        if not statement.is_only:
            return frozenset(), self._vocabulary.compile([])
        units = frozenset(map(unit_of, self._vocabulary.compile(statement.say).any_of))
        return units, self._vocabulary.compile([_DUE])

    def judge(self, reading: Reading) -> Sequence[Outcome]:
        """Judge an answer by each statement, in order, when first asked for."""
        finder = Finder(reading, self._vocabulary.occurrences(reading))
        return _Outcomes(self._compiled, self._total, finder)


class _Outcomes(Sequence[Outcome]):
    """What an answer does with each statement: most entries are decided by a few of theirs."""

    def __init__(self, compiled: Sequence[_Compiled], total: AnyOf, finder: Finder) -> None:
        self._compiled, self._total, self._finder = compiled, total, finder
        self._signs, self._claims = Signs(finder.reading), Claims(finder.reading)
        self._known: dict[int, Outcome] = {}

    def __len__(self) -> int:
        return len(self._compiled)

    def __iter__(self) -> Iterator[Outcome]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> Outcome:  # type: ignore[override]  # no slices
        outcome = self._known.get(index)
        if outcome is None:
            outcome = self._known[index] = self._judge(self._compiled[index])
        return outcome

    def _judge(self, compiled: _Compiled) -> Outcome:
        # Of what a question asks for and forbids, most answers speak of a part.
        for atoms in compiled.needed:
            if self._finder.atoms.isdisjoint(atoms):
                return _MISSING
        return _Judgement(compiled, self._finder, self._signs, self._claims, self._total).outcome()


class _Judgement:
    """One statement and one answer."""

    def __init__(
        self,
        compiled: _Compiled,
        finder: Finder,
        signs: Signs,
        claims: Claims,
        total: AnyOf,
    ) -> None:
        self._signs, self._claims = signs, claims
        self._compiled = compiled
        self._statement = compiled.statement
        self._finder = finder
        self._reading = finder.reading
        self._total = total

    def outcome(self) -> Outcome:
        mentions = self._mentions()
        if not mentions:
            return _MISSING
        if self._statement.is_never:
            return self._never(mentions)
        return self._said(mentions)

    def _mentions(self) -> list[_Mention]:
        """The places of what is said, of its opposite, and the verdicts."""
        find = self._finder.find
        said = self._others() if self._statement.is_only else find(self._compiled.say)
        if said and (passed := find(self._compiled.but)):
            tokens = {token for place in passed for token in place.taken}
            said = [place for place in said if place.taken.isdisjoint(tokens)]
        places = [(place, 1) for place in said]
        places += [(place, -1) for place in find(self._compiled.anti)]
        spoken: Sequence[Place] = []
        if self._statement.has_verdict:
            spoken = self._signs.verdicts or ([] if places else self._signs.opening)
        if not places and not spoken:
            return []
        things = self._things(said)
        mentions = [
            _Mention(
                place,
                self._signs.of(place) * sign,
                NOTHING if things is None else things.side(place),
            )
            for place, sign in places
        ]
        return mentions + self._verdicts(spoken, things)

    def _others(self) -> Sequence[Place]:
        """The amounts, other than the only ones, of clauses that call one due."""
        compiled, reading = self._compiled, self._reading
        said = self._finder.find(compiled.say)
        known = {token for place in said for token in place.taken}
        first = 0
        if self._statement.is_last:
            if not said:
                return []
            first = max(reading.units.lines[-1].start, reading.units.sentence(said[0].start).end)
        others = [
            place_at(token, unit)
            for token in reading.quantities[bisect_left(reading.quantities, first) :]
            if (unit := unit_of(reading.tokens[token])) in compiled.units
            and token not in known
            and not reading.tokens[token].startswith("0 ")
            and not (token and reading.words[token - 1] == "po")
        ]
        return join(others, self._finder.find(compiled.due), reading) if others else []

    def _things(self, said: Sequence[Place]) -> Things | None:
        compiled, find, reading = self._compiled, self._finder.find, self._reading
        if not compiled.own and not compiled.rivals:
            return None
        own, rivals = find(compiled.own), find(compiled.rivals)
        if not own and not rivals:
            return None
        units = {place.unit for place in said}
        if units == {""}:
            values = sorted(place.start for place in (*said, *find(compiled.others)))
        else:
            values = sorted(token for unit in units if unit for token in values_of(unit, reading))
        taken = {token for place in said for token in place.taken}
        own = [place for place in own if not place.taken <= taken]
        rivals = [place for place in rivals if not place.taken <= taken]
        if units <= PERIODS:
            # "2 dni od wglądu": the start of a period is not what the period is for.
            rivals = [place for place in rivals if not self._is_start(place)]
        # "Powyżej 3000 zł" may itself be a thing.
        inside = {token for place in (*own, *rivals) for token in place.taken} - taken
        values = [token for token in values if token not in inside]
        return Things(own, rivals, values, reading, looks_back=not self._statement.is_never)

    def _is_start(self, place: Place) -> bool:
        """Whether "od" or "po" stands right before a place: "2 dni od wglądu", "od dnia wglądu"."""
        words, at = self._reading.words, place.start - 1
        while at > 0 and words[at] in _DAYS:
            at -= 1
        return at >= 0 and self._names_start(at)

    def _verdicts(self, spoken: Sequence[Place], things: Things | None) -> list[_Mention]:
        """The first verdict or, of a thing, those that are bound to it."""
        sides = [things.side(place) if things is not None else NOTHING for place in spoken]
        mentions = [
            _Mention(place, self._signs.verdict(place), side, is_verdict=True)
            for place, side in zip(spoken, sides, strict=True)
        ]
        bound = [mention for mention in mentions if mention.side == OWN]
        return bound or [mention for mention in mentions[:1] if mention.side == NOTHING]

    def _kept(self, mentions: Sequence[_Mention]) -> list[_Mention]:
        """The mentions of the statement's own thing, or of none where no rival has it.

        What must never be said of a thing counts only where it is said of that thing.
        """
        sides = {mention.side for mention in mentions}
        has_thing = bool(self._compiled.own)
        allowed = {OWN, NOTHING}
        if has_thing and (self._statement.is_never or (RIVAL in sides and OWN not in sides)):
            allowed = {OWN}
        return [mention for mention in mentions if mention.side in allowed]

    def _said(self, mentions: Sequence[_Mention]) -> Outcome:
        statement = self._statement
        wanted = AFFIRMED if statement.is_affirmed else DENIED
        kept = self._kept(mentions)
        if all(mention.side == OWN for mention in kept):
            # A period is known by its start as well as by its thing.
            kept += [
                mention
                for mention in mentions
                if mention.side == NOTHING and self._starts_here(mention.place)
            ]
        good = [mention for mention in kept if mention.sign == wanted]
        if not good:
            return self._missed(mentions, kept, wanted)
        if statement.has_verdict or not statement.is_affirmed:
            for mention in kept:
                if mention.sign == -wanted and not self._is_conditional(mention):
                    return self._at("contradicted", mention)
        if self._compiled.start:
            started = [mention for mention in good if self._starts(mention.place)]
            if not started:
                return self._at("other start", good[0])
            good = started
        if statement.is_total and (other := self._other_total(good)) is not None:
            return Outcome(False, "other total", self._reading.span(other, other + 1))
        return self._at("said", good[0], is_found=True)

    def _missed(
        self, mentions: Sequence[_Mention], kept: Sequence[_Mention], wanted: int
    ) -> Outcome:
        for mention in kept:
            if mention.sign == -wanted:
                return self._at("denied", mention)
        for mention in mentions:
            if mention.side == RIVAL and mention.sign == wanted:
                return self._at("other thing", mention)
        return _MISSING

    def _at(self, reason: Reason, mention: _Mention, *, is_found: bool = False) -> Outcome:
        place = mention.place
        return Outcome(is_found, reason, self._reading.span(place.start, place.end))

    def _never(self, mentions: Sequence[_Mention]) -> Outcome:
        is_let_pass = self._is_conditional if self._statement.is_only else self._is_contrasted
        for mention in self._kept(mentions):
            if mention.sign != AFFIRMED or is_let_pass(mention):
                continue
            if mention.is_verdict or self._claims.has(mention.place):
                return self._at("said", mention, is_found=True)
        return _MISSING

    def _is_conditional(self, mention: _Mention) -> bool:
        return not mention.is_verdict and self._has(mention.place, _CONDITIONAL)

    def _is_contrasted(self, mention: _Mention) -> bool:
        """Whether a number that is bound to nothing stands in a contrast."""
        if mention.side == OWN or not mention.place.unit:
            return False
        units, words = self._reading.units, self._reading.words
        clause = units.clause[mention.place.start]
        following = units.following(clause)
        # "Stawka 45 zł, która jest w cenniku, odnosi się do rowerów."
        leads_on = following is not None and words[following.tokens[0]].startswith("któr")
        last = clause.number + (3 if leads_on else 1)
        return any(
            words[token] in _CONTRAST and token not in mention.place.taken
            for near in units.clauses[max(0, clause.number - 1) : last]
            if near.sentence is clause.sentence
            for token in near.tokens[:_REACH]
        )

    def _has(self, place: Place, words: WordList) -> bool:
        """Whether the sentence of a place holds one of some words, near the place."""
        sentence = self._reading.units.sentence(place.start)
        first = max(sentence.start, place.start - _REACH)
        last = min(sentence.end, place.end + _REACH)
        return any(
            self._reading.words[token] in words
            for token in range(first, last)
            if token not in place.taken
        )

    def _starts_here(self, place: Place) -> bool:
        """Whether the sentence of a place names what the period should run from."""
        number = self._reading.units.sentence(place.start).number
        return bool(self._compiled.start) and number in self._sentences_of_start

    def _starts(self, place: Place) -> bool:
        """Whether the period at a place runs from what it should.

        Its sentence says so or, where that names no start, the next one.
        """
        units, words = self._reading.units, self._reading.words
        sentence = units.sentence(place.start)
        if self._starts_here(place):
            return True
        behind = range(place.end, min(sentence.end, place.end + _REACH))
        if any(self._names_start(token) for token in behind):
            return False
        following = units.sentences[sentence.number + 1 : sentence.number + 4]
        # "Od czego liczyć? Od odbioru."
        for later in [later for later in following if later.mark != "?"][:_SENTENCES_ON]:
            near = later.tokens[:_REACH]
            starts = [token for token in near if self._names_start(token)]
            is_running = any(words[token] in _RUNNING for token in near)
            if later.number in self._sentences_of_start:
                return bool(starts) or is_running
            # "Nie biegną od wysłania. Liczą się od odbioru."
            if not is_running or any(self._signs.of(place_at(token)) != DENIED for token in starts):
                return False
        return False

    def _names_start(self, token: int) -> bool:
        words = self._reading.words
        is_other = token > 0 and words[token - 1] in _NOT_STARTS
        return words[token] in _STARTS and not is_other

    @cached_property
    def _sentences_of_start(self) -> frozenset[int]:
        """The sentences that name what the period should run from."""
        return frozenset(
            self._reading.units.sentence(start.start).number
            for start in self._finder.find(self._compiled.start)
            if self._signs.of(start) != DENIED and not self._comes_later(start)
        )

    def _comes_later(self, place: Place) -> bool:
        """Whether something must be done before it: "zanim instalator ją uruchomi"."""
        words, clause = self._reading.words, self._reading.units.clause[place.start]
        is_later = any(words[token] in _TOO_LATE for token in clause.tokens[:2])
        # "Zanim miną dwa miesiące od pożaru"
        return is_later and not any(
            self._names_start(token) for token in range(clause.tokens[0], place.start)
        )

    def _other_total(self, good: Sequence[_Mention]) -> int | None:
        """A token that is called the total, and is another amount."""
        reading = self._reading
        amounts = {reading.tokens[token] for mention in good for token in mention.place.taken}
        kinds = {mention.place.unit for mention in good} - {""}
        for place in self._finder.find(self._total):
            is_named = place.end == len(reading) or reading.words[place.end] not in _NO_TOTAL
            if not is_named or reading.words[max(0, place.start - 1)] in _IN_TOTAL:
                continue
            if self._signs.of(place) != AFFIRMED or not self._claims.has(place):
                continue
            if self._is_supposed(place):
                continue
            called = self._called(place, kinds)
            if called is None or reading.tokens[called] in amounts or self._is_part(called):
                continue
            if not any(self._adds_up(called, mention.place) for mention in good):
                return called
        return None

    def _is_supposed(self, place: Place) -> bool:
        """Whether its sentence begins with "gdyby", or has gone over to what would be."""
        words, first = self._reading.words, self._reading.units.sentence(place.start).start
        before = words[max(first, place.start - _REACH) : place.start]
        return words[first] in SUPPOSING or any(is_unreal(word) for word in before)

    def _adds_up(self, first: int, place: Place) -> bool:
        """Whether an amount and those behind it give that at the place: "suma 36 i 60 to 96"."""
        reading, units = self._reading, self._reading.units
        wanted = next((token for token in place.taken if unit_of(reading.tokens[token])), None)
        if wanted is None:  # a bare number
            return False
        if first < wanted and units.clause[wanted].opener == "=":
            return units.line(first) is units.line(wanted)
        if not first < wanted < first + _REACH or units.line(first) is not units.line(wanted):
            return False
        parts = [
            Decimal(reading.tokens[token].partition(" ")[0])
            for token in range(first, wanted + 1)
            if unit_of(reading.tokens[token]) == place.unit
        ]
        return sum(parts[:-1]) == parts[-1]

    def _called(self, place: Place, kinds: set[str]) -> int | None:
        """The amount that is called the total at a place: behind it, else before it."""
        reading, units = self._reading, self._reading.units
        clause = units.clause[place.start]
        if len(clause.tokens) > _REACH:
            return None
        values = [
            token
            for token in clause.tokens
            if unit_of(reading.tokens[token]) in kinds and self._is_said(token)
        ]
        if values:
            behind = [token for token in values if token > place.start]
            return behind[0] if behind else values[-1]
        following = clause.tokens[-1] + 1
        if following == len(reading) or units.line(following) is not clause.sentence.line:
            return None
        beyond = units.clause[following]
        if beyond.opener not in _LABELS:
            return None
        amounts = (
            token for token in beyond.tokens[:_REACH] if unit_of(reading.tokens[token]) in kinds
        )
        return next(amounts, None)

    def _is_part(self, token: int) -> bool:
        """Whether an amount is added up elsewhere: "całość: 110 zł" in "84 + 110 + 42 = 236 zł"."""
        number = self._reading.tokens[token].partition(" ")[0]
        return number in self._added

    @cached_property
    def _added(self) -> frozenset[str]:
        """The numbers that a plus stands before or behind."""
        reading = self._reading
        pluses = [index for index in reading.breaks if "+" in reading.gaps[index]]
        return frozenset(
            reading.tokens[token].partition(" ")[0]
            for index in pluses
            for token in (max(0, index - 1), index)
        )

    def _is_said(self, token: int) -> bool:
        """Whether the amount at a token is affirmed."""
        unit = unit_of(self._reading.tokens[token])
        return self._signs.of(place_at(token, unit)) == AFFIRMED


_REACH = 40
_SENTENCES_ON = 2
_LABELS = ":–|="
