import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
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
    """The answers, and the server that gave them."""
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


# What is sent


CHAT = [
    {"role": "system", "content": "Odpowiadaj."},
    {"role": "user", "content": "pytanie 0"},
]
GREEDY = {"temperature": 0.0, "top_p": 1}
SCHEMA = {"type": "object"}
HELD = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}
# Of the config, of the request -> what is sent beside model and messages.
BODIES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({}, {}, GREEDY),
    ({"temperature": 0.7}, {}, {"temperature": 0.7, "top_p": 1}),
    ({"temperature": None}, {}, {}),
    ({"max_tokens": 64}, {}, {**GREEDY, "max_tokens": 64}),
    ({"extra_body": {"seed": 1, "x": {"y": []}}}, {}, {**GREEDY, "seed": 1, "x": {"y": []}}),
    ({"extra_body": {"top_p": 0.9}}, {}, {**GREEDY, "top_p": 0.9}),
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


def test_sends_the_chat() -> None:
    answer, server = answer_to(in_turn(chat("Tak.")))
    assert answer.text == "Tak."
    (call,) = server.calls
    assert (call.method, call.path) == ("POST", "/v1/chat/completions")
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert not any("stainless" in name for name in call.headers)  # the SDK's telemetry
    assert call.json == {"model": "m", "messages": CHAT, **GREEDY}


@pytest.mark.parametrize(("max_tokens", "sent"), [(5, 5), (None, 4096)])
def test_sends_one_text_for_its_completion(max_tokens: int | None, sent: int) -> None:
    script = in_turn(completion(" Tak.", "length"))
    answer, server = answer_to(script, max_tokens=max_tokens, text_completion=True)
    assert (answer.text, answer.finish_reason) == (" Tak.", "length")
    assert server.calls[0].path == "/v1/completions"
    prompt = "system\n\npytanie 0"
    assert server.calls[0].json == {"model": "m", "prompt": prompt, **GREEDY, "max_tokens": sent}


def test_takes_credentials_and_query_of_the_url_along() -> None:
    with Loopback(in_turn(failure(400, "nie"))) as server:
        url = server.url.replace("http://", "http://anna:hasło-tajne@") + "?version=2"
        (answer,) = answers(url)
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


# What is asked again, and what is not

# test_faults.py has the statuses, test_response.py what is wrong with a body, and
# tests/end_to_end/test_faults.py what services do more often.
PASSING = {
    "cut before the head": Response(raw=b""),
    "cut in the head": Response(raw=b"HTTP/1.1 200 OK\r\nContent-Le"),
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


def test_reads_a_response_that_is_gzip() -> None:
    answer, _ = answer_to(in_turn(chat("Tak.").gzipped()), max_retries=0)
    assert (answer.text, answer.error) == ("Tak.", None)


def test_gives_up_when_retries_are_over() -> None:
    answer, server = answer_to(in_turn(failure(500, "nie\ndziała")), max_retries=2)
    assert (answer.text, answer.retries, len(server.calls)) == (None, 2, 3)
    assert answer.error == "500 Internal Server Error: nie działa (asked 3 times)"


@pytest.mark.parametrize("threads", [1, 3])
def test_asks_no_more_after_so_many_questions_without_an_answer(threads: int) -> None:
    patience = {"threads": threads, "max_retries": 1, "max_faults": 5}
    found, server = answers_of(in_turn(failure(500, "nie")), 40, **patience)
    said = "500 Internal Server Error: nie"
    errors = [answer.error for answer in found]
    asked = [errors.count(f"{said} (asked 2 times)"), errors.count(said)]
    assert 3 <= asked[0] < 3 + threads
    assert 5 <= sum(asked) < 5 + threads
    assert len(server.calls) == 2 * asked[0] + asked[1]
    rest = [error for error in errors if error not in (said, f"{said} (asked 2 times)")]
    assert len(rest) == 40 - sum(asked)
    assert {re.sub(r"\d+ questions", "N questions", str(error)) for error in rest} == {
        f"not asked: N questions in a row had no answer, the last one because of: {said}"
    }


def test_an_answer_restores_patience() -> None:
    script = in_turn(*[*[failure(500, "nie")] * 4, chat("Tak.")] * 5)
    found, server = answers_of(script, 25, max_retries=0, max_faults=5)
    assert [answer.error is None for answer in found] == [False, False, False, False, True] * 5
    assert len(server.calls) == 25


@pytest.mark.parametrize(
    ("response", "error", "is_refusal"),
    [
        (failure(400, "too long", "context_length_exceeded"), "400 Bad Request: too long", True),
        (failure(402, "no credit"), "402 Payment Required: no credit", False),
        (failure(413, "big"), "413 Request Entity Too Large: big", True),
        (Response("zły prompt", status=422), "422 Unprocessable Entity: zły prompt", True),
        (failure(429, "pay", "insufficient_quota"), "429 Too Many Requests: pay", False),
        (chat(None, "content_filter"), "the service's content filter withheld the answer", True),
    ],
)
def test_a_fault_of_one_question_is_its_error(
    response: Response, error: str, is_refusal: bool
) -> None:
    found, server = answers_of(lambda call: response if "0" in call.prompt else echo(call), 3)
    by_id = {answer.request.id: answer for answer in found}
    assert (by_id["0"].error, by_id["0"].is_refusal) == (error, is_refusal)
    assert_echoed([by_id["1"], by_id["2"]])
    assert len(server.calls) == 3


NOT_FOUND = Response("Not Found", status=404)
UNKNOWN = failure(404, "The model `m` does not exist.")


@pytest.mark.parametrize(
    ("response", "line"),
    [
        (failure(401, f"wrong {KEY}"), r"access refused \(401: wrong \*\*\*\); set .* API_KEY"),
        (failure(403, "not in your country"), r"\(403: not in your country\); set .* API_KEY"),
        (UNKNOWN, "there is no model 'm'"),
        (failure(400, "unknown", "model_not_found"), "there is no model 'm'"),
        (NOT_FOUND, r"/v1/chat/completions: not found \(404: Not Found\); api"),
        (
            Response("<h1>404</h1>", status=404),
            r"not found \(404: an HTML page\); api_base must be",
        ),
    ],
)
def test_a_fault_of_every_question_ends_the_run(response: Response, line: str) -> None:
    with Loopback(in_turn(response)) as server:
        said = end_of(lambda: answers(server.url, count=50, threads=4))
    assert re.search(line, said)
    assert server.url in said
    assert sum(call.method == "POST" for call in server.calls) <= 4


def test_a_model_that_the_service_lacks_is_told_with_those_it_has() -> None:
    found = models("a", f"b{KEY}", *"cdefghijk")
    with Loopback(lambda call: found if call.method == "GET" else UNKNOWN) as server:
        said = end_of(lambda: answers(server.url))
    assert said == (
        f"{server.url}: there is no model 'm' (404: The model `m` does not exist.); "
        "it has: a, b***, c, d, e, f, g, h, i, j, ..."
    )


def test_a_service_without_text_completion_is_named() -> None:
    with Loopback(in_turn(NOT_FOUND)) as server:
        said = end_of(lambda: answers(server.url, text_completion=True))
    assert said.endswith("or the service has no text completion")


@pytest.mark.parametrize("key", [KEY, "-"])
def test_the_same_refusal_of_the_first_questions_ends_the_run(key: str) -> None:
    with Loopback(in_turn(failure(400, "Server is pinned to 'A'; requested 'm'."))) as server:
        said = end_of(lambda: answers(server.url, count=50, key=key))
    remedy = ", set the environment variable API_KEY to a key that is valid there"
    assert said == (
        f"{server.url}: refuses every question alike (400 Bad Request: Server is pinned to 'A'; "
        "requested 'm'.); look at \"model\" ('m') and extra_body in the config"
        f"{remedy if key == '-' else ''}"
    )
    assert len(server.calls) == 5


ALIKE = failure(400, "no")


@pytest.mark.parametrize(
    "script",
    [
        lambda call: failure(400, f"{call.index} tokens are too many"),
        in_turn(failure(400, "The prompt is too long.")),
        in_turn(chat("Tak."), ALIKE),
        in_turn(*[ALIKE] * 4, chat("Tak."), ALIKE),
        in_turn(chat("Tak."), failure(403, "flagged")),
    ],
)
def test_refusals_that_differ_or_follow_an_answer_end_nothing(script: Script) -> None:
    _, server = answers_of(script, 12)
    assert len(server.calls) == 12


def test_refusals_of_a_schema_end_nothing() -> None:
    with Loopback(in_turn(failure(400, "response_format is not supported"))) as server:
        asked = [replace(request, schema={}) for request in requests(12)]
        found = list(asking(server.url).generate(asked))
    assert [answer.is_refusal for answer in found] == [True] * 12


# What is kept between questions: connections over which nothing more came


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    ("surplus", "delay"),
    [
        (0.0, 0.002),  # with the response before
        (0.004, 0.002),  # while its connection rests
        (0.08, 0.002),
        (0.15, 0.1),  # when it is used again, before the answer
    ],
)
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


@pytest.mark.parametrize(
    "response",
    [
        failure(400, "too many tokens", delay=0.05),
        chat("Tak.", headers={"Connection": "close"}, delay=0.05),
        chat("Tak.", delay=0.05, surplus=0.01),
    ],
)
def test_no_other_connection_is(response: Response) -> None:
    _, server = answers_of(in_turn(response), 10)
    assert server.connections == 10


def test_no_cookie_is_sent_back() -> None:
    _, server = answers_of(in_turn(chat("Tak.", headers={"Set-Cookie": "a=b; Path=/"})), 3)
    assert ["cookie" in call.headers for call in server.calls] == [False] * 3


def test_follows_no_redirect() -> None:
    with Loopback(in_turn(chat("Tak."))) as other:
        moved = Response(status=307, headers={"Location": f"{other.url}/x?key={KEY}"})
        answer, _ = answer_to(in_turn(moved))
    assert other.calls == []
    assert f"not one that redirects to {other.url}/x " in str(answer.error)


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


# How long is waited


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("0.1", 0.1, 0.5),
        ("60", 0.3, 0.5),  # no longer than one question may take
        ("soon", 0.5, 5.0),  # nonsense: sleep_time
        (None, 0.5, 5.0),
    ],
)
def test_waits_as_long_as_the_service_asks(header: str | None, least: float, most: float) -> None:
    headers = {} if header is None else {"Retry-After": header}
    script = in_turn(failure(429, "później", headers=headers), chat("Tak."))
    answer, server = answer_to(script, sleep_time=0.5, timeout=0.3)
    assert answer.text == "Tak."
    assert least <= server.calls[1].at - server.calls[0].at < most
    assert answer.seconds < 0.3


def test_waits_twice_as_long_each_time() -> None:
    _, server = answer_to(in_turn(failure(500, "nie")), sleep_time=0.1, max_retries=3)
    waits = [later.at - earlier.at for earlier, later in pairwise(server.calls)]
    assert all(wait >= least for wait, least in zip(waits, (0.1, 0.2, 0.4), strict=True))


def test_by_default_a_service_may_be_away_for_90_seconds() -> None:
    default = RemoteConfig(model="m", api_base="http://h/v1")
    waits = (min(default.sleep_time * 2**retry, 60) for retry in range(default.max_retries))
    assert sum(waits) >= 90


@pytest.mark.parametrize("response", [chat("Tak.", delay=60), chat("Tak." * 100, drip=0.02)])
def test_a_question_ends_by_its_deadline(response: Response) -> None:
    started = time.monotonic()
    answer, _ = answer_to(in_turn(response), timeout=0.3, max_retries=0)
    assert answer.error == "no answer within 0.3 seconds"
    assert time.monotonic() - started < 3


def test_no_deadline_passes_while_an_answer_is_dealt_with() -> None:
    script = in_turn(chat("Tak."), chat("Tak.", delay=0.2))
    with Loopback(script) as server:
        generator = asking(server.url, threads=3, timeout=0.5, max_retries=0)
        for number, answer in enumerate(generator.generate(requests(3))):
            assert answer.text == "Tak."
            if number == 0:
                time.sleep(0.8)


# Many questions


def test_answers_each_question_once_in_any_order() -> None:
    def script(call: Call) -> Response:
        return replace(echo(call), delay=0.05 * (1 + call.index % 3))

    found, server = answers_of(script, 60, threads=8)
    assert [int(answer.request.id) for answer in found] != list(range(60))
    assert_echoed(found)
    assert server.at_once == 8


def test_a_slow_answer_holds_no_other() -> None:
    def script(call: Call) -> Response:
        if call.prompt.endswith(" 0"):
            return chat("wolno", until=lambda: len(server.calls) == 40)
        return chat("szybko")

    with Loopback(script) as server:
        found = answers(server.url, count=40, threads=2, timeout=60.0, max_retries=0)
    texts = [answer.text for answer in found]
    # The last of the others is answered at the same time.
    assert (texts.count("szybko"), texts.count("wolno")) == (39, 1)
    assert texts.index("wolno") >= 38


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


def test_one_generator_answers_twice() -> None:
    with Loopback(echo) as server:
        generator = asking(server.url, threads=2)
        for _ in range(2):
            assert len(list(generator.generate(requests(4)))) == 4


# Ends before the end


def test_stopped_it_yields_what_is_in_flight() -> None:
    with Loopback(in_turn(chat("Tak.", delay=0.05))) as server:
        generator = asking(server.url, threads=4)
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
        generator = asking(server.url, threads=2, sleep_time=60.0)
        threading.Timer(0.5, generator.stop).start()
        found = list(generator.generate(requests(9)))
    assert [answer.error for answer in found] == ["500 Internal Server Error: nie"] * 2
    assert time.monotonic() - started < 10


def test_closing_early_makes_no_noise(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Loopback(in_turn(chat("Tak."), chat("Nie.", delay=30))) as server,
        warnings.catch_warnings(action="error"),
    ):
        answering = asking(server.url, threads=8).generate(requests(100))
        assert next(answering).text == "Tak."
        answering.close()
        gc.collect()
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


_INTERRUPTED = """
import sys
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.base import Message, Prompt, Request
from ragifeval.generators.remote import RemoteGenerator
print({"torch", "transformers", "google", "spacy"} & set(sys.modules))
prompt = Prompt((Message("user", "?"),))
requests = [Request(str(index), prompt) for index in range(99)]
config = RemoteConfig(model="m", api_base=sys.argv[1], threads=8)
try:
    for answer in RemoteGenerator(config, "-", False).generate(requests):
        print(answer.text, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_makes_no_noise_and_no_model_library_is_imported() -> None:
    with Loopback(in_turn(chat("Tak."), chat("Nie.", delay=30))) as server:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _INTERRUPTED, server.url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["set()\n", "Tak.\n"]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (130, "")


# Where nobody answers


def test_ends_at_once_where_no_server_listens() -> None:
    started = time.monotonic()
    with dead_url() as url:
        said = end_of(lambda: answers(url, count=20, threads=4, sleep_time=60.0))
    port = re.search(r":(\d+)/", url)[1]  # type: ignore[index]
    assert said == (
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
    assert end_of(lambda: answers(base)).startswith(line)


def test_a_server_that_dies_for_good_is_not_waited_for_by_each_question() -> None:
    started = time.monotonic()
    with Loopback(echo) as server:
        generator = asking(server.url, threads=2, max_retries=2, sleep_time=0.1)
        found = stopping(server, after=10, answers=generator.generate(requests(200)))
    assert len(found) == 200
    failed = [answer for answer in found if answer.text is None]
    assert all(f"no server listens at {server.url}" in str(answer.error) for answer in failed)
    assert 180 <= len(failed) <= 190
    # One after the other, each would have waited for twice 0.1 seconds.
    assert time.monotonic() - started < 10


def stopping(server: Loopback, after: int, answers: Iterator[Answer]) -> list[Answer]:
    """All answers, of a server that dies after some of them."""
    found = [next(answers) for _ in range(after)]
    server.stop()
    return [*found, *answers]


# Replicas


def test_replicas_share_the_questions() -> None:
    with Loopback(echo) as one, Loopback(echo) as two:
        assert_echoed(answers(one.url, two.url, count=20, threads=2))
    assert len(one.calls) == len(two.calls) == 10


def test_a_dead_replica_costs_no_retry() -> None:
    with dead_url() as url, Loopback(echo) as server:
        assert_echoed(answers(url, server.url, count=20, threads=4, max_retries=0))
    assert len(server.calls) == 20


def test_a_replica_that_dies_midway_loses_no_question() -> None:
    one, two = (Loopback(in_turn(chat(text, delay=0.02))) for text in ("jeden", "dwa"))
    with one, two:
        generator = asking(one.url, two.url, threads=4, max_retries=0)
        found = stopping(one, after=10, answers=generator.generate(requests(40)))
    assert [answer.error for answer in found] == [None] * 40
    assert [answer.text for answer in found[-20:]] == ["dwa"] * 20


# The model that is served


def test_takes_the_one_model_that_is_served() -> None:
    with dead_url() as dead, Loopback(in_turn(models("bielik"))) as server:
        assert served_model(config(dead, server.url, model=None), KEY) == "bielik"
    (call,) = server.calls
    assert (call.method, call.path, call.body) == ("GET", "/v1/models", b"")
    assert call.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("response", "line"),
    [
        (models(), 'serves no model; set "model" in the config'),
        (models("a", KEY), 'serves 2 models: a, ***; set "model" in the config'),
        (models(KEY), "its model's name is no name (***); set"),
        (models("a\x1b[31m"), "its model's name is no name (a [31m); set"),
        (models(*"abcdefghijkl"), "serves 12 models: a, b, c, d, e, f, g, h, i, j, ...; set"),
        (Response("<html>"), "does not name its model: the response is an HTML page"),
        (Response({"data": [{"name": "a"}]}), "does not name its model: the response is no list"),
        (Response(status=302), "does not name its model: 302 redirect"),
        (Response(delay=9), "does not name its model: no answer within 0.3 seconds"),
        (failure(401, f"no {KEY}"), "access refused (401: no ***); set the environment variable"),
        (NOT_FOUND, "/models: not found (404: Not Found); api_base must be"),
    ],
)
def test_says_why_there_is_no_one_model(response: Response, line: str) -> None:
    with Loopback(in_turn(response)) as server:
        settings = config(server.url, model=None, timeout=0.3, max_retries=1)
        said = end_of(lambda: served_model(settings, KEY))
    assert said.startswith(server.url)
    assert line in said


@pytest.mark.parametrize("key", ["ą", "a\nb", "a\x00"])
def test_a_key_that_no_header_carries_is_refused(key: str) -> None:
    said = end_of(lambda: asking("http://h/v1", key=key))
    assert "API_KEY: holds characters that no key has" in said
