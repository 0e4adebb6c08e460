"""Logs read for the report: which model answered which question, and the numbers of each log."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import AnswerLog, StoredAnswer
from ragifeval.results.signatures import UNKNOWN, model_name
from ragifeval.run.journal import Record
from ragifeval.run.outcome import Outcome, variant_of
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.signature import Signature

_NAMED = 10


class Run:
    """The log of one model; of several sets, one of each.

    Args:
        paths: of the logs.
        samples: of the data.
        matching: the headline rule.

    Attributes:
        logs: what reading them found out.
        name: of the model, as the signature tells it, or else of the file.
        answers: sample id -> what the log has for it.
        outcome: what is answered, and the scores.
        rescored: ids of the samples for which the log has other scores than those computed now.
        placed: of each answer that is to cite documents, the place of the first of them, from 1,
            and the mean of its scores.

    Raises:
        UserError: the log cannot be read, or holds nothing about these samples.
    """

    def __init__(self, paths: Sequence[Path], samples: Sequence[Sample], matching: str) -> None:
        self.logs = [AnswerLog(path, samples) for path in paths]
        self.answers: dict[str, list[StoredAnswer]] = defaultdict(list)
        for log in self.logs:
            before = len(self.answers)
            for sample, stored in log.read():
                self.answers[sample.id].append(stored)
            if len(self.answers) == before:
                raise UserError(
                    f"{log.path}: holds no answer to a sample of --eval_path"
                    + (f"; it names {log.unknown_names[0]!r:.80}" if log.unknown else "")
                )
        self.name = next(filter(None, map(model_name, self.signatures)), paths[0].stem)
        self.outcome = Outcome(samples, matching)
        self.rescored: list[str] = []
        self.placed: list[tuple[int, float]] = []

    @property
    def signatures(self) -> Sequence[Signature]:
        """The signatures of its records, each once."""
        found = {line: known for log in self.logs for line, known in log.signatures.items()}
        return [signature for signature in found.values() if signature is not None]

    @property
    def is_completion(self) -> bool:
        """Whether the model was given one text instead of chat messages."""
        return any(signature.parts.get("mode") == "completion" for signature in self.signatures)

    def add(self, sample: Sample, stored: StoredAnswer, record: Record) -> None:
        """Count one answer.

        Args:
            record: of the answer, with the scores computed now.
        """
        told = {key: stored.record.get(key) for key in ("asked", "prompt_chars")}
        self.outcome.add({**record, **told})
        if record["scores"] is None:
            return
        # Places of documents are told of the first set.
        if (needed := sample.expect.get("cite")) and " " not in variant_of(sample):
            first = min(record["context"].index(key) for key in needed)
            values = [value for name, value in record["scores"].items() if name in counted()]
            self.placed.append((first + 1, fmean(values)))
        if _differs(stored, record):
            self.rescored.append(sample.id)


def _differs(stored: StoredAnswer, record: Record) -> bool:
    """Whether the log has other scores for an answer; those of keys unknown here aside."""
    logged = stored.record.get("scores")
    now = record.get(f"scores_{stored.matching}", record["scores"])
    return isinstance(logged, dict) and any(
        isinstance(value, int | float) and abs(value - now[key]) > 1e-6
        for key, value in logged.items()
        if key in now and key in counted()
    )


def read_runs(
    models: Sequence[Sequence[Path]], samples: Sequence[Sample], matching: str
) -> list[Run]:
    """Read the logs of each model, and tell models of one name apart."""
    runs = [Run(paths, samples, matching) for paths in models]
    for suffix in (" ({run.path.stem})", " {number}"):
        names = Counter(run.name for run in runs)
        for number, run in enumerate(runs, start=1):
            if names[run.name] > 1:
                run.name += suffix.format(run=run.logs[0], number=number)
    return runs


# Scores are computed anew, so that it does not matter by what the logs were scored; and variants
# stand apart.
_SCORING = {"model", "matching", "normalizer", "badwords", "version", "variants"}


def notices(
    runs: Sequence[Run],
    terms: Mapping[str, str],
    texts: Mapping[str, str],
    more_data: Sequence[str] = (),
) -> Iterator[str]:
    """Yield what the reader ought to know before reading the numbers, all runs' matters first.

    Args:
        terms: the parts of a signature that hold for what the page was made with.
        texts: of the language.
        more_data: what signatures say of the sets behind the first.
    """
    others_of = [Signature({"data": data}).comparable["data"] for data in more_data]

    def parts_of(run: Run) -> Iterator[tuple[str, str]]:
        for signature in run.signatures:
            for part, value in signature.comparable.items():
                if value != UNKNOWN and (part != "data" or value not in others_of):
                    yield part, value

    values: dict[str, set[str]] = defaultdict(set)
    for part, value in (pair for run in runs for pair in parts_of(run)):
        if part not in _SCORING:
            values[part].add(value)
    terms = Signature(terms).comparable
    differing = [part for part, found in values.items() if len(found) > 1]
    if len(runs) > 1 and differing:
        yield texts["notice_differ"].format(parts=", ".join(differing))
    for run in runs:
        others = {part for part, value in parts_of(run) if terms.get(part, value) != value}
        if others:
            parts = ", ".join(part for part in terms if part in others)
            yield texts["notice_conditions"].format(run=run.name, parts=parts)
        outcome = run.outcome
        for name, ids, count in (
            ("rescored", run.rescored, len(run.rescored)),
            (
                "unknown",
                [name for log in run.logs for name in log.unknown_names],
                sum(log.unknown for log in run.logs),
            ),
            ("repeated", outcome.repeated, len(outcome.repeated)),
        ):
            if count:
                yield texts[f"notice_{name}"].format(
                    run=run.name, count=count, ids=_named(ids, count, texts)
                )
        size = len(outcome.samples)
        if missing := size - outcome.answered:
            yield texts["notice_missing"].format(run=run.name, count=missing, samples=size)


def _named(ids: Sequence[str], count: int, texts: Mapping[str, str]) -> str:
    named = [key if len(key) <= 80 else key[:79] + "…" for key in ids[:_NAMED]]
    if count > _NAMED:
        named.append(texts["more"].format(count=count - _NAMED))
    return ", ".join(named)
