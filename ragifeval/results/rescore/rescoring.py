"""A log scored anew: which sample each answer is to, and what becomes of its record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import StoredAnswer, model_name, read_answers
from ragifeval.results.rescore.pool import Scored, Work, score_names
from ragifeval.results.rescore.signature import MIXED, rescored_signature, whole_signature
from ragifeval.run.asking import REASONING_END, split_reasoning
from ragifeval.scoring.scorer import Scores
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import Estimate, Tally
from ragifeval.text.matching import RULES

# What a record of a log holds in its own words; everything else in it is carried over.
_OWN = {"id", "question", "context", "answer", "finish_reason", "usage", "seconds", "error"}
_OWN |= {"signature", "reasoning", "scores", *(f"scores_{rule}" for rule in RULES)}

NAMED = 5
"""How many of those that something is wrong with are named."""


@dataclass(frozen=True)
class Standard:
    """What answers are scored by.

    Attributes:
        matching: the headline rule.
        reasoning_end: the mark that ends a reasoning which the log did not part from the answer.
        parts: of the signature: those that this scoring decides.
    """

    benchmark: Benchmark
    matching: str
    reasoning_end: str | None
    parts: Mapping[str, str]


class MeanTally(Tally):
    """A tally in which a sample that is answered more than once counts once, with the mean."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._answers = [0] * size

    def add(self, index: int, scores: Scores) -> None:
        """Add the scores of one more answer to the sample at this place."""
        before = self._answers[index]
        self._answers[index] += 1
        if before:
            scores = {
                key: (self._columns[key][index] * before + value) / (before + 1)
                for key, value in scores.items()
            }
        super().add(index, scores)


class _Reading(NamedTuple):
    text: str | None
    finish_reason: object
    reasoning: object
    error: str | None


class Rescoring:
    """One log on its way to new scores.

    Attributes:
        failed: sample id -> why there is no answer, where the log has a record of it.
        answered: how many answers each sample of the data has.
        unknown: how many answers are to no sample of the data.
        unknown_named: the first few of them, by id or question.
        truncated: how many answers were cut off by their limit of tokens.
        reasoning_unset: how many answers hold a reasoning that is scored with them.

    Args:
        places: sample id -> its place in the data.
        writes: whether a new log is written.
    """

    def __init__(
        self, path: Path, standard: Standard, places: Mapping[str, int], writes: bool
    ) -> None:
        self.path = path
        self._standard = standard
        self._places = places
        self._writes = writes
        size = len(standard.benchmark.samples)
        self._tallies = {rule: MeanTally(size) for rule in RULES}
        self._signatures: dict[str | None, Signature] = {}
        self.answered = [0] * size
        self.failed: dict[str, str] = {}
        self.unknown = 0
        self.unknown_named: list[str] = []
        self.truncated = 0
        self.reasoning_unset = 0

    def works(self) -> Iterator[Work]:
        """Yield what is to be scored, in the order of the log.

        Raises:
            UserError: with file and line, where the log cannot be read.
        """
        samples = self._standard.benchmark.samples
        for stored in read_answers(self.path, samples):
            index = self._places.get(stored.sample_id) if stored.sample_id is not None else None
            if index is None:
                self.unknown += 1
                if self.unknown <= NAMED:
                    name = stored.sample_id or f"{stored.record.get('question')!s:.40}"
                    self.unknown_named.append(name)
            else:
                yield self._work(stored, index, samples[index])

    def _work(self, stored: StoredAnswer, index: int, sample: Sample) -> Work:
        context = _context(stored, sample)
        answer = self._read(stored, index, sample)
        line = stored.record.get("signature")
        signature = self._signature(line if isinstance(line, str) and line else None)
        record = None
        if self._writes:
            # In the order of a run's record; what else the old one holds comes last.
            record = {
                "id": sample.id,
                "question": sample.question,
                "context": list(context),
                "answer": answer.text,
                **dict.fromkeys(score_names(self._standard.matching)),
                "finish_reason": answer.finish_reason,
                "usage": stored.record.get("usage"),
                "seconds": stored.record.get("seconds"),
                "error": answer.error,
                "signature": str(signature),
                **({"reasoning": answer.reasoning} if answer.reasoning else {}),
                **{key: value for key, value in stored.record.items() if key not in _OWN},
            }
        return Work(index, sample, context, answer.text, record)

    def _read(self, stored: StoredAnswer, index: int, sample: Sample) -> _Reading:
        """What is scored of an answer, and what is known of how it came about; counted."""
        reason, reasoning = stored.record.get("finish_reason"), stored.record.get("reasoning")
        text = stored.text
        if text is None:
            error = str(stored.record.get("error") or "the log has no answer")
            if not self.answered[index]:
                self.failed[sample.id] = error
            return _Reading(None, reason, reasoning, error)
        self.answered[index] += 1
        self.failed.pop(sample.id, None)
        end = self._standard.reasoning_end
        if end is not None and not reasoning:
            text, reasoning, ended = split_reasoning(text, end)
            if not ended and reason != "length":
                reason = "reasoning_unfinished"
        self.reasoning_unset += REASONING_END in text
        self.truncated += reason in ("length", "reasoning_unfinished")
        return _Reading(text, reason, reasoning, None)

    def _signature(self, old: str | None) -> Signature:
        signature = self._signatures.get(old)
        if signature is None:
            parsed = Signature.parse(old) if old else None
            signature = rescored_signature(parsed, self._standard.parts)
            self._signatures[old] = signature
        return signature

    def count(self, work: Work, scored: Scored) -> None:
        """Take the scores of one answer into the means."""
        if scored.scores is not None:
            for rule, tally in self._tallies.items():
                tally.add(work.index, scored.scores[rule])

    def estimates(self, seed: int) -> dict[str, dict[str, Estimate]]:
        """The rule's name -> score key -> its estimate."""
        return {rule: tally.estimates(seed) for rule, tally in self._tallies.items()}

    @property
    def signature(self) -> Signature:
        """Of the whole log."""
        found = list(self._signatures.values())
        return whole_signature(found or [rescored_signature(None, self._standard.parts)])

    @property
    def model(self) -> str | None:
        """The model's name; None where the log tells none, or several."""
        name = model_name(self.signature)
        return None if name == MIXED else name


def _context(stored: StoredAnswer, sample: Sample) -> Sequence[str]:
    """The order in which the model saw the documents, as far as the log tells."""
    if stored.context is None or stored.context == sample.context:
        return sample.context
    if sorted(stored.context) != sorted(sample.context):
        raise UserError(
            f"{stored.where}: 'context' must hold the documents of sample {sample.id!r} "
            f"({', '.join(sample.context)}), in the order in which the model saw them"
        )
    return stored.context
