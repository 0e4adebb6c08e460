"""Entries of a built sample that state a value, in whatever form an answer writes it.

Of "Bilet normalny kosztuje 19 zł, ulgowy 9 zł" and the phrase "19 zł" they make the statement that
19 zł is said of the normal ticket, and not of the reduced one, where the document proves it; else
that it is said. In Polish texts alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.validate.mutations import GoldAnswer
from ragifeval.scoring.scorer import Scorer
from ragifeval.statements.entries import read_statement
from ragifeval.statements.judging import Statements
from ragifeval.statements.quantities import unit_of
from ragifeval.statements.reading import Reading
from ragifeval.text.matching import Text
from ragifeval.text.stop_words import stop_words

# Letters that the name of a thing has at least.
_SHORTEST = 4
# What values are called by, whatever they are of.
_OF_ALL = frozenset(
    ["data", "dzień", "godzina", "kwota", "miesiąc", "niniejszy", "okres", "termin", "wysokość"]
)


def with_statements(sample: Sample, source: Document, scorer: Scorer) -> Sample:
    """A Polish sample with statements for those of its phrases for which the document proves one.

    Args:
        source: the document that it cites.
    """
    binder = _Binder(sample, source, scorer)
    for place, entry in enumerate(sample.expect["include"]):
        phrases = [entry] if isinstance(entry, str) else entry
        statement = binder.statement(phrases)
        if statement is None:
            continue
        include = [*sample.expect["include"]]
        include[place] = statement
        tried = replace(sample, expect={**sample.expect, "include": include})
        gold = GoldAnswer(tried, [source], scorer.criteria)
        passing = (one for one in gold.mutations() if one.is_certain and gold.passes(one.answer))
        if gold.passes(sample.reference or "") and next(passing, None) is None:
            sample = tried
    return sample


class _Binder:
    """Makes statements for values of one document."""

    def __init__(self, sample: Sample, source: Document, scorer: Scorer) -> None:
        self._normalizer = scorer.criteria.normalizer
        self._reading = self._read(source.contents)
        asked = f"{sample.question} {sample.reference}"
        self._asked = frozenset(self._normalizer(asked).lemmas)

    def _read(self, text: str) -> Reading:
        return Reading(Text(self._normalizer(text)))

    def statement(self, phrases: Sequence[str]) -> dict[str, Any] | None:
        """The statement for phrases that are one value, of a thing where the document tells."""
        reading = self._reading
        values = {self._value(phrase) for phrase in phrases}
        value = values.pop()
        if not value or values:
            return None
        alike = [at for at in reading.quantities if unit_of(reading.tokens[at]) == unit_of(value)]
        own = [at for at in alike if reading.tokens[at] == value]
        others = [at for at in alike if reading.tokens[at] != value]
        things = dict.fromkeys(word for at in own for word in self._things(at))
        rivals = dict.fromkeys(word for at in others for word in self._things(at))
        rivals = {word: None for word in rivals if word not in things and word not in self._asked}
        alone = {"say": list(phrases)}
        if not things or not rivals:
            return alone
        statement = {**alone, "of": list(things), "rivals": list(rivals)}
        # As the document says it, and not with the value in another's place.
        is_proved = all(self._says(statement, at) for at in own) and not any(
            self._says(statement, at, own) for at in others
        )
        return statement if is_proved else alone

    def _value(self, phrase: str) -> str:
        """The amount, period or date that a phrase is; "" where it is none, or more than that."""
        tokens = self._read(phrase).tokens
        return tokens[0] if len(tokens) == 1 and unit_of(tokens[0]) else ""

    def _things(self, value: int) -> Iterator[str]:
        """The nouns and adjectives that stand in the clause of a value."""
        reading = self._reading
        stops = stop_words("pl")
        for token in reading.units.mini(value).tokens:
            lemma = reading.tokens[token]
            is_verb = lemma.endswith("ć") and not lemma.endswith("ść")
            # "Dziennie", but not "spóźnienie".
            is_adverb = lemma.endswith("nie") and not lemma.endswith(("anie", "enie"))
            is_stop = lemma in stops or reading.words[token] in stops or lemma in _OF_ALL
            if (
                lemma.isalpha()
                and len(lemma) >= _SHORTEST
                and not (is_verb or is_adverb or is_stop)
            ):
                yield lemma

    def _says(self, statement: Mapping[str, Any], at: int, own: Sequence[int] = ()) -> bool:
        """Whether the sentence of a value says the statement; with `own`, in that value's place."""
        reading = self._reading
        written = {at: self._text(at, at)}
        if own:
            said = f"{statement['say'][0]}{reading.gaps[at + 1]}"
            written = {at: said, **dict.fromkeys(own, written[at])}
        sentence = reading.units.sentence(at)
        pieces = []
        start = sentence.start
        for token in sorted(token for token in written if token in sentence.tokens):
            pieces += [self._text(start, token - 1)] * (token > start) + [written[token]]
            start = token + 1
        if start < sentence.end:
            pieces.append(self._text(start, sentence.end - 1))
        judged = Statements([read_statement(statement)], self._normalizer)
        (outcome,) = judged.judge(self._read("".join(pieces)))
        return outcome.is_found

    def _text(self, first: int, last: int) -> str:
        """Some tokens as they are written, with what stands behind them up to the next word."""
        return f"{self._reading.written(first, last)}{self._reading.gaps[last + 1]}"
