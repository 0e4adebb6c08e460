"""Stored answers scored anew: the same loop as a run, with a generator that replays a log."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Prompt, Request
from ragifeval.results.answers import AnswerLog, StoredAnswer
from ragifeval.results.signatures import model_name, rescored_signature, whole_signature
from ragifeval.run.asking import Asking
from ragifeval.run.journal import Record
from ragifeval.run.outcome import Outcome
from ragifeval.run.run import make_record
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature
from ragifeval.text.matching import RULES

# The keys of a record that this harness writes; what else an old record holds is carried over.
_OWN = {"id", "question", "context", "answer", "finish_reason", "usage", "seconds", "error"}
_OWN |= {"category", "kind", "observed", "retries"}
_OWN |= {"signature", "reasoning", "scores", *(f"scores_{rule}" for rule in RULES)}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StoredRequest(Request):
    """The request for an answer that is stored already."""

    sample: Sample
    stored: StoredAnswer


class Replay:
    """A generator that answers each StoredRequest at once with what is stored."""

    name = "replay"

    def __init__(self) -> None:
        self._is_stopped = False

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in order."""
        for request in requests:
            if self._is_stopped:
                return
            assert isinstance(request, StoredRequest)
            stored = request.stored
            error = None if stored.text is not None else stored.error or "the log has no answer"
            yield Answer(
                request,
                stored.text,
                error,
                finish_reason=stored.finish_reason,
                reasoning=stored.reasoning,
            )

    def stop(self) -> None:
        """Answer nothing more."""
        self._is_stopped = True


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
        KeyboardInterrupt: the user stopped it.
    """
    log = AnswerLog(path, standard.samples)
    outcome = Outcome(standard.samples, standard.matching, standard.reasoning_end)
    signatures: dict[str, str] = {}

    def requests() -> Iterator[Request]:
        for sample, stored in log.read():
            yield StoredRequest(id=sample.id, prompt=Prompt(), sample=sample, stored=stored)

    def read(answer: Answer) -> Record:
        request = answer.request
        assert isinstance(request, StoredRequest)
        sample, stored = request.sample, request.stored
        line = str(stored.record.get("signature"))
        if line not in signatures:
            signatures[line] = str(rescored_signature(stored.signature, standard.parts))
        record = make_record(
            sample,
            stored.context or sample.context,
            answer,
            standard.scorer,
            standard.matching,
            None if stored.reasoning else standard.reasoning_end,
            signatures[line],
        )
        record |= {key: stored.record.get(key) for key in ("usage", "seconds", "retries")}
        return record | {key: value for key, value in stored.record.items() if key not in _OWN}

    with Asking(Replay(), None, total=None, unit=" answers") as asking:
        for record in asking.ask(requests(), read):
            outcome.add(record)
            write(record)
    if asking.interrupted:
        raise KeyboardInterrupt
    new = [rescored_signature(old, standard.parts) for old in log.signatures.values()]
    whole = whole_signature(new or [rescored_signature(None, standard.parts)])
    return Rescored(log, outcome, whole)


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
