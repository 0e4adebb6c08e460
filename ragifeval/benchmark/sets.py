"""The sets of questions: a folder each, with documents.jsonl and samples.jsonl."""

from pathlib import Path

from ragifeval.benchmark.benchmark import Benchmark
from ragifeval.errors import UserError
from ragifeval.paths import DATA

SETS = {"core": DATA, "hard": DATA / "hard"}
"""Name -> folder of the sets that come with the harness, as far as they are there."""

NAMES = {"core": "urzad", "hard": "urzad-hard"}
"""Name -> what cards, exports and reports call the set."""

VERSIONS = {"urzad": "1.8", "urzad-hard": "1.8"}
"""Name -> version of the data: it moves whenever what is asked or expected changes."""


def find_set(data: str | Path) -> tuple[Path, Path]:
    """The files of a set: its documents and its samples.

    Args:
        data: the name of a set, or a folder.

    Raises:
        UserError: there is no such set.
    """
    folder = SETS.get(str(data), Path(data))
    files = folder / "documents.jsonl", folder / "samples.jsonl"
    for file in files:
        if not file.is_file():
            known = ", ".join(name for name, path in SETS.items() if path.is_dir())
            raise UserError(
                f"data: {str(data)!r} is no set and no folder with {file.name}; sets are: {known}"
            )
    return files


def set_name(docs_path: Path, eval_path: Path) -> str | None:
    """The name of the set that two files are; None for data of the user's own."""
    for name, folder in SETS.items():
        if (docs_path, eval_path) == (folder / "documents.jsonl", folder / "samples.jsonl"):
            return NAMES[name]
    return None


def data_part(benchmark: Benchmark, docs_path: Path, eval_path: Path) -> str:
    """What a signature says of data: the fingerprint, behind name and version of a set of ours."""
    name = set_name(docs_path, eval_path)
    fingerprint = benchmark.fingerprint()
    return fingerprint if name is None else f"{name}-{VERSIONS[name]}-{fingerprint}"
