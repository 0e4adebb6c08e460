"""What the statements of a data set meet in its documents, for an author to look at."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from ragifeval.benchmark.validate.checks import Validation
from ragifeval.statements.entries import Statement, statements_in
from ragifeval.statements.patterns import Finder
from ragifeval.statements.quantities import unit_of
from ragifeval.statements.reading import Reading
from ragifeval.statements.vocabulary import Vocabulary
from ragifeval.statements.wordings import parts_of
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer

# Tokens of a clause that are shown on either side of a value.
_REACH = 10


def list_statements(data: Validation) -> Iterator[str]:
    """Yield what beginnings of words and classes meet, values to be rivals, and what passes."""
    passing: dict[str, list[str]] = {}
    for sample, mutation, passes in data.mutations:
        if passes:
            passing.setdefault(sample.id, []).append(f"passes: {mutation}")
    for sample in data.benchmark.samples:
        readings = {key: Reading(data.document(key)) for key in sample.context}
        entries = [*sample.expect.get("include", ()), *sample.expect.get("exclude", ())]
        statements = statements_in(entries)
        lines = chain(
            _meetings(statements, readings.values(), data.normalizer),
            _rivals(statements, readings, data.normalizer),
            passing.get(sample.id, ()),
        )
        yield from (f"{sample.id}: {line}" for line in lines)


def _meetings(
    statements: Iterable[Statement], readings: Collection[Reading], normalizer: Normalizer
) -> Iterator[str]:
    """Yield each beginning of a word and each class, with the words that meet it."""
    wordings = chain.from_iterable(
        (*one.say, *one.of, *one.rivals, *one.anti, *one.start) for one in statements
    )
    parts = chain.from_iterable(chain.from_iterable(map(parts_of, wordings)))
    for part in dict.fromkeys(part for part in parts if "*" in part or part.startswith("@")):
        vocabulary = Vocabulary(normalizer)
        compiled = vocabulary.compile([part])
        met = Counter(
            " ".join(reading.words[token] for token in sorted(place.taken))
            for reading in readings
            for place in Finder(reading, vocabulary.occurrences(reading)).find(compiled)
        )
        yield f"{part} meets {', '.join(met) or 'nothing'}"


def _rivals(
    statements: Iterable[Statement], readings: Mapping[str, Reading], normalizer: Normalizer
) -> Iterator[str]:
    """Yield the values of the documents that no statement names, but one names another like it."""
    units: set[str] = set()
    known: set[str] = set()
    for statement in statements:
        for wording in (*statement.say, *statement.rivals, *statement.anti):
            reading = Reading(Text(normalizer(wording.replace("*", " ").replace("|", ";"))))
            values = [reading.tokens[token] for token in reading.quantities]
            known.update(values)
            if not statement.is_never:
                units.update(filter(None, map(unit_of, values)))
    for key, reading in readings.items():
        for token in reading.quantities:
            value = reading.tokens[token]
            if unit_of(value) in units and value not in known:
                known.add(value)
                tokens = [
                    at for at in reading.units.clause[token].tokens if abs(at - token) < _REACH
                ]
                clause = reading.written(tokens[0], tokens[-1])
                yield f"{reading.written(token, token)!r} could be said instead, {key}: {clause!r}"
