"""The memory of eval_remote.py over 100,000 samples, by how many it has answered.

    python benchmarks/memory.py

The samples are those of data/ a thousand times, each with texts of its own in memory; the server
answers at once. What the process holds at its start, without one sample, is told as well; and what
eval_local.py holds at most with a baseline over variants.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import (
    REMOTE,
    ROOT,
    Server,
    parse_options,
    resident_megabytes,
    run,
    say_where,
    write_samples,
)

from tools.testing.scripted import write_config

SAMPLES, THREADS = 100_000, 64
MOST_MEGABYTES = 400
PARTS = 10
LOCAL = [sys.executable, str(ROOT / "eval_local.py"), "--model", "baseline/extractive"]
VARIANTS = {
    "core": "core",
    "13 variants": "core,twin,noise:64,"
    + ",".join(f"{kind}:{seed}" for kind in ("order", "changed") for seed in range(1, 6)),
    **{
        f"core and {count} seeds of changed": ",".join(
            ["core", *(f"changed:{seed}" for seed in range(1, count + 1))]
        )
        for count in (20, 40, 60)
    },
}


def measure(folder: Path, count: int) -> tuple[list[tuple[int, float]], float, float]:
    """Run once; return (answers, megabytes) over the run, the peak, and the seconds it took."""
    samples = write_samples(folder / f"samples-{count}.jsonl", count)
    seen: list[tuple[int, float]] = []
    with Server() as server:
        config = write_config(folder / "config.json", server.api_base, THREADS)
        command = [*REMOTE, "--model_config", str(config), "--eval_path", str(samples)]
        command += ["--log_path", str(folder / f"log-{count}.jsonl")]
        began = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        assert process.stderr is not None
        # The progress bar has to be read, or it fills the pipe; and it ends with the process.
        peak = 0.0
        while process.stderr.read1():
            now, peak = resident_megabytes(process.pid, peak)
            answers = server.stats()["answers"]
            if now and answers > len(seen) * count // PARTS:
                seen.append((answers, now))
            time.sleep(0.05)
        if process.wait():
            raise SystemExit(f"eval_remote.py ended with {process.returncode}")
        return seen, peak, time.monotonic() - began


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    count = 300 if options.smoke else SAMPLES
    say_where()
    with tempfile.TemporaryDirectory() as name:
        _, few, _ = measure(Path(name), 100)
        print(f"100 samples: peak {few:.0f} MB")
        seen, peak, seconds = measure(Path(name), count)
    for answers, megabytes in seen:
        print(f"{answers:8,} of {count:,} answered: {megabytes:6.0f} MB")
    print(
        f"{count:,} samples: peak {peak:.0f} MB, {count / seconds:,.0f} a second from start to "
        f"table; at most {MOST_MEGABYTES} MB are wanted"
    )
    held = [megabytes for answers, megabytes in seen if answers >= count / PARTS]
    if held:
        print(f"from a tenth of the answers on it grew by {held[-1] - held[0]:.0f} MB")
    print(f"a sample takes {(peak - few) / count * 1e3:.2f} KB")
    limit = ["--limit", "2"] if options.smoke else []
    for what, variants in VARIANTS.items():
        local = run([*LOCAL, "--variants", variants, *limit])
        print(f"{what}: peak {local.megabytes:.0f} MB, {local.seconds:.1f} s")


if __name__ == "__main__":
    main()
