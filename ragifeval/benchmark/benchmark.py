"""The benchmark's data: documents and samples, read once and refused where something is wrong.

Formats: `data/README.md`.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragifeval.benchmark.packed import Packed
from ragifeval.errors import UserError
from ragifeval.jsonl import read_json_objects, shown
from ragifeval.scoring.conditions import REGISTRY


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
        ids = [sample.id for sample in self.samples]
        for place in sorted(range(len(ids)), key=ids.__getitem__):
            sample = self.samples[place]
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
    ids: set[str] = set()
    rows: list[bytes] = []
    for where, fields in _read_objects(path, Sample):
        sample = Sample(**fields)
        if sample.id in ids:
            raise UserError(f"{where}: the sample id {sample.id!r} is used twice")
        try:
            _check_sample(sample, documents)
        except ValueError as error:
            raise UserError(f"{where}: sample {sample.id!r}: {error}") from None
        ids.add(sample.id)
        rows.append(json.dumps(fields, ensure_ascii=False).encode())
    if not rows:
        raise UserError(f"{path}: holds no samples; one JSON object a line is expected")
    return Packed(rows, _unpack_sample)


def _unpack_sample(row: bytes) -> Sample:
    fields = json.loads(row)
    lists = {key: tuple(value) for key, value in fields.items() if _is_list(Sample, key)}
    return Sample(**{**fields, **lists})


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
        except RecursionError:
            raise ValueError(f"'{name}' is nested too deeply") from None


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
                raise UserError(f"{where}: {key!r} must be {meaning}, not {shown(value[key])}")
            if _is_list(kind, key):
                value[key] = tuple(value[key])
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise UserError(f"{where}: holds half of a surrogate pair, which is no text") from None
        except RecursionError:
            raise UserError(f"{where}: is nested too deeply") from None
        yield where, value


def _is_list(kind: type, key: str) -> bool:
    return _FIELDS[kind][key][1] is list


def _is_valid(value: object, expected: type, required: bool) -> bool:
    if not isinstance(value, expected):
        return False
    if isinstance(value, list):
        return all(isinstance(item, str) and item for item in value) and bool(value or not required)
    return not (isinstance(value, str) and required and not value.strip())
