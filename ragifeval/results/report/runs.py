"""Logs read for the report: which model answered which question, and under which terms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import AnswerLog, StoredAnswer
from ragifeval.results.signatures import UNKNOWN, model_name
from ragifeval.scoring.signature import Signature


@dataclass
class Run:
    """One log.

    Attributes:
        name: of the model, as the signature tells it, or else of the file.
        answers: sample id -> what the log has for it.
        log: what reading it found out.
    """

    name: str
    log: AnswerLog
    answers: dict[str, list[StoredAnswer]] = field(default_factory=dict)

    @property
    def signatures(self) -> Sequence[Signature]:
        """The signatures of its records, each once."""
        return [signature for signature in self.log.signatures.values() if signature is not None]

    @property
    def is_completion(self) -> bool:
        """Whether the model was given one text instead of chat messages."""
        return any(signature.parts.get("mode") == "completion" for signature in self.signatures)

    def differences(self, terms: Mapping[str, str]) -> list[str]:
        """The parts of the signature that are known to be other than these."""
        return [
            part
            for part, value in terms.items()
            if any(
                signature.parts.get(part, value) not in (value, UNKNOWN)
                for signature in self.signatures
            )
        ]


def read_runs(paths: Sequence[Path], samples: Sequence[Sample]) -> list[Run]:
    """Read logs, and tell models of one name apart.

    Raises:
        UserError: a log cannot be read, or holds nothing about these samples.
    """
    runs = [_read_run(path, samples) for path in paths]
    for suffix in (" ({run.path.stem})", " {number}"):
        names = Counter(run.name for run in runs)
        for number, run in enumerate(runs, start=1):
            if names[run.name] > 1:
                run.name += suffix.format(run=run.log, number=number)
    return runs


def _read_run(path: Path, samples: Sequence[Sample]) -> Run:
    log = AnswerLog(path, samples)
    run = Run(path.stem, log)
    for sample, stored in log.read():
        run.answers.setdefault(sample.id, []).append(stored)
    if not run.answers:
        raise UserError(
            f"{path}: holds no answer to a sample of --eval_path"
            + (f"; it names {log.unknown_names[0]!r:.80}" if log.unknown else "")
        )
    run.name = next(filter(None, map(model_name, run.signatures)), path.stem)
    return run


# Scores are computed anew, so that it does not matter by what the logs were scored.
_SCORING = {"model", "matching", "normalizer", "badwords", "version"}


def differences(runs: Sequence[Run]) -> list[str]:
    """The parts in which the signatures of runs are known to differ: in what models were asked."""
    values: dict[str, set[str]] = {}
    for run in runs:
        for signature in run.signatures:
            for part, value in signature.parts.items():
                if part not in _SCORING and value != UNKNOWN:
                    values.setdefault(part, set()).add(value)
    return [part for part, found in values.items() if len(found) > 1]
