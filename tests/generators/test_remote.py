import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Message, Prompt, Request
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator, served_model
from ragifeval.generators.remote.generator import request_body
from tools.testing.loopback import (
    Call,
    Loopback,
    Response,
    Script,
    chat,
    completion,
    dead_url,
    failure,
    in_turn,
    models,
)

KEY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("OPENAI_"):
            monkeypatch.delenv(name)


def config(*urls: str, **changes: Any) -> RemoteConfig:
    settings = {"model": "m", "max_retries": 2, "sleep_time": 0.01, "timeout": 5.0, **changes}
    return RemoteConfig(api_base=urls[0] if len(urls) == 1 else list(urls), **settings)


def asking(*urls: str, key: str = KEY, text_completion: bool = False, **changes: Any) -> Any:
    return RemoteGenerator(config(*urls, **changes), key, text_completion)


def requests(count: int) -> Iterator[Request]:
    for index in range(count):
        question = f"pytanie {index}"
        messages = (Message("system", "Odpowiadaj."), Message("user", question))
        yield Request(str(index), Prompt(messages, f"system\n\n{question}"))


def answers(*urls: str, count: int = 1, **how: Any) -> list[Answer]:
    """The answers to so many questions; each has exactly one, which shows no key."""
    found = list(asking(*urls, **how).generate(requests(count)))
    assert sorted(int(answer.request.id) for answer in found) == list(range(count))
    assert not any(KEY in repr(answer) for answer in found)
    return found


def answers_of(script: Script, count: int, **how: Any) -> tuple[list[Answer], Loopback]:
    with Loopback(script) as server:
        return answers(server.url, count=count, **how), server


def answer_to(script: Script, **how: Any) -> tuple[Answer, Loopback]:
    (answer,), server = answers_of(script, 1, **how)
    return answer, server


def end_of(ask: Callable[[], object]) -> str:
    """The one line that a run ends with, which shows no key."""
    with pytest.raises(UserError) as raised:
        ask()
    line = str(raised.value)
    assert "\n" not in line
    assert "canary" not in line
    assert "cdef" not in line
    return line


def echo(call: Call) -> Response:
    return chat(f"odpowiedź: {call.prompt}")


def assert_echoed(found: list[Answer]) -> None:
    for answer in found:
        assert answer.text == f"odpowiedź: pytanie {answer.request.id}"


CHAT = [
    {"role": "system", "content": "Odpowiadaj."},
    {"role": "user", "content": "pytanie 0"},
]
GREEDY = {"temperature": 0.0, "top_p": 1}
SCHEMA = {"type": "object"}
HELD = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}
# Of the config, of the request -> what is sent beside model and messages.
BODIES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"temperature": None}, {}, {}),
    (
        {"temperature": 0.7, "max_tokens": 64, "extra_body": {"x": {"y": []}, "top_p": 0.9}},
        {},
        {"temperature": 0.7, "max_tokens": 64, "x": {"y": []}, "top_p": 0.9},
    ),
    # A repeat has a seed of its own.
    ({"extra_body": {"seed": 7}}, {"repeat": 3}, {**GREEDY, "seed": 9}),
    ({}, {"schema": SCHEMA}, {**GREEDY, "response_format": HELD}),
]


@pytest.mark.parametrize(("changes", "of_request", "fields"), BODIES)
def test_the_body_of_a_chat(
    changes: dict[str, Any], of_request: dict[str, Any], fields: dict[str, Any]
) -> None:
    (request,) = requests(1)
    body = request_body(config("http://h", **changes), replace(request, **of_request))
    assert body == {"model": "m", "messages": CHAT, **fields}


def test_sends_the_chat_and_says_how_the_answer_came_about() -> None:
    response = chat("Tak.", message={"reasoning_content": "Hm."}, delay=0.1).gzipped()
    answer, server = answer_to(in_turn(response), max_retries=0)
    assert answer == Answer(
        answer.request,
        "Tak.",
        finish_reason="stop",
        usage={"prompt_tokens": 11, "completion_tokens": 7},
        seconds=answer.seconds,
        reasoning="Hm.",
    )
    assert 0.1 <= answer.seconds < 60
    (call,) = server.calls
    assert (call.method, call.path) == ("POST", "/v1/chat/completions")
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.json == {"model": "m", "messages": CHAT, **GREEDY}


def test_sends_one_text_for_its_completion() -> None:
    answer, server = answer_to(in_turn(completion(" Tak.", "length")), text_completion=True)
    assert (answer.text, answer.finish_reason) == (" Tak.", "length")
    (call,) = server.calls
    assert call.path == "/v1/completions"
    prompt = "system\n\npytanie 0"
    assert call.json == {"model": "m", "prompt": prompt, **GREEDY, "max_tokens": 4096}


# test_faults.py has the statuses, test_response.py what is wrong with a body, and
# tests/end_to_end/test_faults.py what services do more often.
PASSING = {
    "cut before the head": Response(raw=b""),
    "not HTTP": Response(raw=b"SSH-2.0-OpenSSH\r\n\r\n"),
    "a redirect to no URL": Response(status=307, headers={"Location": ":tent-Length: 115"}),
    "a date without end": failure(
        429, "x", headers={"Retry-After": "Mon, 01 Jan 2029 00:00:09999999999999999999 GMT"}
    ),
    "a charset that decodes nothing": failure(
        500, "x", headers={"Content-Type": "text/plain; charset=undefined"}
    ),
    "no gzip": Response(b"gzip?", headers={"Content-Encoding": "gzip"}),
    "half a gzip": chat("Tak.").gzipped(cut=30),
    "gzip in layers": chat("Tak.").gzipped().gzipped(),
    "an unknown encoding": chat("Tak.", headers={"Content-Encoding": "br"}),
    "a body without end": Response(b" " * 65_536, endless=True),
    "an error without end": Response(b" " * 65_536, status=500, endless=True),
    "a gzip bomb": Response(b" " * 2_000_000).gzipped(),
}


@pytest.mark.parametrize("name", PASSING)
def test_asks_again_after_a_passing_fault(name: str) -> None:
    script = in_turn(PASSING[name], chat("Tak."))
    answer, server = answer_to(script, timeout=10.0, max_response_mb=1)
    assert (answer.text, answer.error) == ("Tak.", None)
    assert len(server.calls) == 2


def test_gives_up_when_retries_are_over() -> None:
    answer, server = answer_to(in_turn(failure(500, "nie\ndziała")), max_retries=2)
    assert (answer.text, answer.retries, len(server.calls)) == (None, 2, 3)
    assert answer.error == "500 Internal Server Error: nie działa (asked 3 times)"


def test_an_answer_restores_patience() -> None:
    script = in_turn(*[*[failure(500, "nie")] * 4, chat("Tak.")] * 5)
    found, server = answers_of(script, 25, max_retries=0, max_faults=5)
    assert [answer.error is None for answer in found] == [False, False, False, False, True] * 5
    assert len(server.calls) == 25


def test_a_path_that_is_not_found_ends_the_run() -> None:
    with Loopback(in_turn(Response("Not Found", status=404))) as server:
        said = end_of(lambda: answers(server.url, count=50, threads=4))
    assert said.startswith(f"{server.url}/chat/completions: not found (404: Not Found); api_base")
    assert len(server.calls) <= 4


def test_a_model_that_does_not_exist_is_told_with_those_that_do() -> None:
    def script(call: Call) -> Response:
        return models("a", "b") if call.method == "GET" else failure(404, "no model 'm'")

    with Loopback(script) as server:
        said = end_of(lambda: answers(server.url, count=50, threads=4))
    assert said == f"{server.url}: there is no model 'm' (404: no model 'm'); it has: a, b"


@pytest.mark.parametrize("key", [KEY, "-"])
def test_the_same_refusal_of_the_first_questions_ends_the_run(key: str) -> None:
    with Loopback(in_turn(failure(400, "Server is pinned to 'A'."))) as server:
        said = end_of(lambda: answers(server.url, count=50, key=key))
    remedy = ", set the environment variable API_KEY to a key that is valid there"
    assert said == (
        f"{server.url}: refuses every question alike (400 Bad Request: Server is pinned to 'A'.); "
        f"look at \"model\" ('m') and extra_body in the config{remedy if key == '-' else ''}"
    )
    assert len(server.calls) == 5


ALIKE = failure(400, "no")
SCRIPTS: list[Script] = [
    lambda call: failure(400, f"{call.index} tokens are too many"),
    in_turn(failure(400, "The prompt is too long.")),
    in_turn(*[ALIKE] * 4, chat("Tak."), ALIKE),
    in_turn(chat("Tak."), failure(403, "flagged")),
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_refusals_that_differ_or_follow_an_answer_end_nothing(script: Script) -> None:
    _, server = answers_of(script, 12)
    assert len(server.calls) == 12


# With the response before; while its connection rests; when it is used again, before the answer.
SURPLUS = [(0.0, 0.002), (0.004, 0.002), (0.08, 0.002), (0.15, 0.1)]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("surplus", "delay"), SURPLUS)
def test_a_surplus_response_is_nobodys_answer(surplus: float, delay: float, threads: int) -> None:
    def script(call: Call) -> Response:
        more = surplus if call.index % 5 == 3 else None
        return chat(f"odpowiedź: {call.prompt}", surplus=more, delay=delay)

    found, _ = answers_of(script, 20, threads=threads, max_retries=0)
    assert_echoed(found)


def test_a_silent_connection_is_used_again() -> None:
    _, server = answers_of(in_turn(chat("Tak.", delay=0.05)), 12)
    assert 2 <= server.connections <= 6
    assert len(server.calls) == 12


def test_no_cookie_is_sent_back() -> None:
    _, server = answers_of(in_turn(chat("Tak.", headers={"Set-Cookie": "a=b; Path=/"})), 3)
    assert ["cookie" in call.headers for call in server.calls] == [False] * 3


def test_asks_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(echo) as proxy:
        monkeypatch.setenv("http_proxy", f"http://jan:tajne@127.0.0.1:{proxy.port}")
        assert_echoed(answers("http://nowhere.invalid/v1"))
        monkeypatch.setenv("no_proxy", "nowhere.invalid")
        assert "cannot be reached" in end_of(lambda: answers("http://nowhere.invalid/v1"))
    (call,) = proxy.calls
    assert call.path == "http://nowhere.invalid/v1/chat/completions"
    assert call.headers["proxy-authorization"] == "Basic amFuOnRham5l"


def test_certificates_that_cannot_be_read_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "none.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    said = end_of(lambda: asking("https://h/v1"))
    assert said.startswith(f"SSL_CERT_FILE={path}: cannot be read: No such")


def test_a_prompt_that_is_no_text_is_an_error_of_its_own() -> None:
    bad = Request("0", Prompt((Message("user", "\ud800"),)))
    with Loopback(echo) as server:
        (answer,) = asking(server.url).generate([bad])
    assert str(answer.error).startswith("the prompt is no text")


# No longer than one question may take; neither `sleep_time` nor what is asked would end here.
@pytest.mark.parametrize(("header", "timeout", "wait"), [("0.2", 20.0, 0.2), ("60", 2.0, 2.0)])
def test_waits_as_long_as_the_service_asks(header: str, timeout: float, wait: float) -> None:
    script = in_turn(failure(429, "później", headers={"Retry-After": header}), chat("Tak."))
    started = time.monotonic()
    answer, server = answer_to(script, sleep_time=60.0, timeout=timeout)
    whole = time.monotonic() - started
    assert answer.text == "Tak."
    assert wait <= server.calls[1].at - server.calls[0].at < 30
    # The wait is no part of the time that the answer took.
    assert answer.seconds <= whole - wait


def test_waits_twice_as_long_each_time() -> None:
    _, server = answer_to(in_turn(failure(500, "nie")), sleep_time=0.1, max_retries=3)
    waits = [later.at - earlier.at for earlier, later in pairwise(server.calls)]
    assert all(wait >= least for wait, least in zip(waits, (0.1, 0.2, 0.4), strict=True))


def test_by_default_a_service_may_be_away_for_90_seconds() -> None:
    default = RemoteConfig(model="m", api_base="http://h/v1")
    waits = (min(default.sleep_time * 2**retry, 60) for retry in range(default.max_retries))
    assert sum(waits) >= 90


@pytest.mark.parametrize("response", [chat("Tak.", delay=60), chat("Tak." * 300, drip=0.05)])
def test_a_question_ends_by_its_deadline(response: Response) -> None:
    started = time.monotonic()
    answer, _ = answer_to(in_turn(response), timeout=0.3, max_retries=0)
    assert answer.error == "no answer within 0.3 seconds"
    assert time.monotonic() - started < 30


def test_no_deadline_passes_while_an_answer_is_dealt_with() -> None:
    script = in_turn(chat("Tak."), chat("Tak.", delay=0.2))
    with Loopback(script) as server:
        generator = asking(server.url, threads=3, timeout=2.0, max_retries=0)
        for number, answer in enumerate(generator.generate(requests(3))):
            assert answer.text == "Tak."
            if number == 0:
                time.sleep(2.5)


def test_takes_requests_as_it_has_room_for_them() -> None:
    taken = 0

    def counted() -> Iterator[Request]:
        nonlocal taken
        for request in requests(100):
            taken += 1
            yield request

    with Loopback(in_turn(chat("Tak.", delay=0.002))) as server:
        for number, _ in enumerate(asking(server.url, threads=4).generate(counted()), start=1):
            # As many as are with the service, as many as wait to be taken.
            assert taken - number <= 2 * 4
            time.sleep(0.001)
    assert taken == 100


def test_an_error_of_the_requests_is_raised() -> None:
    def broken() -> Iterator[Request]:
        yield from requests(3)
        raise UserError("prompt.jinja:1: is broken")

    with Loopback(echo) as server, pytest.raises(UserError, match="is broken"):
        list(asking(server.url).generate(broken()))


def test_ends_at_once_where_no_server_listens() -> None:
    started = time.monotonic()
    with dead_url() as url:
        said = end_of(lambda: answers(url, count=20, threads=4, sleep_time=60.0))
    port = re.search(r":(\d+)/", url)[1]  # type: ignore[index]
    assert said == (
        f"no server listens at {url}; start one, for example: vllm serve m --port {port}, "
        f"or: transformers serve m --port {port}"
    )
    assert time.monotonic() - started < 30


NO_SERVERS = {
    "http://nowhere.invalid:1/v1?key=secret": "http://nowhere.invalid:1/v1 cannot be reached",
    f"http://{'a' * 300}/v1": "api_base: is no URL: ",
}


@pytest.mark.parametrize(("base", "line"), NO_SERVERS.items())
def test_ends_at_once_where_no_server_can_be(base: str, line: str) -> None:
    assert end_of(lambda: answers(base)).startswith(line)


def test_a_server_that_dies_for_good_is_not_waited_for_by_each_question() -> None:
    started = time.monotonic()
    with Loopback(echo) as server:
        generator = asking(server.url, threads=2, max_retries=2, sleep_time=0.3)
        found = stopping(server, after=10, answers=generator.generate(requests(200)))
    errors = [str(answer.error) for answer in found if answer.text is None]
    assert 180 <= len(errors) <= 190
    assert all(f"no server listens at {server.url}" in error for error in errors)
    # Each would have waited for 0.9 seconds, two at once.
    assert time.monotonic() - started < 30


def stopping(server: Loopback, after: int, answers: Iterator[Answer]) -> list[Answer]:
    """All answers, of a server that dies after some of them."""
    found = [next(answers) for _ in range(after)]
    server.stop()
    return [*found, *answers]


def test_a_replica_that_dies_midway_loses_no_question() -> None:
    one, two = (Loopback(in_turn(chat(text, delay=0.02))) for text in ("jeden", "dwa"))
    with one, two:
        generator = asking(one.url, two.url, threads=4, max_retries=0)
        found = stopping(one, after=10, answers=generator.generate(requests(40)))
    assert [answer.error for answer in found] == [None] * 40
    assert [answer.text for answer in found[-20:]] == ["dwa"] * 20


def test_takes_the_one_model_that_is_served() -> None:
    with dead_url() as dead, Loopback(in_turn(models("bielik"))) as server:
        assert served_model(config(dead, server.url, model=None), KEY) == "bielik"
    (call,) = server.calls
    assert (call.method, call.path, call.body) == ("GET", "/v1/models", b"")
    assert call.headers["authorization"] == f"Bearer {KEY}"


NO_ONE_MODEL = [
    (models(), 'serves no model; set "model" in the config'),
    (models("a", KEY), 'serves 2 models: a, ***; set "model" in the config'),
    (models("a\x1b[31m"), "its model's name is no name (a [31m); set"),
    (Response(delay=60), "does not name its model: no answer within 0.3 seconds"),
    (failure(401, f"no {KEY}"), "access refused (401: no ***); set the environment variable"),
]


@pytest.mark.parametrize(("response", "line"), NO_ONE_MODEL)
def test_says_why_there_is_no_one_model(response: Response, line: str) -> None:
    with Loopback(in_turn(response)) as server:
        timeout = 0.3 if response.delay else 20.0
        settings = config(server.url, model=None, timeout=timeout, max_retries=1)
        said = end_of(lambda: served_model(settings, KEY))
    assert said.startswith(server.url)
    assert line in said


@pytest.mark.parametrize("key", ["ą", "a\nb"])
def test_a_key_that_no_header_carries_is_refused(key: str) -> None:
    said = end_of(lambda: asking("http://h/v1", key=key))
    assert "API_KEY: holds characters that no key has" in said
