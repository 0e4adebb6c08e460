"""How fast `python -m ragifeval score` scores a log, and in how much memory.

    python benchmarks/rescore.py [--answers 20000]

Answers of 200 words, cut from the documents of data/, no two alike; they go to its samples in turn,
as in the logs of many models. Each figure is of the whole command, from start to table, with a new
log written; its start alone is given as well.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

from common import Run, parse_options, run, say_where

from ragifeval import paths
from ragifeval.benchmark.benchmark import load_benchmark

ANSWERS, WORDS = 20_000, 200


def write_log(path: Path, count: int) -> Path:
    """Write a log of so many answers."""
    benchmark = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
    words = " ".join(document.contents for document in benchmark.documents.values()).split()
    pick = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            start = pick.randrange(len(words) - WORDS)
            answer = " ".join(words[start : start + WORDS]) + f" [{number % 4}]"
            key = benchmark.samples[number % len(benchmark.samples)].id
            file.write(json.dumps({"id": key, "answer": answer}, ensure_ascii=False) + "\n")
    return path


def measure(log: Path) -> Run:
    """Score a log, and write a new one."""
    command = [sys.executable, "-m", "ragifeval", "score", str(log)]
    return run([*command, "-o", str(log.with_suffix(".new.jsonl"))])


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__, answers=ANSWERS)
    count = 300 if options.smoke else options.answers
    say_where()
    with tempfile.TemporaryDirectory() as name:
        start = measure(write_log(Path(name) / "start.jsonl", 100))
        print(f"start, and 100 answers: {start.seconds:.1f} s, {start.megabytes:.0f} MB")
        took = measure(write_log(Path(name) / "log.jsonl", count))
        print(
            f"{count} answers of {WORDS} words: {took.seconds:.1f} s, "
            f"{count / took.seconds:.0f} answers/s; {took.megabytes:.0f} MB"
        )


if __name__ == "__main__":
    main()
