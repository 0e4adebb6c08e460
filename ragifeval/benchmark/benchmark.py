"""The benchmark's data: documents and samples, read once and refused where something is wrong.

Formats: `data/README.md`.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
)

from ragifeval.benchmark.facts import Fact, read_facts
from ragifeval.errors import UserError
from ragifeval.jsonl import abbreviate, read_json_objects
from ragifeval.scoring.conditions import ORIGINS, REGISTRY
from ragifeval.statements import wordings
from ragifeval.statements.entries import uses_statements


def _check_expect(expect: Mapping[str, Any]) -> Any:
    """Refuse text that cannot be written as UTF-8, at any depth; keep equal phrases once."""
    try:
        json.dumps(expect, ensure_ascii=False).encode()
        return _interned(expect)
    except UnicodeEncodeError:
        raise ValueError(_SURROGATE) from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def _interned(value: Any) -> Any:
    """The same JSON value; equal strings are one in memory, lists are as short as can be."""
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, list):
        return list(map(_interned, value))
    if isinstance(value, dict):
        return {sys.intern(key): _interned(item) for key, item in value.items()}
    return value


_SURROGATE = "holds half of a surrogate pair, which is no text"
_Text = Annotated[str, Field(pattern=r"\S", description="a non-empty string")]
_Optional = Annotated[str | None, Field(description="a string")]
# Names that many samples share: one string in memory for each.
_Name = Annotated[str, Field(min_length=1), AfterValidator(sys.intern)]
_Names = Annotated[
    tuple[_Name, ...],
    BeforeValidator(lambda names: () if names is None else names),
    Field(description="a list of strings"),
]
_Counts = Annotated[Mapping[str, int], Field(description="an object: a name -> a whole number")]


@dataclass(frozen=True, slots=True)
class Document:
    """One official text.

    Attributes:
        source: the kind of act or service that it describes, or where it comes from.
        repeats: the documents whose sentences it repeats on purpose, as an older version or the
            page of another office does.
    """

    id: _Text
    contents: _Text
    title: _Optional = None
    source: _Optional = None
    repeats: _Names = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One question with its context (document ids, in order) and what is expected of the answer.

    Attributes:
        expect: a condition's name -> its parameter, as the data states it.
        reference: a gold answer, citations included.
        kind: what makes the question hard; tags, for counting.
        derived: the working, where an expected phrase is computed and stands in no document.
        steps: what a right answer takes: how many documents, values combined, facts of the case
            and misleading distractors.
        facts: the values that the variant `changed` gives anew.
        hints: documents that are not cited and yet tell a part of the answer, in words that no
            entry meets: no twin shows them, and no variant adds them.
    """

    id: _Text
    question: _Text
    context: Annotated[
        tuple[_Name, ...], Field(min_length=1, description="a non-empty list of document ids")
    ]
    expect: Annotated[
        Mapping[str, Any],
        AfterValidator(_check_expect),
        Field(description="an object: a condition's name -> its parameter"),
    ]
    category: _Optional = None
    reference: _Optional = None
    kind: _Names = ()
    derived: _Optional = None
    steps: _Counts | None = None
    facts: Annotated[
        tuple[Fact, ...],
        BeforeValidator(read_facts),
        Field(description="a list of facts (docs/variants.md)"),
    ] = ()
    hints: _Names = ()


def as_object(sample: Sample) -> dict[str, Any]:
    """A sample as its file has it; without facts where it has none."""
    value = {field.name: getattr(sample, field.name) for field in fields(Sample)}
    facts = [fact.model_dump(by_alias=True, exclude_defaults=True) for fact in sample.facts]
    return value | {"facts": facts or None}


@dataclass(frozen=True)
class Benchmark:
    """Documents by id, and the samples in the order of their file."""

    documents: Mapping[str, Document]
    samples: Sequence[Sample]

    def fingerprint(self) -> str:
        """A hash of all that prompts and scores depend on, whatever the formatting of the files.

        Category, kind, reference and working are left out: they change no score. The wordings by
        which statements are read count where there are statements. Conditions of other packages
        are named behind the hash.
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
        if any(uses_statements(sample.expect) for sample in self.samples):
            digest.update(wordings.fingerprint().encode())
        names = {name for sample in self.samples for name in sample.expect}
        foreign = [f"+{name}@{ORIGINS[name]}" for name in sorted(names & ORIGINS.keys())]
        return digest.hexdigest()[:8] + "".join(foreign)


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
    return MappingProxyType(_read_items(path, Document, lambda document: None))


def load_samples(path: Path, documents: Mapping[str, Document]) -> Sequence[Sample]:
    """Samples in the order of the file, checked against the documents they name."""
    return list(_read_items(path, Sample, partial(_check_sample, documents=documents)).values())


def _check_sample(sample: Sample, documents: Mapping[str, Document]) -> None:
    for name, keys in (("context", sample.context), ("hints", sample.hints)):
        for key in keys:
            if key not in documents:
                raise ValueError(f"{name!r} names the document {key!r}, which does not exist")
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


_Item = TypeVar("_Item", Document, Sample)


def _read_items(path: Path, kind: type[_Item], check: Callable[[_Item], None]) -> dict[str, _Item]:
    """The documents or samples of a file by id; `check` raises ValueError for one that is wrong."""
    name = kind.__name__.lower()
    adapter, names = TypeAdapter(kind), [field.name for field in fields(kind)]
    items: dict[str, _Item] = {}
    for line, value in read_json_objects(path):
        where = f"{path}:{line}"
        try:
            item = _validate(adapter, value, names)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        if item.id in items:
            raise UserError(f"{where}: the {name} id {item.id!r} is used twice")
        try:
            check(item)
        except ValueError as error:
            raise UserError(f"{where}: {name} {item.id!r}: {error}") from None
        items[item.id] = item
    if not items:
        raise UserError(f"{path}: holds no {name}s; one JSON object a line is expected")
    return items


def _validate(
    adapter: TypeAdapter[_Item], value: Mapping[str, object], names: Sequence[str]
) -> _Item:
    """Make a Document or Sample; raise ValueError with the key, what it must be and what it is."""
    for key in value:
        if key not in names:
            raise ValueError(f"unknown key {key!r}; known are: {', '.join(names)}")
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    key = str(first["loc"][0])
    meaning = adapter.json_schema()["properties"][key]["description"]
    if value.get(key) is None:
        raise ValueError(f"{key!r} is missing; it is {meaning}")
    if first["type"] == "string_unicode":
        raise ValueError(f"{key!r} {_SURROGATE}")
    if first["type"] == "value_error":
        raise ValueError(f"{key!r} {first['ctx']['error']}")
    raise ValueError(f"{key!r} must be {meaning}, not {abbreviate(value[key])}")
