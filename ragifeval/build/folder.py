"""OUT_DIR: what a build keeps there, so that it goes on where it stopped, and is finished anew.

samples.jsonl, documents.jsonl, prompt.jinja, README.md   the benchmark
dataset/                     the same as a folder of Hugging Face datasets
rejected.jsonl               what did not become a sample, and why
build.json                   counts by stage and reason, settings, the signature
review.csv, review.html      for a person (--review)
work/facts.json              what the last step must know
work/files.jsonl             the texts of the files that were read
work/chunks.jsonl            what they were cut into
work/duplicates.jsonl        those of them that were left out
work/*.replies.jsonl         a model's replies, as they come: ask, answer, criticise, phrases
work/candidates.jsonl        questions that the critics let through, with proposed phrases
work/dropped.jsonl           those that went before
work/verdicts.jsonl          a reviewer's (--apply)
work/tables.json             fingerprints of the review tables that may be written over
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from ragifeval.errors import UserError
from ragifeval.files import written_beside
from ragifeval.jsonl import read_json_objects
from ragifeval.results.export.datasets import CARD
from ragifeval.scoring.signature import Signature, fingerprint

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LOCK = ".build.lock"
_REPLIES = ".replies.jsonl"

Value = TypeVar("Value")


class BuildFolder:
    """The folder of one build, and the paths of all that it holds.

    Args:
        path: made, with its parent's permission, where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.samples = path / "samples.jsonl"
        self.documents = path / "documents.jsonl"
        self.prompt = path / "prompt.jinja"
        self.card = path / "README.md"
        self.dataset = path / "dataset"
        self.rejected = path / "rejected.jsonl"
        self.summary = path / "build.json"
        self.review_table = path / "review.csv"
        self.review_page = path / "review.html"
        self.work = path / "work"
        self.facts = self.work / "facts.json"
        self.files = self.work / "files.jsonl"
        self.chunks = self.work / "chunks.jsonl"
        self.duplicates = self.work / "duplicates.jsonl"
        self.candidates = self.work / "candidates.jsonl"
        self.dropped = self.work / "dropped.jsonl"
        self.verdicts = self.work / "verdicts.jsonl"
        self.tables = self.work / "tables.json"

    def replies(self, stage: str, signature: Signature) -> Path:
        """The journal of a stage's replies by one model: another model's are no part of it."""
        return self.work / f"{stage}-{fingerprint(str(signature))}{_REPLIES}"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder, or find out that it holds a build; no other process has it meanwhile.

        Raises:
            UserError: it holds something else, cannot be made, or another build is at work there.
        """
        lock = FileLock(self.work / LOCK, blocking=False)
        try:
            if self.path.exists() and any(self.path.iterdir()) and not is_build(self.path):
                raise UserError(f"-o: {self.path} is not empty and holds no build; name another")
            self.work.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise UserError(f"-o: {self.path}: another build is at work there") from None
        except OSError as error:
            raise UserError(f"-o: {self.path}: cannot be written: {error.strerror}") from None
        try:
            yield
        finally:
            lock.release()

    def start_over(self) -> None:
        """Delete what models replied, and what was made of it.

        A reviewer's verdicts stay: each holds for its very question alone.
        """
        self.clear_results()
        own = [self.facts, self.files, self.chunks, self.duplicates, self.candidates, self.dropped]
        for path in [self.prompt, *own, *self.work.glob(f"*{_REPLIES}")]:
            path.unlink(missing_ok=True)

    def clear_results(self) -> None:
        """Delete the benchmark of an earlier finish, which may hold what this one does not."""
        data = [self.samples, self.documents, self.card, self.rejected, self.summary]
        exported = (CARD, self.documents.name, self.samples.name)
        for path in [*data, *(self.dataset / name for name in exported)]:
            path.unlink(missing_ok=True)


def is_build(path: Path) -> bool:
    """Whether a folder holds a build, finished or not."""
    return (path / "work" / LOCK).is_file()


def write_records(path: Path, records: "Iterable[DataclassInstance]") -> None:
    """Write one object a line; the file takes its name once it is whole."""
    write_objects(path, (asdict(record) for record in records))


def write_objects(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write one object a line, without the keys that have no value."""
    with written_beside(path) as file:
        for value in objects:
            kept = {key: item for key, item in value.items() if item is not None}
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def read_records(path: Path, kind: type[Value]) -> list[Value]:
    """Read what write_records() wrote.

    Raises:
        UserError: the file was changed.
    """
    adapter = TypeAdapter(kind)
    return [_validated(f"{path}:{line}", adapter, value) for line, value in read_json_objects(path)]


def read_json(path: Path, kind: type[Value]) -> Value:
    """Read what write_json() wrote.

    Raises:
        UserError: the file is not there, or was changed.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read ({error}); build again with --overwrite") from None
    return _validated(str(path), TypeAdapter(kind), value)


def _validated(where: str, adapter: TypeAdapter[Value], value: object) -> Value:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise UserError(
            f"{where}: was changed since it was written: {key}: {first['msg']}; build again with "
            "--overwrite"
        ) from None
