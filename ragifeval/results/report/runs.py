"""Logs read for the report: which model answered which question, and under which terms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import UNKNOWN, StoredAnswer, model_name, read_answers
from ragifeval.scoring.signature import Signature


@dataclass
class Run:
    """One log.

    Attributes:
        name: of the model, as the signature tells it, or else of the file.
        answers: place of the sample in the data -> what the log has for it.
        unknown: what the answers to no sample of the data are known by.
        signatures: of its records, each once.
    """

    path: Path
    name: str
    answers: dict[int, list[StoredAnswer]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)

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
                run.name += suffix.format(run=run, number=number)
    return runs


def _read_run(path: Path, samples: Sequence[Sample]) -> Run:
    places = {sample.id: place for place, sample in enumerate(samples)}
    run = Run(path, path.stem)
    for answer in read_answers(path, samples):
        place = places.get(answer.sample_id) if answer.sample_id is not None else None
        if place is None:
            run.unknown.append(answer.sample_id or str(answer.record.get("question")))
            continue
        _check_context(answer, samples[place])
        run.answers.setdefault(place, []).append(answer)
        signature = answer.signature
        if signature is not None and signature not in run.signatures:
            run.signatures.append(signature)
    if not run.answers:
        raise UserError(
            f"{path}: holds no answer to a sample of --eval_path"
            + (f"; it names {run.unknown[0]!r:.80}" if run.unknown else "")
        )
    run.name = next(filter(None, map(model_name, run.signatures)), path.stem)
    return run


def _check_context(answer: StoredAnswer, sample: Sample) -> None:
    if answer.context is not None and sorted(answer.context) != sorted(sample.context):
        raise UserError(
            f"{answer.where}: the model saw other documents ({', '.join(answer.context)}) than "
            f"sample {sample.id!r} has ({', '.join(sample.context)}); name the data of that run "
            "with --docs_path and --eval_path"
        )


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
