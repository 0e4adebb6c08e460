"""eval_remote.py killed again and again: started with the same command, it goes on."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import Case, Finished, answer_to, by_id, finish, make_case, number_of

COUNT, KILLS, THREADS = 180, 5, 8
# More than so many questions no killed start has answered, however slow the killing is.
MOST = 30
OPTIONS = ("--shuffle_context", "--seed", "3")


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


@dataclass
class Start:
    """One start of the command, and its end."""

    before: set[str]  # the ids of the answers in the log
    torn: bool  # whether the log's last line was
    asked: set[str]  # the ids that the server was asked for
    run: Finished


@dataclass
class History:
    """A run killed several times, and the same one uninterrupted."""

    case: Case
    starts: list[Start]
    whole: Case
    whole_run: Finished


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    moments, starts = random.Random(6), []
    server = Server()
    with Loopback(server) as loopback:
        case, whole = (
            make_case(tmp_path_factory.mktemp(name), COUNT, loopback.url, threads=THREADS)
            for name in ("killed", "whole")
        )
        server.questions = case.questions
        whole_run = whole.call(*OPTIONS)
        for number in range(KILLS + 1):
            if number % 3 == 2:
                tear(case.log, moments)
            torn = case.log.exists() and case.log.read_bytes()[-1:] not in (b"", b"\n")
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
            asked = {str(case.questions[number]["id"]) for number in server.asked}
            starts.append(Start(before, torn, asked, run))
    return History(case, starts, whole, whole_run)


def tear(log: Path, moments: random.Random) -> None:
    """Cut the last line as a switched-off machine might: in the middle, or with zeros behind."""
    lines = log.read_bytes().splitlines(keepends=True) if log.exists() else []
    if lines:
        left = lines[-1][: moments.randint(1, len(lines[-1]) - 1)]
        log.write_bytes(b"".join(lines[:-1]) + left + b"\0" * moments.choice([0, 50]))


class TestKilledAgainAndAgain:
    def test_it_was(self, history: History) -> None:
        killed = [start for start in history.starts if start.run.code == -signal.SIGKILL]
        assert len(killed) == KILLS
        assert sum(start.torn for start in history.starts) >= 2
        # In the midst of the questions, and before any was asked.
        assert sum(bool(start.asked) for start in killed) >= 3
        assert len({len(start.before) for start in history.starts}) >= 3

    def test_answers_and_scores_equal_those_of_an_uninterrupted_run(self, history: History) -> None:
        last = history.starts[-1].run
        assert last.code == 0, last.err
        assert f"m: {COUNT} of {COUNT} samples answered" in last.out
        assert last.out == history.whole_run.out
        one, two = (
            by_id(case.records(), "seconds", "asked") for case in (history.case, history.whole)
        )
        assert one == two
        assert len(one) == COUNT
        killed, whole = history.case.summary(), history.whole.summary()
        for summary in (killed, whole):
            del summary["date"]
            performance = summary.pop("performance")
            summary["tokens"] = [performance[f"{name}_tokens"] for name in ("prompt", "completion")]
        assert killed == whole

    def test_no_answered_question_is_asked_again(self, history: History) -> None:
        for start in history.starts:
            assert not start.asked & start.before
            assert "Traceback" not in start.run.err
        last = history.starts[-1]
        assert f"out.jsonl: {len(last.before)} answers are already there\n" in last.run.err

    def test_a_torn_line_is_dropped_and_said(self, history: History) -> None:
        line = "out.jsonl: the last line was cut off and is dropped\n"
        for start in history.starts:
            if start.asked:  # it came so far as to read the log
                assert (line in start.run.err) == start.torn
