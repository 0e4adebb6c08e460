"""Answers read back: logs of this harness or of the published implementation, or from elsewhere.

JSONL, or a JSON array: objects with `id` (or `question`) and `answer`; all that they hold is kept.
Logs of our tasks in lm_eval (--log_samples) and inspect_ai (.eval, .json).
CSV (.csv, .tsv): a header that names the same, separated by commas, semicolons or tabs.
"""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from ragifeval.benchmark.benchmark import Sample
from ragifeval.benchmark.variants.source import names_of
from ragifeval.defaults import MATCHING
from ragifeval.errors import UserError
from ragifeval.jsonl import read_json_objects
from ragifeval.results.others import from_lm_eval, is_inspect_log, read_inspect_log
from ragifeval.scoring.signature import Signature

# Excel separates by semicolons where a comma parts a number from its decimals, as in Poland.
_SEPARATORS = ",;\t"

_MEANING = "an answer has 'id' (or 'question') and 'answer'"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer of a file.

    Attributes:
        path, line: where it stands.
        sample_id: None where the file gives a question that is no sample's.
        text: what the model said, without its reasoning; None where no answer came.
        context: the ids of the documents in the order in which the model saw them; None where the
            file does not tell.
        record: the object, or the row of a CSV file by column, as it stands there.
    """

    path: Path
    line: int
    sample_id: str | None
    text: str | None
    context: tuple[str, ...] | None
    record: Mapping[str, Any]

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def name(self) -> str:
        """What it is known by in messages: the sample's id, or the question."""
        return self.sample_id or f"{self.record.get('question')!s:.80}"

    @property
    def signature(self) -> Signature | None:
        """The signature of the run that it comes from; None where the file does not tell."""
        line = self.record.get("signature")
        return parse_signature(line) if isinstance(line, str) and line else None

    @property
    def matching(self) -> str:
        """The rule of its `scores`; the published implementation's where the file does not tell."""
        signature = self.signature
        return signature.parts.get("matching", MATCHING) if signature is not None else MATCHING

    @property
    def finish_reason(self) -> Any:
        """Why the generation ended, as the file has it."""
        return self.record.get("finish_reason")

    @property
    def reasoning(self) -> Any:
        """The reasoning that was parted from the answer, as the file has it."""
        return self.record.get("reasoning")

    @property
    def error(self) -> str | None:
        """Why no answer came; None where the file does not tell."""
        error = self.record.get("error")
        return str(error) if error else None

    @property
    def seconds(self) -> float | None:
        """How long the answer took; None where the file does not tell."""
        seconds = self.record.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            return None
        return float(seconds) if isfinite(seconds) else None

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        """The tokens of the prompt and of the answer; None where the file does not tell."""
        usage = self.record.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
        return (
            prompt if type(prompt) is int else None,
            completion if type(completion) is int else None,
        )

    @property
    def judged(self) -> Mapping[str, float]:
        """Name of a judged score -> its value; empty where the answer was not judged."""
        judged = self.record.get("judged")
        if not isinstance(judged, dict):
            return {}
        return {
            name: float(value)
            for name, value in judged.items()
            if isinstance(value, int | float) and isfinite(value)
        }

    def scores_name(self, matching: str) -> str:
        """The key of the scores under a rule."""
        return "scores" if matching == self.matching else f"scores_{matching}"


parse_signature = lru_cache(maxsize=64)(Signature.parse)


class AnswerLog:
    """The answers of one file, and what is found out while they are read.

    Args:
        samples: those that answers may be to, in the order of the data.

    Attributes:
        unknown: how many answers are to none of the samples.
        unknown_names: the first few of them.
        signatures: of the records, each once; None for records without one.
    """

    NAMED = 10

    def __init__(self, path: Path, samples: Sequence[Sample]) -> None:
        self.path = path
        self.unknown = 0
        self.unknown_names: list[str] = []
        self.signatures: dict[str, Signature | None] = {}
        self._samples = samples
        self._places = {sample.id: place for place, sample in enumerate(names_of(samples))}

    def read(self) -> Iterator[tuple[Sample, StoredAnswer]]:
        """Yield the answers to the samples, in the order of the file.

        Raises:
            UserError: the file cannot be read, something in it is not an answer, or a model saw
                other documents than the sample has; with file and line.
        """
        for stored in read_answers(self.path, self._samples):
            place = self._places.get(stored.sample_id) if stored.sample_id is not None else None
            if place is None:
                self.unknown += 1
                if self.unknown <= self.NAMED:
                    self.unknown_names.append(stored.name)
                continue
            sample = self._samples[place]
            if stored.context is not None and sorted(stored.context) != sorted(sample.context):
                raise UserError(
                    f"{stored.where}: the model saw other documents ({', '.join(stored.context)}) "
                    f"than sample {sample.id!r} has ({', '.join(sample.context)}); name the data "
                    "of that run with --docs_path and --eval_path"
                )
            signature = stored.signature
            self.signatures.setdefault(str(signature or ""), signature)
            yield sample, stored


def read_answers(path: Path, samples: Sequence[Sample] = ()) -> Iterator[StoredAnswer]:
    """Yield the answers of a file as they are read.

    Args:
        path: JSONL, a JSON array, or CSV by its ending.
        samples: those whose questions stand for their ids where the file gives no `id`; compared
            letter by letter, white space at the ends aside.

    Raises:
        UserError: the file cannot be read, or something in it is no answer; with file and line.
    """
    is_table = path.suffix.lower() in (".csv", ".tsv")
    ids: dict[str, list[str]] = {}
    for line, record in _read_rows(path) if is_table else _read_records(path):
        try:
            key = _text(record, "id")
            if not key:
                if not ids:
                    ids = _ids_by_question(samples)
                key = _id_of_question(record, ids)
            if "answer" not in record:
                raise ValueError(f"'answer' is missing; {_MEANING}")
            text = _text(record, "answer", numbers=False)
            context = None if is_table else _context(record)
        except ValueError as error:
            raise UserError(f"{path}:{line}: {error}") from None
        yield StoredAnswer(path, line, key, text, context, record)


def _read_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, record) of a log: of this harness, or of another."""
    if is_inspect_log(path):
        yield from read_inspect_log(path)
        return
    for line, record in read_json_objects(path, "a log, JSONL or CSV (.csv, .tsv)"):
        yield line, from_lm_eval(record, path) or record


def _text(record: Mapping[str, Any], key: str, *, numbers: bool = True) -> str | None:
    value = record.get(key)
    if numbers and type(value) is int:  # an id; a boolean is none
        return str(value)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key!r} must be a string, not {value!r:.60}")
    return value


def _context(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    value = record.get("context")
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        raise ValueError(
            "'context' must be a list of document ids, in the order in which the model saw them; "
            "without it, the order of the data holds"
        )
    return tuple(value)


def _ids_by_question(samples: Sequence[Sample]) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {}
    for sample in samples:
        ids.setdefault(sample.question.strip(), []).append(sample.id)
    return ids


def _id_of_question(record: Mapping[str, Any], ids: Mapping[str, Sequence[str]]) -> str | None:
    question = _text(record, "question", numbers=False)
    if not question:
        raise ValueError(f"'id' is missing; {_MEANING}")
    found = ids.get(question.strip(), ())
    if len(found) > 1:
        raise ValueError(f"an 'id' is needed: {', '.join(found)} ask the same question")
    return found[0] if found else None


def _read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (the line where it begins, cells by column) of each row of a CSV file."""
    csv.field_size_limit(sys.maxsize)  # an answer may be a megabyte long
    number = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, separator = _header(path, file.readline())
            rows = csv.reader(file, delimiter=separator, strict=True)
            number = 2
            for row in rows:
                if row and len(row) != len(header):
                    raise UserError(
                        f"{path}:{number}: has {len(row)} cells where the header has {len(header)}"
                    )
                if row:
                    yield number, dict(zip(header, row, strict=True))
                number = rows.line_num + 2
    except UnicodeDecodeError as error:
        raise UserError(
            f'{path}: is not UTF-8 text ({error.reason}); in Excel, save it as "CSV UTF-8"'
        ) from None
    except csv.Error as error:
        raise UserError(f"{path}:{number}: is not valid CSV: {error}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def _header(path: Path, line: str) -> tuple[list[str], str]:
    """The names of the columns, and the separator with which they make sense."""
    for separator in _SEPARATORS:
        names = [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
        if "answer" in names and {"id", "question"} & set(names):
            return names, separator
    raise UserError(
        f"{path}:1: the header must name the columns 'id' (or 'question') and 'answer', "
        f"not {line.strip()!r:.80}"
    )
