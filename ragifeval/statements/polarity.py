"""Whether a clause affirms or denies what stands in it, and what an answer's "Tak" or "Nie" says.

Polarity is read by clause: a "nie" denies what stands behind it up to the next comma, but for
comparisons ("nie później niż 7 dni" says 7 days), bounds ("nie przekracza 7 dni") and some verbs
("szczepić nie trzeba" denies what stands before). What is asked, past, unreal or limited is neither
affirmed nor denied.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from ragifeval.statements.patterns import Place
from ragifeval.statements.reading import Reading
from ragifeval.statements.units import Units
from ragifeval.statements.wordings import WordSet, table, word_set

AFFIRMED, OPEN, DENIED = 1, 0, -1


# What a word does to the clause it stands in; one word may do several things.
(_NOT, _WITHOUT, _INSTEAD, _NOR, _NONE, _FALSE, _YES, _NO) = (1 << place for place in range(8))
(_PAST, _PAST_ADJECTIVE, _PAST_YEAR, _UNREAL, _BESIDES, _REGARDLESS) = (
    1 << place for place in range(8, 14)
)


def _words(key: str) -> WordSet:
    return word_set("polarity", key)


def _phrases(key: str) -> Sequence[tuple[str, ...]]:
    return [tuple(phrase.split()) for phrase in table("polarity")[key]]


_LISTS = {
    _NOT: _words("not"),
    _WITHOUT: _words("without"),
    _INSTEAD: _words("instead"),
    _NOR: _words("nor"),
    _NONE: _words("none"),
    _FALSE: _words("false"),
    _PAST: _words("past"),
    _PAST_ADJECTIVE: _words("past_adjectives"),
    _PAST_YEAR: _words("past_years"),
    _UNREAL: _words("unreal"),
    _BESIDES: _words("besides"),
    _REGARDLESS: _words("regardless"),
    _YES: word_set("verdict", "yes"),
    _NO: word_set("verdict", "no"),
}
_COMPARED, _BOUNDED, _BEHIND = _words("compared"), _words("bounded"), _words("behind")
_COVERING, _WAS = _words("covering"), _words("was")
_PAST_THINGS, _REAL_CONDITIONALS = _words("past_things"), _words("real_conditionals")
_LIMITED, _LIMITS, _JOINS = _words("limited"), _words("limits"), _words("joins")
_UNREAL_ENDINGS = tuple(table("polarity")["unreal_verb_endings"])
_DISOWNING, _TOO_LATE = _phrases("disowning"), _phrases("too_late")
_BEING = word_set("polarity", "being")
_FILLERS = word_set("verdict", "fillers")
# How far words reach, in tokens.
_REACH = 40
_REACH_WITHOUT, _REACH_INSTEAD, _REACH_NOR, _REACH_NONE = 3, 5, 4, 3
_REACH_BESIDES, _REACH_REGARDLESS = 2, 4
_LONGEST_VERDICT = 8
# Words for yes and no that are looked at.
_MOST_VERDICTS = 1_000


@lru_cache(50_000)
def _signal(word: str) -> int:
    """What a word does, if anything."""
    if len(word) > _LONGEST_WORD:
        return 0
    found = 0
    for signal, words in _LISTS.items():
        if word in words:
            found |= signal
    if word.endswith(_UNREAL_ENDINGS) and word not in _REAL_CONDITIONALS:
        found |= _UNREAL
    return found


_LONGEST_WORD = 40


class Signs:
    """Whether an answer affirms or denies what stands at its places.

    Args:
        reading: the answer.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._words = reading.words

    @cached_property
    def _units(self) -> Units:
        return self._reading.units

    @cached_property
    def _signals(self) -> Mapping[int, int]:
        """What the words do that do something, by token; they are few."""
        signals = map(_signal, self._words)
        return {token: signal for token, signal in enumerate(signals) if signal}

    def of(self, place: Place) -> int:
        """AFFIRMED, DENIED, or OPEN for neither."""
        units = self._units
        if units.sentence_ends[units.sentence[place.start]] == "?":
            return self._answered(place)
        if not place.unit and (label := self._label(place)):
            return label
        clause = self._clause_of(place)
        signals = self._signals
        marked = [(token, signals[token]) for token in clause if token in signals]
        if self._is_open(place, marked):
            return OPEN
        if not marked:
            return AFFIRMED
        denials = self._denials_before(place, marked) + self._denials_behind(place, marked)
        return DENIED if denials % 2 else AFFIRMED

    def _clause_of(self, place: Place) -> Sequence[int]:
        """The tokens of the clauses that the place stands in, near it."""
        units = self._units
        first, last = units.clause[place.start], units.clause[place.end - 1]
        tokens = _near(units.clauses[first].tokens, place)
        if last != first:
            tokens = [*tokens, *_near(units.clauses[last].tokens, place)]
        elif place.unit and len(tokens) == len(place.taken) and units.clauses[first].opener == ",":
            # "Najwyższej stawki, 60 zł, nie stosuje się": the value belongs to the clause around.
            following = first + 1
            if following < len(units.clauses) and units.clauses[following].opener == ",":
                tokens = [*tokens, *_near(units.clauses[following].tokens, place)]
        return tokens

    def _answered(self, place: Place) -> int:
        """What the sentence behind a question says of it: "Czy trzeba płacić? Nie."."""
        units = self._units
        following = units.sentence[place.start] + 1
        if place.unit or following >= len(units.sentence_ends):
            return OPEN
        first = units.tokens_of_sentence(following)[0]
        tokens = units.clauses[units.clause[first]].tokens
        if len(tokens) > _LONGEST_VERDICT or not all(map(self._is_of_verdict, tokens)):
            return OPEN
        return self._said(first)

    def _label(self, place: Place) -> int:
        """What a "tak" or "nie" behind a label says: "meldunek: nie", "meldunek – nie"."""
        units = self._units
        last = units.clauses[units.clause[place.end - 1]].tokens[-1] + 1
        if last not in self._signals or units.line[last] != units.line[place.start]:
            return OPEN
        clause = units.clauses[units.clause[last]]
        if clause.opener == ":" or (clause.opener in "–|" and len(clause.tokens) == 1):
            return self._said(last)
        return OPEN

    def _said(self, token: int) -> int:
        """AFFIRMED for "tak", DENIED for "nie"."""
        signal = self._signals.get(token, 0)
        return AFFIRMED if signal & _YES else DENIED if signal & _NO else OPEN

    def _is_of_verdict(self, token: int) -> bool:
        return self._said(token) != OPEN or self._words[token] in _FILLERS

    def _is_open(self, place: Place, marked: Sequence[tuple[int, int]]) -> bool:
        """Whether the place is past, unreal or limited, so that nothing is said of today."""
        words = self._words
        for token, signal in marked:
            if signal & _UNREAL:
                return True
            if token in place.taken:
                continue
            if signal & _PAST:
                return True
            if signal & _PAST_ADJECTIVE and self._next(token) in _PAST_THINGS:
                return True
            if signal & _PAST_YEAR and token and words[token - 1] == "do":
                return True
            distance = place.start - token
            if signal & _BESIDES and 0 < distance <= _REACH_BESIDES:
                return True
            if signal & _REGARDLESS and 0 < distance <= _REACH_REGARDLESS:
                return True
        if not place.unit and any(self._next(token) in _WAS for token in place.taken):
            # "Można było zgłosić": it no longer can be.
            return True
        return self._is_disowned(place) or (bool(place.unit) and self._is_limited(place))

    def _is_disowned(self, place: Place) -> bool:
        """Whether "nie jest tak, że" or the like stands before the place in its sentence."""
        start = self._units.tokens_of_sentence(self._units.sentence[place.start]).start
        before = self._words[max(start, place.start - _REACH) : place.start]
        return "nie" in before and any(_contains(before, phrase) for phrase in _DISOWNING)

    def _is_limited(self, place: Place) -> bool:
        """Whether a number is followed by "tylko dla ...", "po terminie", "temu"."""
        clause = self._units.clause
        behind = [
            self._words[token]
            for token in range(place.end, min(place.end + 4, len(self._words)))
            if clause[token] == clause[place.end - 1]
        ]
        if len(behind) > 1 and behind[0] in _LIMITED and behind[1] in _LIMITS:
            return True
        return any(tuple(behind[: len(phrase)]) == phrase for phrase in _TOO_LATE)

    def _next(self, token: int) -> str:
        return self._words[token + 1] if token + 1 < len(self._words) else ""

    def _denials_before(self, place: Place, marked: Sequence[tuple[int, int]]) -> int:
        """How many words before the place, or inside it, deny it."""
        # "Nikt nie musi", "nie płaci ani grosza": one denial, not two.
        taken = [self._signals.get(token, 0) for token in place.taken]
        has_not = any(signal & _NOT for signal in taken)
        has_none = any(signal & (_NONE | _NOR) for signal in taken)
        denials = 0
        is_denied = False
        for token, signal in marked:
            if token >= place.end or token in place.taken:
                continue
            distance = place.start - token
            if signal & _NOT:
                is_denied = is_denied or not (has_none or self._spares(token, place))
            elif signal & _WITHOUT:
                denials += distance <= _REACH_WITHOUT
            elif signal & _INSTEAD:
                denials += distance <= _REACH_INSTEAD
            elif signal & _NOR:
                is_denied = is_denied or distance <= _REACH_NOR
            elif signal & _NONE:
                is_denied = is_denied or (distance <= _REACH_NONE and not has_not)
            elif signal & _FALSE:
                denials += 1
        return denials + is_denied

    def _spares(self, token: int, place: Place) -> bool:
        """Whether a "nie" before the place leaves it as it is."""
        words = self._words
        following = self._next(token)
        if following in _COMPARED:
            return True
        if token + 1 in place.taken:
            return False
        if following in _BEING and self._next(token + 1) in _COMPARED:
            return True
        if not place.unit:
            return False
        if following in _BOUNDED:
            return True
        return any(words[between] in _JOINS for between in range(token + 1, place.start))

    def _denials_behind(self, place: Place, marked: Sequence[tuple[int, int]]) -> int:
        """Whether a "nie" behind the place denies it: "opłaty nie ma", "szczepić nie trzeba"."""
        for token, signal in marked:
            if token < place.end or token in place.taken:
                continue
            if any(self._words[between] in _JOINS for between in range(place.end, token)):
                return 0
            if signal & _FALSE:
                return 1
            if signal & _NOT:
                following = self._next(token)
                if following in _BEHIND and not (place.unit and following in _COVERING):
                    return 1
        return 0

    @cached_property
    def verdicts(self) -> Sequence[Place]:
        """Clauses that say nothing but yes or no, as places of that word; else the first word.

        "Nie, nie trzeba." and "Niestety jeszcze nie." are verdicts. An opening "Nie" with a verb
        behind it is one where there is no other: "Nie musi mieć karty".
        """
        units = self._units
        found = []
        spoken = [token for token in self._signals if self._said(token)][:_MOST_VERDICTS]
        for number in dict.fromkeys(units.clause[token] for token in spoken):
            clause = units.clauses[number]
            if len(clause.tokens) > _LONGEST_VERDICT or clause.opener == "(":
                continue
            if units.sentence_ends[clause.sentence] == "?":
                continue
            said = [token for token in clause.tokens if self._said(token)]
            # "To nie jest tak, że ..." is no verdict.
            is_one = len(set(map(self._said, said))) == 1
            if is_one and all(map(self._is_of_verdict, clause.tokens)):
                found.append(_at(said[-1]))
        if not found and self._signals.get(0, 0) & _NO and self._next(0) not in _COMPARED:
            found.append(_at(0))
        return found

    def verdict(self, place: Place) -> int:
        """What a verdict says."""
        return self._said(place.start)


def _near(tokens: Sequence[int], place: Place) -> Sequence[int]:
    """The tokens of a clause near a place, which in a long one are not all."""
    if len(tokens) <= _REACH:
        return tokens
    start = bisect_left(tokens, place.start - _REACH)
    return tokens[start : bisect_left(tokens, place.end + _REACH)]


def _at(token: int) -> Place:
    return Place(token, token + 1, frozenset((token,)))


def _contains(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(words[start : start + size]) == phrase for start in range(len(words)))
