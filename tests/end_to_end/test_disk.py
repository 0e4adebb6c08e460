"""Disks that are full, folders that may not be written, two runs on one log."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
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
    wait_until,
)

COUNT = 120
Served = tuple[Case, Loopback]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Questions, and a server that answers them."""

    def script(call: Call) -> Response:
        return chat(answer_to(case.questions[number_of(call.prompt)]))

    with Loopback(script) as server:
        case = make_case(tmp_path / "run", COUNT, server.url, threads=8)
        yield case, server


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """What RLIMIT_FSIZE forbids to write is refused as by a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def is_complete(case: Case) -> bool:
    found = by_id(case.records())
    return len(found) == COUNT and all(
        found[question["id"]]["answer"] == answer_to(question) for question in case.questions
    )


def is_refused(run: Finished, log: Path | str, reason: str) -> bool:
    """Whether a run ended in one last line on its log, without a table or a traceback."""
    line = f"eval_remote.py: error: {log}: {reason}"
    return (run.code, run.out, run.last_line, "Traceback" in run.err) == (2, "", line, False)


ANY_MORE = "cannot be written any more: {}; the same command goes on from here once it can"


class TestFullInMidRun:
    def test_it_stops_with_what_it_has(self, served: Served) -> None:
        case, server = served
        with no_file_over(60_000):
            stopped = case.call()
        assert is_refused(stopped, "out.jsonl", ANY_MORE.format("File too large"))
        kept = case.answered()
        assert 10 < len(kept) < COUNT
        told = case.summary()
        assert (told["status"], told["answered"]) == ("incomplete", len(kept))
        asked = len(server.calls)
        again = case.call()
        assert again.code == 0
        assert "out.jsonl: the last line was cut off and is dropped\n" in again.err
        assert f"out.jsonl: {len(kept)} answers are already there\n" in again.err
        assert len(server.calls) - asked == COUNT - len(kept)
        assert is_complete(case)

    def test_said_before_the_first_question_once_it_is_full(self, served: Served) -> None:
        case, server = served
        case.call("--limit", "30")
        content, asked = case.log.read_bytes(), len(server.calls)
        with no_file_over(len(content) + 1_000):
            stopped = case.call()
        assert is_refused(stopped, "out.jsonl", "cannot be written: File too large")
        assert len(server.calls) == asked
        assert case.log.read_bytes() == content


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_full_in_mid_run_with_all_output_on_it(served: Served, small_disk: Path) -> None:
    """Neither summary nor error can be written; what is answered stays, and is built on."""
    case, server = served
    log, out, err = (small_disk / name for name in ("out.jsonl", "out.txt", "err.txt"))
    filler = small_disk / "filler"
    filler.write_bytes(b"." * 200 * 1024)
    options = ("--log_path", log, "--limit", "80")
    with out.open("wb") as stdout, err.open("wb") as stderr:
        stopped = case.run(*options, stdout=stdout, stderr=stderr)
    assert stopped.code == 2
    assert b"Traceback" not in err.read_bytes()
    assert {path.name for path in small_disk.iterdir()} == {
        *("filler", "err.txt", "out.txt", "out.jsonl", "out.jsonl.lock"),
    }
    kept = Case(small_disk, case.questions).answered()
    assert 10 < len(kept) < 80

    filler.unlink()
    asked = len(server.calls)
    again = case.call(*options)
    assert again.code == 0, again.err
    assert len(server.calls) - asked == 80 - len(kept)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is full")
def test_output_that_cannot_be_written(served: Served) -> None:
    """The run does not end because nobody can watch it; the log is what counts."""
    case, _ = served
    with Path("/dev/full").open("wb") as full:
        unwatched = case.run(stderr=full)
        assert (unwatched.code, unwatched.err) == (0, "")
        assert is_complete(case)
        untold = case.run(stdout=full)
    assert (untold.code, untold.last_line) == (
        2,
        "eval_remote.py: error: the output: No space left on device",
    )


def test_the_second_run_on_a_log_is_refused_until_the_first_is_dead(tmp_path: Path) -> None:
    def script(call: Call) -> Response:
        return chat("Tak.", delay=0.0 if call.index < 5 or is_over else 10_000.0)

    is_over = False
    with Loopback(script) as server:
        case = make_case(tmp_path, 20, server.url, threads=8)
        process = case.start()
        wait_until(lambda: len(server.calls) == 5 + 8, process)
        wait_until(lambda: len(case.answered()) == 5, process)
        content = case.log.read_bytes()
        for options in ([], ["--overwrite"]):
            second = case.call(*options)
            assert is_refused(second, "out.jsonl", "another run is writing this log")
            assert second.err.count("\n") == 1
        assert len(server.calls) == 5 + 8
        assert case.log.read_bytes() == content
        # Killed, it takes the lock with it; the file of the lock stays, and is in nobody's way.
        process.kill()
        finish(process)
        assert (case.folder / "out.jsonl.lock").exists()
        is_over = True
        third = case.call()
    assert third.code == 0, third.err
    assert "5 answers are already there" in third.err
    assert len(by_id(case.records())) == 20
