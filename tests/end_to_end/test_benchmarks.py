"""What benchmarks/ and tools/ use of the package is there; one program runs with tiny sizes."""

import ast
import subprocess
import sys
from importlib import import_module

from ragifeval.paths import ROOT

PROGRAMS = [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]


def test_what_they_import_exists() -> None:
    assert len(PROGRAMS) > 20
    for path in PROGRAMS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("ragifeval"):
                module = import_module(str(node.module))
                for alias in node.names:
                    if not hasattr(module, alias.name):
                        import_module(f"{node.module}.{alias.name}")


def test_one_runs() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "scoring.py", "--smoke"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "words normalized:" in done.stdout
