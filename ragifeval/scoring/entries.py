"""What include and exclude look for in an answer: phrases, statements, and combinations of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from ragifeval.statements.entries import Statement, is_never
from ragifeval.statements.judging import Outcome, Statements
from ragifeval.statements.reading import Reading
from ragifeval.text.matching import Rule, Text
from ragifeval.text.normalizer import Normalizer


@dataclass(frozen=True)
class Criteria:
    """What conditions are built with, the same for all samples of a run.

    Attributes:
        badwords: their lemmas.
    """

    normalizer: Normalizer
    refusal_message: str
    badwords: frozenset[str]


@dataclass
class Response:
    """One answer, made ready once for all conditions of its sample.

    Attributes:
        answer: what the model said, untouched.
        normalizer: for the answer.
        context: the ids of the documents in the order in which the model saw them.
    """

    answer: str
    normalizer: Normalizer
    context: Sequence[str]
    # The last only: documents are read for one sample after the other.
    _judged: tuple[Statements, Sequence[Outcome]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @cached_property
    def text(self) -> Text:
        """The answer, normalized only if a condition needs it."""
        return Text(self.normalizer(self.answer))

    @cached_property
    def reading(self) -> Reading:
        """The answer as statements read it."""
        return Reading(self.text)

    def judge(self, statements: Statements) -> Sequence[Outcome]:
        """Judge the answer by statements, once for both rules."""
        if self._judged is None or self._judged[0] is not statements:
            self._judged = statements, statements.judge(self.reading)
        return self._judged[1]


class PhraseEntry:
    """A phrase, or alternative phrases of which one must be found.

    Attributes:
        wordings: as every kind of entry has them: what is looked for, as the data state it.
        needs_rule: likewise, whether the rule decides what is found.
    """

    needs_rule = True

    def __init__(self, phrases: Sequence[str], criteria: Criteria) -> None:
        self.phrases = [Text(criteria.normalizer(phrase)) for phrase in phrases]
        self.wordings = tuple(phrases)

    def is_found(self, response: Response, rule: Rule) -> bool:
        """Whether an alternative is found in the answer."""
        return any(rule(phrase, response.text) is not None for phrase in self.phrases)


class StatementEntry:
    """A statement; one of those that are judged together, by its index."""

    __slots__ = ("_index", "_statements", "statement", "wordings")
    needs_rule = False

    def __init__(self, statements: Statements, index: int) -> None:
        self._statements, self._index = statements, index
        self.statement = statements.statements[index]
        sign = "≠ " if self.statement.is_only else ""
        self.wordings = tuple(sign + wording for wording in self.statement.say)

    def outcome(self, response: Response) -> Outcome:
        """What the answer does with the statement."""
        return response.judge(self._statements)[self._index]

    def is_found(self, response: Response, rule: Rule) -> bool:
        """Whether the answer says it, whatever the rule."""
        return self.outcome(response).is_found


class AnyEntry:
    """Entries of which one must be found."""

    __slots__ = ("entries", "needs_rule", "wordings")

    def __init__(self, entries: Sequence["Entry"]) -> None:
        self.entries = entries
        self.wordings: tuple[str, ...] = sum((entry.wordings for entry in entries), ())
        self.needs_rule: bool = any(entry.needs_rule for entry in entries)

    def is_found(self, response: Response, rule: Rule) -> bool:
        """Whether one of the entries is found."""
        return any(entry.is_found(response, rule) for entry in self.entries)


class AllEntry:
    """Entries that must all be found, and statements of which none may be affirmed."""

    __slots__ = ("entries", "needs_rule", "never", "wordings")

    def __init__(self, entries: Sequence["Entry"], never: Sequence["Entry"]) -> None:
        self.entries, self.never = entries, never
        self.wordings: tuple[str, ...] = sum((entry.wordings for entry in entries), ())
        self.needs_rule: bool = any(entry.needs_rule for entry in entries)

    def is_found(self, response: Response, rule: Rule) -> bool:
        """Whether all entries are found, and nothing is affirmed that must never be."""
        return all(entry.is_found(response, rule) for entry in self.entries) and not any(
            entry.is_found(response, rule) for entry in self.never
        )


Entry = PhraseEntry | StatementEntry | AnyEntry | AllEntry


@lru_cache(256)
def compile_statements(statements: tuple[Statement, ...], normalizer: Normalizer) -> Statements:
    """The statements of a sample, which its conditions share, and those of its variants."""
    return Statements(statements, normalizer)


def read_entries(
    parameter: Sequence[Any], statements: Statements, numbers: Iterator[int], criteria: Criteria
) -> Iterator[Entry]:
    """The entries of a condition; statements take their numbers in the order of the data."""
    for entry in parameter:
        if isinstance(entry, str):
            yield PhraseEntry([entry], criteria)
        elif not isinstance(entry, Mapping):
            yield PhraseEntry(entry, criteria)
        elif "any" in entry:
            yield AnyEntry(list(read_entries(entry["any"], statements, numbers, criteria)))
        elif "all" in entry:
            parts = list(read_entries(entry["all"], statements, numbers, criteria))
            never = [is_never(part) for part in entry["all"]]
            yield AllEntry(
                [part for part, is_out in zip(parts, never, strict=True) if not is_out],
                [part for part, is_out in zip(parts, never, strict=True) if is_out],
            )
        else:
            yield StatementEntry(statements, next(numbers))
