"""What benchmarks/ and tools/ use of the package is there; two programs run with tiny sizes."""

import ast
import subprocess
import sys
from importlib import import_module

import pytest

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


# A program and its options -> what it prints.
RUN = {"scoring.py --smoke": "words normalized:", "long_answers.py --smoke": "growth"}


@pytest.mark.parametrize(("command", "printed"), RUN.items(), ids=list(RUN))
def test_runs(command: str, printed: str) -> None:
    program, *options = command.split()
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / program, *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout
