"""Which of the phrases proposed for an answer become entries of `include`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragifeval.benchmark.validate.entries import (
    NOT_CITED,
    PART_OF_A_NUMBER,
    flaws,
    is_part_of_a_number,
)
from ragifeval.build.records import Candidate
from ragifeval.text.matching import RULES, Text
from ragifeval.text.normalizer import Normalizer


@dataclass(frozen=True)
class Entry:
    """An entry that passed: its phrases, more than one if they are alternatives, as texts too."""

    phrases: Sequence[str]
    texts: Sequence[Text]

    @property
    def parameter(self) -> str | list[str]:
        """As it stands in `include`."""
        return self.phrases[0] if len(self.phrases) == 1 else list(self.phrases)

    def is_implied_by(self, other: "Entry") -> bool:
        """Whether an answer that holds the other holds this one too, by either rule."""
        return all(
            any(all(rule(mine, theirs) for rule in RULES.values()) for mine in self.texts)
            for theirs in other.texts
        )


class Proposals:
    """The phrases that are proposed for one candidate, with the texts that they are held against.

    Args:
        refusal: the refusal message.
        chunk: the one that the question was asked about.
    """

    def __init__(
        self, candidate: Candidate, chunk: Text, refusal: Text, normalizer: Normalizer
    ) -> None:
        self._candidate = candidate
        self._chunk = chunk
        self._refusal = refusal
        self._normalizer = normalizer
        self._question = Text(normalizer(candidate.question))
        self._answer = Text(normalizer(candidate.answer))

    def check(self) -> tuple[list[Entry], list[str]]:
        """The entries that pass, in the order in which they were proposed; why others do not.

        One alternative at least must stand in the answer and in the chunk; another need not, as
        long as nothing else is wrong with it. An entry that another one implies is dropped.
        """
        entries: list[Entry] = []
        dropped: list[str] = []
        for proposed in self._candidate.phrases:
            entry = self._entry([proposed] if isinstance(proposed, str) else proposed, dropped)
            if entry is not None:
                entries.append(entry)
        kept: list[Entry] = []
        for place, entry in enumerate(entries):
            # Of two that say the same, the first one stays.
            others = [*kept, *(o for o in entries[place + 1 :] if not o.is_implied_by(entry))]
            if any(entry.is_implied_by(other) for other in others):
                dropped += [f"{phrase!r} is said by another" for phrase in entry.phrases]
            else:
                kept.append(entry)
        return kept, dropped

    def whole_answer(self) -> list[Entry]:
        """The answer itself, where it is as short as a phrase and nothing is wrong with it."""
        if not self._candidate.is_phrase:
            return []
        entry = self._entry([self._candidate.answer.strip().rstrip(".")], [])
        return [entry] if entry is not None else []

    def _entry(self, alternatives: Sequence[str], dropped: list[str]) -> Entry | None:
        phrases, texts, missing = [], [], []
        for phrase in dict.fromkeys(" ".join(alternative.split()) for alternative in alternatives):
            text = Text(self._normalizer(phrase))
            reasons = ", ".join(self._flaws(text))
            if reasons:
                dropped.append(f"{phrase!r} {reasons}")
                continue
            phrases.append(phrase)
            texts.append(text)
            missing.append(", ".join(self._missing(text)))
        if all(missing):
            pairs = zip(phrases, missing, strict=True)
            dropped += [f"{phrase!r} {reasons}" for phrase, reasons in pairs]
            return None
        return Entry(phrases, texts)

    def _flaws(self, text: Text) -> Iterator[str]:
        yield from flaws(text, self._question, self._refusal, self._normalizer.language)
        if text.normalized.words and is_part_of_a_number(text, self._chunk):
            yield f"{PART_OF_A_NUMBER} {self._candidate.chunk!r}"

    def _missing(self, text: Text) -> Iterator[str]:
        """Where the phrase should stand and does not.

        In the chunk by both rules, though `validate` asks for the substring rule alone: that one
        finds "kot" in "kotlet".
        """
        for name, rule in RULES.items():
            if not rule(text, self._answer):
                yield f"does not stand in the answer (rule {name})"
        for name, rule in RULES.items():
            if not rule(text, self._chunk):
                yield f"{NOT_CITED} (rule {name})"
