"""The folder for the Hugging Face Hub: what load_dataset makes of it is the benchmark."""

import json
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import DatasetCard

from ragifeval.__main__ import main
from ragifeval.benchmark.benchmark import Benchmark, Document, Sample, load_benchmark
from ragifeval.benchmark.facts import read_facts
from ragifeval.benchmark.sets import SETS, find_set
from ragifeval.paths import DOCUMENTS, SAMPLES
from ragifeval.scoring.conditions import REGISTRY
from tools.testing.process import records, write_records

WRITTEN = {"README.md", "documents.jsonl", "samples.jsonl"}
# Two questions that a variant can be made of, in a moment.
FEW = ["dowody-p01", "meldunek-p03"]
CORE = ("--data", "core")
OWN_DOCUMENTS = [{"id": "2024-01-01", "contents": "a\u2028b"}, {"id": "7", "contents": "c"}]
OWN_SAMPLES = [
    {"id": "1", "question": "?", "context": ["7", "2024-01-01"], "expect": {"safe": True}}
]


def export(*arguments: object) -> int:
    return main(["export", "--format", "datasets", *map(str, arguments)])


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    """Data of somebody's, as options."""
    options = []
    for name, objects in {"docs": OWN_DOCUMENTS, "eval": OWN_SAMPLES}.items():
        path = tmp_path / "own" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(objects))
        options += [f"--{name}_path", str(path)]
    return options


def loaded(folder: Path, cache: Path, split: str = "test") -> Benchmark:
    """The benchmark as load_dataset gives it."""
    datasets = pytest.importorskip("datasets", reason="is not installed: requirements-dev.txt")

    def rows(name: str) -> list[dict[str, Any]]:
        table = datasets.load_dataset(str(folder), name, split=split, cache_dir=str(cache))
        lists = {key for key, value in table.features.items() if isinstance(value, datasets.List)}
        assert lists == ({"context", "kind", "hints"} if name == "samples" else {"repeats"})
        others = [value for key, value in table.features.items() if key not in lists]
        assert {value.dtype for value in others} == {"string"}
        return table.to_list()

    documents = {
        row["id"]: Document(**{**row, "repeats": tuple(row["repeats"])})
        for row in rows("documents")
    }
    samples = [
        Sample(
            **{
                **{key: value for key, value in row.items() if key not in ("variant", "origin")},
                "steps": json.loads(row["steps"]),
                "context": tuple(row["context"]),
                "kind": tuple(row["kind"]),
                "hints": tuple(row["hints"]),
                "expect": json.loads(row["expect"]),
                "facts": read_facts(json.loads(row["facts"])),
            }
        )
        for row in rows("samples")
    ]
    return Benchmark(documents, samples)


def test_load_dataset_gives_the_benchmark(tmp_path: Path) -> None:
    """Each of our sets is a split, of which the card tells the conditions."""
    folder = tmp_path / "new" / "folder"
    assert export(folder) == 0
    names = {f"{kind}-{name}.jsonl" for kind in ("documents", "samples") for name in SETS}
    assert {path.name for path in folder.iterdir()} == {"README.md", *names}
    benchmarks = {name: load_benchmark(*find_set(name)) for name in SETS}
    card = (folder / "README.md").read_text(encoding="utf-8")
    for name in REGISTRY:
        counts = [sum(name in s.expect for s in one.samples) for one in benchmarks.values()]
        assert f"| `{name}` | {' | '.join(map(str, counts))} |" in card
    core, hard = benchmarks.values()
    assert f"| `core` | 100 | 216 | `urzad-1.8-{core.fingerprint()}` |\n" in card
    assert f"| `hard` | 100 | 441 | `urzad-hard-1.8-{hard.fingerprint()}` |\n" in card
    data = DatasetCard.load(folder / "README.md").data
    assert (data.license, data.language, data.size_categories) == ("apache-2.0", ["pl"], ["n<1K"])
    assert {config["config_name"] for config in data["configs"]} == {"samples", "documents"}
    for name, benchmark in benchmarks.items():
        found = loaded(folder, tmp_path, name)
        assert list(found.documents.values()) == list(benchmark.documents.values())
        assert list(found.samples) == list(benchmark.samples)


def test_variants_are_a_split_with_the_documents_that_they_alone_have(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="is not installed: requirements-dev.txt")
    samples = [sample for sample in records(SAMPLES) if sample["id"] in FEW]
    few = write_records(tmp_path / "few.jsonl", samples)
    variants = ["twin", "changed:1"]
    options = ["--eval_path", few, "--variants", f"core,{','.join(variants)}"]
    assert export(tmp_path / "out", *options) == 0
    rows = {
        name: datasets.load_dataset(str(tmp_path / "out"), name, cache_dir=str(tmp_path))
        for name in ("samples", "documents")
    }
    made = rows["samples"]["variants"]
    assert [row["id"] for row in made] == [f"{key}@{name}" for name in variants for key in FEW]
    assert {(row["variant"], row["origin"]) for row in made} == {
        (name, key) for name in variants for key in FEW
    }
    own, others = (
        {row["id"] for row in rows["documents"][split]} for split in ("test", "variants")
    )
    assert others == {key for row in made for key in row["context"]} - own


def test_columns_keep_their_types_where_all_is_empty(tmp_path: Path, own: list[str]) -> None:
    """And where a string looks like a number or a date; the card claims no license for it."""
    assert export(tmp_path / "out", *own) == 0
    found = loaded(tmp_path / "out", tmp_path)
    assert [document.id for document in found.documents.values()] == ["2024-01-01", "7"]
    assert found.documents["2024-01-01"].contents == "a\u2028b"
    assert found.samples == [Sample("1", "?", ("7", "2024-01-01"), {"safe": True})]
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "license" not in card
    assert "written for this project" not in card


def test_overwrite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "samples.jsonl").write_text("precious")
    for more in ((), ("--overwrite",)):
        assert export(tmp_path, *CORE, *more) == 2
        assert "samples.jsonl was not made by this harness and is never" in capsys.readouterr().err
    (tmp_path / "samples.jsonl").unlink()
    (tmp_path / "other").write_text("precious, too")
    assert export(tmp_path, *CORE) == 2
    assert "is not empty; name another folder, or --overwrite" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"other"}
    assert export(tmp_path, *CORE, "--overwrite") == 0
    assert {path.name for path in tmp_path.iterdir()} == WRITTEN | {"other"}
    assert (tmp_path / "other").read_text() == "precious, too"


def test_the_source_is_never_written_over(
    tmp_path: Path, own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "own", *own, "--overwrite") == 2
    assert "holds the data that is to be written" in capsys.readouterr().err
    assert export(DOCUMENTS.parent / "." / "", "--overwrite") == 2
