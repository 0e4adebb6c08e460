"""A reviewer's verdicts: kept from round to round, each for the very question it was given on."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragifeval.build.folder import BuildFolder, read_json, read_records, write_records
from ragifeval.build.plan import Facts
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.build.review.page import render
from ragifeval.build.review.table import Reviewed, Row, phrases_cell, read_table, write_table
from ragifeval.build.samples import Built, make_samples
from ragifeval.files import write_json, written_beside
from ragifeval.scoring.signature import fingerprint
from ragifeval.text.normalizer import Normalizer, load_normalizer


@dataclass(frozen=True)
class StoredVerdict:
    """A line of work/verdicts.jsonl.

    Attributes:
        of: a fingerprint of the chunk, and of the question with its answer, as they were judged.
    """

    of: str
    reviewed: Reviewed


@dataclass(frozen=True)
class Review:
    """What may be reviewed, and what was.

    Attributes:
        candidates: as the stages left them.
        built: what they come to without a review.
        verdicts: the candidate's id -> what a person made of it.
        outdated: verdicts on questions that have changed since; they may come back.
    """

    chunks: Sequence[Chunk]
    candidates: Sequence[Candidate]
    normalizer: Normalizer
    built: Built
    verdicts: Mapping[str, Reviewed]
    outdated: Sequence[StoredVerdict]

    @classmethod
    def load(cls, folder: BuildFolder, facts: Facts) -> "Review":
        """Read what the stages and earlier reviews left in the folder.

        Raises:
            UserError: a file was changed.
        """
        chunks = read_records(folder.chunks, Chunk)
        candidates = read_records(folder.candidates, Candidate)
        normalizer = load_normalizer(facts.normalizer)
        built = make_samples(candidates, chunks, normalizer, facts.samples)
        prints = _fingerprints(candidates, chunks)
        stored = read_records(folder.verdicts, StoredVerdict) if folder.verdicts.exists() else []
        held = {one.reviewed.id: one for one in stored if prints.get(one.reviewed.id) == one.of}
        outdated = [one for one in stored if held.get(one.reviewed.id) is not one]
        verdicts = {key: one.reviewed for key, one in held.items()}
        return cls(chunks, candidates, normalizer, built, verdicts, outdated)

    def settle(self) -> tuple[list[Candidate], list[Rejection]]:
        """The candidates as the reviewer left them, and those that were rejected."""
        kept, rejected = [], []
        for candidate in self.candidates:
            verdict = self.verdicts.get(candidate.id)
            if verdict is None:
                kept.append(candidate)
            elif verdict.verdict == "reject":
                reason = "rejected by the reviewer"
                rejected.append(Rejection(candidate.id, "review", reason, verdict.note, candidate))
            else:
                kept.append(
                    replace(
                        candidate,
                        question=verdict.question,
                        answer=verdict.answer,
                        phrases=verdict.phrases,
                    )
                )
        return kept, rejected

    def rows(self) -> list[Row]:
        """Each sample with its chunk, the phrases that passed, and what a reviewer made of it."""
        expected = {sample.id: sample.expect for sample in self.built.samples}
        rows = []
        for one in self.built.eligible:
            key = one.candidate.id
            if key in expected:
                phrases = [entry.parameter for entry in one.entries]
                candidate = replace(one.candidate, phrases=phrases)
                is_refused = bool(expected[key].get("refuse"))
                rows.append(Row(candidate, one.chunk, is_refused, self.verdicts.get(key)))
        return rows


def _fingerprints(candidates: Sequence[Candidate], chunks: Sequence[Chunk]) -> dict[str, str]:
    texts = {chunk.id: chunk.text for chunk in chunks}
    return {
        one.id: fingerprint([texts[one.chunk], one.question, one.answer, phrases_cell(one.phrases)])
        for one in candidates
    }


def apply_verdicts(folder: BuildFolder, table: Path) -> Mapping[str, int]:
    """Take the verdicts of a reviewed table; where it says nothing, earlier ones stay.

    Returns:
        verdict, or "edited" -> how many, of those that say something new.

    Raises:
        UserError: something is wrong with the table; nothing is changed then.
    """
    review = Review.load(folder, read_json(folder.facts, Facts))
    rows = {row.candidate.id: row for row in review.rows()}
    news = {reviewed.id: reviewed for reviewed in read_table(table, rows)}
    counts = Counter[str](reviewed.verdict for reviewed in news.values())
    counts["edited"] = sum(rows[key].is_edited(reviewed) for key, reviewed in news.items())
    prints = _fingerprints(review.candidates, review.chunks)
    verdicts = {**review.verdicts, **news}
    lines = [StoredVerdict(prints[key], reviewed) for key, reviewed in verdicts.items()]
    write_records(folder.verdicts, [*review.outdated, *lines])
    _let_write_over(folder, table)
    return {name: counts[name] for name in ("accept", "reject", "open", "edited")}


def write_review(folder: BuildFolder, review: Review, language: str) -> Iterator[str]:
    """Write the samples for a person, as a table and as a page; yield a line about each.

    A table that somebody has changed and not applied is left as it is.
    """
    rows = review.rows()
    told = "to be reviewed" if rows else "nothing to be reviewed"
    if folder.review_table.exists() and _digest(folder.review_table) not in _known_tables(folder):
        yield (
            f"{folder.review_table}: holds verdicts that were not applied, and is left as it is; "
            "--apply it, or move it away"
        )
    else:
        write_table(folder.review_table, rows)
        _let_write_over(folder, folder.review_table)
        yield f"{folder.review_table}: {told}"
    name = folder.path.resolve().name
    with written_beside(folder.review_page) as file:
        file.write(render(rows, language, name, review.normalizer))
    yield f"{folder.review_page}: {told}"


def _let_write_over(folder: BuildFolder, table: Path) -> None:
    """Note that a table says nothing that is not known: it may be written over."""
    write_json(folder.tables, sorted({*_known_tables(folder), _digest(table)}))


def _known_tables(folder: BuildFolder) -> Sequence[str]:
    return read_json(folder.tables, list[str]) if folder.tables.exists() else []


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
