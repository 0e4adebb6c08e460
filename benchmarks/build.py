"""How fast 1,000 chunks become samples by a server that takes 50 ms, 32 requests at once.

    python benchmarks/build.py

Each chunk is a file of its own: one question, three critics, one proposal of phrases. `the asking`
is from the first prompt at the server to the last reply in the files of replies, all stages with
what lies between them; `the process` is the whole command, with reading, cutting and the samples.
"""

import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from common import Run, parse_options, run, say_where

from ragifeval import paths
from ragifeval.benchmark.benchmark import load_benchmark
from tools.testing.facts import FactModel, text_of
from tools.testing.loopback import Call, Loopback, Response
from tools.testing.scripted import write_config

CHUNKS, DELAY, THREADS, ROUNDS = 1_000, 0.05, 32, 3
REQUESTS_A_CHUNK = 5
WORDS = 200
MOST_RATIO = 1.2
FIRST = 1000


class TimedModel(FactModel):
    """Knows when it was first asked."""

    first = 0.0

    def __call__(self, call: Call) -> Response:
        self.first = self.first or time.time()
        return super().__call__(call)


def write_files(folder: Path, count: int) -> Path:
    """Write so many texts of one fact each, amid words that are different ones everywhere."""
    benchmark = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
    words = " ".join(document.contents for document in benchmark.documents.values()).split()
    pick = random.Random(0)
    folder.mkdir()
    for number in range(FIRST, FIRST + count):
        pick.shuffle(words)
        text = f"{text_of(number)} {' '.join(words[:WORDS])}."
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def build(folder: Path, files: Path) -> tuple[float, int, Run]:
    """Build once; return the seconds of the asking, how much was asked, and the whole process."""
    script = TimedModel(delay=DELAY)
    out = folder / "out"
    with Loopback(script) as server:
        config = write_config(folder / "model.json", server.url, THREADS)
        command = [sys.executable, "-m", "ragifeval", "build", str(files), "-o", str(out)]
        command += ["--model_config", str(config), "--overwrite"]
        process = run(command)
    last = max(path.stat().st_mtime for path in (out / "work").glob("*.replies.jsonl"))
    return last - script.first, script.asked.total(), process


def main() -> None:
    """Print the figures."""
    smoke = parse_options(__doc__).smoke
    count = 40 if smoke else CHUNKS
    say_where()
    with tempfile.TemporaryDirectory() as name:
        files = write_files(Path(name) / "files", count)
        done = [build(Path(name), files) for _ in range(1 if smoke else ROUNDS)]
    taken, requests, whole = zip(*done, strict=True)
    seconds, ideal = median(taken), requests[0] * DELAY / THREADS
    print(
        f"{count} chunks, {requests[0]} requests, {THREADS} threads: the asking {seconds:.2f} s "
        f"({min(taken):.2f} - {max(taken):.2f}), {seconds / ideal:.2f} x the ideal {ideal:.2f} s, "
        f"at most {MOST_RATIO} wanted; the process {median(run.seconds for run in whole):.2f} s, "
        f"{median(run.cpu for run in whole):.2f} s of CPU, "
        f"{max(run.megabytes for run in whole):.0f} MB"
    )
    if requests[0] != count * REQUESTS_A_CHUNK:
        print(f"expected {count * REQUESTS_A_CHUNK} requests: some replies were not read")


if __name__ == "__main__":
    main()
