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
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from filelock import FileLock, Timeout

from ragifeval.build.records import Candidate, Rejection
from ragifeval.errors import UserError
from ragifeval.files import written_beside
from ragifeval.jsonl import read_json_objects
from ragifeval.results.export.datasets import CARD, DOCUMENTS, SAMPLES
from ragifeval.scoring.signature import Signature, fingerprint

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LOCK = ".build.lock"
_REPLIES = ".replies.jsonl"

Record = TypeVar("Record", bound="DataclassInstance")


class BuildFolder:
    """The folder of one build.

    Args:
        path: made, with its parent's permission, where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = path / "work"

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

    def check_built(self) -> None:
        """Find out that a build has come to its end here.

        Raises:
            UserError: it has not.
        """
        if not self.candidates.is_file():
            raise UserError(
                f"-o: {self.path} holds no finished build; build DOCS --model_config … first"
            )

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
        for path in [*data, *(self.dataset / name for name in (CARD, DOCUMENTS, SAMPLES))]:
            path.unlink(missing_ok=True)

    def replies(self, stage: str, signature: Signature) -> Path:
        """The file of a stage's replies by one model: another model's are no part of it."""
        return self.work / f"{stage}-{fingerprint(str(signature))}{_REPLIES}"

    @property
    def samples(self) -> Path:
        """The samples."""
        return self.path / "samples.jsonl"

    @property
    def documents(self) -> Path:
        """Their documents."""
        return self.path / "documents.jsonl"

    @property
    def rejected(self) -> Path:
        """What did not become a sample."""
        return self.path / "rejected.jsonl"

    @property
    def card(self) -> Path:
        """What a reader of the samples is told."""
        return self.path / "README.md"

    @property
    def prompt(self) -> Path:
        """The template that models are evaluated with."""
        return self.path / "prompt.jinja"

    @property
    def dataset(self) -> Path:
        """The folder of Hugging Face datasets."""
        return self.path / "dataset"

    @property
    def summary(self) -> Path:
        """Counts, settings, signature."""
        return self.path / "build.json"

    @property
    def review_table(self) -> Path:
        """The samples as a table, for a person."""
        return self.path / "review.csv"

    @property
    def review_page(self) -> Path:
        """The samples as a page, for a person."""
        return self.path / "review.html"

    @property
    def facts(self) -> Path:
        """What the last step must know of those before it."""
        return self.work / "facts.json"

    @property
    def files(self) -> Path:
        """The texts of the files."""
        return self.work / "files.jsonl"

    @property
    def chunks(self) -> Path:
        """The chunks."""
        return self.work / "chunks.jsonl"

    @property
    def duplicates(self) -> Path:
        """The chunks that were left out."""
        return self.work / "duplicates.jsonl"

    @property
    def candidates(self) -> Path:
        """The questions that are left after the last stage that asks a model."""
        return self.work / "candidates.jsonl"

    @property
    def dropped(self) -> Path:
        """The questions that are not, and the chunks that brought none."""
        return self.work / "dropped.jsonl"

    @property
    def verdicts(self) -> Path:
        """A reviewer's verdicts."""
        return self.work / "verdicts.jsonl"


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


def read_records(path: Path, kind: type[Record]) -> Iterator[Record]:
    """Yield what write_records() wrote.

    Raises:
        UserError: the file was changed.
    """
    for line, value in read_json_objects(path):
        try:
            if kind is Rejection and value.get("candidate") is not None:
                value["candidate"] = Candidate(**value["candidate"])
            yield kind(**value)
        except TypeError as error:
            raise UserError(
                f"{path}:{line}: was changed since it was written ({error}); build again with "
                "--overwrite"
            ) from None
