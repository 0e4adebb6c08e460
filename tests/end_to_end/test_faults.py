"""eval_remote.py against servers that fail in every way: what is answered, said and kept."""

import collections
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RLIMIT_NOFILE, setrlimit
from typing import Any

import pytest

from tools.testing.faults import PASSING, Mixed, is_unanswerable
from tools.testing.loopback import Call, Loopback, Response, chat, dead_url, failure
from tools.testing.process import (
    KEY,
    Case,
    Finished,
    answer_to,
    by_id,
    make_case,
    number_of,
)

COUNT = 300
UNANSWERABLE = {number for number in range(COUNT) if is_unanswerable(number)}


@dataclass
class Mixture:
    """300 questions, 64 at once, and again with the same command."""

    case: Case
    given: Mapping[str, int]  # fault -> how often
    first: Finished
    records: dict[str, dict[str, Any]]
    summary: dict[str, Any]
    again: Finished
    asked_again: set[int]
    elsewhere: int


def mixture(folder: Path, has_faults: bool) -> Mixture:
    """Ask, with faults by a process of its own."""
    # A refused connection is a fault too: one of two replicas is not there.
    with Loopback(lambda call: chat("z innego hosta")) as other, dead_url() as dead:
        script = Mixed(other.url if has_faults else None)
        with Loopback(script) as server:
            urls = [server.url, dead] if has_faults else [server.url]
            patience = {"threads": 64, "timeout": 4.0, "max_retries": 9, "sleep_time": 0.05}
            case = make_case(folder, COUNT, *urls, **patience)
            script.questions = case.questions
            first = case.run() if has_faults else case.call()
            records, summary = by_id(case.records()), case.summary()
            asked = collections.Counter(script.asked)
            again = case.call()
    asked_again = {key for key in asked if script.asked[key] > asked[key]}
    elsewhere = len(other.calls)
    return Mixture(case, script.given, first, records, summary, again, asked_again, elsewhere)


def test_every_fault_mixed_in(tmp_path: Path) -> None:
    """All that can be is answered, and scored as without faults; the rest is asked for again."""
    faulty, healthy = mixture(tmp_path / "faulty", True), mixture(tmp_path / "healthy", False)
    assert set(faulty.given) == set(PASSING)
    assert min(faulty.given.values()) >= 3
    differing = ("seconds", "asked", "retries", "error")
    one, two = (by_id(list(run.records.values()), *differing) for run in (faulty, healthy))
    assert one == two
    assert {key: record["answer"] for key, record in one.items()} == {
        question["id"]: None if number in UNANSWERABLE else answer_to(question)
        for number, question in enumerate(faulty.case.questions)
    }
    assert faulty.first.out == healthy.first.out
    for key in ("scores", "scores_words", "answered", "failed", "status", "signature"):
        assert faulty.summary[key] == healthy.summary[key]
    assert faulty.summary["status"] == "incomplete"
    assert faulty.summary["failed"] == len(UNANSWERABLE)
    ids = [faulty.case.questions[number]["id"] for number in sorted(UNANSWERABLE)]
    for run in (faulty, healthy):
        assert (run.first.code, run.again.code) == (1, 1)
        told = re.findall(r"^no answer: (\S+): 400 Bad Request: ", run.first.err, re.MULTILINE)
        assert sorted(told) == sorted(ids)
        assert f"{len(ids)} of {COUNT} samples have no answer" in run.first.err
        assert "Traceback" not in run.first.err
        assert run.asked_again == UNANSWERABLE
        assert f"{COUNT - len(ids)} answers are already there" in run.again.err
        assert run.again.out == run.first.out
        # The other host is not asked and gets no key.
        assert run.elsewhere == 0
        written = (run.first.out, run.first.err, run.again.out, run.again.err)
        assert KEY not in "".join((*written, run.case.written()))


# What is wrong for every question ends the run at once


ENDINGS = [
    (failure(401, KEY, "invalid_api_key"), "access refused (401: ***); set the environment"),
    (failure(404, "no `m`", "model_not_found"), "there is no model 'm' (404: no `m`)"),
]


class TestWhatEndsTheRun:
    @pytest.mark.parametrize(("refusal", "message"), ENDINGS)
    def test_exit_2_in_one_line_and_all_answers_are_kept(
        self, tmp_path: Path, refusal: Response, message: str
    ) -> None:
        sent, after = [], 50

        def script(call: Call) -> Response:
            if call.index >= after:
                # Long enough for what was sent before to be read.
                return replace(refusal, delay=1.0)
            sent.append(number_of(call.prompt))
            return chat("Tak. [0]")

        with Loopback(script) as server:
            case = make_case(tmp_path / "case", 150, server.url, threads=16, sleep_time=60.0)
            run = case.call()
        assert (run.code, run.out) == (2, "")
        assert run.last_line.startswith(f"eval_remote.py: error: {server.url}: {message}")
        assert KEY not in run.err + case.written()
        assert len(server.calls) <= after + 16 + (refusal.status == 404)
        assert case.answered() == {case.questions[number]["id"] for number in sent}
        assert (case.summary()["status"], case.summary()["answered"]) == ("incomplete", after)

    def test_a_service_that_fails_for_good_is_given_up(self, tmp_path: Path) -> None:
        def script(call: Call) -> Response:
            return chat("Tak. [0]") if call.index < 10 else failure(500, "zepsute")

        with Loopback(script) as server:
            case = make_case(tmp_path, 100, server.url, threads=4, max_retries=1, sleep_time=0.1)
            run = case.call()
        assert run.code == 1
        assert len(case.answered()) == case.summary()["answered"] == 10
        # Twenty questions, of which those that began while there was hope were asked twice.
        assert 10 + 20 + 3 <= len(server.calls) <= 10 + 20 + 3 + 7
        assert "90 of 100 samples have no answer" in run.err
        # The progress bar says what is wrong meanwhile.
        assert re.search(r"asked again \d+ times; 500 Internal Server Error: zepsute", run.err)
        assert "questions in a row had no answer, the last one because of: 500" in str(
            [record["error"] for record in case.records()]
        )

    def test_connections_that_rest_take_no_threads_open_files(self, tmp_path: Path) -> None:
        with Loopback(lambda call: chat("Tak.", delay=0.02)) as server:
            case = make_case(tmp_path, 120, server.url, threads=16, timeout=10.0, max_retries=0)
            run = case.run(preexec_fn=lambda: setrlimit(RLIMIT_NOFILE, (60, 60)))
        assert run.code == 0
        assert len(server.calls) == 120

    def test_too_few_open_files_for_the_threads(self, tmp_path: Path) -> None:
        with Loopback(lambda call: chat("Tak.", delay=0.5)) as server:
            case = make_case(tmp_path, 80, server.url, threads=64, timeout=10.0)
            run = case.run(preexec_fn=lambda: setrlimit(RLIMIT_NOFILE, (40, 40)))
        assert (run.code, run.out) == (2, "")
        assert "raise its limit of open files (ulimit -n 164) or lower threads" in run.last_line


def test_one_reset_of_the_only_replica_alive_loses_nothing(tmp_path: Path) -> None:
    """One question at a time, so that no other one finds out that it is up again."""

    def script(call: Call) -> Response:
        return Response(reset=True) if call.index == 3 else chat("Tak. [0]")

    with Loopback(script) as server, dead_url() as dead:
        case = make_case(tmp_path, 30, server.url, dead, max_retries=3, sleep_time=0.1)
        run = case.call()
    assert run.code == 0, run.err
    assert len(case.answered()) == 30
    assert len(server.calls) == 31
