"""How fast 1,000 questions are answered by a server that takes 50 ms, one of them 5 s.

    python benchmarks/remote.py

`the run` is from the first question at the server to the last record in the log: what is added to
the model's own time. `the process` is the whole command, with Python's imports, reading the data
and the table at the end. The best of several runs is shown: whatever else the machine does only
takes time.
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median

import aiohttp
from common import REMOTE, Run, Server, parse_options, run, say_where, write_samples

from ragifeval.integrations.evaluation import prepare
from tools.testing.scripted import write_config

QUESTIONS, DELAY = 1_000, 0.05
# Threads -> how often it is measured.
ROUNDS = {1: 1, 16: 7, 128: 7}
MOST_RATIO, LEAST_RATE = 1.25, 600
SLOW_SECONDS = 5.0


def ask(folder: Path, samples: Path, server: Server, threads: int) -> tuple[float, Run, Path]:
    """Run eval_remote.py; return the seconds of the run, the whole process, and the log."""
    config = write_config(folder / f"{threads}.json", server.api_base, threads)
    log = folder / "log.jsonl"
    server.reset()
    command = [*REMOTE, "--model_config", str(config), "--eval_path", str(samples)]
    process = run([*command, "--log_path", str(log), "--overwrite"])
    return log.stat().st_mtime - server.stats()["first"], process, log


def measure_threads(folder: Path, samples: Path, count: int, rounds: dict[int, int]) -> None:
    """Print a line for each number of threads, and what was wanted."""
    wanted = []
    with Server("--delay", str(DELAY)) as server:
        for threads, times in rounds.items():
            taken, whole, _ = zip(
                *(ask(folder, samples, server, threads) for _ in range(times)), strict=True
            )
            seconds, ideal = min(taken), count * DELAY / threads
            print(
                f"{threads:4} threads: the run {seconds:6.2f} s (median {median(taken):.2f}), "
                f"{seconds / ideal:5.2f} x the ideal {ideal:.2f} s, {count / seconds:5.0f} "
                f"requests/s; the process {min(run.seconds for run in whole):6.2f} s, "
                f"{min(run.cpu for run in whole):5.2f} s of CPU",
                flush=True,
            )
            if threads == 16:
                wanted.append(f"16 threads: {seconds / ideal:.2f}, at most {MOST_RATIO} wanted")
            if threads == 128:
                wanted.append(
                    f"128 threads: {count / seconds:.0f} requests/s, at least {LEAST_RATE} wanted"
                )
    print("\n" + "\n".join(wanted))


async def ask_bare(url: str, bodies: list[bytes], threads: int) -> float:
    """The seconds in which aiohttp alone posts these bodies, so many at once."""
    left = iter(bodies)
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(headers=headers) as session:

        async def work() -> None:
            for body in left:
                async with session.post(url, data=body) as response:
                    await response.json()

        began = time.monotonic()
        await asyncio.gather(*(work() for _ in range(threads)))
        return time.monotonic() - began


def measure_bare(samples: Path, count: int, rounds: int) -> None:
    """Print what a client takes that renders no prompt, scores no answer and keeps no log."""
    bodies = []
    task = prepare(eval_path=samples).task
    for sample in task.samples:
        prompt = task.request(sample).prompt
        messages = [{"role": m.role, "content": m.content} for m in prompt.messages]
        bodies.append(json.dumps({"model": "m", "messages": messages}).encode())
    with Server("--delay", str(DELAY)) as server:
        url = f"{server.api_base}/chat/completions"
        taken = [asyncio.run(ask_bare(url, bodies, 16)) for _ in range(rounds)]
    print(f"aiohttp alone, 16 at once: {median(taken) / (count * DELAY / 16):.2f} x the ideal")


def measure_slow(folder: Path, samples: Path, count: int, slow_seconds: float) -> None:
    """Print what one slow answer costs the others."""
    slow = ["--slow_request", str(count // 10), "--slow_seconds", str(slow_seconds)]
    with Server("--delay", str(DELAY), *slow) as server:
        seconds, _, log = ask(folder, samples, server, 16)
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    place = [record["seconds"] > slow_seconds - 0.1 for record in records].index(True)
    print(
        f"one question of {slow_seconds:g} s, asked after {count // 10} others, 16 threads: the "
        f"run {seconds:.2f} s; {place} of the {count - 1} others were in the log before it"
    )


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    count = 60 if options.smoke else QUESTIONS
    say_where()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = write_samples(folder / "samples.jsonl", count)
        measure_threads(folder, samples, count, {16: 1} if options.smoke else ROUNDS)
        measure_bare(samples, count, 1 if options.smoke else ROUNDS[16])
        measure_slow(folder, samples, count, 1.0 if options.smoke else SLOW_SECONDS)


if __name__ == "__main__":
    main()
