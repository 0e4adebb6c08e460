"""The programs in benchmarks/ run: with tiny sizes, which measure nothing."""

import subprocess
import sys

import pytest

from ragifeval.paths import ROOT

# A program and its options -> what it prints.
PROGRAMS = {
    "server.py --smoke": "128 connections:",
    "start.py --smoke": "100 questions:",
    "remote.py --smoke": "59 of the 59 others were in the log before it",
    "memory.py --smoke": "300 samples: peak",
    "scoring.py --smoke": "words normalized:",
    "peers.py --smoke": "lm_eval",
    "judge.py --smoke": "judgements, 32 threads",
    "build.py --smoke": "40 chunks, 200 requests, 32 threads",
    "rescore.py --answers 200": "ratio",
    "compare_many.py --logs 3 --records 20": "ratio",
    "report_size.py --smoke": "",
    "soak.py --smoke": "the same answers and scores with faults and without: yes",
    "long_answers.py --smoke": "growth",
    "local.py --batch_sizes 2 --rounds 1 --prompts 4": "batch size 2: 4 of 4 answers are the same",
    "batch_invariance.py --batch_sizes 2 --dtypes float32 --prompts 2": "this harness      0",
    "lemma_table.py": "running text",
    "fuzz.py --minutes 0.02": "",
}


@pytest.mark.parametrize(("command", "printed"), PROGRAMS.items(), ids=list(PROGRAMS))
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
