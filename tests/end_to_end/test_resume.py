"""eval_remote.py killed again and again: started with the same command, it goes on."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import Case, answer_to, by_id, finish, make_case, number_of

COUNT, KILLS, THREADS = 180, 5, 8
# More than so many questions no killed start has answered, however slow the killing is.
MOST = 30
OPTIONS = ("--shuffle_context", "--seed", "3")
TORN = "out.jsonl: the last line was cut off and is dropped\n"


class Server:
    """Answers, counts, and kills the process that asks at the moment it is told to."""

    def __init__(self) -> None:
        self.questions: Sequence[Mapping[str, Any]] = ()
        self.asked: list[int] = []
        self.process: subprocess.Popen[bytes] | None = None
        self.kill_at = 0
        self.most = COUNT

    def __call__(self, call: Call) -> Response:
        self.asked.append(number_of(call.prompt))
        if self.process is not None and len(self.asked) == self.kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
        number = self.asked[-1]
        delay = number % 7 * 0.005 if len(self.asked) <= self.most else 10_000.0
        return chat(answer_to(self.questions[number]), delay=delay)


def tear(log: Path, moments: random.Random) -> None:
    """Cut the last line as a switched-off machine might: in the middle, or with zeros behind."""
    lines = log.read_bytes().splitlines(keepends=True) if log.exists() else []
    if lines:
        left = lines[-1][: moments.randint(1, len(lines[-1]) - 1)]
        log.write_bytes(b"".join(lines[:-1]) + left + b"\0" * moments.choice([0, 50]))


def told(case: Case) -> dict[str, Any]:
    """The summary without what the machine and the moment decide."""
    summary = case.summary()
    del summary["date"]
    performance = summary.pop("performance")
    return {
        **summary,
        "tokens": [performance[f"{kind}_tokens"] for kind in ("prompt", "completion")],
    }


def test_killed_again_and_again(tmp_path: Path) -> None:
    moments, server = random.Random(6), Server()
    torn, asking, befores = 0, 0, set[int]()
    with Loopback(server) as loopback:
        case, whole = (
            make_case(tmp_path / name, COUNT, loopback.url, threads=THREADS)
            for name in ("killed", "whole")
        )
        server.questions = case.questions
        uninterrupted = whole.call(*OPTIONS)
        for number in range(KILLS + 1):
            if number % 3 == 2:
                tear(case.log, moments)
            is_torn = case.log.exists() and case.log.read_bytes()[-1:] not in (b"", b"\n")
            before = case.answered()
            server.asked.clear()
            # But for the first while it asks, that one at any moment.
            server.kill_at = moments.randint(1, 27) if 0 < number < KILLS else 0
            server.most = MOST if number < KILLS else COUNT
            server.process = process = case.start(*OPTIONS)
            if not server.kill_at and number < KILLS:
                time.sleep(moments.uniform(0.0, 2.5))
                process.kill()
            run = finish(process)
            assert run.code == (-signal.SIGKILL if number < KILLS else 0), run.err
            assert "Traceback" not in run.err
            # No answered question is asked again.
            assert before.isdisjoint(case.questions[place]["id"] for place in server.asked)
            if server.asked:  # it came so far as to read the log
                assert (TORN in run.err) == is_torn
            torn += is_torn
            asking += bool(server.asked)
            befores.add(len(before))
    # In the midst of the questions, and before any was asked.
    assert torn >= 2
    assert asking > 3
    assert len(befores) >= 3
    assert f"out.jsonl: {len(before)} answers are already there\n" in run.err
    # Answers and scores equal those of an uninterrupted run.
    assert f"m: {COUNT} of {COUNT} samples answered" in run.out
    assert run.out == uninterrupted.out
    one, two = (by_id(each.records(), "seconds", "asked") for each in (case, whole))
    assert one == two
    assert len(one) == COUNT
    assert told(case) == told(whole)
