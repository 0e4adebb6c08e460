"""The last step: candidates and a reviewer's verdicts -> the benchmark in OUT_DIR."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.build.card import card
from ragifeval.build.facts import Facts
from ragifeval.build.folder import (
    BuildFolder,
    read_records,
    write_objects,
    write_records,
)
from ragifeval.build.making.samples import Built, make_samples
from ragifeval.build.records import Rejection
from ragifeval.build.review.verdicts import Review
from ragifeval.files import write_json, written_beside
from ragifeval.results.export.datasets import write_datasets

STAGES = ("ask", "answer", "criticise", "phrases", "review", "samples")
_SELDOM = ("answer", "review")
"""Stages that not every build has."""


@dataclass(frozen=True)
class Finished:
    """What a build came to.

    Attributes:
        rejections: all that became no sample, in the order of the stages.
        review: what may be reviewed, and what was.
    """

    facts: Facts
    built: Built
    rejections: Sequence[Rejection]
    review: Review

    @property
    def reviewed(self) -> Mapping[str, int]:
        """Verdict -> how many."""
        return Counter[str](one.verdict for one in self.review.verdicts.values())

    @property
    def lost(self) -> Sequence[Rejection]:
        """Those that a person accepted, and that became no sample all the same."""
        accepted = {key for key, one in self.review.verdicts.items() if one.verdict == "accept"}
        return [rejection for rejection in self.rejections if rejection.id in accepted]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the samples should know, a line each."""
        outdated = len(self.review.outdated)
        left_out = f"{outdated} verdicts are on questions that have changed, and are left out"
        return [*self.built.notes, *([left_out] if outdated else [])]

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
    review = Review.load(folder, facts)
    built, rejected = review.built, list[Rejection]()
    if review.verdicts:
        # Which questions are to be refused was settled before the review: what a person accepted
        # does not change for what was rejected beside it.
        kept, rejected = review.settle()
        built = make_samples(kept, review.chunks, review.normalizer, facts.samples, built.drawn)
    rejections = [*read_records(folder.dropped, Rejection), *rejected, *built.rejections]
    rejections.sort(key=lambda rejection: STAGES.index(rejection.stage))
    found = Finished(facts, built, rejections, review)
    _write(folder, found)
    return found


def _write(folder: BuildFolder, found: Finished) -> None:
    folder.clear_results()
    write_objects(folder.rejected, (_rejected(rejection) for rejection in found.rejections))
    write_json(folder.summary, summary(found))
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
        "normalizer": Path(facts.normalizer).name if facts.normalizer else "lemma table",
        "refusal_message": facts.samples.refusal_message,
        "models": facts.models,
        "settings": {**facts.settings, **asdict(facts.samples)},
        "files": facts.files,
        "unread": facts.unread,
        "passed_over": facts.passed_over,
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
        "notes": list(found.notes),
    }
