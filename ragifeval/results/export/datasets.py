"""The benchmark as a folder of Hugging Face `datasets`: JSON Lines and a card.

Plain files are all that it takes: the card names them, and the type of each column, so that nothing
is guessed from the values. `expect` is a string of JSON in it, as a table has no column whose
values differ in their type.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from ragifeval import __version__
from ragifeval.benchmark.benchmark import Benchmark, Document, Sample, as_object
from ragifeval.benchmark.sets import VERSIONS, data_part, set_name
from ragifeval.benchmark.variants.variants import Variant, expand
from ragifeval.errors import UserError
from ragifeval.files import check_output, written_beside
from ragifeval.run.by_variant import origin_of
from ragifeval.run.outcome import variant_of

CARD = "README.md"
# Of data that are one set.
ONLY = "test"
VARIANTS = "variants"

_TEMPLATE = Path(__file__).with_name("card.jinja")


@dataclass(frozen=True)
class Split:
    """One split of the folder.

    Attributes:
        name: "test" where it is the only one.
        data: what signatures say of it; of variants, their names.
        sources: the files that it was read from, documents and samples.
        set_name: what our own set is called.
    """

    name: str
    benchmark: Benchmark
    data: str
    sources: tuple[Path, ...] = ()
    set_name: str | None = None

    @classmethod
    def of(cls, name: str, benchmark: Benchmark, docs_path: Path, eval_path: Path) -> "Split":
        """The split of a set that was read from two files."""
        sources = docs_path, eval_path
        return cls(name, benchmark, data_part(benchmark, *sources), sources, set_name(*sources))

    def file(self, config: str) -> str:
        """The name of its file of samples, or of documents."""
        return f"{config}.jsonl" if self.name == ONLY else f"{config}-{self.name}.jsonl"


def variant_split(splits: Sequence[Split], variants: Sequence[Variant]) -> Split:
    """The variants of all splits, and the documents that these lack.

    Raises:
        UserError: the facts of a sample give no values.
    """
    documents: dict[str, Document] = {}
    samples: list[Sample] = []
    for split in splits:
        made = expand(split.benchmark, variants).benchmark
        samples += made.samples
        documents |= {
            key: made.documents[key]
            for key in made.documents
            if key not in split.benchmark.documents
        }
    data = f"{','.join(map(str, variants))} of {', '.join(split.name for split in splits)}"
    return Split(VARIANTS, Benchmark(documents, samples), data)


def write_datasets(
    splits: Sequence[Split], folder: Path, overwrite: bool, language: str = "pl"
) -> None:
    """Write the folder.

    Args:
        splits: their sources are never written over. Of the project's own sets the card tells
            origin and license.
        overwrite: replace the files where the folder holds something; anything else in it stays.
        language: of the samples, for the card.

    Raises:
        UserError: the folder is not empty, or cannot be written.
    """
    sources = [source for split in splits for source in split.sources]
    parts = {
        split.file(config): make(split.benchmark)
        for split in splits
        for config, make in (("documents", _documents), ("samples", _samples))
        if config == "samples" or split.benchmark.documents
    }
    try:
        if any(source.resolve().parent == folder.resolve() for source in sources):
            raise UserError(f"{folder}: holds the data that is to be written; name another folder")
        for file in (CARD, *parts):
            # The card tells whose the others are.
            check_output(folder / file, lambda _: _is_card(folder / CARD), sources, "DIR")
        if folder.exists() and not overwrite and any(folder.iterdir()):
            *others, last = CARD, *parts
            raise UserError(
                f"{folder}: is not empty; name another folder, or --overwrite "
                f"{', '.join(others)} and {last} in it"
            )
        folder.mkdir(parents=True, exist_ok=True)
        for file, rows in parts.items():
            _write(folder / file, _lines(rows))
        _write(folder / CARD, [_card(splits, language)])
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None


def _is_card(path: Path) -> bool:
    text = path.read_bytes() if path.is_file() else b""
    return text.startswith(b"---\n") and b"RAG-IFEval" in text


def _write(path: Path, pieces: Iterable[str]) -> None:
    with written_beside(path) as file:
        file.writelines(pieces)


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _documents(benchmark: Benchmark) -> Iterable[Mapping[str, Any]]:
    return map(asdict, benchmark.documents.values())


def _samples(benchmark: Benchmark) -> Iterable[Mapping[str, Any]]:
    for sample in benchmark.samples:
        row = as_object(sample)
        row |= {
            key: json.dumps(row[key], ensure_ascii=False) for key in ("expect", "steps", "facts")
        }
        yield {**row, "variant": variant_of(sample), "origin": origin_of(sample)}


def _card(splits: Sequence[Split], language: str) -> str:
    # Nothing is escaped: it is Markdown, not HTML.
    environment = Environment(  # noqa: S701
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    names = [split.set_name for split in splits if split.set_name is not None]
    counts = [
        Counter(name for sample in split.benchmark.samples for name in sample.expect)
        for split in splits
    ]
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        is_own=bool(names),
        name=min(names, default=None, key=len),
        versions={name: VERSIONS[name] for name in names},
        language=language,
        version=__version__,
        splits=splits,
        counts=counts,
        size=size_category(sum(len(split.benchmark.samples) for split in splits)),
    )


def size_category(samples: int) -> str:
    """The Hub's name for about how many rows there are."""
    for limit, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if samples < limit:
            return name
    return "n>100K"
