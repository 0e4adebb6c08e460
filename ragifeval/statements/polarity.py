"""Whether a clause affirms or denies what stands in it, and what an answer's "Tak" or "Nie" says.

Polarity is read by clause: a "nie" denies what stands behind it up to the next comma, but for
comparisons ("nie później niż 7 dni" says 7 days), bounds ("nie przekracza 7 dni") and some verbs
("szczepić nie trzeba" denies what stands before). What is asked, past, unreal or limited is neither
affirmed nor denied.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from ragifeval.statements.patterns import Place, place_at
from ragifeval.statements.quantities import unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.units import Units
from ragifeval.statements.wordings import WordSet, table, word_set

AFFIRMED, OPEN, DENIED = 1, 0, -1


# What a word does to the clause it stands in; one word may do several things.
(_NOT, _WITHOUT, _INSTEAD, _NOR, _NONE, _FALSE, _YES, _NO) = (1 << place for place in range(8))
(_PAST, _PAST_ADJECTIVE, _PAST_YEAR, _UNREAL, _BESIDES, _REGARDLESS) = (
    1 << place for place in range(8, 14)
)
_ELSEWHERE = 1 << 14


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
    _ELSEWHERE: _words("elsewhere"),
    _YES: word_set("verdict", "yes"),
    _NO: word_set("verdict", "no"),
}
_COMPARED, _BOUNDED, _BEHIND = _words("compared"), _words("bounded"), _words("behind")
_COVERING, _WAS = _words("covering"), _words("was")
_PAST_THINGS, _REAL_CONDITIONALS = _words("past_things"), _words("real_conditionals")
_LIMITED, _LIMITS, _JOINS = _words("limited"), _words("limits"), _words("joins")
_UNREAL_ENDINGS = tuple(table("polarity")["unreal_verb_endings"])
_DISOWNING, _TOO_LATE = table("polarity")["disowning"], _phrases("too_late")
_HERE, _CHANGED = _words("here"), _words("changed")
_PAYING, _THAT, _REPORTING = _words("paying"), _words("that"), _words("reporting")
_SPARING, _HAVING, _CROSSING, _INSTEAD_ENDS = (
    _words("sparing"),
    _words("having"),
    _words("crossing"),
    _words("instead_ends"),
)
_REGARDED = frozenset(["to", "tego", "znaczenia"])
_GOVERNORS, _UNKNOWING = _words("governors"), word_set("verdict", "unknowing")
_ADJECTIVES = tuple(table("polarity")["adjective_endings"])
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
        found = {token: signal for token, signal in enumerate(signals) if signal}
        words, gaps = self._words, self._reading.gaps
        for token in [token for token in found if words[token] == "nie"]:
            # "Opłata za nie wynosi 45 zł": a pronoun.
            is_led = token and gaps[token] == " " and words[token - 1] in _GOVERNORS
            if is_led and self._next(token) not in _COMPARED:
                del found[token]
        return found

    def of(self, place: Place) -> int:
        """AFFIRMED, DENIED, or OPEN for neither."""
        units = self._units
        if units.sentence_ends[units.sentence[place.end - 1]] == "?":
            return self._answered(place)
        if not place.unit and (label := self._label(place)):
            return label
        clause = self._clause_of(place)
        signals = self._signals
        marked = [(token, signals[token]) for token in clause if token in signals]
        if self._is_open(place, marked):
            return OPEN
        denials = self._is_refuted(place)
        if marked:
            denials += self._denials_before(place, marked) + self._denials_behind(place, marked)
        return DENIED if denials % 2 else AFFIRMED

    def _clause_of(self, place: Place) -> Sequence[int]:
        """The tokens of the clauses that the place stands in, near it."""
        units = self._units
        first, last = units.clause[place.start], units.clause[place.end - 1]
        tokens = _near(units.clauses[first].tokens, place)
        if last != first:
            tokens = [*tokens, *_near(units.clauses[last].tokens, place)]
        elif units.clauses[first].opener == "(" and first - 1 in units.tied:
            # "a nie siostra (14 dni)"
            tokens = [*_near(units.clauses[first - 1].tokens, place), *tokens]
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
        if following >= len(units.sentence_ends):
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
            if signal & _ELSEWHERE and self._is_turned(token):
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
        first = self._units.clauses[self._units.clause[place.start]].tokens[0]
        if words[first] == "czy":
            # "Bez względu na to, czy RWN trafi ..." speaks of a RWN.
            is_regarded = first and words[first - 1] in _REGARDED
            if len(place.taken) > 1 or not is_regarded:
                return True
        if place.unit and self._is_changed(place):
            return True
        if not place.unit and self._is_of_amount(place):
            return True
        return self._is_limited(place)

    def _is_turned(self, token: int) -> bool:
        """Whether another clause of the sentence turns to what holds here and now."""
        clause = self._units.clause
        return any(clause[here] != clause[token] for here in self._near(token, _HERE))

    def _near(self, token: int, words: WordSet) -> Iterator[int]:
        """The tokens of a sentence, near one of it, that are some words."""
        sentence = self._units.tokens_of_sentence(self._units.sentence[token])
        first, last = max(sentence.start, token - _REACH), min(sentence.stop, token + _REACH)
        return (at for at in range(first, last) if self._words[at] in words)

    def _is_changed(self, place: Place) -> bool:
        """Whether it is the old value: "wzrosła z 37 do 39 zł"."""
        if not place.start or self._words[place.start - 1] not in ("z", "ze"):
            return False
        if self._next(place.end - 1) not in ("do", "na"):
            return False
        return any(True for _ in self._near(place.start, _CHANGED))

    def _is_of_amount(self, place: Place) -> bool:
        """Whether "nie płaci się" is said of an amount alone: "nie płaci się 12 zł"."""
        words, clause = self._words, self._units.clause
        if words[place.start] != "nie" or not any(words[at] in _PAYING for at in place.taken):
            return False
        for token in range(place.end, min(place.end + 4, len(words))):
            if words[token] in _GOVERNORS or clause[token] != clause[place.start]:
                return False
            if unit_of(self._reading.tokens[token]):
                return True
        return False

    def _is_refuted(self, place: Place) -> int:
        """Whether the sentence calls what the clause says an error.

        "Sąsiad myli się, mówiąc, że P", "nie jest tak, że P", "niektórzy piszą, że P, ale to mit".
        """
        units, words = self._units, self._words
        errors = self._errors.get(units.sentence[place.start])
        if not errors:
            return 0
        clause = units.clauses[units.clause[place.start]]
        reported = [
            token
            for token in _near(clause.tokens, place)
            if token < place.start and words[token] in _THAT
        ]
        for error in errors:
            is_same = units.clause[error] == units.clause[place.start]
            if is_same or abs(error - place.start) > _REACH:
                continue
            if error < place.start:
                if reported and self._is_open_between(error, place.start):
                    return 1
            elif "inaczej" not in words[place.end : error]:
                head = units.clauses[units.clause[error]].tokens[:2]
                is_said = any(words[token] in ("to", "co", "ten", "tak") for token in head)
                if is_said or reported or any(True for _ in self._near(place.start, _REPORTING)):
                    return 1
        return 0

    def _is_open_between(self, start: int, end: int) -> bool:
        """Whether no colon or dash ends what is said between two tokens."""
        units = self._units
        numbers = range(units.clause[start] + 1, units.clause[end] + 1)
        return not any(units.clauses[number].opener in ":–" for number in numbers)

    @cached_property
    def _errors(self) -> Mapping[int, Sequence[int]]:
        """By sentence, the tokens that call something an error."""
        found: dict[int, list[int]] = {}
        for token, signal in self._signals.items():
            is_error = signal & _FALSE and self._words[token] != "odpada"
            if is_error or (signal & _NOT and self._is_disowning(token)):
                found.setdefault(self._units.sentence[token], []).append(token)
        return found

    def _is_disowning(self, token: int) -> bool:
        following = " ".join(self._words[max(0, token - 1) : token + 5])
        return any(phrase in following for phrase in _DISOWNING)

    def _is_limited(self, place: Place) -> bool:
        """Whether a number is followed by "tylko dla ...", "po terminie", "temu"."""
        clause = self._units.clause
        behind = [
            self._words[token]
            for token in range(place.end, min(place.end + 4, len(self._words)))
            if clause[token] == clause[place.end - 1]
        ]
        if len(behind) > 1 and behind[0] in ("dotyczy", "obejmuje") and behind[1] in _LIMITED:
            return True
        if not place.unit:
            return False
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
                denials += distance <= _REACH_WITHOUT and self._governs(token, place)
            elif signal & _INSTEAD:
                denials += distance <= _REACH_INSTEAD and self._replaces(token, place)
            elif signal & _NOR:
                is_denied = is_denied or (distance <= _REACH_NOR and not has_not)
            elif signal & _NONE:
                is_denied = is_denied or (distance <= _REACH_NONE and not has_not)
            elif signal & _FALSE:
                denials += 1
        return denials + is_denied

    def _spares(self, token: int, place: Place) -> bool:
        """Whether a "nie" before the place leaves it as it is."""
        words = self._words
        following = self._next(token)
        if following in _COMPARED or following in _SPARING:
            return True
        if token + 1 in place.taken:
            return False
        if following in _BEING and self._next(token + 1) in _COMPARED:
            return True
        if not place.unit:
            return False
        if following in _BOUNDED:
            return following not in _HAVING or token + 2 == place.start
        between = words[token + 1 : place.start]
        if "niż" in between and any(word in _COMPARED for word in between):
            return True
        return any(word in _JOINS or word in _CROSSING for word in between)

    def _governs(self, token: int, place: Place) -> bool:
        """Whether "bez" goes with the place: "bez żadnej opłaty", but not "bez karty łowić"."""
        between = self._words[token + 1 : place.start]
        return all(word.endswith(_ADJECTIVES) or word in _JOINS for word in between[-1:])

    def _replaces(self, token: int, place: Place) -> bool:
        """Whether the place is what "zamiast" sets aside, not what comes instead."""
        between = range(token + 1, place.start)
        if place.unit and any(unit_of(self._reading.tokens[at]) for at in between):
            return False
        return not any(self._words[at] in _INSTEAD_ENDS for at in between)

    def _denials_behind(self, place: Place, marked: Sequence[tuple[int, int]]) -> int:
        """Whether a "nie" behind the place denies it: "opłaty nie ma", "szczepić nie trzeba"."""
        for token, signal in marked:
            if token < place.end or token in place.taken:
                continue
            if any(self._is_break(between) for between in range(place.end, token)):
                return 0
            if signal & _FALSE:
                return 1
            if signal & _NOT:
                following = self._next(token)
                if token in self._elliptical:
                    return 1
                if following in _BEHIND and not (place.unit and following in _COVERING):
                    return 1
        return 0

    def _is_break(self, token: int) -> bool:
        """Whether "i" leads to a deed of its own, not as in "na 33 zł i 10 dni nie patrz"."""
        return self._words[token] in _JOINS and not unit_of(self._reading.tokens[token + 1])

    @cached_property
    def _elliptical(self) -> frozenset[int]:
        """Each "nie" that ends a clause that leans on the one before: "wypis tak, mapa nie"."""
        last = (self._units.clauses[number].tokens[-1] for number in self._units.tied)
        return frozenset(token for token in last if self._signals.get(token, 0) & _NOT)

    @cached_property
    def verdicts(self) -> Sequence[Place]:
        """Clauses that say but yes or no, as places of that word: "Niestety jeszcze nie"."""
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
                found.append(place_at(said[-1]))
        return found

    @property
    def opening(self) -> Sequence[Place]:
        """An opening "Nie" with a verb behind it: "Nie musi mieć karty", but not "Nie wiem"."""
        following = self._next(0)
        if not self._signals.get(0, 0) & _NO or following in _COMPARED or following in _UNKNOWING:
            return []
        return [place_at(0)]

    def verdict(self, place: Place) -> int:
        """What a verdict says."""
        return self._said(place.start)


def _near(tokens: Sequence[int], place: Place) -> Sequence[int]:
    """The tokens of a clause near a place, which in a long one are not all."""
    if len(tokens) <= _REACH:
        return tokens
    start = bisect_left(tokens, place.start - _REACH)
    return tokens[start : bisect_left(tokens, place.end + _REACH)]
