"""Logs read for the report: which model answered which question, and the numbers of each log."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.results.answers import AnswerLog, StoredAnswer
from ragifeval.results.signatures import UNKNOWN, model_name
from ragifeval.run.outcome import Outcome, score_names, variant_of
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.scorer import Scores
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import Estimate, Tally

_NAMED = 10


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
        seconds: that answers took, as far as the log tells.
        tokens: of all prompts and answers; None where the log tells none.
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
        self.seconds: list[float] = []
        self.tokens: int | None = None
        self.placed: list[tuple[int, float]] = []
        self._by_category: dict[str, Tally] = defaultdict(partial(Tally, len(samples)))

    @property
    def signatures(self) -> Sequence[Signature]:
        """The signatures of its records, each once."""
        return [signature for signature in self.log.signatures.values() if signature is not None]

    @property
    def is_completion(self) -> bool:
        """Whether the model was given one text instead of chat messages."""
        return any(signature.parts.get("mode") == "completion" for signature in self.signatures)

    @property
    def median_seconds(self) -> float | None:
        """Of the time that an answer took; None where the log tells no time, or none passed."""
        return median(self.seconds) or None if self.seconds else None

    def add(
        self, sample: Sample, stored: StoredAnswer, scores: Mapping[str, Scores] | None
    ) -> None:
        """Count one answer.

        Args:
            scores: under each rule; None where there is no answer.
        """
        outcome = self.outcome
        names = score_names(outcome.matching)
        outcome.add(
            {
                "id": sample.id,
                "answer": stored.text,
                "error": stored.error,
                "finish_reason": stored.finish_reason,
                **{name: scores and scores[rule] for rule, name in names.items()},
            }
        )
        if scores is None:
            return
        headline = scores[outcome.matching]
        counts = {name: value for name, value in headline.items() if name in counted()}
        if sample.category is not None and variant_of(sample) == outcome.headline:
            self._by_category[sample.category].add(outcome.places[sample.id], counts)
        needed = sample.expect.get("cite")
        if needed:
            context = stored.context or sample.context
            first = min(context.index(key) for key in needed)
            self.placed.append((first + 1, fmean(counts.values())))
        if _differs(stored, scores):
            self.rescored.append(sample.id)
        if stored.seconds is not None:
            self.seconds.append(stored.seconds)
        for count in stored.tokens:
            if count is not None:
                self.tokens = (self.tokens or 0) + count

    def totals_by_category(self, seed: int) -> dict[str, Estimate]:
        """Category -> the estimate of the total under the headline rule."""
        by_category = {name: tally.estimates(seed) for name, tally in self._by_category.items()}
        return {name: estimates["total"] for name, estimates in by_category.items() if estimates}


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
        yield from (item for item in signature.parts.items() if item[1] != UNKNOWN)


def _named(ids: Sequence[str], count: int, texts: Mapping[str, str]) -> str:
    named = [key if len(key) <= 80 else key[:79] + "…" for key in ids[:_NAMED]]
    if count > _NAMED:
        named.append(texts["more"].format(count=count - _NAMED))
    return ", ".join(named)
