"""How long `python -m ragifeval compare` takes for many logs.

    python benchmarks/compare_many.py [--logs 1000] [--records 100]

The logs are made from one of baseline/extractive, with scores of some samples changed at random.
The ratio is to scipy.stats called once a pair, on ten pairs: a permutation test and a bootstrap of
as many draws, of the total alone (the command does all eight measures).
"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import parse_options, run, say_where
from scipy import stats

from ragifeval.scoring.conditions import counted

LOGS, RECORDS = 1_000, 100
DRAWS, PAIRS = 10_000, 10


def write_logs(folder: Path, count: int, size: int) -> list[Path]:
    """Write so many logs of so many records each."""
    source = folder / "source.jsonl"
    run([sys.executable, "eval_local.py", "--log_path", str(source)])
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    pick = random.Random(0)
    paths = []
    for number in range(count):
        worse = pick.random()
        path = folder / f"log-{number:04}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for place in range(size):
                record = dict(records[place % len(records)])
                record["id"] += f"-{place // len(records)}"
                record["signature"] = record["signature"].replace("model:", f"model:{number}/")
                scores = dict(record["scores"])
                for key in counted().keys() & scores.keys():
                    if pick.random() < worse:
                        scores[key] = float(pick.randrange(2))
                file.write(json.dumps(record | {"scores": scores}, ensure_ascii=False) + "\n")
        paths.append(path)
    return paths


def totals(path: Path) -> "tuple[np.ndarray, np.ndarray]":
    """For each sample of a log, the sum of its scores and how many they are."""
    rows = [json.loads(line)["scores"] for line in path.read_text(encoding="utf-8").splitlines()]
    values = [[row[key] for key in counted() if key in row] for row in rows]
    return np.array([sum(row) for row in values]), np.array([len(row) for row in values])


def with_scipy(first: Path, other: Path) -> None:
    """The same for the total of one pair, by scipy."""
    (one, counts), (two, _) = totals(first), totals(other)
    difference = two - one
    generator = np.random.default_rng(0)
    stats.permutation_test(
        (difference,),
        lambda values, axis: values.sum(axis=axis),
        permutation_type="samples",
        n_resamples=DRAWS,
        rng=generator,
    )
    stats.bootstrap(
        (difference, counts),
        lambda values, counts, axis: values.sum(axis=axis) / counts.sum(axis=axis),
        paired=True,
        n_resamples=DRAWS,
        method="percentile",
        rng=generator,
    )


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__, logs=LOGS, records=RECORDS)
    logs, records = (5, 20) if options.smoke else (options.logs, options.records)
    say_where()
    with tempfile.TemporaryDirectory() as name:
        paths = write_logs(Path(name), logs, records)
        took = run([sys.executable, "-m", "ragifeval", "compare", *map(str, paths)])
        print(
            f"{logs} logs of {records} records: {took.seconds:.1f} s, {took.cpu:.1f} s of CPU, "
            f"{took.megabytes:.0f} MB"
        )
        began = time.monotonic()
        for path in paths[1 : PAIRS + 1]:
            with_scipy(paths[0], path)
        pair = (time.monotonic() - began) / len(paths[1 : PAIRS + 1])
        expected = pair * (logs - 1)
        print(
            f"scipy, once a pair: {pair:.3f} s a pair, {expected:.0f} s for all; "
            f"ratio {expected / took.seconds:.0f}"
        )


if __name__ == "__main__":
    main()
