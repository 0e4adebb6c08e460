"""The last step: candidates and a reviewer's verdicts -> the benchmark in OUT_DIR."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ragifeval.benchmark import load_benchmark
from ragifeval.build.card import card
from ragifeval.build.facts import Facts
from ragifeval.build.folder import BuildFolder, read_records, write_objects, write_records
from ragifeval.build.making.samples import Built, make_samples
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.build.review.page import write_review_page
from ragifeval.build.review.table import (
    Reviewed,
    Row,
    is_edited,
    read_verdicts,
    write_review_csv,
)
from ragifeval.export.datasets import write_datasets
from ragifeval.files import written_beside
from ragifeval.log import write_json
from ragifeval.normalizer import load_normalizer

STAGES = ("ask", "answer", "criticise", "phrases", "review", "samples")
_SELDOM = ("answer", "review")
"""Stages that not every build has."""


@dataclass(frozen=True)
class Finished:
    """What a build came to.

    Attributes:
        rejections: all that became no sample, in the order of the stages.
        reviewed: verdict -> how many; empty where nobody reviewed.
    """

    facts: Facts
    built: Built
    rejections: Sequence[Rejection]
    reviewed: Mapping[str, int]

    @property
    def pending(self) -> Sequence[Rejection]:
        """Those to which no reply came: started again, the build asks once more."""
        return [rejection for rejection in self.rejections if rejection.is_pending]

    @property
    def is_complete(self) -> bool:
        """Whether there are samples, and nothing that another start would mend."""
        return bool(self.built.samples) and not self.pending and not self.facts.unread

    def stages(self) -> Sequence[tuple[str, int, Mapping[str, int]]]:
        """(stage, how many questions are left behind it, reason -> how many it dropped).

        A stage that not every build has is named where it dropped something.
        """
        left = len(self.built.samples)
        rows = []
        for stage in reversed(STAGES):
            here = [rejection for rejection in self.rejections if rejection.stage == stage]
            reasons = dict(Counter(rejection.reason for rejection in here).most_common())
            if reasons or stage not in _SELDOM:
                rows.append((stage, left, reasons))
            left += sum(rejection.candidate is not None for rejection in here)
        return rows[::-1]


def finish(folder: BuildFolder) -> Finished:
    """Make samples of what the stages left in the folder, and write all that OUT_DIR holds.

    Raises:
        UserError: the folder holds no finished build, or cannot be written.
    """
    facts = Facts.read(folder.facts)
    chunks, candidates = _candidates(folder)
    verdicts = _verdicts(folder)
    normalizer = load_normalizer(facts.normalizer)
    built = make_samples(candidates, chunks, normalizer, facts.samples)
    rejected: list[Rejection] = []
    if verdicts:
        # Which questions are to be refused was settled before the review: what a person accepted
        # does not change for what was rejected beside it.
        kept, rejected = _reviewed(candidates, verdicts)
        built = make_samples(kept, chunks, normalizer, facts.samples, built.drawn)
    rejections = [*read_records(folder.dropped, Rejection), *rejected, *built.rejections]
    rejections.sort(key=lambda rejection: STAGES.index(rejection.stage))
    counts = Counter[str](one.verdict or "open" for one in verdicts.values())
    found = Finished(facts, built, rejections, counts)
    _write(folder, found)
    return found


def write_review(folder: BuildFolder, found: Finished) -> Sequence[Path]:
    """Write the samples for a person to review: a table, and a page that does the same."""
    reviewed = rows(found.built)
    name = folder.path.resolve().name
    normalizer = load_normalizer(found.facts.normalizer)
    write_review_csv(folder.review_table, reviewed)
    write_review_page(folder.review_page, reviewed, found.facts.language, name, normalizer)
    return folder.review_table, folder.review_page


def rows(built: Built) -> list[Row]:
    """What a person reviews: each sample with its chunk, and the phrases that passed."""
    made = {sample.id: sample for sample in built.samples}
    return [
        Row(
            replace(one.candidate, phrases=[entry.parameter for entry in one.entries]),
            one.chunk,
            bool(made[one.candidate.id].expect.get("refuse")),
        )
        for one in built.eligible
        if one.candidate.id in made
    ]


def apply_verdicts(folder: BuildFolder, table: Path) -> Mapping[str, int]:
    """Take the verdicts of a reviewed table; of earlier ones, those on other samples stay.

    Returns:
        verdict, or "edited" -> how many.

    Raises:
        UserError: something is wrong with the table; nothing is changed then.
    """
    facts = Facts.read(folder.facts)
    chunks, candidates = _candidates(folder)
    built = make_samples(candidates, chunks, load_normalizer(facts.normalizer), facts.samples)
    known = {row.candidate.id: row for row in rows(built)}
    read = read_verdicts(table, known)
    counts = Counter[str](one.verdict or "open" for one in read)
    counts["edited"] = sum(is_edited(one, known[one.id]) for one in read)
    verdicts = _verdicts(folder) | {one.id: one for one in read}
    write_records(folder.verdicts, verdicts.values())
    return {name: counts[name] for name in ("accept", "reject", "open", "edited")}


def _candidates(folder: BuildFolder) -> tuple[list[Chunk], list[Candidate]]:
    chunks = list(read_records(folder.chunks, Chunk))
    return chunks, list(read_records(folder.candidates, Candidate))


def _verdicts(folder: BuildFolder) -> dict[str, Reviewed]:
    if not folder.verdicts.exists():
        return {}
    return {one.id: one for one in read_records(folder.verdicts, Reviewed)}


def _reviewed(
    candidates: Sequence[Candidate], verdicts: Mapping[str, Reviewed]
) -> tuple[list[Candidate], list[Rejection]]:
    """The candidates as the reviewer left them, and those that were rejected."""
    kept, rejected = [], []
    for candidate in candidates:
        one = verdicts.get(candidate.id)
        if one is None:
            kept.append(candidate)
        elif one.verdict == "reject":
            reason = "rejected by the reviewer"
            rejected.append(Rejection(candidate.id, "review", reason, one.note, candidate))
        else:
            kept.append(
                replace(candidate, question=one.question, answer=one.answer, phrases=one.phrases)
            )
    return kept, rejected


def _write(folder: BuildFolder, found: Finished) -> None:
    write_objects(folder.rejected, (_rejected(rejection) for rejection in found.rejections))
    write_json(folder.summary, summary(found))
    for path in (folder.samples, folder.documents, folder.card):
        path.unlink(missing_ok=True)  # of an earlier finish, which held more
    if not found.built.samples:
        return
    write_records(folder.documents, found.built.documents)
    write_records(folder.samples, found.built.samples)
    with written_beside(folder.card) as file:
        file.write(card(found.facts, found.built, found.stages(), found.reviewed))
    benchmark = load_benchmark(folder.documents, folder.samples)
    write_datasets(
        benchmark,
        folder.dataset,
        (folder.documents, folder.samples),
        overwrite=True,
        is_own=False,
        language=found.facts.language,
    )


def _rejected(rejection: Rejection) -> dict[str, Any]:
    """A line of rejected.jsonl."""
    value: dict[str, Any] = {
        "id": rejection.id,
        "stage": rejection.stage,
        "reason": rejection.reason,
        "words": rejection.words,
    }
    if rejection.is_pending:
        value["is_pending"] = True
    if rejection.candidate is not None:
        candidate = asdict(rejection.candidate)
        value |= {key: item for key, item in candidate.items() if key != "id" and item}
    return value


def summary(found: Finished) -> dict[str, Any]:
    """What build.json holds."""
    facts = found.facts
    refused = sum(bool(sample.expect.get("refuse")) for sample in found.built.samples)
    return {
        "signature": facts.signature,
        "language": facts.language,
        "normalizer": facts.normalizer or "lemma table",
        "refusal_message": facts.samples.refusal_message,
        "models": facts.models,
        "settings": {**facts.settings, **asdict(facts.samples)},
        "files": facts.files,
        "unread": facts.unread,
        "chunks": facts.chunks,
        "duplicates": facts.duplicates,
        "asked": facts.asked,
        "stages": [
            {"stage": stage, "left": left, "dropped": reasons}
            for stage, left, reasons in found.stages()
        ],
        "reviewed": found.reviewed,
        "samples": len(found.built.samples),
        "refusals": refused,
        "documents": len(found.built.documents),
        "phrases_dropped": len(found.built.dropped),
        "pending": len(found.pending),
        "notes": list(found.built.notes),
    }
