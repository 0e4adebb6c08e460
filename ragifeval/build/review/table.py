"""review.csv: the samples that may come of a build, and a person's verdicts on them.

The file is UTF-8 with the mark by which Excel knows it. Excel saves it with semicolons where
numbers have a decimal comma, so both separators are read.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ragifeval.build.records import Candidate, Chunk
from ragifeval.errors import UserError
from ragifeval.files import written_beside
from ragifeval.jsonl import abbreviate

EDITABLE = ("verdict", "question", "answer", "phrases", "note")
COLUMNS = ("id", *EDITABLE, "refuse", "ratings", "file", "page", "text")
LONGEST_TEXT = 16_000
"""In characters: a cell of Excel takes 32,767 units of UTF-16, and a character may need two."""

Verdict = Literal["accept", "reject", "open", ""]
"""`open` takes an earlier verdict back; an empty one says nothing."""
_VERDICTS: Mapping[str, Verdict] = {"": "", "accept": "accept", "reject": "reject", "open": "open"}
_ANEW = "save the table as 'CSV UTF-8' anew"

# Where a spreadsheet may see the beginning of a formula: at the start of a cell, and behind what it
# may take for the end of one.
_BEFORE = '(^|[;,\t\n])([ "\u00a0\u3000]*)'
_BEHIND = "(?=[=+\\-@＝＋－＠])"
_TO_GUARD = re.compile(f"{_BEFORE}('*){_BEHIND}")
_GUARDED = re.compile(f"{_BEFORE}'('*){_BEHIND}")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a person made of a sample.

    Attributes:
        phrases: entries; each a phrase, or alternatives.
    """

    id: str
    verdict: Verdict
    question: str
    answer: str
    phrases: Sequence[str | Sequence[str]]
    note: str = ""

    def texts(self) -> tuple[str, str, str]:
        """What a person may edit, as it comes back from a table."""
        question, answer = (
            text.replace("\r\n", "\n").strip() for text in (self.question, self.answer)
        )
        return question, answer, phrases_cell(parse_phrases(phrases_cell(self.phrases)))


@dataclass(frozen=True, slots=True)
class Row:
    """A sample to be reviewed, or to be looked at once more.

    Attributes:
        candidate: as the model left it, with the phrases that passed.
        chunk: that the question was asked about.
        refuse: whether the sample's context is to lack the chunk, so that a refusal is right.
        reviewed: what an earlier review made of it; None if there was none.
    """

    candidate: Candidate
    chunk: Chunk
    refuse: bool = False
    reviewed: Reviewed | None = None

    @property
    def original(self) -> Reviewed:
        """The sample before any review."""
        of = self.candidate
        return Reviewed(of.id, "", of.question, of.answer, of.phrases)

    @property
    def current(self) -> Reviewed:
        """The sample as the last review left it."""
        return self.reviewed or self.original

    def is_edited(self, reviewed: Reviewed) -> bool:
        """Whether a text differs from what the model wrote."""
        return reviewed.texts() != self.original.texts()

    def is_news(self, reviewed: Reviewed) -> bool:
        """Whether this says what the last review has not said.

        Without a verdict, what the model wrote is no edit: the table may be of an earlier round.
        """
        given = (reviewed.verdict, *reviewed.texts(), reviewed.note.strip())
        known = [self.current] if reviewed.verdict else [self.current, self.original]
        return given not in [
            (one.verdict if reviewed.verdict else "", *one.texts(), one.note.strip())
            for one in known
        ]

    def cells(self) -> dict[str, str]:
        """What stands in the columns, not yet guarded against formulas."""
        of, chunk, current = self.candidate, self.chunk, self.current
        ratings = (
            f"{critic}: {rating:g}. {' '.join(of.rationales.get(critic, '').split())}".rstrip()
            for critic, rating in of.ratings.items()
        )
        page = f"row {chunk.row}" if chunk.row is not None else ""
        cut = chunk.text[:LONGEST_TEXT]
        return {
            "id": of.id,
            "verdict": current.verdict,
            "question": current.question,
            "answer": current.answer,
            "phrases": phrases_cell(current.phrases),
            "note": current.note,
            "refuse": "yes" if self.refuse else "no",
            "ratings": "\n".join(ratings),
            "file": chunk.file,
            "page": str(chunk.page) if chunk.page is not None else page,
            "text": cut if cut == chunk.text else f"{cut}…",
        }


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Write the table: commas, CRLF, every cell in quotes (RFC 4180)."""
    with written_beside(path) as file:
        file.write("\ufeff")
        table = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow(guarded(cell) for cell in row.cells().values())


def read_table(path: Path, rows: Mapping[str, Row]) -> list[Reviewed]:
    """Read what a reviewed table says that is not known yet: all of it, or nothing.

    Columns may be moved, added or left out; `id` and `verdict` are needed. A text whose column is
    left out stays as it is. Rows may be left out: nothing is said of them.

    Args:
        rows: id of a sample -> its row as it would be written now.

    Raises:
        UserError: the file cannot be read; a verdict is none, an id is unknown or stands there
            twice, a sample is accepted without a question or an answer.
    """
    seen: dict[str, int] = {}
    news = []
    for line, cells in _lines(path):
        where, key = f"{path}:{line}", cells["id"].strip()
        if key not in rows:
            raise UserError(
                f"{where}: no sample of this build has the id {abbreviate(key)}; give the id as it "
                "was written, and the review that belongs to this build"
            )
        if key in seen:
            raise UserError(
                f"{where}: {abbreviate(key)} stands in line {seen[key]} already; leave one of them"
            )
        seen[key] = line
        reviewed = _reviewed(where, cells, rows[key].current)
        if rows[key].is_news(reviewed):
            news.append(replace(reviewed, verdict=reviewed.verdict or "open"))
    return news


def _reviewed(where: str, cells: Mapping[str, str], current: Reviewed) -> Reviewed:
    key = abbreviate(current.id)
    verdict = _VERDICTS.get(cells["verdict"].strip().lower())
    if verdict is None:
        raise UserError(
            f"{where}: the verdict on {key} is {abbreviate(cells['verdict'])}; write accept, "
            "reject, open, or nothing"
        )
    reviewed = Reviewed(
        id=current.id,
        verdict=verdict,
        question=cells.get("question", current.question).strip(),
        answer=cells.get("answer", current.answer).strip(),
        phrases=parse_phrases(cells["phrases"]) if "phrases" in cells else current.phrases,
        note=cells.get("note", current.note).strip(),
    )
    for name in ("question", "answer"):
        if verdict == "accept" and not getattr(reviewed, name):
            raise UserError(
                f"{where}: {key} is accepted, but its {name} is empty; fill it in, or reject the "
                "sample"
            )
    return reviewed


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (number of the line, column -> cell) of each row that is not empty."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; {_ANEW}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    header = text.partition("\n")[0]
    delimiter = max(",;", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        names = [name.strip().lower() for name in next(rows, [])]
        if not {"id", "verdict"} <= set(names) or len(set(names)) < len(names):
            raise UserError(
                f"{path}:1: the first line must name the columns, 'id' and 'verdict' among them, "
                f"each once, not {header.strip()!r:.80}; {_ANEW}, with its header"
            )
        while True:
            line = rows.line_num + 1
            cells = next(rows, None)
            if cells is None:
                return
            if any(cell.strip() for cell in cells):
                if len(cells) != len(names):
                    raise UserError(
                        f"{path}:{line}: has {len(cells)} cells, the header {len(names)}; {_ANEW}"
                    )
                texts = (unguarded(cell.replace("\r\n", "\n")) for cell in cells)
                yield line, dict(zip(names, texts, strict=True))
    except csv.Error as error:
        raise UserError(f"{path}:{line}: is not valid CSV: {error}; {_ANEW}") from None


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe stands before its `=`."""
    return _TO_GUARD.sub(r"\1\2'\3", text)


def unguarded(cell: str) -> str:
    """The text of which guarded() made the cell; one that a person wrote without it stays."""
    return _GUARDED.sub(r"\1\2\3", cell)


def phrases_cell(phrases: Sequence[str | Sequence[str]]) -> str:
    r"""Phrases as one text: an entry a line, " | " between alternatives, `\|` for a bar in one."""
    entries = [[entry] if isinstance(entry, str) else entry for entry in phrases]
    return "\n".join(
        " | ".join(" ".join(phrase.split()).replace("|", r"\|") for phrase in entry)
        for entry in entries
    )


def parse_phrases(cell: str) -> tuple[str | tuple[str, ...], ...]:
    """Read what phrases_cell() writes; what is empty is left out."""
    entries: list[str | tuple[str, ...]] = []
    for line in cell.split("\n"):
        parts = (part.replace(r"\|", "|").strip() for part in re.split(r"(?<!\\)\|", line))
        phrases = tuple(part for part in parts if part)
        if phrases:
            entries.append(phrases[0] if len(phrases) == 1 else phrases)
    return tuple(entries)
