"""Review by a person: a table of the samples that may come of a build, and the verdicts on them.

review.csv is what Excel, LibreOffice and others open and save: UTF-8 with a mark at its start, by
which Excel knows it. What they make of it on the way back (semicolons, another encoding, other ends
of lines, columns moved) is read all the same.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragifeval.build.records import Candidate, Chunk
from ragifeval.build.review.cells import (
    Verdict,
    cut_to_cell,
    guarded,
    is_same,
    mark,
    parse_phrases,
    parse_verdict,
    phrases_cell,
    plain_lines,
    unguarded,
)
from ragifeval.build.review.spreadsheet import read_table
from ragifeval.errors import UserError
from ragifeval.files import written_beside
from ragifeval.jsonl import abbreviate as shown

EDITABLE = ("verdict", "question", "answer", "phrases", "note")
COLUMNS = ("id", *EDITABLE, "refuse", "ratings", "file", "page", "text", "written")
_NEEDED = ("id", "verdict")


@dataclass(frozen=True, slots=True)
class Row:
    """A sample to be reviewed, or to be looked at once more.

    Attributes:
        candidate: with the texts as the last reviewer left them.
        chunk: that the question was asked about.
        refuse: whether the sample's context is to lack the chunk, so that a refusal is right.
        verdict: of an earlier review; empty where it is open.
        note: of an earlier review.
    """

    candidate: Candidate
    chunk: Chunk
    refuse: bool = False
    verdict: Verdict = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a person made of a row. Texts that were left alone are those of its candidate.

    Attributes:
        verdict: empty where it is still open.
        phrases: entries; each a phrase, or alternatives.
    """

    id: str
    verdict: Verdict
    question: str
    answer: str
    phrases: Sequence[str | Sequence[str]]
    note: str


def is_edited(reviewed: Reviewed, row: Row) -> bool:
    """Whether the question, the answer or the phrases differ from what was written."""
    of = row.candidate
    return (reviewed.question, reviewed.answer, _frozen(reviewed.phrases)) != (
        of.question,
        of.answer,
        _frozen(of.phrases),
    )


def says_something(reviewed: Reviewed, row: Row) -> bool:
    """Whether the verdict, the note or a text differs from what the row was written with.

    A verdict that was taken back says something, too: the sample is open again.
    """
    return (reviewed.verdict, reviewed.note) != (row.verdict, row.note) or is_edited(reviewed, row)


def _frozen(phrases: Sequence[str | Sequence[str]]) -> tuple[str | tuple[str, ...], ...]:
    return tuple(entry if isinstance(entry, str) else tuple(entry) for entry in phrases)


def cells_of(row: Row) -> dict[str, str]:
    """What stands in the columns of a row, not yet guarded against formulas."""
    of, chunk = row.candidate, row.chunk
    place = str(chunk.page) if chunk.page is not None else ""
    if not place and chunk.row is not None:
        place = f"row {chunk.row}"
    ratings = (
        f"{critic}: {rating:g}. {' '.join(of.rationales.get(critic, '').split())}".rstrip()
        for critic, rating in of.ratings.items()
    )
    cells = {
        "id": of.id,
        "verdict": row.verdict,
        "question": of.question,
        "answer": of.answer,
        "phrases": phrases_cell(of.phrases),
        "note": row.note,
        "refuse": "yes" if row.refuse else "no",
        "ratings": "\n".join(ratings),
        "file": chunk.file,
        "page": place,
        "text": chunk.text,
    }
    cells = {name: cut_to_cell(plain_lines(cell)) for name, cell in cells.items()}
    # By this, a row that nobody touched is known for one when other verdicts have come since.
    return cells | {"written": mark(cells[name] for name in EDITABLE)}


def write_review_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write the table: UTF-8 with its mark, commas, CRLF, every cell in quotes (RFC 4180).

    Raises:
        UserError: the file cannot be written.
    """
    try:
        with written_beside(path) as file:
            file.write("\ufeff")
            table = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
            table.writerow(COLUMNS)
            for row in rows:
                table.writerow(guarded(cell) for cell in cells_of(row).values())
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def read_verdicts(path: Path, known: Mapping[str, Row]) -> list[Reviewed]:
    """Read a reviewed table: all of it, or nothing.

    Columns may be moved, added or left out; `id` and `verdict` are needed. A text whose column is
    left out is as it was written. Rows may be left out: nothing is said of them. A row that nobody
    touched since it was written, however long ago, is as it is known now.

    Args:
        known: the rows as they would be written now, by the candidate's id.

    Raises:
        UserError: the file cannot be read; a verdict is none, an id is unknown or stands there
            twice, a sample is accepted without a question or an answer.
    """
    ids, encoding, lines = _read(path, known)
    seen: dict[str, int] = {}
    reviewed: list[Reviewed] = []
    for number, cells in lines:
        where, key = f"{path}:{number}", cells["id"]
        if key not in ids:
            # A spreadsheet shows what it takes for a number or a date in a form of its own.
            raise UserError(
                f"{where}: no sample of this build has the id {shown(key)}; give the id as it was "
                "written, and the review that belongs to this build"
            )
        if key in seen:
            raise UserError(
                f"{where}: {shown(key)} stands in line {seen[key]} already; leave one of the two"
            )
        seen[key] = number
        reviewed.append(_judged(where, cells, ids[key], encoding))
    return reviewed


def unapplied(path: Path, known: Mapping[str, Row]) -> bool:
    """Whether a table says what is not known yet, and so must not be written over.

    Args:
        path: need not exist. A file that is no such table is somebody's work, too.
        known: the rows as they would be written now, by the candidate's id.
    """
    if not path.exists():
        return False
    try:
        ids, encoding, lines = _read(path, known)
        judged = [
            _judged(f"{path}:{number}", cells, ids[cells["id"]], encoding)
            for number, cells in lines
            if cells["id"] in ids
        ]
    except UserError:
        return True
    gone = [cells for _, cells in lines if cells["id"] not in ids and not _is_untouched(cells)]
    return (
        any(says_something(one, known[one.id]) for one in judged)
        or any((cells["verdict"] + cells.get("note", "")).strip() for cells in gone)
        or len(lines) > len({cells["id"] for _, cells in lines})
    )


def _read(
    path: Path, known: Mapping[str, Row]
) -> tuple[dict[str, Row], str, list[tuple[int, dict[str, str]]]]:
    """(row by its id's cell, encoding, [(number of the line, cells without their guards)])."""
    written = [(cells_of(row), row) for row in known.values()]
    letters = {letter for cells, _ in written for cell in cells.values() for letter in cell}
    table = read_table(path, _NEEDED, letters)
    lines = []
    for line in table.lines:
        cells = {name: unguarded(plain_lines(cell)) for name, cell in line.cells.items()}
        lines.append((line.number, cells | {"id": cells["id"].strip()}))
    return {cells["id"].strip(): row for cells, row in written}, table.encoding, lines


def _is_untouched(cells: Mapping[str, str]) -> bool:
    """Whether a row is as it was written, in this table or in one of an earlier round."""
    return mark(cells.get(name, "") for name in EDITABLE) == cells.get("written", "").strip()


def _judged(where: str, cells: Mapping[str, str], row: Row, encoding: str) -> Reviewed:
    """Read a row. What was left alone is as `row` says: a cell cannot hold every text as it is."""
    candidate, written = row.candidate, cells_of(row)
    if _is_untouched(cells):
        cells = written
    given = {
        name: cells[name].strip()
        for name in EDITABLE
        if name in cells and not is_same(cells[name], written[name], encoding)
    }
    verdict = parse_verdict(cells["verdict"])
    key = shown(candidate.id)
    if verdict is None:
        raise UserError(
            f"{where}: the verdict on {key} is {shown(cells['verdict'])}; write accept, reject, or "
            "nothing if it is still open"
        )
    phrases = parse_phrases(given.get("phrases", written["phrases"]))
    reviewed = Reviewed(
        id=candidate.id,
        verdict=verdict,
        question=given.get("question", candidate.question),
        answer=given.get("answer", candidate.answer),
        phrases=candidate.phrases if phrases == parse_phrases(written["phrases"]) else phrases,
        note=given.get("note", row.note),
    )
    for name in ("question", "answer"):
        if verdict == "accept" and not getattr(reviewed, name).strip():
            raise UserError(
                f"{where}: {key} is accepted, but its {name} is empty; fill it in, or reject the "
                "sample"
            )
    return reviewed
