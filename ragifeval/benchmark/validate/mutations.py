"""Wrong answers made of a gold answer by program: each must cost an entry of include or exclude.

Two values are exchanged, a verdict is turned, the clause of a statement is negated, and what must
never be said is added. None is made of statements beside which another may be said (`any`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Literal

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.scoring.conditions import Exclude, Include
from ragifeval.scoring.entries import AllEntry, Criteria, Entry, Response, StatementEntry
from ragifeval.statements.quantities import unit_of
from ragifeval.statements.wordings import WordSet, class_wordings, parts_of, table, word_set
from ragifeval.text.matching import RULES

_VERDICTS = {"Tak": "Nie", "Nie": "Tak"}
_VERDICT = re.compile(r"(Tak|Nie)(?=[,.:;] )")
_AMOUNT = re.compile(r"[0-9]+(?:[ ,][0-9]+)*")
# A "nie" before one of these says no of the clause ...
_VERBS = WordSet([*table("polarity")["behind"], "kosztuj*", "wynosi*", "wynies*"])
# ... "nie wynosi 7 dni" may mean less ...
_BOUNDED = word_set("polarity", "bounded")
# ... and it says something else beside one of those.
_TURNED = [word_set("polarity", key) for key in ("none", "nor", "without", "compared", "having")]


@dataclass(frozen=True)
class Mutation:
    """A wrong answer.

    Attributes:
        about: what is said wrongly in it.
        answer: the gold answer as it was changed.
        is_certain: whether nobody could call it right.
    """

    kind: Literal["exchanged", "turned", "denied", "added"]
    about: str
    answer: str
    is_certain: bool = True

    def __str__(self) -> str:
        return f"{self.about} {self.kind}: {self.answer!r}"


class GoldAnswer:
    """The gold answer of a sample, with the statements that it is judged by.

    Args:
        documents: of the sample's context.
    """

    def __init__(self, sample: Sample, documents: Sequence[Document], criteria: Criteria) -> None:
        self._normalizer = criteria.normalizer
        self._text = sample.reference or ""
        self._sources = [self._text, sample.question, *(one.contents for one in documents)]
        self._conditions = [
            condition
            for kind in (Include, Exclude)
            if kind.name in sample.expect
            and isinstance(condition := kind.of(sample.expect, criteria), Include | Exclude)
        ]
        self._response = self._read(self._text)

    def _read(self, answer: str) -> Response:
        return Response(answer, self._normalizer, ())

    def passes(self, answer: str) -> bool:
        """Whether an answer gets all marks for include and exclude, under either rule."""
        response = self._read(answer)
        return any(
            all(condition.score(response, rule)[0] == 1 for condition in self._conditions)
            for rule in RULES.values()
        )

    def mutations(self) -> Iterator[Mutation]:
        """Yield the wrong answers; none of a gold answer that is wrong by its own entries."""
        if self.passes(self._text):
            yield from self._exchanged()
            yield from self._turned()
            yield from self._denied()
            yield from self._added()

    @cached_property
    def _statements(self) -> Sequence[StatementEntry]:
        entries = (entry for condition in self._conditions for entry in condition.entries)
        return [part for entry in entries for part in _parts(entry)]

    @cached_property
    def _said(self) -> Sequence[tuple[StatementEntry, tuple[int, int]]]:
        """What the gold answer says of what it should, and in which words."""
        wanted = [entry for entry in self._statements if not entry.statement.is_never]
        outcomes = [(entry, entry.outcome(self._response)) for entry in wanted]
        return [(entry, one.place) for entry, one in outcomes if one.is_found and one.place]

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """Tokens of the gold answer, in characters."""
        begin, end = self._response.reading.characters(first, last)
        # A citation behind them is no token.
        written = self._text[begin:end].partition("[")[0].rstrip()
        return begin, begin + len(written)

    def _exchanged(self) -> Iterator[Mutation]:
        """Two values that are said of two things, in each other's place."""
        reading, text = self._response.reading, self._text
        tokens = reading.tokens
        values = []
        for entry, (first, last) in self._said:
            inside = [at for at in reading.quantities if first <= reading.first[at] <= last]
            if entry.statement.of and len(inside) == 1 and tokens.count(tokens[inside[0]]) == 1:
                values.append((inside[0], set(entry.statement.of)))
        for (one, things), (other, others) in combinations(values, 2):
            units = unit_of(tokens[one]), unit_of(tokens[other])
            if one != other and units[0] == units[1] and things.isdisjoint(others):
                (a, b), (c, d) = sorted((self._span(one, one), self._span(other, other)))
                answer = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
                yield Mutation("exchanged", f"{text[a:b]!r} and {text[c:d]!r}", answer)

    def _turned(self) -> Iterator[Mutation]:
        """The other verdict at the head, all else as it was."""
        head = _VERDICT.match(self._text)
        if head and any(entry.statement.has_verdict for entry, _ in self._said):
            answer = _VERDICTS[head[0]] + self._text[head.end() :]
            yield Mutation("turned", repr(head[0]), answer)

    def _denied(self) -> Iterator[Mutation]:
        """The clause of each statement negated: its one verb, before what it says.

        None where another clause says the statement too, and where "nie" would mean something else
        ("nie tylko", "nie ma 14 lat", "nic nie").
        """
        reading, text = self._response.reading, self._text
        words = reading.words
        for entry, (first, last) in self._said:
            places = [at for at, word in enumerate(reading.first) if first <= word <= last]
            tokens = sorted({token for at in places for token in reading.units.mini(at).tokens})
            verbs = [at for at in tokens if words[at] in _VERBS]
            if len(verbs) != 1 or verbs[0] > places[0]:
                continue
            verb = verbs[0]
            if any(words[at] in turned for at in tokens for turned in _TURNED):
                continue
            start = self._span(verb, verb)[0]
            if verb and words[verb - 1] == "nie":
                answer = text[: self._span(verb - 1, verb)[0]] + text[start:]
            elif text[start].isupper():
                answer = f"{text[:start]}Nie {text[start].lower()}{text[start + 1 :]}"
            else:
                answer = f"{text[:start]}nie {text[start:]}"
            place = entry.outcome(self._read(answer)).place
            clause = range(reading.first[tokens[0]], reading.first[tokens[-1]] + 2)
            if place is None or place[0] in clause:
                about = repr(entry.wordings[0])
                yield Mutation("denied", about, answer, words[verb] not in _BOUNDED)

    def _added(self) -> Iterator[Mutation]:
        """What must never be said, on a line of its own, in words that alone say it."""
        for entry in self._statements:
            never = entry.statement
            if never.is_never:
                heads = [f"{thing}: " for thing in self._written(never.of)] if never.of else [""]
                said = _others(never.say) if never.is_only else self._written(never.say)
                for words in product(heads, said, "."):
                    line = "".join(words)
                    line = line[0].upper() + line[1:]
                    if not entry.outcome(self._read(line)).is_found:
                        continue
                    # A bare line may be read with the sentence before it.
                    is_certain = bool(never.of or not never.rivals)
                    answer = f"{self._text}\n\n{line}"
                    yield Mutation("added", repr(entry.wordings[0]), answer, is_certain)
                    break

    def _written(self, wordings: Sequence[str]) -> Iterator[str]:
        """Wordings as text, as far as the sample's texts have words for their beginnings."""
        for wording in wordings:
            parts = [next(self._spoken(part), "") for part in parts_of(wording)]
            if all(parts):
                yield " ".join(parts)

    def _spoken(self, alternatives: Sequence[str]) -> Iterator[str]:
        for wording in alternatives:
            text = class_wordings(wording)[0] if wording[0] == "@" else wording
            words = [self._word(word) for word in text.replace("&", "").split()]
            if all(words):
                yield " ".join(words)

    def _word(self, word: str) -> str:
        """A word of the sample's texts that begins so; "" if there is none."""
        if not word.endswith("*"):
            return word
        return next((known for known in self._words if known.startswith(word[:-1])), "")

    @cached_property
    def _words(self) -> Sequence[str]:
        return [word for text in self._sources for word in self._normalizer(text).words]


def _others(amounts: Sequence[str]) -> Sequence[str]:
    """An amount that is called due, and is none of some."""
    return [f"do zapłaty {_AMOUNT.sub('7777', amounts[0])}"]


def _parts(entry: Entry) -> Iterator[StatementEntry]:
    """The statements of an entry that stand for themselves."""
    if isinstance(entry, StatementEntry):
        yield entry
    elif isinstance(entry, AllEntry):
        for part in (*entry.entries, *entry.never):
            yield from _parts(part)
