"""How far include and exclude agree with labels: right answers pass, wrong ones do not.

A file of labelled answers has one JSON object a line: `id` of a sample, `answer`, `label` (right,
wrong, incomplete; debatable ones are left out), and optionally `kind`, one or more tags.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.jsonl import abbreviate, read_json_objects
from ragifeval.scoring.conditions import Condition, Exclude, Include
from ragifeval.scoring.entries import AllEntry, Criteria, Entry, Response, StatementEntry
from ragifeval.text.matching import RULES, Rule

LABELS: Mapping[str, bool | None] = {
    "right": True,
    "wrong": False,
    "incomplete": False,
    "debatable": None,
}
"""A label -> whether the answer should get full marks; None where it is not counted."""


@dataclass(frozen=True)
class LabelledAnswer:
    """An answer with what a careful reader says of it."""

    where: str
    id: str
    answer: str
    is_right: bool
    kinds: tuple[str, ...]


def read_labelled(path: Path, ids: Iterable[str]) -> list[LabelledAnswer]:
    """Read the answers of a file, without the debatable ones.

    Raises:
        UserError: with file and line, for what is no labelled answer to a known sample.
    """
    known = set(ids)
    answers = []
    for line, value in read_json_objects(path):
        where = f"{path}:{line}"
        for key in ("id", "answer", "label"):
            if key not in value:
                raise UserError(f"{where}: {key!r} is missing; a line has id, answer, label")
            if not isinstance(value[key], str):
                raise UserError(f"{where}: {key!r} must be a string, not {abbreviate(value[key])}")
        if value["id"] not in known:
            raise UserError(f"{where}: 'id' must name a sample, not {value['id']!r}")
        if value["label"] not in LABELS:
            raise UserError(
                f"{where}: 'label' must be one of {', '.join(LABELS)}, not {value['label']!r}"
            )
        kinds = value.get("kind", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
            given = abbreviate(value["kind"])
            raise UserError(f"{where}: 'kind' must be a string or a list of them, not {given}")
        is_right = LABELS[value["label"]]
        if is_right is not None:
            answers.append(
                LabelledAnswer(where, value["id"], value["answer"], is_right, tuple(kinds))
            )
    if not answers:
        raise UserError(f"{path}: holds no answer labelled right, wrong or incomplete")
    return answers


@dataclass(frozen=True)
class Agreement:
    """How often the marks agree with the labels.

    Attributes:
        counts: (the kind, "" for all; whether right) -> (judged as labelled, all).
        misjudged: each answer whose marks say otherwise than its label, with the entries that deny
            a right one full marks, and why; of a wrong one, which every entry lets pass, none.
    """

    counts: Mapping[tuple[str, bool], tuple[int, int]]
    misjudged: Sequence[tuple[LabelledAnswer, Sequence[str]]]


def measure_agreement(
    answers: Sequence[LabelledAnswer],
    samples: Mapping[str, Sample],
    criteria: Criteria,
    rule: str,
) -> Agreement:
    """Judge labelled answers by include and exclude.

    Args:
        samples: by id.
        rule: the headline rule, for phrases.
    """
    conditions = {
        key: [kind.of(sample.expect, criteria) for kind in _KINDS if kind.name in sample.expect]
        for key, sample in samples.items()
        if any(answer.id == key for answer in answers)
    }
    agreed: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    misjudged = []
    for answer in answers:
        response = Response(answer.answer, criteria.normalizer, ())
        faults = list(_faults(conditions[answer.id], response, rule))
        is_agreed = answer.is_right == (not faults)
        for kind in ("", *answer.kinds):
            total[kind, answer.is_right] += 1
            agreed[kind, answer.is_right] += is_agreed
        if not is_agreed:
            misjudged.append((answer, faults))
    return Agreement({key: (agreed[key], total[key]) for key in total}, misjudged)


_KINDS: Sequence[type[Condition]] = (Include, Exclude)


def _faults(conditions: Sequence[Condition], response: Response, rule: str) -> Iterator[str]:
    """The entries that deny an answer full marks."""
    for condition in conditions:
        assert isinstance(condition, Include | Exclude)
        wanted = isinstance(condition, Include)
        for number, entry in enumerate(condition.entries):
            if entry.is_found(response, RULES[rule]) != wanted:
                part = _failing(entry, response, RULES[rule])
                reason = _reason(part, response, wanted)
                yield f"{condition.name}[{number}] {reason}: {_shown(part)}"


def _failing(entry: Entry, response: Response, rule: Rule) -> Entry:
    """The part of an entry by which it fails: one that is missing, or must never be said."""
    if isinstance(entry, AllEntry):
        parts = [part for part in entry.entries if not part.is_found(response, rule)]
        parts += [part for part in entry.never if part.is_found(response, rule)]
        return _failing(parts[0], response, rule)
    return entry


def _reason(entry: Entry, response: Response, wanted: bool) -> str:
    if isinstance(entry, StatementEntry):
        return entry.outcome(response).reason
    return "missing" if wanted else "said"


def _shown(entry: Entry) -> str:
    """The beginning of an entry's wordings."""
    return " | ".join(entry.wordings[:3]) + (" | ..." if len(entry.wordings) > 3 else "")
