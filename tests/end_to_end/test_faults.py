"""eval_remote.py against servers that fail in every way: what is answered, said and kept."""

import collections
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.faults import PASSING, TOO_LONG, Mixed, is_unanswerable
from tests.end_to_end.process import (
    KEY,
    Case,
    Finished,
    answer_to,
    by_id,
    finish,
    make_case,
    number_of,
)
from tests.loopback import Call, Loopback, Response, chat, dead_url, failure

# Every fault mixed in: 1,000 questions, 64 at once


COUNT = 1_000
UNANSWERABLE = {number for number in range(COUNT) if is_unanswerable(number)}


@dataclass
class Mixture:
    """A run, a second one with the same command, and what they left."""

    case: Case
    script: Mixed
    first: Finished
    records: dict[str, dict[str, Any]]
    summary: dict[str, Any]
    again: Finished
    asked_again: set[int]
    elsewhere: int


def mixture(folder: Path, has_faults: bool) -> Mixture:
    # A refused connection is a fault too: one of two replicas is not there.
    with Loopback(lambda call: chat("z innego hosta")) as other, dead_url() as dead:
        script = Mixed(other.url if has_faults else None)
        with Loopback(script) as server:
            urls = [server.url, dead] if has_faults else [server.url]
            patience = {"threads": 64, "timeout": 4.0, "max_retries": 9, "sleep_time": 0.05}
            case = make_case(folder, COUNT, *urls, **patience)
            script.questions = case.questions
            first, records, summary = case.run(), by_id(case.records()), case.summary()
            asked = collections.Counter(script.asked)
            again = case.run()
            asked_again = {key for key in asked if script.asked[key] > asked[key]}
    return Mixture(case, script, first, records, summary, again, asked_again, len(other.calls))


@pytest.fixture(scope="module")
def mixtures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mixture, Mixture]:
    """A run with all faults, and one without any."""
    folder = tmp_path_factory.mktemp("mixed")
    with ThreadPoolExecutor(2) as pool:
        faulty = pool.submit(mixture, folder / "faulty", True)
        healthy = pool.submit(mixture, folder / "healthy", False)
        return faulty.result(), healthy.result()


class TestEveryFaultMixedIn:
    def test_each_fault_was_met(self, mixtures: tuple[Mixture, Mixture]) -> None:
        faulty, healthy = mixtures
        assert set(faulty.script.given) == set(PASSING)
        assert min(faulty.script.given.values()) >= 10
        assert not healthy.script.given

    def test_all_that_can_be_is_answered(self, mixtures: tuple[Mixture, Mixture]) -> None:
        faulty, _ = mixtures
        for number, question in enumerate(faulty.case.questions):
            record = faulty.records[question["id"]]
            if number in UNANSWERABLE:
                assert record["answer"] is None
                assert record["error"].startswith("400 Bad Request: The prompt has 9000 tokens")
            else:
                assert (record["answer"], record["error"]) == (answer_to(question), None)

    def test_the_log_holds_each_once(self, mixtures: tuple[Mixture, Mixture]) -> None:
        for one in mixtures:
            assert set(one.records) == {question["id"] for question in one.case.questions}

    def test_the_records_equal_those_of_a_run_without_faults(
        self, mixtures: tuple[Mixture, Mixture]
    ) -> None:
        faulty, healthy = (
            by_id(list(one.records.values()), "seconds", "error") for one in mixtures
        )
        assert faulty == healthy

    def test_the_scores_equal_those_of_a_run_without_faults(
        self, mixtures: tuple[Mixture, Mixture]
    ) -> None:
        faulty, healthy = mixtures
        assert faulty.first.out == healthy.first.out
        for key in ("scores", "scores_words", "answered", "failed", "status", "signature"):
            assert faulty.summary[key] == healthy.summary[key]
        assert faulty.summary["status"] == "incomplete"
        assert faulty.summary["failed"] == len(UNANSWERABLE)

    def test_the_user_is_told_which_have_no_answer(self, mixtures: tuple[Mixture, Mixture]) -> None:
        for one in mixtures:
            assert one.first.code == 1
            ids = [one.case.questions[number]["id"] for number in sorted(UNANSWERABLE)]
            told = re.findall(r"^no answer: (\S+): 400 Bad Request: ", one.first.err, re.MULTILINE)
            assert sorted(told) == sorted(ids)
            assert f"{len(ids)} of {COUNT} samples have no answer" in one.first.err
            assert "Traceback" not in one.first.err

    def test_the_same_command_asks_for_those_alone(self, mixtures: tuple[Mixture, Mixture]) -> None:
        for one in mixtures:
            assert one.again.code == 1
            assert one.asked_again == UNANSWERABLE
            answered = COUNT - len(UNANSWERABLE)
            assert f"{answered} answers are already there" in one.again.err
            assert one.again.out == one.first.out

    def test_the_other_host_is_not_asked_and_gets_no_key(
        self, mixtures: tuple[Mixture, Mixture]
    ) -> None:
        assert [one.elsewhere for one in mixtures] == [0, 0]

    def test_the_key_is_written_nowhere(self, mixtures: tuple[Mixture, Mixture]) -> None:
        for one in mixtures:
            for run in (one.first, one.again):
                assert KEY not in run.out + run.err
            assert KEY not in one.case.written()


# Each fault alone, for ever: an error of that question, and of no other


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, Finished, Finished]:
    """A run where each question but the last meets one fault for ever, and one after its end."""
    faults = [*((give, said) for give, said in PASSING.values()), (lambda _: TOO_LONG, "")]
    is_over = False

    def script(call: Call) -> Response:
        number = number_of(call.prompt)
        if is_over or number == len(faults):
            return chat(f"Odpowiedź {number}.")
        return faults[number][0]("http://user:secret@h")

    with Loopback(script) as server:
        case = make_case(
            tmp_path_factory.mktemp("lasting"),
            len(faults) + 1,
            server.url,
            threads=len(faults) + 1,
            timeout=4.0,
            max_retries=1,
            sleep_time=0.1,
        )
        first = case.run()
        (case.folder / "first.jsonl").write_bytes(case.log.read_bytes())
        is_over = True
        again = case.run()
    return case, first, again


class TestEachFaultForEver:
    @pytest.mark.parametrize("name", PASSING)
    def test_is_an_error_of_its_question(
        self, lasting: tuple[Case, Finished, Finished], name: str
    ) -> None:
        case, first, _ = lasting
        question = case.questions[list(PASSING).index(name)]
        lines = (case.folder / "first.jsonl").read_text(encoding="utf-8").splitlines()
        record = by_id([json.loads(line) for line in lines])[question["id"]]
        assert record["error"].startswith(PASSING[name][1])
        assert record["error"].endswith("(asked 2 times)")
        assert [record[key] for key in ("answer", "scores", "scores_words")] == [None] * 3
        assert f"no answer: {question['id']}: {record['error']}\n" in first.err

    def test_the_others_are_answered(self, lasting: tuple[Case, Finished, Finished]) -> None:
        case, first, _ = lasting
        assert first.code == 1
        assert f"m: 1 of {len(case.questions)} samples answered" in first.out
        assert "secret" not in first.err

    def test_once_the_server_is_well_again_the_rest_is_answered(
        self, lasting: tuple[Case, Finished, Finished]
    ) -> None:
        case, _, again = lasting
        assert again.code == 0
        assert "1 answers are already there" in again.err
        found = by_id(case.records())
        for number, question in enumerate(case.questions):
            assert found[question["id"]]["answer"] == f"Odpowiedź {number}."
        assert case.summary()["status"] == "complete"


# What is wrong for every question ends the run at once


@dataclass(frozen=True)
class Ended:
    case: Case
    run: Finished
    calls: int
    sent: list[int]


ENDINGS: dict[str, tuple[Response, str]] = {
    "a wrong key": (
        failure(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"),
        "access refused (401: Incorrect API key provided: ***); set the environment variable "
        "API_KEY to a key that is valid there",
    ),
    "no right": (failure(403, "Country not supported"), "access refused (403: Country not"),
    "a model that does not exist": (
        failure(404, "The model `m` does not exist", "model_not_found"),
        "there is no model 'm' (404: The model `m` does not exist)",
    ),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Ended]:
    """For each ending, a run that meets it at once, and one that meets it after 100 answers."""

    def end(name: str, after: int) -> Ended:
        sent = []

        def script(call: Call) -> Response:
            if call.index >= after:
                # Long enough for what was sent before to be read.
                return replace(ENDINGS[name][0], delay=2.0)
            sent.append(number_of(call.prompt))
            return chat("Tak. [0]")

        with Loopback(script) as server:
            folder = tmp_path_factory.mktemp("ended")
            case = make_case(folder, 300, server.url, threads=16, sleep_time=60.0)
            return Ended(case, case.run(), len(server.calls), sent)

    keys = [(name, after) for name in ENDINGS for after in (0, 100)]
    with ThreadPoolExecutor(3) as pool:
        return dict(zip(keys, pool.map(lambda key: end(*key), keys), strict=True))


class TestWhatEndsTheRun:
    @pytest.mark.parametrize("after", [0, 100])
    @pytest.mark.parametrize("name", ENDINGS)
    def test_exit_2_in_one_line(
        self, ended: dict[tuple[str, int], Ended], name: str, after: int
    ) -> None:
        run = ended[name, after].run
        assert (run.code, run.out) == (2, "")
        assert run.last_line.startswith("eval_remote.py: error: http://127.0.0.1:")
        assert ENDINGS[name][1] in run.last_line
        assert "Traceback" not in run.err
        assert KEY not in run.err + ended[name, after].case.written()

    @pytest.mark.parametrize("after", [0, 100])
    @pytest.mark.parametrize("name", ENDINGS)
    def test_nothing_more_is_asked(
        self, ended: dict[tuple[str, int], Ended], name: str, after: int
    ) -> None:
        assert ended[name, after].calls <= after + 16

    @pytest.mark.parametrize("name", ENDINGS)
    def test_all_that_was_answered_is_kept(
        self, ended: dict[tuple[str, int], Ended], name: str
    ) -> None:
        one = ended[name, 100]
        ids = {one.case.questions[number]["id"] for number in one.sent}
        assert len(ids) == 100
        assert one.case.answered() == ids
        assert one.case.summary()["status"] == "incomplete"
        assert one.case.summary()["answered"] == 100
        assert ended[name, 0].case.answered() == set()

    def test_where_no_server_listens(self, tmp_path: Path) -> None:
        with dead_url() as url:
            case = make_case(tmp_path, 20, url, threads=4, sleep_time=60.0)
            run = case.run()
        assert (run.code, run.out) == (2, "")
        assert f"error: no server listens at {url}; start one, for example: " in run.last_line

    def test_a_model_that_is_not_named_nor_served(self, tmp_path: Path) -> None:
        with Loopback(lambda call: Response({"object": "list", "data": []})) as server:
            run = make_case(tmp_path, 3, server.url, model=None).run()
        assert (run.code, run.out) == (2, "")
        assert run.err == (
            f'eval_remote.py: error: {server.url}: serves no model; set "model" in the config\n'
        )


# Replicas: one dead from the start, one that dies in mid-run and comes back


@contextmanager
def counting_closer() -> Iterator[tuple[str, list[float]]]:
    """A server that accepts connections and closes them; the times at which it did."""
    times: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def close_all() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    times.append(time.monotonic())
                    connection.close()

        thread = threading.Thread(target=close_all, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", times
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@dataclass
class Replicated:
    case: Case
    run: Finished
    knocks: list[float]
    before_death: int
    after_return: int


THREADS = 8


def _replicated(folder: Path) -> Replicated:
    """About 40 seconds, for a dead replica is left alone for 30."""

    def script(call: Call) -> Response:
        return chat(answer_to(case.questions[number_of(call.prompt)]), delay=0.25)

    with counting_closer() as (dead, knocks), Loopback(script) as well:
        with Loopback(script) as dying:
            port = dying.port
            case = make_case(
                folder, 1_150, dead, dying.url, well.url, threads=THREADS, max_retries=0
            )
            process = case.start()
            while len(dying.calls) < 60 and process.poll() is None:
                time.sleep(0.05)
        before_death = len(dying.calls)
        time.sleep(3)
        with Loopback(script, port) as back:
            run = finish(process)
        return Replicated(case, run, knocks, before_death, len(back.calls))


@pytest.fixture(scope="module", autouse=True)
def replicated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Replicated]]:
    """Runs beside the other tests of this module, for it does little but wait."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(_replicated, tmp_path_factory.mktemp("replicas"))
        yield running.result


class TestReplicas:
    def test_all_is_answered(self, replicated: Callable[[], Replicated]) -> None:
        one = replicated()
        assert one.run.code == 0, one.run.err
        found = by_id(one.case.records())
        assert len(found) == len(one.case.questions)
        for question in one.case.questions:
            assert found[question["id"]]["answer"] == answer_to(question)
        assert "no answer" not in one.run.err

    def test_the_dead_are_not_tried_at_every_question(
        self, replicated: Callable[[], Replicated]
    ) -> None:
        # By those that were sent before the first one failed, and by one in 30 seconds.
        assert 1 <= len(replicated().knocks) <= THREADS + 3

    def test_the_dead_are_tried_again_later(self, replicated: Callable[[], Replicated]) -> None:
        one = replicated()
        assert one.knocks[-1] - one.knocks[0] > 25
        assert one.before_death >= 60
        assert one.after_return > 0

    def test_one_reset_of_the_only_one_alive_loses_nothing(self, tmp_path: Path) -> None:
        """One question at a time, so that no other one finds out that it is up again."""

        def script(call: Call) -> Response:
            return Response(reset=True) if call.index == 3 else chat("Tak. [0]")

        with Loopback(script) as server, dead_url() as dead:
            case = make_case(tmp_path, 30, server.url, dead, max_retries=3, sleep_time=0.1)
            run = case.run()
        assert run.code == 0, run.err
        assert len(case.answered()) == 30
        assert len(server.calls) == 31
