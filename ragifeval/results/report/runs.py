"""Logs read for the report: which model answered which question, and the numbers of each log."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import AnswerLog, StoredAnswer
from ragifeval.results.signatures import UNKNOWN, model_name
from ragifeval.run.outcome import Outcome, score_names, variant_of
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.scorer import Scores
from ragifeval.scoring.signature import Signature

_NAMED = 10

# What the outcome takes from a record as it stands in the log.
_TOLD = ("finish_reason", "usage", "seconds", "asked", "retries", "reasoning", "prompt_chars")


class Run:
    """One log.

    Args:
        path: of the log.
        samples: of the data.
        matching: the headline rule.

    Attributes:
        log: what reading it found out.
        name: of the model, as the signature tells it, or else of the file.
        answers: sample id -> what the log has for it.
        outcome: what is answered, and the scores.
        rescored: ids of the samples for which the log has other scores than those computed now.
        placed: of each answer that is to cite documents, the place of the first of them, from 1,
            and the mean of its scores.

    Raises:
        UserError: the log cannot be read, or holds nothing about these samples.
    """

    def __init__(self, path: Path, samples: Sequence[Sample], matching: str) -> None:
        self.log = AnswerLog(path, samples)
        self.answers: dict[str, list[StoredAnswer]] = defaultdict(list)
        for sample, stored in self.log.read():
            self.answers[sample.id].append(stored)
        if not self.answers:
            raise UserError(
                f"{path}: holds no answer to a sample of --eval_path"
                + (f"; it names {self.log.unknown_names[0]!r:.80}" if self.log.unknown else "")
            )
        self.name = next(filter(None, map(model_name, self.signatures)), path.stem)
        self.outcome = Outcome(samples, matching)
        self.rescored: list[str] = []
        self.placed: list[tuple[int, float]] = []

    @property
    def signatures(self) -> Sequence[Signature]:
        """The signatures of its records, each once."""
        return [signature for signature in self.log.signatures.values() if signature is not None]

    @property
    def is_completion(self) -> bool:
        """Whether the model was given one text instead of chat messages."""
        return any(signature.parts.get("mode") == "completion" for signature in self.signatures)

    def add(
        self,
        sample: Sample,
        stored: StoredAnswer,
        scores: Mapping[str, Scores] | None,
        observed: Mapping[str, Any] | None,
    ) -> None:
        """Count one answer.

        Args:
            scores: under each rule; None where there is no answer.
            observed: what the answer does, as `rates` has it.
        """
        matching, context = self.outcome.matching, stored.context or sample.context
        names = score_names(matching)
        told = {key: stored.record.get(key) for key in _TOLD}
        known = {
            "id": sample.id,
            "answer": stored.text,
            "error": stored.error,
            "category": sample.category,
            "kind": list(sample.kind),
            "variant": variant_of(sample),
            "context": list(context),
            "observed": observed,
            **{name: scores and scores[rule] for rule, name in names.items()},
        }
        self.outcome.add({**told, **known})
        if scores is None:
            return
        if needed := sample.expect.get("cite"):
            first = min(context.index(key) for key in needed)
            values = [value for name, value in scores[matching].items() if name in counted()]
            self.placed.append((first + 1, fmean(values)))
        if _differs(stored, scores):
            self.rescored.append(sample.id)


def _differs(stored: StoredAnswer, scores: Mapping[str, Scores]) -> bool:
    """Whether the log has other scores for an answer; those of keys unknown here aside."""
    logged = stored.record.get("scores")
    now = scores.get(stored.matching, scores["substring"])
    return isinstance(logged, dict) and any(
        isinstance(value, int | float) and abs(value - now[key]) > 1e-6
        for key, value in logged.items()
        if key in now and key in counted()
    )


def read_runs(paths: Sequence[Path], samples: Sequence[Sample], matching: str) -> list[Run]:
    """Read logs, and tell models of one name apart."""
    runs = [Run(path, samples, matching) for path in paths]
    for suffix in (" ({run.path.stem})", " {number}"):
        names = Counter(run.name for run in runs)
        for number, run in enumerate(runs, start=1):
            if names[run.name] > 1:
                run.name += suffix.format(run=run.log, number=number)
    return runs


# Scores are computed anew, so that it does not matter by what the logs were scored; and variants
# stand apart.
_SCORING = {"model", "matching", "normalizer", "badwords", "version", "variants"}


def notices(
    runs: Sequence[Run], terms: Mapping[str, str], texts: Mapping[str, str]
) -> Iterator[str]:
    """Yield what the reader ought to know before reading the numbers, all runs' matters first.

    Args:
        terms: the parts of a signature that hold for what the page was made with.
        texts: of the language.
    """
    values: dict[str, set[str]] = defaultdict(set)
    for part, value in (pair for run in runs for pair in _known_parts(run)):
        if part not in _SCORING:
            values[part].add(value)
    terms = Signature(terms).comparable
    differing = [part for part, found in values.items() if len(found) > 1]
    if len(runs) > 1 and differing:
        yield texts["notice_differ"].format(parts=", ".join(differing))
    for run in runs:
        others = {part for part, value in _known_parts(run) if terms.get(part, value) != value}
        if others:
            parts = ", ".join(part for part in terms if part in others)
            yield texts["notice_conditions"].format(run=run.name, parts=parts)
        outcome = run.outcome
        for name, ids, count in (
            ("rescored", run.rescored, len(run.rescored)),
            ("unknown", run.log.unknown_names, run.log.unknown),
            ("repeated", outcome.repeated, len(outcome.repeated)),
        ):
            if count:
                yield texts[f"notice_{name}"].format(
                    run=run.name, count=count, ids=_named(ids, count, texts)
                )
        size = len(outcome.samples)
        if missing := size - outcome.answered:
            yield texts["notice_missing"].format(run=run.name, count=missing, samples=size)


def _known_parts(run: Run) -> Iterator[tuple[str, str]]:
    for signature in run.signatures:
        yield from (item for item in signature.comparable.items() if item[1] != UNKNOWN)


def _named(ids: Sequence[str], count: int, texts: Mapping[str, str]) -> str:
    named = [key if len(key) <= 80 else key[:79] + "…" for key in ids[:_NAMED]]
    if count > _NAMED:
        named.append(texts["more"].format(count=count - _NAMED))
    return ", ".join(named)
