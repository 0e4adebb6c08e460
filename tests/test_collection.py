"""Plain `pytest` collects every test module of the tree."""

from pathlib import Path

import pytest

from ragifeval.paths import ROOT


class _Recorder:
    """A plugin that notes the modules pytest would import, without importing them."""

    def __init__(self) -> None:
        self.modules: set[Path] = set()

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> object:
        self.modules.add(module_path)
        return _EmptyModule.from_parent(parent, path=module_path)


class _EmptyModule(pytest.Module):
    def collect(self) -> list[pytest.Item]:
        return []


def test_every_test_module_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    recorder = _Recorder()
    pytest.main(["--collect-only", "-q"], plugins=[recorder])
    assert {path for path in recorder.modules if path.name != "__init__.py"} == {
        *(ROOT / "tests").rglob("test_*.py")
    }
