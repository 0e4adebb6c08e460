"""eval_remote.py killed again and again: started with the same command, it goes on."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import (
    Case,
    Finished,
    answer_to,
    by_id,
    finish,
    make_case,
    number_of,
)

COUNT, KILLS, THREADS = 180, 5, 8
# More than so many questions no killed start has answered, however slow the killing is.
MOST = 30
OPTIONS = ("--shuffle_context", "--seed", "3")


class Server:
    """Answers, counts, and kills the process that asks at the moment it is told to."""

    def __init__(self) -> None:
        self.questions: Sequence[dict[str, object]] = ()
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
    """One start of the command, and its end.

    Attributes:
        before: the ids of the answers in the log before it.
        torn: whether the log's last line was torn before it.
        asked: the ids that the server was asked for.
    """

    before: set[str]
    torn: bool
    asked: set[str]
    run: Finished


@dataclass
class History:
    case: Case
    starts: list[Start] = field(default_factory=list)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    moments = random.Random(6)
    server = Server()
    with Loopback(server) as loopback:
        case = make_case(tmp_path_factory.mktemp("killed"), COUNT, loopback.url, threads=THREADS)
        server.questions = case.questions  # type: ignore[assignment]
        history = History(case)
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
            history.starts.append(Start(before, torn, asked, run))
    return history


def tear(log: Path, moments: random.Random) -> None:
    """Cut the last line as a switched-off machine might: in the middle, or with zeros behind."""
    lines = log.read_bytes().splitlines(keepends=True) if log.exists() else []
    if lines:
        left = lines[-1][: moments.randint(1, len(lines[-1]) - 1)]
        log.write_bytes(b"".join(lines[:-1]) + left + b"\0" * moments.choice([0, 50]))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, Finished]:
    server = Server()
    with Loopback(server) as loopback:
        case = make_case(tmp_path_factory.mktemp("whole"), COUNT, loopback.url, threads=THREADS)
        server.questions = case.questions  # type: ignore[assignment]
        return case, case.call(*OPTIONS)


class TestKilledAgainAndAgain:
    def test_it_was(self, history: History) -> None:
        killed = [start for start in history.starts if start.run.code == -signal.SIGKILL]
        assert len(killed) == KILLS
        assert sum(start.torn for start in history.starts) >= 2
        # In the midst of the questions, and before any was asked.
        assert sum(bool(start.asked) for start in killed) >= 3
        assert len({len(start.before) for start in history.starts}) >= 3

    def test_the_last_start_ends_well(self, history: History) -> None:
        last = history.starts[-1].run
        assert last.code == 0, last.err
        assert f"m: {COUNT} of {COUNT} samples answered" in last.out

    def test_the_answers_equal_those_of_an_uninterrupted_run(
        self, history: History, uninterrupted: tuple[Case, Finished]
    ) -> None:
        killed = by_id(history.case.records(), "seconds", "asked")
        assert killed == by_id(uninterrupted[0].records(), "seconds", "asked")
        assert len(killed) == COUNT

    def test_the_scores_equal_those_of_an_uninterrupted_run(
        self, history: History, uninterrupted: tuple[Case, Finished]
    ) -> None:
        assert history.starts[-1].run.out == uninterrupted[1].out
        killed, whole = history.case.summary(), uninterrupted[0].summary()
        for key in ("model_config", "date"):  # another port, another moment
            del killed[key], whole[key]
        seconds, others = killed.pop("performance"), whole.pop("performance")
        assert killed == whole
        for tokens in ("prompt_tokens", "completion_tokens"):
            assert seconds[tokens] == others[tokens]

    def test_no_answered_question_is_asked_again(self, history: History) -> None:
        for start in history.starts:
            assert not start.asked & start.before

    def test_it_says_what_is_there(self, history: History) -> None:
        last = history.starts[-1]
        assert f"out.jsonl: {len(last.before)} answers are already there\n" in last.run.err
        for start in history.starts:
            assert "Traceback" not in start.run.err

    def test_a_torn_line_is_dropped_and_said(self, history: History) -> None:
        line = "out.jsonl: the last line was cut off and is dropped\n"
        for start in history.starts:
            if start.asked:  # it came so far as to read the log
                assert (line in start.run.err) == start.torn
