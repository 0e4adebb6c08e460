import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ragifeval.generators.remote.faults import retry_after, service_message, status_fault, tidy

SECRET = "sk-0123456789"


def test_decides_what_is_asked_again() -> None:
    for status in (400, 401, 402, 403, 404, 405, 413, 415, 422, 451, 501):
        assert not status_fault(status, {}, b"{}").again
    for status in (302, 307, 408, 409, 429, 500, 502, 503, 504, 529, 599):
        assert status_fault(status, {}, b"{}").again
    assert not status_fault(429, {}, b'{"error": {"code": "insufficient_quota"}}').again


MESSAGES: list[tuple[object, str, str | None]] = [
    ({"error": {"message": "m", "code": "c"}}, "m", "c"),
    ([{"error": {"message": "m", "code": 404}}], "m", None),  # Vertex AI
    ({"object": "error", "message": "m", "code": 400}, "m", None),  # vLLM, formerly
    ({"detail": [{"msg": "m"}]}, '[{"msg": "m"}]', None),  # FastAPI
    ({"error": "m"}, "m", None),
    ({"x": "y"}, '{"x": "y"}', None),
    (b"", "", None),
    (b"plain text\n", "plain text", None),
    (b"<html>", "an HTML page", None),
    (b"z\xb3e", "z\ufffde", None),
]


@pytest.mark.parametrize(("body", "message", "code"), MESSAGES)
def test_finds_the_message(body: object, message: str, code: str | None) -> None:
    given = body if isinstance(body, bytes) else json.dumps(body).encode()
    assert service_message(given) == (message, code)


def test_says_where_a_redirect_leads() -> None:
    for location, shown in (
        ("https://anna:tajne@h:8/v2?key=tajne#tajne", "https://h:8/v2"),
        ("/login?next=tajne", "/login"),
        ("", "nowhere"),
    ):
        said = str(status_fault(302, {"location": location}, b""))
        assert said.endswith(f"redirects to {shown}")


IN_AN_HOUR = datetime.now(UTC) + timedelta(hours=1)
WAITS = {
    " 1.5 ": 1.5,
    "-3": 0,
    "soon": None,
    "nan": None,
    "Mon, 01 Jan 99999999999 00:00:00 GMT": None,
    "Mon, 01 Jan 2029 00:00:00 +99999999999999999999": None,
    "Wed, 21 Oct 2015 07:28:00": 0,
    format_datetime(IN_AN_HOUR, usegmt=True): pytest.approx(3600, abs=1800),
}


@pytest.mark.parametrize(("header", "seconds"), WAITS.items(), ids=range(len(WAITS)))
def test_reads_how_long_to_wait(header: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": header}) == seconds


# A text -> what is shown of it, where SECRET is masked.
TEXTS = [
    (f"wrong: {SECRET}!", "wrong: ***!"),
    (f"wrong: x{SECRET}, {SECRET}y", "wrong: x***, ***y"),
    ("wrong: sk-01234...", "wrong: ***..."),
    ("wrong: ...456789", "wrong: ...***"),
    ("wrong: s k - 0 1 2 3 4 5 6 7 8 9", "wrong: ***"),
    ("wrong: -01\n23456\u200b78", "wrong: ***"),
    ("wrong: sk-0****6789, sorry", "wrong: ***, sorry"),
    ("wrong: sk%2D0123%34567%2d", "wrong: ***%2d"),
    # `printf sk-0123456789 | base64`, of "x:sk-0123456789" and of "ab:sk-0123456789".
    ("Basic c2stMDEyMzQ1Njc4OQ==", "Basic ***Q=="),
    ("Basic eDpzay0wMTIzNDU2Nzg5", "Basic eDp***"),
    ("Basic YWI6c2stMDEyMzQ1Njc4OQ%3D%3D", "Basic YWI6***Q%3D%3D"),
    ("Basic YTpzay0wMTIz\n NDU2Nzg5", "Basic YTp***"),
    ("two\nlines\tand \x1b[31mcolour\u2028", "two lines and [31mcolour"),
    ("ą" * 301, "ą" * 299 + "…"),
    (f"{'x' * 295}{SECRET}", "x" * 295 + "***"),
]


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_tidies_a_message(text: str, shown: str) -> None:
    assert tidy(text, [SECRET]) == shown


FORMS = [
    ("żółw i jeż", "żółw i jeż"),
    ("żółw i jeż", "%C5%BC%C3%B3%C5%82w%20i%20je%C5%BC"),
    ("%C5%BC%C3%B3%C5%82w", "%C5%BC%C3%B3%C5%82w"),
    ("a?b>c~d?>~", "YT9iPmN+ZD8+"),
    ("a?b>c~d?>~", "YT9iPmN-ZD8-"),
    ("a?b>c~d?>~", "YT9iPmN%2BZD8%2B"),
]


@pytest.mark.parametrize(("secret", "text"), FORMS)
def test_masks_every_form_of_a_secret(secret: str, text: str) -> None:
    assert tidy(f"[{text}]", [secret]) == "[***]"


def test_what_stands_far_from_the_beginning_is_not_read() -> None:
    assert tidy(f"begin{' ' * 19_994}end", [SECRET]) == "begin e"
    assert tidy(f"begin{' ' * 19_995}end", [SECRET]) == "begin"
