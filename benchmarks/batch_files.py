"""The memory and the speed of 100,000 requests written to a batch file, and taken in again.

    python benchmarks/batch_files.py

The samples are those of data/ a thousand times, each with texts of its own in memory: the figure
for few requests tells what the process holds without them, the last line what a sample takes.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import REMOTE, parse_options, say_where, write_samples

SAMPLES = 100_000
_LIMITED = """
import resource, runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def run(command: list[str]) -> tuple[float, float]:
    """Run a program; return its seconds and its peak in megabytes."""
    began = time.monotonic()
    done = subprocess.run(
        [command[0], "-c", _LIMITED, *command[1:]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return time.monotonic() - began, int(done.stderr.splitlines()[-1]) / 1024


def measure(folder: Path, count: int) -> float:
    """Write the requests, answer them, take the answers in; return the first peak."""
    samples = write_samples(folder / f"samples-{count}.jsonl", count)
    config, sent, taken = (folder / f"{count}.{name}" for name in ("json", "jsonl", "a.jsonl"))
    config.write_text(json.dumps({"model": "m", "api_base": "http://127.0.0.1:9/v1"}))
    command = [*REMOTE, "--model_config", str(config), "--eval_path", str(samples)]
    seconds, peak = run([*command, "--batch_file", str(sent)])
    size = sent.stat().st_size / 1e6
    print(
        f"{count:8,} requests written: {seconds:7.1f} s, peak {peak:5.0f} MB, file {size:,.0f} MB"
    )
    message = {"role": "assistant", "content": "Opłata wynosi 17 zł [0]."}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    with sent.open(encoding="utf-8") as requests, taken.open("w", encoding="utf-8") as file:
        for line in requests:
            key = json.loads(line)["custom_id"]
            row = {"custom_id": key, "response": {"status_code": 200, "body": body}, "error": None}
            file.write(json.dumps(row) + "\n")
    score = [sys.executable, str(Path(__file__).parent.parent / "ragifeval" / "__main__.py")]
    score += ["score", "--batch_file", str(sent), "--batch_output", str(taken)]
    seconds, last = run([*score, "-o", str(folder / f"log-{count}.jsonl")])
    print(f"{count:8,} responses scored: {seconds:7.1f} s, peak {last:5.0f} MB", flush=True)
    return peak


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    count = 300 if options.smoke else SAMPLES
    say_where()
    with tempfile.TemporaryDirectory() as name:
        few = measure(Path(name), 100)
        many = measure(Path(name), count)
    print(
        f"a request that is written takes {(many - few) / count * 1e3:.2f} KB, its sample included"
    )


if __name__ == "__main__":
    main()
