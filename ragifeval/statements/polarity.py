"""Whether a clause affirms or denies what stands in it, and what an answer's "Tak" or "Nie" says.

Polarity is read by clause: a "nie" denies what stands behind it up to the next comma, but for
comparisons ("nie później niż 7 dni" says 7 days), bounds ("nie przekracza 7 dni") and some verbs
("szczepić nie trzeba" denies what stands before). What is asked, past, unreal or limited is neither
affirmed nor denied.
"""

from collections.abc import Sequence

from ragifeval.statements.patterns import Place
from ragifeval.statements.reading import Reading
from ragifeval.statements.units import Units
from ragifeval.statements.wordings import WordSet, table, word_set

AFFIRMED, OPEN, DENIED = 1, 0, -1


def _words(key: str) -> WordSet:
    return word_set("polarity", key)


_NOT, _WITHOUT, _INSTEAD, _NOR, _NONE = map(_words, ("not", "without", "instead", "nor", "none"))
_FALSE, _COMPARED, _BOUNDED, _BEHIND = map(_words, ("false", "compared", "bounded", "behind"))
_PAST, _PAST_ADJECTIVES, _PAST_THINGS = map(_words, ("past", "past_adjectives", "past_things"))
_BESIDES = _words("besides")
_UNREAL, _REAL_CONDITIONALS = _words("unreal"), _words("real_conditionals")
_LIMITED, _LIMITS, _JOINS = _words("limited"), _words("limits"), _words("joins")
_UNREAL_ENDINGS = tuple(table("polarity")["unreal_verb_endings"])
_PAST_YEARS = frozenset(f"rok {year}" for year in table("polarity")["past_years"])
_REGARDLESS: Sequence[tuple[str, ...]] = [
    tuple(phrase.split()) for phrase in table("polarity")["regardless"]
]
_DISOWNING: Sequence[tuple[str, ...]] = [
    tuple(phrase.split()) for phrase in table("polarity")["disowning"]
]
_TOO_LATE: Sequence[tuple[str, ...]] = [
    tuple(phrase.split()) for phrase in table("polarity")["too_late"]
]
_YES, _NO = word_set("verdict", "yes"), word_set("verdict", "no")
_FILLERS = word_set("verdict", "fillers")
# How far words reach, in tokens.
_REACH = 40
_REACH_WITHOUT, _REACH_INSTEAD, _REACH_NOR, _REACH_NONE = 3, 5, 4, 3
_REACH_BESIDES = 2


def polarity(place: Place, reading: Reading) -> int:
    """Whether what stands at a place is affirmed, denied, or neither."""
    units = reading.units
    if units.sentence_ends[units.sentence[place.start]] == "?":
        return _answered(place, reading)
    if not place.unit and (label := _label(place, reading)):
        return label
    clause = _clause_of(place, units)
    if _is_open(place, clause, reading):
        return OPEN
    denials = _denials_before(place, clause, reading) + _denials_behind(place, clause, reading)
    return DENIED if denials % 2 else AFFIRMED


def _clause_of(place: Place, units: Units) -> list[int]:
    """The tokens of the clauses that the place stands in, near it."""
    first, last = units.clause[place.start], units.clause[place.end - 1]
    tokens = units.clauses[first].tokens
    if last != first:
        tokens = tokens + units.clauses[last].tokens
    elif place.unit and len(tokens) == len(place.taken) and units.clauses[first].opener == ",":
        # "Najwyższej stawki, 60 zł, nie stosuje się": the value belongs to the clause around it.
        following = first + 1
        if following < len(units.clauses) and units.clauses[following].opener == ",":
            tokens = tokens + units.clauses[following].tokens
    if len(tokens) > 2 * _REACH:
        tokens = [token for token in tokens if place.start - _REACH <= token < place.end + _REACH]
    return tokens


def _answered(place: Place, reading: Reading) -> int:
    """What the sentence behind a question says of it: "Czy trzeba płacić? Nie."."""
    units = reading.units
    following = units.sentence[place.start] + 1
    if place.unit or following >= len(units.sentence_ends):
        return OPEN
    tokens = units.tokens_of_sentence(following)
    first = _verdict_word(reading.words[tokens[0]]) if tokens else 0
    if not first:
        return OPEN
    clause = units.clauses[units.clause[tokens[0]]].tokens
    return first if all(_is_verdict_word(reading.words[token]) for token in clause) else OPEN


def _label(place: Place, reading: Reading) -> int:
    """What a "tak" or "nie" behind a label says: "meldunek: nie", "meldunek – nie"."""
    units = reading.units
    last = units.clauses[units.clause[place.end - 1]].tokens[-1] + 1
    if last >= len(reading) or units.line[last] != units.line[place.start]:
        return 0
    clause = units.clauses[units.clause[last]]
    said = _verdict_word(reading.words[last])
    if said and (clause.opener == ":" or (clause.opener in "–|" and len(clause.tokens) == 1)):
        return said
    return 0


def _verdict_word(word: str) -> int:
    return AFFIRMED if word in _YES else DENIED if word in _NO else 0


def _is_verdict_word(word: str) -> bool:
    return word in _YES or word in _NO or word in _FILLERS


def _is_open(place: Place, clause: Sequence[int], reading: Reading) -> bool:
    """Whether the place is past, unreal or limited, so that nothing is said of today."""
    words = reading.words
    for token in clause:
        word = words[token]
        if word.endswith(_UNREAL_ENDINGS) and word not in _REAL_CONDITIONALS:
            return True
        if token in place.taken:
            continue
        if word in _PAST or word in _UNREAL:
            return True
        if word in _PAST_ADJECTIVES and _next_word(token, reading) in _PAST_THINGS:
            return True
        if reading.tokens[token] in _PAST_YEARS and token and words[token - 1] == "do":
            return True
    before = [words[token] for token in range(max(0, place.start - 4), place.start)]
    if any(_contains(before, phrase) for phrase in _REGARDLESS):
        return True
    if any(word in _BESIDES for word in before[-_REACH_BESIDES:]) or _is_disowned(place, reading):
        return True
    return bool(place.unit) and _is_limited(place, reading)


def _is_disowned(place: Place, reading: Reading) -> bool:
    """Whether "nie jest tak, że" or the like stands before the place in its sentence."""
    units = reading.units
    start = units.tokens_of_sentence(units.sentence[place.start]).start
    before = reading.words[max(start, place.start - _REACH) : place.start]
    return "nie" in before and any(_contains(before, phrase) for phrase in _DISOWNING)


def _is_limited(place: Place, reading: Reading) -> bool:
    """Whether a number is followed by "tylko dla ...", "po terminie", "temu"."""
    clause = reading.units.clause
    behind = [
        reading.words[token]
        for token in range(place.end, min(place.end + 4, len(reading)))
        if clause[token] == clause[place.end - 1]
    ]
    if len(behind) > 1 and behind[0] in _LIMITED and behind[1] in _LIMITS:
        return True
    return any(tuple(behind[: len(phrase)]) == phrase for phrase in _TOO_LATE)


def _next_word(token: int, reading: Reading) -> str:
    return reading.words[token + 1] if token + 1 < len(reading) else ""


def _contains(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(words[start : start + size]) == phrase for start in range(len(words)))


def _denials_before(place: Place, clause: Sequence[int], reading: Reading) -> int:
    """How many words before the place deny it."""
    words = reading.words
    before = [token for token in clause if token < place.start]
    inside = [
        token for token in clause if place.start <= token < place.end and token not in place.taken
    ]
    denials = without = 0
    is_denied = False
    # "Nikt nie musi", "nie płaci ani grosza": one denial, not two.
    taken = [words[token] for token in place.taken]
    has_not = any(word in _NOT for word in taken)
    has_none = any(word in _NONE or word in _NOR for word in taken)
    for token in (*before, *inside):
        word = words[token]
        distance = place.start - token
        if word in _NOT:
            is_denied = is_denied or not (has_none or _spares(token, place, reading))
        elif word in _WITHOUT and distance <= _REACH_WITHOUT:
            without += 1
        elif word in _INSTEAD and distance <= _REACH_INSTEAD:
            denials += 1
        elif (word in _NOR and distance <= _REACH_NOR) or (
            word in _NONE and distance <= _REACH_NONE and not has_not
        ):
            is_denied = True
        elif word in _FALSE:
            denials += 1
    return denials + is_denied + without


def _spares(token: int, place: Place, reading: Reading) -> bool:
    """Whether a "nie" before the place leaves it as it is."""
    words = reading.words
    following = _next_word(token, reading)
    if following in _COMPARED:
        return True
    if token + 1 in place.taken:
        return False
    if following in ("być", "jest", "są", "będzie") and token + 2 < len(reading):
        following = words[token + 2]
        if following in _COMPARED:
            return True
    if not place.unit:
        return False
    if following in _BOUNDED:
        return True
    return any(words[between] in _JOINS for between in range(token + 1, place.start))


def _denials_behind(place: Place, clause: Sequence[int], reading: Reading) -> int:
    """Whether a "nie" behind the place denies it: "opłaty nie ma", "szczepić nie trzeba"."""
    words = reading.words
    for token in clause:
        if token < place.end or token in place.taken:
            continue
        word = words[token]
        if word in _JOINS:
            return 0
        if word == "odpada" or word in _FALSE:
            return 1
        if word in _NOT and token - place.end <= _REACH:
            following = _next_word(token, reading)
            if following in _BEHIND and not (place.unit and following in _BOUNDED):
                return 1
    return 0


def verdicts(reading: Reading) -> list[Place]:
    """Clauses that say nothing but yes or no, as places of that word; the first words otherwise.

    "Nie, nie trzeba." and "Niestety jeszcze nie." are verdicts. An opening "Nie" with a verb
    behind it is one where there is no other: "Nie musi mieć karty".
    """
    units, words = reading.units, reading.words
    found = []
    for clause in units.clauses:
        tokens = clause.tokens
        if not tokens or len(tokens) > _LONGEST_VERDICT or clause.opener in "(":
            continue
        if units.sentence_ends[clause.sentence] == "?":
            continue
        said = [token for token in tokens if _verdict_word(words[token])]
        # "To nie jest tak, że ..." is no verdict.
        is_one = len({_verdict_word(words[token]) for token in said}) == 1
        if is_one and all(_is_verdict_word(words[token]) for token in tokens):
            found.append(_at(said[-1]))
    if not found and len(reading) and words[0] in _NO:
        found.append(_at(0))
    return found


_LONGEST_VERDICT = 8


def _at(token: int) -> Place:
    return Place(token, token + 1, frozenset((token,)))


def verdict_sign(place: Place, reading: Reading) -> int:
    """What a verdict says."""
    return _verdict_word(reading.words[place.start])
