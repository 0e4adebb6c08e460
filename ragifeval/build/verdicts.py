"""A reviewer's verdicts: kept from round to round, each for the very question it was given on."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ragifeval.build.facts import Facts
from ragifeval.build.folder import BuildFolder, read_records, write_objects
from ragifeval.build.making.samples import Built, make_samples
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.build.review.page import write_review_page
from ragifeval.build.review.table import (
    Reviewed,
    Row,
    is_edited,
    read_verdicts,
    says_something,
    unapplied,
    write_review_csv,
)
from ragifeval.jsonl import read_json_objects
from ragifeval.scoring.signature import fingerprint
from ragifeval.text.normalizer import Normalizer, load_normalizer


@dataclass(frozen=True)
class Reviewing:
    """What may be reviewed, and what was.

    Attributes:
        candidates: as the stages left them.
        built: what they come to without a review.
        verdicts: the candidate's id -> what a person made of it.
        outdated: lines of verdicts on questions that have changed since; they may come back.
    """

    chunks: Sequence[Chunk]
    candidates: Sequence[Candidate]
    normalizer: Normalizer
    built: Built
    verdicts: Mapping[str, Reviewed]
    outdated: Sequence[Mapping[str, Any]]

    def reviewed(self) -> tuple[list[Candidate], list[Rejection]]:
        """The candidates as the reviewer left them, and those that were rejected."""
        kept, rejected = [], []
        for candidate in self.candidates:
            one = self.verdicts.get(candidate.id)
            if one is not None and one.verdict == "reject":
                reason = "rejected by the reviewer"
                rejected.append(Rejection(candidate.id, "review", reason, one.note, candidate))
            else:
                kept.append(_edited(candidate, one))
        return kept, rejected

    def rows(self) -> list[Row]:
        """Each sample with its chunk and the phrases that passed, or what a reviewer made of it."""
        made = {sample.id: sample for sample in self.built.samples}
        return [
            self._row(one.candidate, one.chunk, entries, made[one.candidate.id].expect)
            for one in self.built.eligible
            if one.candidate.id in made
            for entries in [[entry.parameter for entry in one.entries]]
        ]

    def _row(
        self,
        candidate: Candidate,
        chunk: Chunk,
        entries: Sequence[str | Sequence[str]],
        expect: Mapping[str, object],
    ) -> Row:
        one = self.verdicts.get(candidate.id)
        return Row(
            _edited(replace(candidate, phrases=entries), one),
            chunk,
            bool(expect.get("refuse")),
            one.verdict if one is not None else "",
            one.note if one is not None else "",
        )


def _edited(candidate: Candidate, one: Reviewed | None) -> Candidate:
    if one is None:
        return candidate
    return replace(candidate, question=one.question, answer=one.answer, phrases=one.phrases)


def reviewing(folder: BuildFolder, facts: Facts) -> Reviewing:
    """What the stages and earlier reviews left in the folder.

    Raises:
        UserError: a file was changed.
    """
    chunks = list(read_records(folder.chunks, Chunk))
    candidates = list(read_records(folder.candidates, Candidate))
    normalizer = load_normalizer(facts.normalizer)
    built = make_samples(candidates, chunks, normalizer, facts.samples)
    prints = dict(_fingerprints(candidates, chunks))
    verdicts, outdated = {}, []
    if folder.verdicts.exists():
        for _, value in read_json_objects(folder.verdicts):
            if prints.get(value["id"]) == value["of"]:
                of_this = {key: item for key, item in value.items() if key != "of"}
                verdicts[value["id"]] = Reviewed(**of_this)
            else:
                outdated.append(value)
    return Reviewing(chunks, candidates, normalizer, built, verdicts, outdated)


def _fingerprints(
    candidates: Sequence[Candidate], chunks: Sequence[Chunk]
) -> Iterator[tuple[str, str]]:
    texts = {chunk.id: chunk.text for chunk in chunks}
    for one in candidates:
        phrases = json.loads(json.dumps(one.phrases))
        yield one.id, fingerprint([texts[one.chunk], one.question, one.answer, phrases])


def apply_verdicts(folder: BuildFolder, table: Path) -> Mapping[str, int]:
    """Take the verdicts of a reviewed table; where it says nothing, earlier ones stay.

    Returns:
        verdict, or "edited" -> how many, of those that say something new.

    Raises:
        UserError: something is wrong with the table; nothing is changed then.
    """
    found = reviewing(folder, Facts.read(folder.facts))
    known = {row.candidate.id: row for row in found.rows()}
    new = {one.id: one for one in read_verdicts(table, known) if says_something(one, known[one.id])}
    counts = Counter[str](one.verdict or "open" for one in new.values())
    counts["edited"] = sum(is_edited(one, known[key]) for key, one in new.items())
    prints = dict(_fingerprints(found.candidates, found.chunks))
    verdicts = {**found.verdicts, **new}
    lines = [{"of": prints[key], **asdict(one)} for key, one in verdicts.items()]
    write_objects(folder.verdicts, [*found.outdated, *lines])
    return {name: counts[name] for name in ("accept", "reject", "open", "edited")}


def write_review(folder: BuildFolder, found: Reviewing, language: str) -> Iterator[str]:
    """Write the samples for a person, as a table and as a page; yield what is to be said of it.

    A table that holds verdicts which were not applied is left as it is.
    """
    rows = found.rows()
    if unapplied(folder.review_table, {row.candidate.id: row for row in rows}):
        yield (
            f"{folder.review_table}: holds verdicts that were not applied, and is left as it is; "
            "--apply it, or move it away"
        )
    else:
        write_review_csv(folder.review_table, rows)
        yield f"{folder.review_table}: to be reviewed"
    name = folder.path.resolve().name
    write_review_page(folder.review_page, rows, language, name, found.normalizer)
    yield f"{folder.review_page}: to be reviewed"
