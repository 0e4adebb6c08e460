"""How fast 1,000 answers are judged by a server that takes 50 ms, 32 of them at once.

    python benchmarks/judge.py

`the judging` is from the first prompt at the server to the last reply in the file of replies;
`the process` is the whole command, with Python's imports, reading the answers and the table.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from common import DATA, Run, parse_options, run, say_where

from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.scripted import write_config

JUDGEMENTS, DELAY, THREADS, ROUNDS = 1_000, 0.05, 32, 5
MOST_RATIO = 1.2
REPLIES = (
    '{"reason": "Zgodna ze wzorcem, ale bez terminu.", "score": 4}',
    '```json\n{"reason": "Pełna.", "score": 5}\n```',
    '{"reason": "Inna kwota.", "score": 2}',
)


class Judge:
    """A script of the server: replies after the delay, and remembers when it was first asked."""

    def __init__(self) -> None:
        self.first = 0.0

    def __call__(self, call: Call) -> Response:
        self.first = self.first or time.time()
        return chat(REPLIES[call.index % len(REPLIES)], delay=DELAY)


def write_answers(path: Path, count: int) -> Path:
    """Write so many answers to the questions of data/, each with a number that tells it apart."""
    lines = (DATA / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    samples = [json.loads(line) for line in lines]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            sample = samples[number % len(samples)]
            record = {key: sample[key] for key in ("question", "reference")}
            record |= {
                "id": f"{sample['id']}-{number}",
                "answer": f"{sample['reference']} {number}",
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


def judge(folder: Path, answers: Path) -> tuple[float, Run]:
    """Judge once; return the seconds of the judging, and the whole process."""
    script = Judge()
    with Loopback(script) as server:
        config = write_config(folder / "judge.json", server.url, THREADS)
        command = [sys.executable, "-m", "ragifeval", "judge", str(answers)]
        command += ["--metrics", "correctness", "--model_config", str(config)]
        process = run([*command, "-o", str(folder / "judged.jsonl"), "--overwrite"])
    return (folder / "judged.replies.jsonl").stat().st_mtime - script.first, process


def main() -> None:
    """Print the figures."""
    smoke = parse_options(__doc__).smoke
    count = 60 if smoke else JUDGEMENTS
    say_where()
    with tempfile.TemporaryDirectory() as name:
        answers = write_answers(Path(name) / "answers.jsonl", count)
        done = [judge(Path(name), answers) for _ in range(1 if smoke else ROUNDS)]
    taken, whole = zip(*done, strict=True)
    seconds, ideal = median(taken), count * DELAY / THREADS
    print(
        f"{count} judgements, {THREADS} threads: the judging {seconds:.2f} s "
        f"({min(taken):.2f} - {max(taken):.2f}), {seconds / ideal:.2f} x the ideal {ideal:.2f} s, "
        f"at most {MOST_RATIO} wanted; the process {median(run.seconds for run in whole):.2f} s, "
        f"{median(run.cpu for run in whole):.2f} s of CPU"
    )


if __name__ == "__main__":
    main()
