"""The benchmark as a folder of Hugging Face `datasets`: JSON Lines and a card.

Plain files are all that it takes: the card names them, and the type of each column, so that nothing
is guessed from the values. `expect` is a string of JSON in it, as a table has no column whose
values differ in their type.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from ragifeval import __version__
from ragifeval.benchmark.benchmark import Benchmark, as_object
from ragifeval.benchmark.sets import VERSIONS, data_part, set_name
from ragifeval.errors import UserError
from ragifeval.files import check_output, written_beside

CARD, DOCUMENTS, SAMPLES = "README.md", "documents.jsonl", "samples.jsonl"

_TEMPLATE = Path(__file__).with_name("card.jinja")


def write_datasets(
    benchmark: Benchmark,
    folder: Path,
    sources: tuple[Path, Path],
    overwrite: bool,
    language: str = "pl",
) -> None:
    """Write the folder.

    Args:
        sources: the files that the benchmark was read from, documents and samples, which are
            never written over. Of the project's own sets the card tells origin and license.
        overwrite: replace the three files where the folder holds something; anything else in it
            stays.
        language: of the samples, for the card.

    Raises:
        UserError: the folder is not empty, or cannot be written.
    """
    try:
        if any(source.resolve().parent == folder.resolve() for source in sources):
            raise UserError(f"{folder}: holds the data that is to be written; name another folder")
        for file in (CARD, DOCUMENTS, SAMPLES):
            # The card tells whose the other two are.
            check_output(folder / file, lambda _: _is_card(folder / CARD), sources, "DIR")
        if folder.exists() and not overwrite and any(folder.iterdir()):
            raise UserError(
                f"{folder}: is not empty; name another folder, or --overwrite "
                f"{CARD}, {DOCUMENTS} and {SAMPLES} in it"
            )
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / DOCUMENTS, _lines(_documents(benchmark)))
        _write(folder / SAMPLES, _lines(_samples(benchmark)))
        _write(folder / CARD, [_card(benchmark, sources, language)])
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None


def _is_card(path: Path) -> bool:
    return (
        path.is_file()
        and path.read_bytes().startswith(b"---\n")
        and (b"RAG-IFEval" in path.read_bytes())
    )


def _write(path: Path, pieces: Iterable[str]) -> None:
    with written_beside(path) as file:
        file.writelines(pieces)


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _documents(benchmark: Benchmark) -> Iterable[Mapping[str, Any]]:
    for document in benchmark.documents.values():
        yield {
            "id": document.id,
            "title": document.title,
            "contents": document.contents,
            "source": document.source,
        }


def _samples(benchmark: Benchmark) -> Iterable[Mapping[str, Any]]:
    for sample in benchmark.samples:
        yield {
            "id": sample.id,
            "category": sample.category,
            "kind": sample.kind,
            "question": sample.question,
            "context": sample.context,
            "expect": json.dumps(dict(sample.expect), ensure_ascii=False),
            "reference": sample.reference,
            "derived": sample.derived,
            "facts": json.dumps(as_object(sample)["facts"], ensure_ascii=False),
        }


def _card(benchmark: Benchmark, sources: tuple[Path, Path], language: str) -> str:
    # Nothing is escaped: it is Markdown, not HTML.
    environment = Environment(  # noqa: S701
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    name = set_name(*sources)
    conditions = Counter(name for sample in benchmark.samples for name in sample.expect)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        is_own=name is not None,
        name=name,
        language=language,
        version=__version__,
        data=data_part(benchmark, *sources),
        data_version=None if name is None else VERSIONS[name],
        documents=len(benchmark.documents),
        samples=len(benchmark.samples),
        conditions=conditions,
        size=size_category(len(benchmark.samples)),
    )


def size_category(samples: int) -> str:
    """The Hub's name for about how many rows there are."""
    for limit, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if samples < limit:
            return name
    return "n>100K"
