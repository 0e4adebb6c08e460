import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Message, Prompt, Request
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator, served_model
from tests.loopback import (
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


def requests(count: int) -> Iterator[Request]:
    for index in range(count):
        question = f"pytanie {index}"
        messages = (Message("system", "Odpowiadaj."), Message("user", question))
        yield Request(str(index), Prompt(messages, f"system\n\n{question}"))


def answers(settings: RemoteConfig, count: int = 1, text_completion: bool = False) -> list[Answer]:
    found = list(RemoteGenerator(settings, KEY, text_completion).generate(requests(count)))
    assert sorted(int(answer.request.id) for answer in found) == list(range(count))
    assert not any(KEY in repr(answer) for answer in found)
    return found


def answer_to(script: Script, **changes: Any) -> tuple[Answer, Loopback]:
    """The answer to one question, and the server that gave it."""
    with Loopback(script) as server:
        return answers(config(server.url, **changes))[0], server


def echo(call: Call) -> Response:
    return chat(f"odpowiedź: {call.prompt}")


# What is sent


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, {"temperature": 0.0, "top_p": 1}),
        ({"temperature": 0.7}, {"temperature": 0.7, "top_p": 1}),
        ({"temperature": None}, {}),
        ({"temperature": None, "max_tokens": 64}, {"max_tokens": 64}),
        (
            {"temperature": None, "extra_body": {"seed": 1, "x": {"y": []}}},
            {"seed": 1, "x": {"y": []}},
        ),
        ({"extra_body": {"top_p": 0.9}}, {"temperature": 0.0, "top_p": 0.9}),
    ],
)
def test_sends_the_chat_and_the_settings(changes: dict[str, Any], fields: dict[str, Any]) -> None:
    answer, server = answer_to(in_turn(chat("Tak.")), **changes)
    assert answer.text == "Tak."
    (call,) = server.calls
    assert (call.method, call.path) == ("POST", "/v1/chat/completions")
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.json == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Odpowiadaj."},
            {"role": "user", "content": "pytanie 0"},
        ],
        **fields,
    }


def test_sends_one_text_for_its_completion() -> None:
    with Loopback(in_turn(completion(" Tak.", "length"))) as server:
        (answer,) = answers(config(server.url, max_tokens=5), text_completion=True)
    assert (answer.text, answer.finish_reason) == (" Tak.", "length")
    assert server.calls[0].path == "/v1/completions"
    assert server.calls[0].json == {
        "model": "m",
        "prompt": "system\n\npytanie 0",
        "temperature": 0.0,
        "top_p": 1,
        "max_tokens": 5,
    }


def test_takes_credentials_and_query_of_the_url_along() -> None:
    with Loopback(in_turn(failure(400, "nie"))) as server:
        url = server.url.replace("http://", "http://anna:hasło-tajne@") + "?version=2"
        (answer,) = answers(config(url))
    (call,) = server.calls
    assert call.path == "/v1/chat/completions?version=2"
    assert call.headers["authorization"] == "Basic YW5uYTpoYXPFgm8tdGFqbmU="
    assert "tajne" not in str(answer.error)


# What is read


def test_says_how_the_answer_came_about() -> None:
    answer, _ = answer_to(in_turn(chat("Tak.", message={"reasoning_content": "Hm."}, delay=0.1)))
    assert answer == Answer(
        answer.request,
        "Tak.",
        finish_reason="stop",
        usage={"prompt_tokens": 11, "completion_tokens": 7},
        seconds=answer.seconds,
        reasoning="Hm.",
    )
    assert 0.1 <= answer.seconds < 1


def test_a_model_that_only_reasoned_has_answered_with_nothing() -> None:
    answer, server = answer_to(in_turn(chat(None, "length", message={"reasoning": "Hm..."})))
    assert (answer.text, answer.reasoning, answer.error) == ("", "Hm...", None)
    assert len(server.calls) == 1


# What is asked again, and what is not

PASSING = {
    "408": failure(408, "wolno"),
    "409": failure(409, "zajęte"),
    "429": failure(429, "za szybko"),
    "500": failure(500, "błąd"),
    "503 HTML": Response("<html>503</html>", status=503),
    "529": failure(529, "tłok"),
    "cut before the head": Response(raw=b""),
    "cut in the head": Response(raw=b"HTTP/1.1 200 OK\r\nContent-Le"),
    "cut in the body": chat("Tak.", cut=20),
    "not HTTP": Response(raw=b"SSH-2.0-OpenSSH\r\n\r\n"),
    "slow": chat("Tak.", delay=3),
    "dripping": chat("Tak.", drip=0.05),
    "malformed JSON": Response('{"choices": [{'),
    "endless nesting": Response("[" * 100_000),
    "bad UTF-8": Response(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    "bad gzip": Response(b"gzip?", headers={"Content-Encoding": "gzip"}),
    "empty": Response(b""),
    "204": Response(b"", status=204),
    "HTML": Response("<!DOCTYPE html><p>Logowanie", headers={"Content-Type": "text/html"}),
    "a list": Response([1, 2]),
    "no choices": Response({"choices": []}),
    "null choices": Response({"choices": None}),
    "an error with 200": Response({"error": {"message": "przeciążony", "code": 502}}),
    "null content": chat(None),
    "content of parts": chat([{"type": "text", "text": "Tak."}]),
    "a number as content": chat(1),
    "no message": Response({"choices": [{"finish_reason": "stop"}]}),
    "redirect": Response(status=302, headers={"Location": "http://127.0.0.1:9/v1"}),
}


@pytest.mark.parametrize("name", PASSING)
def test_asks_again_after_a_passing_fault(name: str) -> None:
    timeout = 0.5 if name in ("slow", "dripping") else 5.0
    answer, server = answer_to(in_turn(PASSING[name], chat("Tak.")), timeout=timeout)
    assert (answer.text, answer.error) == ("Tak.", None)
    assert len(server.calls) == 2


def test_gives_up_when_retries_are_over() -> None:
    answer, server = answer_to(in_turn(failure(500, "nie\ndziała")), max_retries=2)
    assert answer.text is None
    assert answer.error == "500 Internal Server Error: nie działa (asked 3 times)"
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (failure(400, "too long", "context_length_exceeded"), "400 Bad Request: too long"),
        (failure(402, "no credit"), "402 Payment Required: no credit"),
        (failure(413, "big"), "413 Request Entity Too Large: big"),
        (Response("zły prompt", status=422), "422 Unprocessable Entity: zły prompt"),
        (failure(429, "pay first", "insufficient_quota"), "429 Too Many Requests: pay first"),
        (chat(None, "content_filter"), "the service's content filter withheld the answer"),
    ],
)
def test_a_fault_of_one_question_is_its_error(response: Response, error: str) -> None:
    with Loopback(lambda call: response if "0" in call.prompt else echo(call)) as server:
        found = {int(answer.request.id): answer for answer in answers(config(server.url), 3)}
    assert found[0].error == error
    assert [found[1].text, found[2].text] == ["odpowiedź: pytanie 1", "odpowiedź: pytanie 2"]
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("response", "line"),
    [
        (
            failure(401, f"wrong key {KEY}"),
            r"access refused \(401: wrong key \*\*\*\); set .* API_KEY",
        ),
        (failure(401, f"Incorrect: {KEY[:8]}****{KEY[-4:]}"), r"\(401: Incorrect: \*\*\*\)"),
        (failure(401, f"{KEY[:12]} is wrong, {KEY[-9:]}"), r"\(401: \*\*\* is wrong, \*\*\*\)"),
        (failure(403, "not in your country"), r"\(403: not in your country\); set .* API_KEY"),
        (failure(404, "The model `m` does not exist."), "there is no model 'm'"),
        (failure(400, "unknown", "model_not_found"), "there is no model 'm'"),
        (
            Response("Not Found", status=404),
            r"/v1/chat/completions: not found \(404: Not Found\); api",
        ),
        (
            Response("<h1>404</h1>", status=404),
            r"not found \(404: an HTML page\); api_base must be",
        ),
    ],
)
def test_a_fault_of_every_question_ends_the_run(response: Response, line: str) -> None:
    with Loopback(in_turn(response)) as server, pytest.raises(UserError, match=line) as raised:
        answers(config(server.url, threads=4), 50)
    assert len(server.calls) <= 4
    assert server.url in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "canary" not in str(raised.value)
    assert "cdef" not in str(raised.value)


def test_a_404_after_an_answer_concerns_one_question() -> None:
    with Loopback(in_turn(chat("Tak."), failure(404, "gone"), chat("Nie."))) as server:
        found = answers(config(server.url), 3)
    assert [answer.text for answer in found] == ["Tak.", None, "Nie."]


def test_follows_no_redirect() -> None:
    with Loopback(in_turn(chat("Tak."))) as other:
        moved = Response(status=307, headers={"Location": f"{other.url}/x?key={KEY}"})
        answer, _ = answer_to(in_turn(moved))
    assert other.calls == []
    assert f"not one that redirects to {other.url}/x " in str(answer.error)


def test_a_prompt_that_is_no_text_is_an_error_of_its_own() -> None:
    with Loopback(echo) as server:
        prompt = Prompt((Message("user", "\ud800"),))
        bad = Request("0", prompt)
        (answer,) = RemoteGenerator(config(server.url), KEY, False).generate([bad])
    assert str(answer.error).startswith("the prompt is no text")


@pytest.mark.parametrize("echoed", [KEY, f"Bearer {KEY}", f"x{KEY}y", KEY[: len(KEY) // 2]])
def test_no_error_shows_the_key(echoed: str) -> None:
    for response in (
        failure(400, echoed),
        Response(echoed, status=500),
        Response({"error": echoed}),
        Response({"detail": [{"msg": f"{'x' * 295} {echoed}"}]}, status=422),
        Response(status=302, headers={"Location": f"http://h/{echoed}"}),
    ):
        answer, _ = answer_to(in_turn(response), max_retries=0)
        assert answer.error is not None
        assert "canary" not in answer.error
        assert len(answer.error) <= 300


# How long is waited


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("0.1", 0.1, 0.5),
        ("60", 0.3, 0.5),  # no longer than one question may take
        (timedelta(seconds=30), 0.3, 0.5),
        (timedelta(seconds=-30), 0.0, 0.5),
        ("soon", 0.5, 5.0),  # nonsense: sleep_time
        (None, 0.5, 5.0),
    ],
)
def test_waits_as_long_as_the_service_asks(
    header: str | timedelta | None, least: float, most: float
) -> None:
    if isinstance(header, timedelta):
        header = format_datetime(datetime.now(UTC) + header, usegmt=True)
    headers = {} if header is None else {"Retry-After": header}
    script = in_turn(failure(429, "później", headers=headers), chat("Tak."))
    answer, server = answer_to(script, sleep_time=0.5, timeout=0.3)
    assert answer.text == "Tak."
    assert least <= server.calls[1].at - server.calls[0].at < most
    assert answer.seconds < 0.3


@pytest.mark.parametrize("response", [chat("Tak.", delay=60), chat("Tak." * 100, drip=0.02)])
def test_a_question_ends_by_its_deadline(response: Response) -> None:
    started = time.monotonic()
    answer, _ = answer_to(in_turn(response), timeout=0.3, max_retries=0)
    assert answer.error == "no answer within 0.3 seconds"
    assert time.monotonic() - started < 3


def test_no_deadline_passes_while_an_answer_is_dealt_with() -> None:
    def script(call: Call) -> Response:
        return chat("Tak.", delay=0.0 if call.index == 0 else 0.2)

    with Loopback(script) as server:
        settings = config(server.url, threads=3, timeout=0.5, max_retries=0)
        generator = RemoteGenerator(settings, KEY, False)
        for number, answer in enumerate(generator.generate(requests(3))):
            assert answer.text == "Tak."
            if number == 0:
                time.sleep(0.8)


# Many questions


def test_answers_each_question_once_in_any_order() -> None:
    def script(call: Call) -> Response:
        delay = 0.05 * (1 + call.index % 3)
        return chat(f"odpowiedź: {call.prompt}", delay=delay)

    with Loopback(script) as server:
        found = answers(config(server.url, threads=8), 60)
    assert [int(answer.request.id) for answer in found] != list(range(60))
    for answer in found:
        assert answer.text == f"odpowiedź: pytanie {answer.request.id}"
    assert server.at_once == 8


def test_a_slow_answer_holds_no_other() -> None:
    def script(call: Call) -> Response:
        return chat("wolno", delay=0.6) if call.prompt.endswith(" 0") else chat("szybko")

    with Loopback(script) as server:
        found = answers(config(server.url, threads=2), 40)
    assert [answer.text for answer in found] == ["szybko"] * 39 + ["wolno"]


def test_takes_requests_as_it_has_room_for_them() -> None:
    taken = 0

    def counted() -> Iterator[Request]:
        nonlocal taken
        for request in requests(100):
            taken += 1
            yield request

    with Loopback(in_turn(chat("Tak.", delay=0.002))) as server:
        generator = RemoteGenerator(config(server.url, threads=4), KEY, False)
        for number, _ in enumerate(generator.generate(counted()), start=1):
            # As many as are with the service, as many as wait to be taken.
            assert taken - number <= 2 * 4
            time.sleep(0.001)
    assert taken == 100


def test_an_error_of_the_requests_is_raised() -> None:
    def broken() -> Iterator[Request]:
        yield from requests(3)
        raise UserError("prompt.jinja:1: is broken")

    with Loopback(echo) as server, pytest.raises(UserError, match="is broken"):
        list(RemoteGenerator(config(server.url), KEY, False).generate(broken()))


def test_no_requests_no_calls() -> None:
    with Loopback(echo) as server:
        assert answers(config(server.url, threads=3), 0) == []
    assert server.calls == []


def test_one_generator_answers_twice() -> None:
    with Loopback(echo) as server:
        generator = RemoteGenerator(config(server.url, threads=2), KEY, False)
        assert len(list(generator.generate(requests(4)))) == 4
        assert len(list(generator.generate(requests(4)))) == 4


# Ends before the end


def test_stopped_it_yields_what_is_in_flight() -> None:
    with Loopback(in_turn(chat("Tak.", delay=0.05))) as server:
        generator = RemoteGenerator(config(server.url, threads=4), KEY, False)
        found = []
        for answer in generator.generate(requests(100)):
            found.append(answer)
            generator.stop()
        assert [answer.text for answer in found] == ["Tak."] * len(found)
        # Four when the first one came, and those that were sent with it.
        assert 4 <= len(found) == len(server.calls) <= 8


def test_stopped_it_asks_nothing_again() -> None:
    started = time.monotonic()
    with Loopback(in_turn(failure(500, "nie"))) as server:
        settings = config(server.url, threads=2, sleep_time=60.0)
        generator = RemoteGenerator(settings, KEY, False)
        threading.Timer(0.5, generator.stop).start()
        found = list(generator.generate(requests(9)))
    assert [answer.error for answer in found] == ["500 Internal Server Error: nie"] * 2
    assert time.monotonic() - started < 10


def test_stopped_before_it_started_it_asks_nothing() -> None:
    with Loopback(echo) as server:
        generator = RemoteGenerator(config(server.url), KEY, False)
        generator.stop()
        assert list(generator.generate(requests(9))) == []
    assert server.calls == []


def test_closing_early_makes_no_noise(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Loopback(in_turn(chat("Tak."), chat("Nie.", delay=30))) as server,
        warnings.catch_warnings(action="error"),
    ):
        generator = RemoteGenerator(config(server.url, threads=8), KEY, False)
        answering = generator.generate(requests(100))
        assert next(answering).text == "Tak."
        answering.close()
        gc.collect()
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


_INTERRUPTED = """
import signal, sys
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.base import Message, Prompt, Request
from ragifeval.generators.remote import RemoteGenerator
if sys.argv[2] == "handled":
    def handle(number, frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, handle)
prompt = Prompt((Message("user", "?"),))
requests = [Request(str(index), prompt) for index in range(99)]
config = RemoteConfig(model="m", api_base=sys.argv[1], threads=8)
try:
    for answer in RemoteGenerator(config, "-", False).generate(requests):
        print(answer.text, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("handler", ["default", "handled"])
def test_ctrl_c_makes_no_noise(handler: str) -> None:
    with Loopback(in_turn(chat("Tak."), chat("Nie.", delay=30))) as server:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _INTERRUPTED, server.url, handler],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "Tak.\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (130, "")


# Where nobody answers


def test_ends_at_once_where_no_server_listens() -> None:
    started = time.monotonic()
    with dead_url() as url, pytest.raises(UserError) as raised:
        answers(config(url, threads=4, sleep_time=60.0), 20)
    port = re.search(r":(\d+)/", url)[1]  # type: ignore[index]
    assert str(raised.value) == (
        f"no server listens at {url}; start one, for example: vllm serve m --port {port}, "
        f"or: transformers serve m --port {port}"
    )
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("base", "line"),
    [
        ("http://nowhere.invalid/v1", "http://nowhere.invalid/v1 cannot be reached"),
        ("http://nowhere.invalid:1/v1?key=secret", "http://nowhere.invalid:1/v1 cannot be reached"),
        (f"http://{'a' * 300}/v1", "api_base: is no URL: "),
        ("http://../v1", "api_base: is no URL: "),
        ("http://h/\x00", "api_base: is no URL: Invalid non-printable ASCII character"),
    ],
)
def test_ends_at_once_where_no_server_can_be(base: str, line: str) -> None:
    with pytest.raises(UserError) as raised:
        answers(config(base))
    assert str(raised.value).startswith(line)


def test_a_server_that_dies_for_good_is_not_waited_for_by_each_question() -> None:
    def script(call: Call) -> Response:
        return echo(call)

    started = time.monotonic()
    with Loopback(script) as server:
        settings = config(server.url, threads=2, max_retries=2, sleep_time=0.1)
        found = []
        for answer in RemoteGenerator(settings, KEY, False).generate(requests(200)):
            found.append(answer)
            if len(found) == 10:
                server.stop()
    assert len(found) == 200
    failed = [answer for answer in found if answer.text is None]
    assert all(f"no server listens at {server.url}" in str(answer.error) for answer in failed)
    assert 180 <= len(failed) <= 190
    # One after the other, each would have waited for twice 0.1 seconds.
    assert time.monotonic() - started < 10


# Replicas


def test_replicas_share_the_questions() -> None:
    with Loopback(echo) as one, Loopback(echo) as two:
        found = answers(config(one.url, two.url, threads=2), 20)
    assert all(answer.error is None for answer in found)
    assert len(one.calls) == len(two.calls) == 10


def test_a_dead_replica_costs_no_retry() -> None:
    with dead_url() as url, Loopback(echo) as server:
        settings = config(url, server.url, threads=4, max_retries=0)
        assert all(answer.error is None for answer in answers(settings, 20))
    assert len(server.calls) == 20


def test_a_replica_that_dies_midway_loses_no_question() -> None:
    slow = 0.02
    with (
        Loopback(lambda call: chat("jeden", delay=slow)) as one,
        Loopback(lambda call: chat("dwa", delay=slow)) as two,
    ):
        settings = config(one.url, two.url, threads=4, max_retries=0)
        found = []
        for answer in RemoteGenerator(settings, KEY, False).generate(requests(40)):
            found.append(answer)
            if len(found) == 10:
                one.stop()
    assert [answer.error for answer in found] == [None] * 40
    assert [answer.text for answer in found[-20:]] == ["dwa"] * 20


def test_a_retry_goes_to_another_replica() -> None:
    with Loopback(in_turn(failure(500, "zepsute"))) as one, Loopback(echo) as two:
        settings = config(one.url, two.url, threads=3, max_retries=1)
        assert all(answer.error is None for answer in answers(settings, 30))


def test_all_replicas_dead_from_the_start() -> None:
    with dead_url() as one, dead_url() as two, pytest.raises(UserError) as raised:
        answers(config(one, two, sleep_time=60.0), 5)
    assert f"no server listens at {one}, {two}; start one" in str(raised.value)


# The model that is served


def test_takes_the_one_model_that_is_served() -> None:
    with dead_url() as dead, Loopback(in_turn(models("bielik"))) as server:
        assert served_model(config(dead, server.url, model=None), KEY) == "bielik"
    (call,) = server.calls
    assert (call.method, call.path, call.body) == ("GET", "/v1/models", b"")
    assert call.headers["authorization"] == f"Bearer {KEY}"


def test_waits_for_a_server_that_still_loads_its_model() -> None:
    with Loopback(in_turn(failure(503, "Loading model"), models("bielik"))) as server:
        assert served_model(config(server.url, model=None), KEY) == "bielik"


@pytest.mark.parametrize(
    ("response", "line"),
    [
        (models(), 'serves no model; set "model" in the config'),
        (models("a", "b"), 'serves 2 models: a, b; set "model" in the config'),
        (models(*"abcdefghijkl"), "serves 12 models: a, b, c, d, e, f, g, h, i, j, ...; set"),
        (Response("<html>"), "does not name its model: the response is an HTML page"),
        (Response({"data": [{"name": "a"}]}), "does not name its model: the response is no list"),
        (Response([]), "does not name its model: the response is not a JSON object but a list"),
        (Response(status=302), "does not name its model: 302 redirect"),
        (models("a").__class__(delay=9), "does not name its model: no answer within 0.3 seconds"),
        (failure(401, f"no {KEY}"), "access refused (401: no ***); set the environment variable"),
        (
            Response("Not Found", status=404),
            "/models: not found (404: Not Found); api_base must be",
        ),
    ],
)
def test_says_why_there_is_no_one_model(response: Response, line: str) -> None:
    with Loopback(in_turn(response)) as server, pytest.raises(UserError) as raised:
        served_model(config(server.url, model=None, timeout=0.3, max_retries=1), KEY)
    assert line in str(raised.value)
    assert str(raised.value).startswith(server.url)
    assert "canary" not in str(raised.value)


def test_says_how_to_start_a_server() -> None:
    with dead_url() as url, pytest.raises(UserError, match=r"no server .* vllm serve MODEL --port"):
        served_model(config(url, model=None), KEY)


# The key, the imports


@pytest.mark.parametrize("key", ["ą", "a\nb", "a\x00"])
def test_a_key_that_no_header_carries_is_refused(key: str) -> None:
    with pytest.raises(UserError, match="API_KEY: holds characters that no key has"):
        RemoteGenerator(config("http://h/v1"), key, False)


def test_a_newline_at_the_end_of_a_key_is_dropped() -> None:
    with Loopback(echo) as server:
        list(RemoteGenerator(config(server.url), f"{KEY}\n", False).generate(requests(1)))
    assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"


def test_imports_no_model_library() -> None:
    code = (
        "import sys, ragifeval.generators.remote as _; "
        "print({'torch', 'transformers', 'google', 'spacy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
