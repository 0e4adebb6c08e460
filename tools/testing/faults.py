"""The faults that a service may have, and a service that has all of them."""

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tools.testing.loopback import Call, Response, chat, failure
from tools.testing.process import answer_to, number_of

FOR_EVER = 10_000.0
HTML = {"Content-Type": "text/html"}
TOO_LONG = failure(400, "The prompt has 9000 tokens, 8192 fit.", "context_length_exceeded")

# Faults that may pass, each given the URL of another host; and what is said where one does not.
PASSING: dict[str, tuple[Callable[[str], Response], str]] = {
    "429 with Retry-After": (
        lambda _: failure(429, "slow down", headers={"Retry-After": "0.1"}),
        "429 Too Many Requests: slow down",
    ),
    "500": (lambda _: failure(500, "crash"), "500 Internal Server Error: crash"),
    "503 with an HTML page": (
        lambda _: Response("<html>503</html>", status=503, headers=HTML),
        "503 Service Unavailable: an HTML page",
    ),
    "reset": (lambda _: Response(reset=True), "the connection broke: "),
    "cut in the body": (lambda _: chat("Tak.", cut=20), "the connection broke: "),
    "dripping for ever": (
        lambda _: chat("Tak." * 100_000, drip=0.3),
        "no answer within 4 seconds",
    ),
    "hanging": (lambda _: chat("Tak.", delay=FOR_EVER), "no answer within 4 seconds"),
    "malformed JSON": (
        lambda _: Response('{"choices": [{"message": '),
        "the response is not valid JSON: ",
    ),
    "an empty body": (lambda _: Response(b""), "the response is empty"),
    "a list": (
        lambda _: Response([1, 2]),
        "the response is not a JSON object but a list",
    ),
    "HTML with 200": (
        lambda _: Response("<!DOCTYPE html><p>Zaloguj", headers=HTML),
        "the response is an HTML page, not JSON",
    ),
    "no choices": (lambda _: Response({"choices": []}), "the response holds no choices"),
    "null choices": (lambda _: Response({"choices": None}), "the response holds no choices"),
    "null content": (lambda _: chat(None), "the answer is null, not a text"),
    "content of parts": (
        lambda _: chat([{"type": "text", "text": "Tak."}]),
        "the answer is a list, not a text",
    ),
    "307 to elsewhere": (
        lambda url: Response(status=307, headers={"Location": f"{url}/moved"}),
        "307 redirect, which no key follows; api_base must be the URL that answers",
    ),
    "bad UTF-8": (
        lambda _: Response(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
        "the response is not UTF-8 text",
    ),
}


def is_unanswerable(number: int) -> bool:
    """Whether a question's prompt is too long for the service: no asking again helps."""
    return number % 97 == 17


class Mixed:
    """A script with up to three faults before each answer; the question alone decides which.

    Args:
        elsewhere: the URL that it redirects to; None for a service without faults.

    Attributes:
        questions: those of process.questions().
        asked: the question's number -> how often it was asked.
        given: the fault's name -> how often it was given.
    """

    def __init__(self, elsewhere: str | None) -> None:
        self.questions: Sequence[Mapping[str, Any]] = ()
        self.asked: collections.Counter[int] = collections.Counter()
        self.given: collections.Counter[str] = collections.Counter()
        self._elsewhere = elsewhere

    def __call__(self, call: Call) -> Response:
        number = number_of(call.prompt)
        attempt = self.asked[number]
        self.asked[number] += 1
        if self._elsewhere is not None and attempt < number % 4:
            name = list(PASSING)[(number // 4 + 5 * attempt) % len(PASSING)]
            self.given[name] += 1
            return PASSING[name][0](self._elsewhere)
        if is_unanswerable(number):
            return TOO_LONG
        return chat(answer_to(self.questions[number]))
