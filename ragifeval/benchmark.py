"""The benchmark's data: documents and samples, read once and refused where something is wrong.

Formats: `data/README.md`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from ragifeval.conditions import REGISTRY
from ragifeval.errors import UserError


@dataclass(frozen=True, slots=True)
class Document:
    """One official text. `source` names the kind of act or service that it describes."""

    id: str
    contents: str
    title: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One question with its context (document ids, in order) and what is expected of the answer.

    Attributes:
        expect: a condition's name -> its parameter, as the data states it.
        reference: a gold answer, citations included.
        kind: what makes the question hard; tags, for counting.
        derived: the working, where an expected phrase is computed and stands in no document.
    """

    id: str
    question: str
    context: tuple[str, ...]
    expect: Mapping[str, Any]
    category: str | None = None
    reference: str | None = None
    kind: tuple[str, ...] = ()
    derived: str | None = None


@dataclass(frozen=True)
class Benchmark:
    """Documents by id, and the samples in the order of their file."""

    documents: Mapping[str, Document]
    samples: Sequence[Sample]

    def fingerprint(self) -> str:
        """A hash of all that prompts and scores depend on, whatever the formatting of the files.

        Category, kind, reference and working are left out: they change no score.
        """
        digest = hashlib.sha256()
        for key in sorted(self.documents):
            document = self.documents[key]
            digest.update(
                _canonical([document.id, document.contents, document.title, document.source])
            )
        for sample in sorted(self.samples, key=lambda sample: sample.id):
            digest.update(
                _canonical([sample.id, sample.question, sample.context, dict(sample.expect)])
            )
        return digest.hexdigest()[:8]


def _canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, sort_keys=True).encode() + b"\n"


def load_benchmark(docs_path: Path, eval_path: Path) -> Benchmark:
    """Read and check both files.

    Raises:
        UserError: with file, line and reason, for the first thing that is wrong.
    """
    documents = load_documents(docs_path)
    return Benchmark(documents, load_samples(eval_path, documents))


def load_documents(path: Path) -> Mapping[str, Document]:
    """Documents by id, in the order of the file."""
    documents: dict[str, Document] = {}
    for where, fields in _read_objects(path, Document):
        document = Document(**fields)
        if document.id in documents:
            raise UserError(f"{where}: the document id {document.id!r} is used twice")
        documents[document.id] = document
    if not documents:
        raise UserError(f"{path}: holds no documents; one JSON object a line is expected")
    return MappingProxyType(documents)


def load_samples(path: Path, documents: Mapping[str, Document]) -> Sequence[Sample]:
    """Samples in the order of the file, checked against the documents they name."""
    samples: dict[str, Sample] = {}
    for where, fields in _read_objects(path, Sample):
        sample = Sample(**fields)
        if sample.id in samples:
            raise UserError(f"{where}: the sample id {sample.id!r} is used twice")
        try:
            _check_sample(sample, documents)
        except ValueError as error:
            raise UserError(f"{where}: sample {sample.id!r}: {error}") from None
        samples[sample.id] = sample
    if not samples:
        raise UserError(f"{path}: holds no samples; one JSON object a line is expected")
    return tuple(samples.values())


def _check_sample(sample: Sample, documents: Mapping[str, Document]) -> None:
    for key in sample.context:
        if key not in documents:
            raise ValueError(f"'context' names the document {key!r}, which does not exist")
    if len(set(sample.context)) < len(sample.context):
        raise ValueError("'context' names a document twice")
    if not sample.expect:
        raise ValueError(f"'expect' is empty; it names one or more of: {', '.join(REGISTRY)}")
    for name, parameter in sample.expect.items():
        if name not in REGISTRY:
            raise ValueError(f"unknown condition {name!r}; known are: {', '.join(REGISTRY)}")
        try:
            REGISTRY[name].check(parameter, sample.context)
        except ValueError as error:
            raise ValueError(f"'{name}' {error}") from None


# key -> (what it must be, in words; the test; required)
_Field = tuple[str, type, bool]
_FIELDS: Mapping[type, Mapping[str, _Field]] = {
    Document: {
        "id": ("a non-empty string", str, True),
        "contents": ("a non-empty string", str, True),
        "title": ("a string", str, False),
        "source": ("a string", str, False),
    },
    Sample: {
        "id": ("a non-empty string", str, True),
        "question": ("a non-empty string", str, True),
        "context": ("a non-empty list of document ids", list, True),
        "expect": ("an object: a condition's name -> its parameter", dict, True),
        "category": ("a string", str, False),
        "reference": ("a string", str, False),
        "kind": ("a list of strings", list, False),
        "derived": ("a string", str, False),
    },
}


def _read_objects(path: Path, kind: type) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file:line, the checked fields of one Document or Sample)."""
    for line, value in read_json_objects(path):
        where = f"{path}:{line}"
        fields = _FIELDS[kind]
        for key in value:
            if key not in fields:
                raise UserError(f"{where}: unknown key {key!r}; known are: {', '.join(fields)}")
        for key, (meaning, expected, required) in fields.items():
            if value.get(key) is None:
                if required:
                    raise UserError(f"{where}: {key!r} is missing; it is {meaning}")
                value.pop(key, None)
                continue
            if not _is_valid(value[key], expected, required):
                raise UserError(f"{where}: {key!r} must be {meaning}, not {_shown(value[key])}")
            if expected is list:
                value[key] = tuple(value[key])
        yield where, value


def _is_valid(value: object, expected: type, required: bool) -> bool:
    if not isinstance(value, expected):
        return False
    if isinstance(value, list):
        return all(isinstance(item, str) and item for item in value) and bool(value or not required)
    return not (isinstance(value, str) and required and not value.strip())


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


Item = TypeVar("Item")


def read_json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSONL file, or of one that holds a JSON array of objects.

    Raises:
        UserError: the file cannot be read, is no UTF-8, or a line is no JSON object.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            first = next((line for line in file if line.strip()), "")
            if first.lstrip().startswith("["):
                file.seek(0)
                items: Iterable[tuple[int, object]] = _array_items(path, file.read())
            else:
                file.seek(0)
                items = _line_items(path, file)
            for line, item in items:
                if not isinstance(item, dict):
                    raise UserError(f"{path}:{line}: a JSON object is expected, not {_shown(item)}")
                yield line, item
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: is not UTF-8 text ({error.reason} at byte {error.start})"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def _line_items(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UserError(f"{path}:{number}: is not valid JSON: {_reason(error)}") from None


def _array_items(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Decode the array item by item, so that each is known by its line."""
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    line, counted = 1, 0
    before = "["  # the mark before the position; "" after an item
    while True:
        while position < len(text) and text[position].isspace():
            position += 1
        line, counted = line + text.count("\n", counted, position), position
        mark = text[position : position + 1]
        if mark == "]" and before != ",":
            break
        if mark == "," and not before:
            position, before = position + 1, mark
            continue
        if not before:
            raise UserError(f"{path}:{line}: is not valid JSON: ',' or a final ']' is expected")
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise UserError(f"{path}:{line}: is not valid JSON: {_reason(error)}") from None
        yield line, item
        before = ""
    rest = text[position + 1 :]
    if rest.strip():
        line += rest[: -len(rest.lstrip())].count("\n")
        raise UserError(f"{path}:{line}: is not valid JSON: nothing may follow the final ']'")


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
