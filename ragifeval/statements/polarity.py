"""Whether a clause affirms or denies what stands in it, and what an answer's "Tak" or "Nie" says.

Polarity is read by clause: a "nie" denies what stands behind it up to the next comma, but for
comparisons ("nie później niż 7 dni" says 7 days), bounds ("nie przekracza 7 dni") and some verbs
("szczepić nie trzeba" denies what stands before). What the sentence calls an error ("sąsiad myli
się, mówiąc, że ...") is denied. What is asked, past, unreal or too late is neither affirmed nor
denied.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from ragifeval.statements.patterns import Place, place_at
from ragifeval.statements.quantities import DATE, unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.units import Clause
from ragifeval.statements.wordings import WordList, table, word_set
from ragifeval.text.normalizer import Lexeme

AFFIRMED, OPEN, DENIED = 1, 0, -1


def _words(key: str) -> WordList:
    return word_set("polarity", key)


# What a word does to the clause it stands in; one word may do several things.
_DENYING = ("not", "without", "instead", "nor", "none", "false")
_OPENING = ("past", "past_years", "unreal", "seeming")
_KEYS = _DENYING + _OPENING
_LISTS: Mapping[int, WordList] = {
    **{1 << place: _words(key) for place, key in enumerate(_KEYS)},
    1 << len(_KEYS): word_set("verdict", "yes"),
    2 << len(_KEYS): word_set("verdict", "no"),
}
(_NOT, _WITHOUT, _INSTEAD, _NOR, _NONE, _FALSE) = list(_LISTS)[: len(_DENYING)]
(_PAST, _PAST_YEAR, _UNREAL, _SEEMING, _YES, _NO) = list(_LISTS)[len(_DENYING) :]
UNREAL_ENDINGS = tuple(table("polarity")["unreal_verb_endings"])
_REAL_CONDITIONALS = _words("real_conditionals")
_CHANGED = _words("changed")
_ERRORS, _THAT = table("polarity")["disowning"], _words("that")
_CHECKING, _RUNNING = _words("checking"), word_set("starts", "running")
_COMPARED, _SPARING = _words("compared"), _words("sparing")
_BOUNDED, _HAVING = _words("bounded"), _words("having")
_BEHIND, _COVERING, _JOINS = _words("behind"), _words("covering"), _words("joins")
_GOVERNORS, _PAYING, _INSTEAD_ENDS = map(_words, ("governors", "paying", "instead_ends"))
_TOO_LATE = [tuple(phrase.split()) for phrase in table("polarity")["too_late"]]
_ADJECTIVES = tuple(table("polarity")["adjective_endings"])
_TAGS = word_set("verdict", "tags")
_FILLERS, _UNKNOWING = word_set("verdict", "fillers"), word_set("verdict", "unknowing")
# "Więcej niż 45 zł nie zapłacisz" sets a limit.
_LIMITS = frozenset(["niż", "ponad", "powyżej", "poniżej"])
# "Drożej niż poprzednio", "będzie obowiązywał".
_NOT_PAST = frozenset(["niż", "będzie", "będą"])
# "Bez względu na to, czy" asks nothing.
_REGARDED = frozenset(["to", "tego", "znaczenia"])
SUPPOSING = _words("supposing")
_PARTING = frozenset(":–;")
_PRONOUNS, _TURNING, _LEADING = map(_words, ("pronouns", "turning", "leading"))
_PARTICIPLES = tuple(table("polarity")["participle_endings"])
# How far words reach, in tokens.
_REACH = 40
_REACH_WITHOUT, _REACH_INSTEAD, _REACH_NOR, _REACH_NONE = 3, 5, 4, 3
_REACH_FALSE, _REACH_HEAD = 1, 6
_LONGEST_VERDICT = 8
# Of what is longer, the middle is not read.
_LONGEST_PLACE = 200
_LONGEST_WORD = 40
# Words for yes and no that are looked at.
_MOST_VERDICTS = 1_000


def _remember(lexeme: Lexeme) -> int:
    """What a word does, if anything."""
    word, signal = lexeme.word, 0
    if len(word) <= _LONGEST_WORD:
        signal = sum(signal for signal, words in _LISTS.items() if word in words)
        if is_unreal(word):
            signal |= _UNREAL
    lexeme.signal = signal
    return signal


def is_unreal(word: str) -> bool:
    """Whether a verb says what would be: "kosztowałby", but not the polite "chciałbym"."""
    return word.endswith(UNREAL_ENDINGS) and word not in _REAL_CONDITIONALS


class Signs:
    """Whether an answer affirms or denies what stands at its places.

    Args:
        reading: the answer.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._words = reading.words
        self._known: dict[Place, int] = {}

    @cached_property
    def _signals(self) -> Mapping[int, int]:
        """What the words do that do something, by token; they are few."""
        words, gaps = self._words, self._reading.gaps
        found = {
            token: signal
            for token, lexeme in enumerate(self._reading.lexemes)
            if (signal := lexeme.signal if lexeme.signal is not None else _remember(lexeme))
        }
        for token in [token for token in found if words[token] == "nie"]:
            # "Opłata za nie wynosi 45 zł": a pronoun.
            is_led = token and gaps[token] == " " and words[token - 1] in _GOVERNORS
            # "ZUS-u nie płaci": an ending.
            is_led = is_led and gaps[token - 1] != "-"
            if is_led and self._next(token) not in _COMPARED:
                del found[token]
        for token in [token for token in found if words[token] == "ani"]:
            # "Ani i Dawidowi": a name.
            if self._next(token) in _JOINS:
                del found[token]
        return found

    def _next(self, token: int) -> str:
        return self._words[token + 1] if token + 1 < len(self._words) else ""

    def _before(self, token: int) -> str:
        return self._words[token - 1] if token else ""

    def of(self, place: Place) -> int:
        """AFFIRMED, DENIED, or OPEN for neither."""
        sign = self._known.get(place)
        if sign is None:
            sign = self._known[place] = self._read(place)
        return sign

    def _read(self, place: Place) -> int:
        clause = self._reading.units.clause
        first, last = clause[place.start], clause[place.end - 1]
        if last.sentence.mark == "?" and not self._has_tag(last):
            return self._answered(last)
        if not place.unit and (label := self._label(last)):
            return label
        signals = self._signals
        tokens = self._around(place, first, last)
        marked = [(token, signals[token]) for token in tokens if token in signals]
        if self._is_open(place, first, marked):
            return DENIED if self._is_counterfactual(place, marked) else OPEN
        denials = self._is_refuted(place, first)
        if marked:
            denials += self._denials_before(place, marked) + self._denials_behind(place, marked)
        # Over two clauses, each has a "nie" of its own.
        is_denied = denials % 2 or (denials and last is not first)
        return DENIED if is_denied else AFFIRMED

    def _has_tag(self, clause: Clause) -> bool:
        """Whether its sentence asks but for assent: "masz na to 7 dni, jasne?"."""
        tag = self._reading.units.clause[clause.sentence.end - 1]
        return tag.opener == "," and len(tag.tokens) == 1 and self._words[tag.tokens[0]] in _TAGS

    def _around(self, place: Place, first: Clause, last: Clause) -> Sequence[int]:
        """The tokens of the clauses that the place stands in, near it."""
        units = self._reading.units
        tokens = _near(first.tokens, place)
        if last is not first:
            return [*tokens, *_near(last.tokens, place)]
        if first.opener == "(" and first.number > 1 and units.is_tied(first.number - 1):
            # "a nie rower (45 zł)"; in "stypendium: nie (za wysoki dochód)" it is the reason.
            before = units.clauses[first.number - 1].tokens
            if self._words[before[-1]] != "nie":
                return [*_near(before, place), *tokens]
        following = units.following(first)
        if following is not None and self._is_relative(following):
            # "Kolegium, do którego trafiają sprzeciwy, nie jest właściwe."
            beyond = units.following(following)
            if beyond is not None and beyond.sentence is first.sentence and beyond.opener == ",":
                return [*tokens, *_near(beyond.tokens, place)]
        is_alone = place.unit and first.opener == "," and len(tokens) == len(place.taken)
        if not is_alone or following is None or following.opener != ",":
            return tokens
        # "Najwyższej stawki, 60 zł, nie stosuje się": the value belongs to the clause around.
        is_other = self._words[following.tokens[0]] in _LEADING
        return tokens if is_other else [*tokens, *_near(following.tokens, place)]

    def _is_relative(self, clause: Clause) -> bool:
        """Whether a clause begins with "który", "do którego", "znane z innych spraw"."""
        words = [self._words[token] for token in clause.tokens[:2]]
        is_participle = len(words) > 1 and len(words[0]) > 4 and words[0].endswith(_PARTICIPLES)
        return clause.opener == "," and (
            is_participle or any(word.startswith("któr") for word in words)
        )

    # What an answer or a label says.

    def _answered(self, clause: Clause) -> int:
        """What the sentence behind a question says of it: "Czy trzeba płacić? Nie."."""
        units = self._reading.units
        token = clause.sentence.end
        is_led = token + 1 < len(self._words) and units.clause[token + 1].opener == ":"
        if is_led and not self._said(token):
            # "O: Nie."
            token += 1
        if token == len(self._words) or not self._is_verdict(units.clause[token].tokens):
            return OPEN
        return self._said(token)

    def _is_verdict(self, tokens: Sequence[int]) -> bool:
        """Whether a clause has nothing but words of verdicts."""
        return len(tokens) <= _LONGEST_VERDICT and all(
            self._said(token) or self._words[token] in _FILLERS for token in tokens
        )

    def _label(self, clause: Clause) -> int:
        """What a "tak" or "nie" behind a label says: "meldunek: nie", "meldunek – nie"."""
        units, token = self._reading.units, clause.tokens[-1] + 1
        if token not in self._signals or units.line(token) is not clause.sentence.line:
            return OPEN
        behind = units.clause[token]
        if self._signals[token] & _NONE and behind.opener in ":|" and len(behind.tokens) == 1:
            return DENIED
        is_alone = behind.opener in "–|" and len(behind.tokens) == 1
        if behind.opener == "|" and clause.cell != units.clause[clause.sentence.line.start].cell:
            # "| tak, w ciągu 14 dni | nie |": the cell has its own answer.
            return OPEN
        after = units.following(behind)
        is_turned = after is not None and self._words[after.tokens[0]] in _TURNING
        is_bound = len(behind.tokens) > 1 and self._words[behind.tokens[1]] in _COMPARED
        if is_turned or is_bound:
            # "Sąd jest tańszy: nie 100 zł, lecz 105 zł", "zasiłek: nie więcej niż 620 zł"
            return OPEN
        return self._said(token) if behind.opener == ":" or is_alone else OPEN

    def _said(self, token: int) -> int:
        """AFFIRMED for "tak", DENIED for "nie"."""
        signal = self._signals.get(token, 0)
        return AFFIRMED if signal & _YES else DENIED if signal & _NO else OPEN

    # What is neither affirmed nor denied.

    def _is_open(self, place: Place, clause: Clause, marked: Sequence[tuple[int, int]]) -> bool:
        """Whether the place is asked, past, unreal or too late: nothing is said of today."""
        words = self._words
        for token, signal in marked:
            if signal & _UNREAL:
                return True
            is_past = signal & _PAST or (signal & _PAST_YEAR and token and words[token - 1] == "do")
            if is_past and token not in place.taken and self._before(token) not in _NOT_PAST:
                return True
        if words[clause.tokens[0]] == "czy" and not self._is_checked(place, clause):
            return True
        if self._seeming and self._only_seems(place, clause):
            return True
        if place.unit:
            return self._is_changed(place) or self._is_too_late(place)
        return self._is_of_amount(place)

    def _is_checked(self, place: Place, clause: Clause) -> bool:
        """Whether "czy" asks nothing: "bez względu na to, czy", "sprawdza, czy w 2 miesiące"."""
        first = clause.tokens[0]
        if not first:
            return False
        if place.unit:
            before = self._reading.units.clauses[clause.number - 1]
            return any(self._words[token] in _CHECKING for token in before.tokens[:_REACH])
        return len(place.taken) == 1 and self._words[first - 1] in _REGARDED

    def _only_seems(self, place: Place, clause: Clause) -> bool:
        """Whether it stands behind "ktoś mógłby pomyśleć, że", up to the "ale"."""
        token, turn = self._seeming.get(clause.sentence.number, (place.end, 0))
        return token < place.start and clause.number < turn

    @cached_property
    def _seeming(self) -> Mapping[int, tuple[int, int]]:
        """By sentence, the verb of "ktoś mógłby pomyśleć, że", "mogłoby się wydawać, że".

        And the number of the clause that turns from it, else of the first behind the sentence.
        """
        return {
            self._reading.units.sentence(token).number: (token, self._turn(token))
            for token, signal in self._signals.items()
            if signal & _SEEMING
            and any(word.endswith("by") for word in self._words[max(0, token - 3) : token + 1])
        }

    def _turn(self, token: int) -> int:
        units = self._reading.units
        sentence = units.sentence(token)
        for number in range(units.clause[token].number + 1, len(units.clauses)):
            one = units.clauses[number]
            is_turned = one.opener in _PARTING or self._words[one.tokens[0]] in _TURNING
            if is_turned or one.sentence is not sentence:
                return number
        return len(units.clauses)

    def _is_counterfactual(self, place: Place, marked: Sequence[tuple[int, int]]) -> bool:
        """Whether it would hold if things were otherwise: "zgłoszenie wystarczyłoby, gdyby ..."."""
        if place.unit or not any(
            signal & _UNREAL and self._words[token] not in SUPPOSING for token, signal in marked
        ):
            return False
        clause = self._reading.units.clause
        return any(
            clause[token] is not clause[place.start]
            for token in self._nearby(place.start, SUPPOSING)
        )

    def _nearby(self, token: int, words: WordList) -> Iterator[int]:
        """The tokens of a sentence, near one of it, that are some words."""
        sentence = self._reading.units.sentence(token)
        first, last = max(sentence.start, token - _REACH), min(sentence.end, token + _REACH)
        return (at for at in range(first, last) if self._words[at] in words)

    def _is_changed(self, place: Place) -> bool:
        """Whether it is the old value: "wzrosła z 37 do 39 zł"."""
        if self._words[max(0, place.start - 1)] not in ("z", "ze"):
            return False
        is_left = self._next(place.end - 1) in ("do", "na")
        return is_left and any(True for _ in self._nearby(place.start, _CHANGED))

    def _is_of_amount(self, place: Place) -> bool:
        """Whether "nie płaci się" is said of an amount alone: "nie płaci się 12 zł"."""
        words, clause = self._words, self._reading.units.clause
        if words[place.start] != "nie" or not any(words[at] in _PAYING for at in place.taken):
            return False
        for token in range(place.end, min(place.end + 4, len(words))):
            if words[token] in _GOVERNORS or clause[token] is not clause[place.start]:
                return False
            if unit_of(self._reading.tokens[token]):
                return True
        return False

    def _is_too_late(self, place: Place) -> bool:
        """Whether a number is followed by "temu", "to za mało"."""
        clause, behind = self._reading.units.clause, tuple(self._words[place.end : place.end + 4])
        if not behind or clause[place.end] is not clause[place.end - 1]:
            return False
        return any(behind[: len(late)] == late for late in _TOO_LATE)

    # What is denied.

    def _is_refuted(self, place: Place, clause: Clause) -> int:
        """Whether the sentence calls what the clause says an error.

        "Sąsiad myli się, mówiąc, że P", "nie jest tak, że P", "niektórzy piszą, że P, ale to mit".
        """
        words, units = self._words, self._reading.units
        errors = self._errors.get(clause.sentence.number, ())
        first = bisect_left(errors, place.start - _REACH)
        errors = errors[first : bisect_left(errors, place.start + _REACH + 1)]
        if not errors:
            return 0
        reported = any(
            words[token] in _THAT for token in _near(clause.tokens, place) if token < place.end
        )
        for error in errors:
            wrong = units.clause[error]
            if wrong is clause:
                continue
            if error < place.start:
                between = units.clauses[wrong.number + 1 : clause.number + 1]
                if reported and not any(one.opener in ":–" for one in between):
                    return 1
            elif "inaczej" not in words[place.end : error] and not self._leads_on(wrong):
                head = [words[token] for token in wrong.tokens[:2]]
                if reported or not {"to", "co", "ten", "tak"}.isdisjoint(head):
                    return 1
        return 0

    def _leads_on(self, clause: Clause) -> bool:
        """Whether a clause speaks of what "że" leads in behind it: "co nie znaczy, że P"."""
        following = self._reading.units.following(clause)
        if following is None or following.sentence is not clause.sentence:
            return False
        return self._words[following.tokens[0]] in _THAT

    @cached_property
    def _errors(self) -> Mapping[int, Sequence[int]]:
        """By sentence, the tokens that call something an error."""
        found: dict[int, list[int]] = {}
        for token, signal in self._signals.items():
            is_error = signal & _FALSE and self._words[token] != "odpada"
            if not is_error and signal & _NOT:
                near = " ".join(self._words[max(0, token - 1) : token + 7])
                is_error = any(phrase in near for phrase in _ERRORS)
            if is_error:
                sentence = self._reading.units.sentence(token)
                found.setdefault(sentence.number, []).append(token)
        return found

    def _denials_before(self, place: Place, marked: Sequence[tuple[int, int]]) -> int:
        """How many words before the place, or inside it, deny it."""
        # "Nikt nie musi", "nie płaci ani grosza": one denial, not two.
        taken = [self._signals.get(token, 0) for token in place.taken]
        has_not = any(signal & (_NOT | _WITHOUT) for signal in taken)
        has_none = any(signal & (_NONE | _NOR) for signal in taken)
        clause = self._reading.units.clause
        denials = 0
        is_denied = False
        for token, signal in marked:
            if token >= place.end or token in place.taken:
                continue
            distance = place.start - token
            if signal & _NOT:
                # In a place over two clauses, each "nie" holds for its own.
                is_other = has_not and clause[token] is not clause[place.end - 1]
                if not (is_denied or is_other or has_none):
                    is_denied = not self._spares(token, place)
            elif signal & _WITHOUT:
                denials += distance <= _REACH_WITHOUT and self._governs(token, place)
            elif signal & _INSTEAD:
                denials += distance <= _REACH_INSTEAD and self._replaces(token, place)
            elif "za" in self._words[max(0, token - 2) : token]:
                # "Za jego brak jest 500 zł."
                continue
            elif self._words[token] == "nic" and self._before(token) == "jak":
                # "To jak nic 400 zł."
                continue
            elif place.unit and (self._before(token) in _GOVERNORS or self._lacks(token, place)):
                continue
            elif signal & (_NOR | _NONE):
                # "Żadne 14 dni ci nie przysługuje" denies once: the "nie" behind counts.
                reach = _REACH_NOR if signal & _NOR else _REACH_NONE
                if not is_denied and distance <= reach and not has_not:
                    is_denied = not self._denials_behind(place, marked)
            elif signal & _FALSE:
                # "Zgłoszenie odpada i trzeba mieć pozwolenie" denies what stands before.
                denials += distance <= _REACH_FALSE or self._words[token] != "odpada"
        return denials + is_denied

    def _lacks(self, token: int, place: Place) -> bool:
        """Whether so much is missing: "brak 34 zł" says that it is 34 zł short."""
        return self._words[token] == "brak" and place.start == token + 1

    def _spares(self, token: int, place: Place) -> bool:
        """Whether a "nie" before the place leaves it as it is."""
        following = self._next(token)
        if following in _SPARING and token + 1 not in place.taken:
            return True
        # "Dopóki zgody nie zastąpi sąd"
        if not {"dopóki", "póki"}.isdisjoint(self._words[max(0, token - _REACH_HEAD) : token]):
            return True
        if token + 1 in place.taken:
            # "Nie dłużej niż 24 miesiące" denies "dłużej niż 24 miesiące".
            return False
        # "Nie grubszy niż 100 cm."
        is_bound = following and self._next(token + 1) == "niż"
        if is_bound or following in _COMPARED:
            return True
        # "Nie korzysta ze zwolnienia i musi zapłacić."
        if any(
            self._words[at] in _JOINS and self._words[at + 1] in _BEHIND
            for at in range(token + 2, place.start)
        ):
            return True
        # "Nie zwlekaj dłużej niż do 30. dnia po wprowadzeniu się."
        between = self._words[token + 1 : place.start]
        is_bounded = "niż" in between and any(word in _COMPARED for word in between)
        has_value = any(unit_of(self._reading.tokens[at]) for at in range(token, place.start))
        if is_bounded and (place.unit or has_value):
            return True
        if not place.unit:
            return False
        if following in _HAVING and token + 2 == place.start:
            return True
        if len(between) > 1 and between[-1] in _JOINS and between[-2][:1].isdigit():
            # "Nie sugeruj się kwotami 50 i 60 zł."
            between = between[:-1]
        return any(word in _JOINS or word in _BOUNDED for word in between)

    def _governs(self, token: int, place: Place) -> bool:
        """Whether "bez" goes with the place: "bez żadnej opłaty", but not "bez karty łowić"."""
        before = self._words[place.start - 1]
        is_next = token + 1 >= place.start
        if before in _PRONOUNS:
            # "Bez niej aptekarz policzy normalnie."
            return False
        return is_next or before.endswith(_ADJECTIVES) or before in _JOINS

    def _replaces(self, token: int, place: Place) -> bool:
        """Whether the place is what "zamiast" sets aside, not what comes instead."""
        between = range(token + 1, place.start)
        if place.unit and any(unit_of(self._reading.tokens[at]) for at in between):
            return False
        return not any(self._words[at] in _INSTEAD_ENDS for at in (*between, *place.taken))

    def _denials_behind(self, place: Place, marked: Sequence[tuple[int, int]]) -> int:
        """Whether a "nie" behind the place denies it: "opłaty nie ma", "szczepić nie trzeba"."""
        before = self._before(place.start)
        is_start = place.unit == DATE and before == "od"
        if before == "przy" or is_start or (place.unit and before in _LIMITS):
            # "Przy zasiłku dochodów się nie sprawdza", "od 8 maja już nie obowiązuje",
            # "więcej niż 45 zł nie zapłacisz".
            return 0
        is_without = "bez" in self._words[max(0, place.start - _REACH_WITHOUT) : place.start]
        read = place.end
        for token, signal in marked:
            if token < place.end or token in place.taken:
                continue
            is_far = token - read > _LONGEST_PLACE
            if is_far or any(self._breaks(between) for between in range(read, token)):
                return 0
            read = token
            clause = self._reading.units.clause[token]
            # "opłaty brak"
            is_lacking = self._words[token] == "brak" and clause.tokens[-1] == token
            if signal & _FALSE or is_lacking:
                return 1
            if signal & _NOT:
                following = self._next(token)
                is_covering = place.unit and (following in _COVERING or self._is_of_start(token))
                # "Bez karty nikt nie łowi."
                is_said = is_without or (following in _BEHIND and not is_covering)
                if is_said or token in self._elliptical:
                    return 1
        return 0

    def _is_of_start(self, token: int) -> bool:
        """Whether a "nie" denies what a period runs from: "14 dni nie liczy się od wysłania"."""
        return self._next(token) in _RUNNING and "od" in self._words[token + 2 : token + 4]

    def _breaks(self, token: int) -> bool:
        """Whether "i" leads to a deed of its own, not as in "na 33 zł i 10 dni nie patrz"."""
        word = self._words[token]
        is_join = word in _JOINS and not unit_of(self._reading.tokens[token + 1])
        return is_join or word == "ani"

    @cached_property
    def _elliptical(self) -> frozenset[int]:
        """Each "nie" that ends a clause that leans on the one before: "wypis tak, mapa nie"."""
        units = self._reading.units
        denials = [token for token, signal in self._signals.items() if signal & _NOT]
        return frozenset(
            token
            for token in denials
            if (clause := units.clause[token]).number
            and token == clause.tokens[-1]
            and units.is_tied(clause.number)
        )

    # Verdicts.

    @cached_property
    def verdicts(self) -> Sequence[Place]:
        """Clauses that say but yes or no, as places of that word: "Niestety jeszcze nie"."""
        found = []
        spoken = [token for token in self._signals if self._may_end(token)][:_MOST_VERDICTS]
        for clause in dict.fromkeys(self._reading.units.clause[token] for token in spoken):
            if clause.opener == "(" or clause.sentence.mark == "?" or clause.sentence.line.is_row:
                continue
            if self._is_verdict(clause.tokens):
                said = [token for token in clause.tokens if self._said(token)]
                # "To nie jest tak, że ..." is no verdict.
                if all(self._said(one) == self._said(other) for one, other in pairwise(said)):
                    found.append(place_at(said[-1]))
        return found

    def _may_end(self, token: int) -> bool:
        """Whether a word is yes or no, and may be the last of its clause, or lead to a filler."""
        if not self._said(token):
            return False
        goes_on = token + 1 < len(self._words) and self._reading.gaps[token + 1] == " "
        return not goes_on or self._is_verdict([token + 1])

    @property
    def opening(self) -> Sequence[Place]:
        """An opening "Nie" with a verb behind it: "Nie musi mieć karty", but not "Nie wiem"."""
        following = self._next(0)
        is_open = following in _COMPARED or following in _UNKNOWING
        return [place_at(0)] if self._signals.get(0, 0) & _NO and not is_open else []

    def verdict(self, place: Place) -> int:
        """What a verdict says."""
        return self._said(place.start)


def _near(tokens: Sequence[int], place: Place) -> Sequence[int]:
    """The tokens of a clause near a place, or near its ends: in a long one not all."""
    if len(tokens) <= _REACH:
        return tokens
    first = bisect_left(tokens, place.start - _REACH)
    last = bisect_left(tokens, place.end + _REACH)
    if place.end - place.start <= _LONGEST_PLACE:
        return tokens[first:last]
    inner = bisect_left(tokens, place.start + _REACH), bisect_left(tokens, place.end - _REACH)
    return [*tokens[first : inner[0]], *tokens[inner[1] : last]]
