"""The scores in logs, sample by sample, side by side."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import nan
from pathlib import Path

from ragifeval.defaults import MATCHING
from ragifeval.errors import UserError
from ragifeval.judge.judged_scores import judged_scores
from ragifeval.results.answers import UNKNOWN, StoredAnswer, model_name, read_answers
from ragifeval.results.rescore.signature import whole_signature
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.signature import Signature

_REMEDY = "`python -m ragifeval score LOG -o OUT` writes a log with all that is needed"

KEYS = tuple(counted())
"""The score keys that count, one a condition."""


@dataclass
class ScoredLog:
    """The scores of one log.

    Attributes:
        rows: sample id -> its row in `scores`.
        scores: the values of KEYS, row after row; NaN where a sample has no such condition. A
            sample that is answered more than once has the means of its answers.
        questions: sample id -> its question, as far as the log tells.
        signatures: the lines of its records; "" for records without one.
        judged: sample id -> name of a score -> its value, as far as the log was judged; means over
            those answers of a sample that have it.
        judge_signatures: the lines of the judgings.
    """

    path: Path
    rows: dict[str, int] = field(default_factory=dict)
    scores: "array[float]" = field(default_factory=lambda: array("d"))
    questions: dict[str, str] = field(default_factory=dict)
    signatures: set[str] = field(default_factory=set)
    judged: dict[str, dict[str, float]] = field(default_factory=dict)
    judge_signatures: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The model's name; the file's where the log tells none, or several."""
        names = {model_name(Signature.parse(line)) if line else None for line in self.signatures}
        return (names.pop() if len(names) == 1 else None) or self.path.stem


@cache
def headline(line: str) -> str:
    """The headline rule of a signature; the published implementation's where there is none."""
    return Signature.parse(line).parts.get("matching", MATCHING) if line else MATCHING


def read_scored_log(path: Path, matching: str | None, *, keeps_questions: bool) -> ScoredLog:
    """Read the scores of a log.

    Args:
        matching: the rule whose scores are taken; None for the headline's.
        keeps_questions: whether the questions are wanted, too.

    Raises:
        UserError: with file and line, where a record has no such scores.
    """
    log = ScoredLog(path)
    repeated: dict[int, int] = {}
    judged_before = Counter[tuple[str, str]]()
    for stored in read_answers(path):
        if stored.sample_id is None:
            raise UserError(f"{stored.where}: 'id' is missing; {_REMEDY}")
        line = stored.record.get("signature")
        line = line if isinstance(line, str) else ""
        log.signatures.add(line)
        if judged := judged_scores(stored.record):
            means = log.judged.setdefault(stored.sample_id, {})
            for name, value in judged.items():
                count = judged_before[stored.sample_id, name]
                means[name] = (means.get(name, 0.0) * count + value) / (count + 1)
                judged_before[stored.sample_id, name] += 1
            log.judge_signatures.add(str(stored.record.get("judge_signature")))
        values = _values(stored, matching or headline(line), headline(line))
        if values is None:
            continue
        row = log.rows.setdefault(stored.sample_id, len(log.rows))
        start = row * len(KEYS)
        if start == len(log.scores):
            log.scores.extend(values)
            question = stored.record.get("question")
            if keeps_questions and isinstance(question, str):
                log.questions[stored.sample_id] = question
            continue
        before = repeated.get(row, 1)
        repeated[row] = before + 1
        for place, value in enumerate(values, start=start):
            log.scores[place] = (log.scores[place] * before + value) / (before + 1)
    return log


def _values(stored: StoredAnswer, matching: str, own: str) -> Sequence[float] | None:
    """The values of KEYS under a rule; None where no answer came.

    Args:
        own: the headline rule of the record, whose scores have no rule in their name.
    """
    name = "scores" if matching == own else f"scores_{matching}"
    scores = stored.record.get(name)
    if scores is None and stored.text is None:
        return None
    if not isinstance(scores, dict):
        raise UserError(f"{stored.where}: {name!r}, an object, is missing; {_REMEDY}")
    values = []
    for key in KEYS:
        value = scores.get(key, nan)
        if key in scores and not (isinstance(value, int | float) and 0 <= value <= 1):
            raise UserError(
                f"{stored.where}: {name}: {key!r} must be a number from 0 to 1, not {value!r:.60}"
            )
        values.append(float(value))
    return values


def differing_parts(logs: Sequence[ScoredLog]) -> Sequence[str]:
    """The parts of the signatures, the model aside, in which the records differ."""
    lines = {line for log in logs for line in log.signatures if line}
    parts = [Signature.parse(line).parts for line in sorted(lines)]
    names = dict.fromkeys(name for part in parts for name in part if name != "model")
    return [name for name in names if len({part.get(name) for part in parts}) > 1]


def unknown_parts(logs: Sequence[ScoredLog]) -> Sequence[str]:
    """The parts of which the signatures say that nothing is known, the model aside."""
    lines = {line for log in logs for line in log.signatures if line}
    found = (Signature.parse(line).parts.items() for line in sorted(lines))
    return list(
        dict.fromkeys(
            name for parts in found for name, value in parts if value == UNKNOWN and name != "model"
        )
    )


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
