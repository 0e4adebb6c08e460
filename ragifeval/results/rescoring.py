"""Stored answers scored anew: each gets the record that a run would write of it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Prompt, Request
from ragifeval.results.answers import AnswerLog, StoredAnswer
from ragifeval.results.signatures import model_name, rescored_signature, whole_signature
from ragifeval.run.journal import Record
from ragifeval.run.outcome import Outcome
from ragifeval.run.progress import Unfailing
from ragifeval.run.run import make_record
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature
from ragifeval.text.matching import RULES

# The keys of a record that this harness writes; what else an old record holds is carried over.
_OWN = {"id", "question", "context", "answer", "finish_reason", "usage", "seconds", "error"}
_OWN |= {"category", "kind", "observed", "retries"}
_OWN |= {"signature", "reasoning", "scores", *(f"scores_{rule}" for rule in RULES)}


@dataclass(frozen=True)
class Standard:
    """What answers are scored by.

    Attributes:
        samples: those that answers may be to.
        matching: the headline rule.
        reasoning_end: the mark that ends a reasoning which the log did not part from the answer.
        parts: of the signature: those that this scoring decides.
    """

    samples: Sequence[Sample]
    scorer: Scorer
    matching: str
    reasoning_end: str | None
    parts: Mapping[str, str]


@dataclass(frozen=True)
class Rescored:
    """A log with new scores.

    Attributes:
        log: what reading it found out.
        signature: of the whole log.
    """

    log: AnswerLog
    outcome: Outcome
    signature: Signature

    @property
    def name(self) -> str:
        """The log's path, and the model's name where the log tells one."""
        model = model_name(self.signature)
        return f"{self.log.path} ({model})" if model else str(self.log.path)


def rescore(path: Path, standard: Standard, write: Callable[[Record], object]) -> Rescored:
    """Score the answers of one log.

    Args:
        write: called with each new record, in the order of the log.

    Raises:
        UserError: the log cannot be read, with file and line.
    """
    log = AnswerLog(path, standard.samples)
    outcome = Outcome(standard.samples, standard.matching, standard.reasoning_end)
    answers = tqdm(log.read(), unit=" answers", dynamic_ncols=True, file=Unfailing(sys.stderr))
    for sample, stored in answers:
        record = rescored_record(
            sample,
            stored,
            standard.scorer,
            standard.matching,
            None if stored.reasoning else standard.reasoning_end,
            str(rescored_signature(stored.signature, standard.parts)),
        )
        others = {key: value for key, value in stored.record.items() if key not in _OWN}
        record = {**record, **others}
        outcome.add(record)
        write(record)
    new = [rescored_signature(old, standard.parts) for old in log.signatures.values()]
    whole = whole_signature(new or [rescored_signature(None, standard.parts)])
    return Rescored(log, outcome, whole)


def rescored_record(
    sample: Sample,
    stored: StoredAnswer,
    scorer: Scorer,
    matching: str,
    reasoning_end: str | None = None,
    signature: str = "",
) -> Record:
    """The record of a stored answer with new scores; what it took stays as the log has it.

    Args:
        matching: the headline rule.
        reasoning_end: the mark that ends a reasoning; None if the answer holds none.
    """
    error = None if stored.text is not None else stored.error or "the log has no answer"
    answer = Answer(
        Request(sample.id, Prompt()),
        stored.text,
        error,
        finish_reason=stored.finish_reason,
        reasoning=stored.reasoning,
    )
    context = stored.context or sample.context
    record = make_record(sample, context, answer, scorer, matching, reasoning_end, signature)
    return record | {key: stored.record.get(key) for key in ("usage", "seconds", "retries")}


def check_logs(logs: Sequence[Path]) -> None:
    """Refuse logs that do not exist or are empty, before any is scored.

    Raises:
        UserError: with the path.
    """
    for log in logs:
        if log.is_dir() or not log.exists():
            reason = "is a folder" if log.is_dir() else "no such file"
            raise UserError(f"{log}: cannot be read: {reason}")
        if log.is_file() and not log.stat().st_size:
            raise UserError(f"{log}: holds no answers")
