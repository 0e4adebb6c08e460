"""Batches: files of requests and responses, and a service with /files and /batches."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Message, Prompt, Request
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote.batch import (
    BatchFiles,
    BatchGenerator,
    FileGenerator,
    is_batch_file,
    question_id,
)
from tools.testing.batches import BatchService, answered
from tools.testing.loopback import Loopback, failure
from tools.testing.process import records

KEY = "sk-0123456789abcdef"


def request(key: str, repeat: int = 1) -> Request:
    return Request(key, Prompt((Message("user", f"{key}?"),)), repeat=repeat)


def config(url: str = "http://127.0.0.1:9/v1") -> RemoteConfig:
    return RemoteConfig(model="m", api_base=url, max_retries=0, sleep_time=0.01, max_tokens=9)


# A line of an engine's output -> the text of the answer, or the error.
NONE = "the batch has no answer: "
EXPIRED = {"code": "batch_expired", "message": "This request expired."}
REFUSED = {"status_code": 400, "body": {"error": {"message": "too long"}}}
NO_CHOICES = {"status_code": 200, "body": {"choices": []}}
LINES: list[tuple[dict[str, Any], str | None, str]] = [
    (answered("Tak.") | {"error": None}, "Tak.", ""),
    ({"response": {"body": answered("Nie.")["response"]["body"]}}, "Nie.", ""),
    ({"response": None, "error": EXPIRED}, None, f"{NONE}This request expired."),
    ({"response": REFUSED}, None, f"{NONE}400: too long"),
    ({"response": None, "error": None}, None, f"{NONE}no reason is given"),
    ({"response": NO_CHOICES}, None, "the response holds no choices"),
]


@pytest.mark.parametrize(("line", "text", "error"), LINES)
def test_responses(tmp_path: Path, line: dict[str, Any], text: str | None, error: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n" + json.dumps({"custom_id": "p1", **line}) + "\n", encoding="utf-8")
    files = BatchFiles([path], None, [])
    (answer,) = FileGenerator(config(), files, key=question_id).generate([request("p1")])
    assert (answer.text, answer.error or "") == (text, error)
    assert not answer.is_pending
    assert answer.usage == (None if text is None else {"prompt_tokens": 11, "completion_tokens": 7})


def test_requests_without_an_answer_are_written(tmp_path: Path) -> None:
    output = tmp_path / "a.jsonl"
    output.write_text(json.dumps({"custom_id": "p1", **answered("Tak.")}), encoding="utf-8")
    files = BatchFiles([output], tmp_path / "p.jsonl", [output])
    generator = FileGenerator(config(), files, key=question_id)
    asked = [request("p1"), request("p2@twin"), request("p1", 2)]
    answers = list(generator.generate(asked))
    assert [answer.text for answer in answers] == ["Tak.", None, None]
    assert [answer.is_pending for answer in answers] == [False, True, True]
    lines = records(tmp_path / "p.jsonl")
    assert [line["custom_id"] for line in lines] == ["p2@twin", "p1#2"]
    messages = [{"role": "user", "content": "p2@twin?"}]
    body = {"model": "m", "messages": messages, "temperature": 0.0, "top_p": 1, "max_tokens": 9}
    where = {"method": "POST", "url": "/v1/chat/completions"}
    assert lines[0] == {"custom_id": "p2@twin", **where, "body": body}
    # Prompts of one id are told apart by what they say; the same prompt has the same id again.
    hashed = FileGenerator(config(), BatchFiles([], tmp_path / "q.jsonl", []))
    twice = [*asked, Request("p1", Prompt((Message("user", "Else?"),))), request("p1")]
    assert len(list(hashed.generate(twice))) == 5
    keys = [line["custom_id"] for line in records(tmp_path / "q.jsonl")]
    assert [key.partition("~")[0] for key in keys] == ["p1", "p2@twin", "p1", "p1", "p1"]
    assert keys[0] == keys[4] != keys[3]
    assert is_batch_file(tmp_path / "q.jsonl")


@pytest.mark.parametrize("text", ["{", "[1]", '{"id": "p1"}'])
def test_what_is_no_output(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"a\.jsonl:1: is no response of a batch"):
        BatchFiles([path], None, [])
    with pytest.raises(UserError, match="never replaced"):
        BatchFiles([], path, [])


class Run:
    """A generator against a service, as often as it is started."""

    def __init__(self, service: BatchService, url: str, folder: Path) -> None:
        self.service, self.url, self.state = service, url, folder / "out.batch.json"
        self.said: list[str] = []

    def ask(self, keys: Sequence[str], most: int = 50_000, stop: bool = False) -> list[Answer]:
        generator = BatchGenerator(
            config(self.url), KEY, False, request, self.state, self.said.append, most
        )
        if stop:
            generator.stop()
        return list(generator.generate(request(key) for key in keys))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    service = BatchService(lambda key, body: answered(body["messages"][0]["content"]))
    with Loopback(service) as server:
        yield Run(service, server.url, tmp_path)


def test_a_service_is_sent_pieces_and_waited_for(run: Run, tmp_path: Path) -> None:
    answers = run.ask(["p1", "p2", "p3"], most=2)
    assert [answer.text for answer in answers] == ["p1?", "p2?", "p3?"]
    sizes = [[line["custom_id"] for line in lines] for lines in run.service.uploads]
    assert sizes == [["p1", "p2"], ["p3"]]
    assert run.said[0] == "2 requests sent as batch-0"
    assert "batch-1: in_progress" in run.said
    assert list(tmp_path.iterdir()) == []  # nothing is left beside the log
    # A run that is stopped goes on with what was sent.
    assert run.ask(["p1", "p2"], stop=True) == []
    assert json.loads(run.state.read_text()) == {"batches": ["batch-2"]}
    assert [answer.text for answer in run.ask(["p1", "p2"])] == ["p1?", "p2?"]
    assert len(run.service.uploads) == 3


def test_failures_and_expiry_leave_what_there_is(run: Run) -> None:
    expired = {"response": None, "error": {"message": "expired"}}
    lines = {"p1": answered("Tak."), "p2": expired, "p3": None}
    run.service.answering = lambda key, body: lines[key]
    run.service.status = "expired"
    answers = run.ask(["p1", "p2", "p3"])
    assert [answer.text for answer in answers] == ["Tak.", None, None]
    assert [answer.error for answer in answers[1:]] == [
        "the batch has no answer: expired",
        "the batch ended without it; run again to ask for it",
    ]
    # What has no answer is sent as a new batch.
    run.service.answering = lambda key, body: answered("Nie.")
    assert [answer.text for answer in run.ask(["p2", "p3"])] == ["Nie.", "Nie."]
    run.service.status = "failed"
    (answer,) = run.ask(["p4"])
    assert answer.error == "the batch ended without it; run again to ask for it"
    assert "batch-2: failed line 1 is bad" in run.said


@pytest.mark.parametrize("at", ["POST /files", "POST /batches", "GET /batches/batch-0"])
def test_a_service_that_fails_is_told_of_and_asked_again(run: Run, at: str) -> None:
    run.service.sabotage[at] = failure(401, f"bad key {KEY}")
    with pytest.raises(UserError) as caught:
        run.ask(["p1"])
    assert "the batch fails" in str(caught.value)
    assert KEY not in str(caught.value)
    assert [answer.text for answer in run.ask(["p1"])] == ["p1?"]
    assert len(run.service.uploads) == (2 if at == "POST /batches" else 1)


def test_notes_that_are_none(run: Run) -> None:
    run.state.write_text("?", encoding="utf-8")
    with pytest.raises(UserError, match="is no list of batches"):
        run.ask(["p1"])
