"""Plain `pytest` collects every test module of the tree."""

from pathlib import Path

import pytest

from ragifeval.paths import ROOT


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
