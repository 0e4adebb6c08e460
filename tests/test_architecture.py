"""The rooms of the package import upwards alone, only tests import tests, and all are collected."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragifeval.paths import ROOT

# A room imports from those before it; __init__ and __main__ are the outermost.
ROOMS = (
    *("errors", "paths", "plugins", "extras", "defaults", "languages", "files", "jsonl"),
    *("tables", "text", "statements", "scoring", "benchmark", "generators", "run", "results"),
    *("judge", "build", "cli", "library", "integrations", "__main__"),
)


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it; of a package also the names taken."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_rooms_import_upwards() -> None:
    wrong = []
    for path in (ROOT / "ragifeval").rglob("*.py"):
        room = path.relative_to(ROOT / "ragifeval").parts[0].removesuffix(".py")
        for name in imported(path):
            package, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if package != "ragifeval" or other == "__version__" or room == "__init__":
                continue
            if ROOMS.index(other) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_programs_import_no_tests() -> None:
    programs = [*(ROOT / "ragifeval").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    for path in [*programs, *(ROOT / "tools").rglob("*.py")]:
        assert not [name for name in imported(path) if name.startswith("tests.")], path


class _Recorder:
    def __init__(self) -> None:
        self.files: set[Path] = set()

    def pytest_collect_file(self, file_path: Path) -> None:
        self.files.add(file_path)


def test_every_test_module_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    recorder = _Recorder()
    pytest.main(["--collect-only", "-q", "-p", "no:python"], plugins=[recorder])
    assert recorder.files >= {*(ROOT / "tests").rglob("test_*.py")}
