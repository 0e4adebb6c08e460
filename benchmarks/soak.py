"""A long run against a service that fails in every way.

python benchmarks/soak.py [--questions 20000] [--threads 256]

20,000 questions, 256 at once, up to three faults before each answer (those of
tools/testing/faults.py), from a server in a process of its own; then the same questions without
faults. Prints the rate and the memory as they go, and whether everything that can be answered is,
each once, with the same scores.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import resident_megabytes, say_where

from tools.testing.faults import Mixed, is_unanswerable
from tools.testing.loopback import Loopback, Response
from tools.testing.process import Case, answer_to, by_id, finish, make_case, questions

EVERY_SECONDS = 15.0


def main() -> int:
    """Soak; return 1 where something is lost or differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=256)
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, for the test")
    parser.add_argument("--serve", choices=["faults", "none"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.smoke:
        options.questions, options.threads = 60, 16
    if options.serve:
        return serve(options.questions, options.serve == "faults")
    say_where()
    with tempfile.TemporaryDirectory() as folder:
        with_faults = soak(Path(folder, "faults"), options, "faults")
        without = soak(Path(folder, "none"), options, "none")
    same = with_faults == without
    print(f"\nthe same answers and scores with faults and without: {'yes' if same else 'NO'}")
    return 0 if same else 1


def soak(folder: Path, options: argparse.Namespace, faults: str) -> Any:
    """One run; return its records without what faults may change, and its scores."""
    command = [sys.executable, __file__, "--serve", faults, "--questions", str(options.questions)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            patience = {"timeout": 4.0, "max_retries": 9, "sleep_time": 0.05}
            case = make_case(folder, options.questions, url, threads=options.threads, **patience)
            print(f"faults: {faults}")
            run_and_watch(case)
        finally:
            server.kill()
    found = by_id(case.records(), "seconds", "asked", "retries", "error")
    expected = {
        question["id"]: None if is_unanswerable(number) else answer_to(question)
        for number, question in enumerate(case.questions)
    }
    right = sum(found[key]["answer"] == answer for key, answer in expected.items() if key in found)
    print(f"records {len(found)} of {len(expected)}, each once; {right} of them as they must be")
    summary = case.summary()
    return found, summary["scores"], summary["scores_words"]


def run_and_watch(case: Case) -> None:
    """Run the command; print how far it is, how fast, and what it holds."""
    print(f"{'seconds':>8}{'answered':>10}{'a second':>10}{'MB now':>9}{'MB most':>9}")
    with (case.folder / "err.txt").open("wb") as stderr:
        began = time.monotonic()
        process = case.start(stderr=stderr)
        peak, before, then = 0.0, 0, began
        while process.poll() is None:
            deadline = time.monotonic() + EVERY_SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.2)
                try:
                    now_held, peak = resident_megabytes(process.pid, peak)
                except OSError:
                    break
            now, done = time.monotonic(), count_lines(case.log)
            rate = (done - before) / (now - then)
            row = f"{now - began:8.0f}{done:10}{rate:10.0f}{now_held:9.0f}{peak:9.0f}"
            print(row, flush=True)
            before, then = done, now
        finished = finish(process)
    seconds = time.monotonic() - began
    rate = len(case.questions) / seconds
    print(f"exit code {finished.code} after {seconds:.0f} s: {rate:.0f} questions a second")


def count_lines(path: Path) -> int:
    """The lines of a file, which need not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def serve(count: int, has_faults: bool) -> int:
    """The server: prints its URL, and serves until it is killed."""
    with Loopback(lambda call: Response(b"")) as elsewhere:
        script = Mixed(elsewhere.url if has_faults else None)
        script.questions = questions(count)
        with Loopback(script) as server:
            print(server.url, flush=True)
            while True:
                time.sleep(1.0)
                server.calls.clear()  # they hold the prompts


if __name__ == "__main__":
    sys.exit(main())
