"""How long a short run takes: --help, and 100 questions to a server that answers at once.

    python benchmarks/start.py

The yardstick is `python -c "import openai, spacy"`. Commands take turns, so that what else the
machine does meets all alike; figures are medians of wall time.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

from common import REMOTE, Server, parse_options, run, say_where

from tools.testing.scripted import write_config

ROUNDS = 9
MOST_HELP, MOST_RATIO = 0.3, 1.6


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    say_where()
    with tempfile.TemporaryDirectory() as name, Server() as server:
        folder = Path(name)
        configs = {n: write_config(folder / f"{n}.json", server.api_base, n) for n in (1, 16)}
        ask = [*REMOTE, "--log_path", str(folder / "log.jsonl"), "--overwrite"]
        ask += ["--limit", "3"] if options.smoke else []
        commands = {
            'python -c "import openai, spacy"': [sys.executable, "-c", "import openai, spacy"],
            "eval_remote.py --help": [*REMOTE, "--help"],
            "eval_remote.py, 16 threads": [*ask, "--model_config", str(configs[16])],
            "eval_remote.py, 1 thread": [*ask, "--model_config", str(configs[1])],
        }
        seconds: dict[str, list[float]] = {what: [] for what in commands}
        cpu: dict[str, list[float]] = {what: [] for what in commands}
        for _ in range(1 if options.smoke else ROUNDS):
            for what, command in commands.items():
                done = run(command)
                seconds[what].append(done.seconds)
                cpu[what].append(done.cpu)
    yardstick, helped, asked, _ = (median(taken) for taken in seconds.values())
    for what, taken in seconds.items():
        print(
            f"{what:34}{median(taken):6.2f} s ({min(taken):.2f} - {max(taken):.2f}), "
            f"{median(cpu[what]):5.2f} s of CPU, ratio {median(taken) / yardstick:.2f}"
        )
    print(f"\n--help: {helped:.2f} s, at most {MOST_HELP} are wanted")
    print(f"100 questions: {asked / yardstick:.2f} times the imports, at most {MOST_RATIO} wanted")


if __name__ == "__main__":
    main()
