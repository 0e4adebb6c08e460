"""The memory and the speed of 100,000 requests written to a batch file, and taken in again.

    python benchmarks/batch_files.py

The questions are those of data/, each asked a thousand times (--repeats), beside the same once.
"""

import json
import sys
import tempfile
from pathlib import Path

from common import REMOTE, parse_options, run, say_where

REPEATS = 1000


def measure(folder: Path, repeats: int) -> None:
    """Write the requests, answer them, take the answers in; print seconds and peaks."""
    config, sent, taken = (folder / f"{repeats}.{name}" for name in ("json", "jsonl", "a.jsonl"))
    settings = {"model": "m", "api_base": "http://127.0.0.1:9/v1", "temperature": 0.7}
    config.write_text(json.dumps(settings))
    command = [*REMOTE, "--model_config", str(config), "--repeats", str(repeats)]
    took = run([*command, "--batch_file", str(sent)])
    message = {"role": "assistant", "content": "Opłata wynosi 17 zł [0]."}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    count = 0
    with sent.open(encoding="utf-8") as requests, taken.open("w", encoding="utf-8") as file:
        for line in requests:
            key = json.loads(line)["custom_id"]
            row = {"custom_id": key, "response": {"status_code": 200, "body": body}, "error": None}
            file.write(json.dumps(row) + "\n")
            count += 1
    size = sent.stat().st_size / 1e6
    cost = f"{took.seconds:6.1f} s, peak {took.megabytes:4.0f} MB"
    print(f"{count:8,} requests written: {cost}, {size:,.0f} MB")
    score = [sys.executable, "-m", "ragifeval", "score", "--batch_file", str(sent)]
    score += ["--batch_output", str(taken), "-o", str(folder / f"log-{repeats}.jsonl")]
    took = run(score)
    cost = f"{took.seconds:6.1f} s, peak {took.megabytes:4.0f} MB"
    print(f"{count:8,} responses scored: {cost}", flush=True)


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    say_where()
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name), 1)
        measure(Path(name), 3 if options.smoke else REPEATS)


if __name__ == "__main__":
    main()
