"""Ctrl-C: once, and what is in flight is waited for; twice, and nothing is."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tools.testing.loopback import Call, Loopback, Response, chat, failure
from tools.testing.process import Case, by_id, finish, make_case, wait_until

COUNT, THREADS = 60, 8
WAITING = "Waiting for the answers in flight; Ctrl-C again stops at once."


@contextmanager
def in_flight(
    folder: Path, count: int = COUNT, delay: float = 1.5, **how: Any
) -> Iterator[tuple[Case, "subprocess.Popen[bytes]", Loopback]]:
    """A run of which eight answers are there and eight questions are under way."""

    def script(call: Call) -> Response:
        return chat("Tak.", delay=0.0 if call.index < THREADS else delay)

    with Loopback(script) as server:
        case = make_case(folder, count, server.url, threads=THREADS)
        process = case.start(**how)
        wait_until(lambda: len(server.calls) == 2 * THREADS, process)
        yield case, process, server


def assert_partial(case: Case, answered: int) -> None:
    assert len(by_id(case.records())) == len(case.answered()) == answered
    assert (case.summary()["status"], case.summary()["answered"]) == ("partial", answered)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_in_flight_is_kept_and_the_same_command_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    with in_flight(tmp_path) as (case, process, server):
        process.send_signal(number)
        run = finish(process)
    assert run.code == 130
    assert "Traceback" not in run.err
    # Nothing was asked after it, and all that was asked is there.
    assert len(server.calls) == 2 * THREADS
    assert_partial(case, 2 * THREADS)
    with Loopback(lambda call: chat("Tak.")) as server:
        again = make_case(tmp_path, COUNT, server.url, threads=THREADS).call()
    assert again.code == 0
    assert f"{2 * THREADS} answers are already there" in again.err
    assert len(by_id(case.records())) == COUNT
    assert case.summary()["status"] == "complete"


def test_under_nohup_a_terminal_that_is_closed_ends_nothing(tmp_path: Path) -> None:
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    with in_flight(tmp_path, 4 * THREADS, 0.5, **ignoring) as (case, process, _):
        process.send_signal(signal.SIGHUP)
        run = finish(process)
    assert run.code == 0
    assert len(case.answered()) == 4 * THREADS


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_before_the_first_question(tmp_path: Path, number: signal.Signals) -> None:
    """While a server is to name its model."""
    with Loopback(lambda call: Response(delay=10_000.0)) as server:
        case = make_case(tmp_path, COUNT, server.url, model=None)
        process = case.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        wait_until(lambda: len(server.calls) == 1, process)
        process.send_signal(number)
        run = finish(process, 10)
    assert (run.code, run.out, run.err) == (130, "", "")


def test_a_run_that_starts_over_and_is_killed_leaves_no_old_summary(tmp_path: Path) -> None:
    with Loopback(lambda call: chat("Tak.", delay=0.0 if call.index < 9 else 10_000.0)) as server:
        case = make_case(tmp_path, 5, server.url, threads=1)
        assert case.call().code == 0
        assert case.summary()["answered"] == 5
        process = case.start("--overwrite", "--system_message", "Inaczej.")
        wait_until(lambda: len(case.answered()) == 4 and len(server.calls) == 10, process)
        process.kill()
        finish(process)
    assert len(case.answered()) == 4
    assert not (case.folder / "out.summary.json").exists()


def test_the_second_ends_it_at_once(tmp_path: Path) -> None:
    told = tmp_path / "stderr.txt"
    with (
        told.open("wb") as stderr,
        in_flight(tmp_path, delay=10_000.0, stderr=stderr) as (case, process, _),
    ):
        wait_until(lambda: len(case.answered()) == THREADS, process)
        process.send_signal(signal.SIGINT)
        wait_until(lambda: WAITING.encode() in told.read_bytes(), process)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        run = finish(process, 10)
    assert run.code == 130
    assert "Traceback" not in told.read_text("utf-8")
    # What was answered before is there.
    assert_partial(case, THREADS)


def test_while_it_waits_for_a_service_that_is_overloaded(tmp_path: Path) -> None:
    """Nobody wants to wait for five minutes because the service asked for them."""
    slow = failure(429, "slow down", headers={"Retry-After": "300"})
    with Loopback(lambda call: slow if call.index else chat("Tak.")) as server:
        case = make_case(tmp_path, COUNT, server.url, threads=THREADS)
        process = case.start()
        wait_until(lambda: len(server.calls) == THREADS + 1, process)
        wait_until(lambda: len(case.answered()) == 1, process)
        process.send_signal(signal.SIGINT)
        run = finish(process, 10)
    assert run.code == 130
    assert "Traceback" not in run.err
    # They are no answers: the same command asks for them.
    assert len(case.answered()) == 1
    assert case.summary()["status"] == "partial"


def test_a_template_that_never_ends(tmp_path: Path) -> None:
    """Time is not bounded, so it is found out before any question, and can be ended."""
    loop = "{% for n in range(99999) %}"
    (tmp_path / "endless.jinja").write_text(loop * 3 + "{% endfor %}" * 3, encoding="utf-8")
    with Loopback(lambda call: chat("Tak.")) as server:
        case = make_case(tmp_path, 3, server.url)
        process = case.start("--prompt", "endless.jinja")
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        run = finish(process, 20)
    assert (run.code, run.out, run.err) == (130, "", "")
    assert server.calls == []
    assert not case.log.exists()


def test_in_the_middle_of_a_line_that_nobody_reads(tmp_path: Path) -> None:
    """The pipe of stderr is full, as under a pager: Python may not write another line then."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write, b"." * 4096)
    os.set_blocking(write, True)
    os.read(read, 4096)  # room for some steps of the progress bar
    with Loopback(lambda call: chat("Tak. [0]", delay=0.04)) as server:
        case = make_case(tmp_path, 1_000, server.url, threads=4)
        process = case.start(stderr=write)
        os.close(write)
        wait_until(lambda: stands_still(server), process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        asked = len(server.calls)
        with os.fdopen(read, "rb") as stderr:
            told = stderr.read().decode()
        assert process.wait(30) == 130
    assert "Traceback" not in told
    # While the bar blocks, nothing moves: a request of each thread may be on its way, unsent.
    assert asked <= len(server.calls) <= asked + 4
    assert_partial(case, len(server.calls))


def stands_still(server: Loopback) -> bool:
    before = len(server.calls)
    time.sleep(1.0)
    return before > 0 and before == len(server.calls)
