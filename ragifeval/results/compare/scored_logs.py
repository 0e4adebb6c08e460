"""The scores in logs, sample by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ragifeval.benchmark.variants.variants import CORE, part_of_variant
from ragifeval.errors import UserError
from ragifeval.results.answers import StoredAnswer, read_answers
from ragifeval.results.signatures import UNKNOWN, model_name, whole_signature
from ragifeval.run.groups import groups_of
from ragifeval.run.performance import Performance
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.rates import LENGTHS, LONGEST, OF_VARIANTS, are_observed, rates
from ragifeval.scoring.signature import Signature

_REMEDY = "`python -m ragifeval score LOG -o OUT` writes a log with all that is needed"

KEYS = tuple(counted())
"""The score keys that count, one a condition."""


class SampleMeans:
    """The scores of each sample; means, where a sample is answered more than once.

    A score that only some of the answers have is the mean over these.
    """

    def __init__(self) -> None:
        self._scores: dict[str, dict[str, float]] = {}
        self._answers: dict[tuple[str, str], int] = {}

    def add(self, sample: str, scores: Mapping[str, float]) -> None:
        """Add the scores of one answer."""
        means = self._scores.setdefault(sample, {})
        for name, value in scores.items():
            if name in means:
                count = self._answers.get((sample, name), 1)
                self._answers[sample, name] = count + 1
                value = (means[name] * count + value) / (count + 1)
            means[name] = value

    def __getitem__(self, sample: str) -> Mapping[str, float]:
        return self._scores.get(sample, {})

    @property
    def samples(self) -> Sequence[str]:
        """The ids, in the order of their first answers."""
        return list(self._scores)


@dataclass
class ScoredLog:
    """The scores of one log.

    Attributes:
        scores: of the rule that was asked for.
        questions: sample id -> its question, as far as the log tells.
        signatures: the lines of its records; "" for records without one.
        headlines: the headline rules of its records.
        rates: of its answers, under that rule.
        groups: grouping -> group -> the ids of its samples.
        performance: what all its answers took.
        judged: judged scores, as far as the log was judged.
        judge_signatures: the lines of the judgings.
        variants: all that its answers are to, whichever was asked for.
    """

    path: Path
    scores: SampleMeans = field(default_factory=SampleMeans)
    questions: dict[str, str] = field(default_factory=dict)
    signatures: set[str] = field(default_factory=set)
    headlines: set[str] = field(default_factory=set)
    rates: SampleMeans = field(default_factory=SampleMeans)
    groups: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    performance: Performance = field(default_factory=Performance)
    judged: SampleMeans = field(default_factory=SampleMeans)
    judge_signatures: set[str] = field(default_factory=set)
    variants: dict[str, None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name; the file's where the log tells none, or several."""
        names = {model_name(Signature.parse(line)) if line else None for line in self.signatures}
        return (names.pop() if len(names) == 1 else None) or self.path.stem


def read_scored_log(path: Path, matching: str | None, variant: str = CORE) -> ScoredLog:
    """Read the scores of a log.

    Args:
        matching: the rule whose scores are taken; None for the headline's.
        variant: whose answers are read.

    Raises:
        UserError: with file and line, where a record has no such scores; there are no records.
    """
    log = ScoredLog(path)
    for stored in read_answers(path):
        if stored.sample_id is None:
            raise UserError(f"{stored.where}: 'id' is missing; {_REMEDY}")
        own = str(stored.record.get("variant", CORE))
        log.variants[own] = None
        if own != variant:
            continue
        log.signatures.add(_line_of(str(stored.signature or ""), variant))
        log.headlines.add(stored.matching)
        log.performance.add(stored.record)
        if judged := stored.judged:
            log.judged.add(stored.sample_id, judged)
            log.judge_signatures.add(str(stored.record.get("judge_signature")))
        scores = _scores(stored, matching or stored.matching)
        if scores is None:
            continue
        question = stored.record.get("question")
        if isinstance(question, str):
            log.questions.setdefault(stored.sample_id, question)
        log.scores.add(stored.sample_id, scores)
        if not are_observed(stored.record.get("observed")):
            raise UserError(f"{stored.where}: 'observed' is none of this harness; {_REMEDY}")
        log.rates.add(stored.sample_id, rates(stored.record, scores))
        for grouping, group in groups_of(stored.record):
            log.groups.setdefault(grouping, {}).setdefault(group, set()).add(stored.sample_id)
    if not log.variants:
        raise UserError(f"{path}: holds no answers")
    return log


@lru_cache(maxsize=64)
def _line_of(line: str, variant: str) -> str:
    """A signature that says of the variants of its run the one that is compared."""
    parts = dict(Signature.parse(line).parts) if line else {}
    if "variants" not in parts:
        return line
    parts["variants"] = part_of_variant(parts["variants"], variant)
    if variant == CORE:
        del parts["variants"]
    return str(Signature(parts))


def _scores(stored: StoredAnswer, matching: str) -> Mapping[str, float] | None:
    """The scores and the lengths under a rule; None where no answer came."""
    name = stored.scores_name(matching)
    scores = stored.record.get(name)
    if scores is None and stored.text is None:
        return None
    if not isinstance(scores, dict):
        raise UserError(f"{stored.where}: {name!r}, an object, is missing; {_REMEDY}")
    known = {key: scores[key] for key in (*KEYS, *OF_VARIANTS, *LENGTHS) if key in scores}
    for key, value in known.items():
        most = LONGEST if key in LENGTHS else 1
        if not (isinstance(value, int | float) and 0 <= value <= most):
            raise UserError(
                f"{stored.where}: {name}: {key!r} must be a number from 0 to {most:g}, "
                f"not {value!r:.60}"
            )
    return known


def _signature_parts(logs: Sequence[ScoredLog]) -> Mapping[str, set[str | None]]:
    """Part of the signatures, the model aside -> its values in the records that have one."""
    lines = sorted({line for log in logs for line in log.signatures if line})
    found = [Signature.parse(line).comparable for line in lines]
    names = dict.fromkeys(name for parts in found for name in parts if name != "model")
    return {name: {parts.get(name) for parts in found} for name in names}


def differing_parts(logs: Sequence[ScoredLog]) -> Sequence[str]:
    """The parts of the signatures, the model aside, in which the records differ."""
    return [name for name, values in _signature_parts(logs).items() if len(values) > 1]


def unknown_parts(logs: Sequence[ScoredLog]) -> Sequence[str]:
    """The parts of which the signatures say that nothing is known, the model aside."""
    return [name for name, values in _signature_parts(logs).items() if UNKNOWN in values]


def common_signature(logs: Sequence[ScoredLog], matching: str) -> str | None:
    """What the logs have in common, without the model; None where a record has no signature.

    Args:
        matching: the rule whose scores were taken.
    """
    lines = sorted({line for log in logs for line in log.signatures})
    if not all(lines):
        return None
    parts = dict(whole_signature([Signature.parse(line) for line in lines]).parts)
    parts.pop("model", None)
    return str(Signature(parts | {"matching": matching}))
