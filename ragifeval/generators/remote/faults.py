"""Why an attempt brought no answer, whether another one may, and the message for the user."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import responses
from urllib.parse import unquote

_LONGEST_MESSAGE = 300
# A message is not longer than this; searching the rest for keys would only take time.
_LONGEST_SEARCHED = 20_000
# A run of this many characters of a key is masked wherever it stands.
_KEY_PIECE = 6
_READ_AS_ONE = re.compile("%[0-9A-Fa-f]{2}|.", re.DOTALL)
_URL_SAFE = str.maketrans("+/", "-_")
# The service found the request itself wrong.
_REFUSED = frozenset({400, 404, 405, 413, 414, 415, 422, 501})


class Fault(Exception):
    """Why one attempt brought no answer.

    Attributes:
        again: whether asking once more may help.
        wait: the seconds that the service asks to wait for; None if it does not say.
        is_refusal: whether the service found the request itself wrong.
        retries: how many attempts had failed before this one.
    """

    def __init__(
        self,
        text: str,
        again: bool = True,
        wait: float | None = None,
        is_refusal: bool = False,
        retries: int = 0,
    ) -> None:
        super().__init__(text)
        self.retries = retries
        self.again = again
        self.wait = wait
        self.is_refusal = is_refusal


class Broken(Fault):
    """The connection broke: the server may be dying."""


class Unreachable(Broken):
    """No connection was made.

    Attributes:
        refused: whether nothing listens there.
    """

    def __init__(self, text: str, refused: bool = False) -> None:
        super().__init__(text)
        self.refused = refused


def status_fault(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """The fault that a response with a status other than 2xx stands for; its text is not tidy yet.

    408, 409, 429, redirects and the 5xx but 501 may pass; other faults of a request stay.

    Args:
        headers: of the response; looked up in lower case.
    """
    if 300 <= status < 400:
        # Without credentials and query; it need not be a URL at all.
        target = re.sub(r"(?<=//)[^/]*@|[?#].*", "", headers.get("location", ""), flags=re.DOTALL)
        return Fault(
            f"{status} redirect, which no key follows; api_base must be the URL that answers, "
            f"not one that redirects to {target or 'nowhere'}"
        )
    message, code = service_message(body)
    # insufficient_quota arrives as 429 and does not pass with time.
    again = status in (408, 409, 429) or (status >= 500 and status != 501)
    phrase = responses.get(status, "(an unknown status)")
    return Fault(
        f"{status} {phrase}{': ' if message else ''}{message}",
        again and code != "insufficient_quota",
        retry_after(headers),
        status in _REFUSED,
    )


def service_message(body: bytes) -> tuple[str, str | None]:
    """The message and the code of an error's body, whose shape differs between services."""
    text = body.decode("utf-8", "replace").strip()
    if text.startswith("<"):
        return "an HTML page", None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, None
    if isinstance(value, list) and value:
        value = value[0]  # Vertex AI wraps its errors in a list
    error = value.get("error", value) if isinstance(value, dict) else value
    code = error.get("code") if isinstance(error, dict) else None
    return message_of(value) or text, code if isinstance(code, str) else None


def message_of(value: object) -> str:
    """The message of an error object; empty if there is none."""
    while isinstance(value, dict):
        value = next((value[key] for key in ("error", "message", "detail") if value.get(key)), None)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a Retry-After header asks for; None if it is missing or nonsense."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
            # A date without a zone is in GMT (RFC 9110).
            date = date.replace(tzinfo=date.tzinfo or UTC)
            seconds = (date - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def tidy(text: str, secrets: Iterable[str]) -> str:
    """Make a text from outside fit for a message: no secrets, one line, not too long.

    Args:
        secrets: masked wherever six characters of one stand together, whatever white space or
            invisible characters are between them, also in base64 and with %XX for characters.
    """
    # A service that masks a key itself leaves its ends.
    text = re.sub(r"[\w-]{0,16}\*{2,}[\w-]{0,16}", "***", text[:_LONGEST_SEARCHED])
    text = _mask(text, secrets)
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def _mask(text: str, secrets: Iterable[str]) -> str:
    read = [(match.span(), unquote(match[0], "latin-1")) for match in _READ_AS_ONE.finditer(text)]
    spans = [span for span, char in read if _is_shown(char)]
    dense = "".join(filter(_is_shown, (char for _, char in read)))
    masked = list(text)
    for form in {"".join(filter(_is_shown, form)) for key in secrets for form in _forms(key)}:
        size = min(_KEY_PIECE, len(form))
        pieces = {form[start : start + size] for start in range(len(form) - size + 1)} - {""}
        for start in range(len(dense) - size + 1):
            if dense[start : start + size] in pieces:
                first, last = spans[start][0], spans[start + size - 1][1]
                masked[first:last] = ["\0"] * (last - first)
    return re.sub("\0+", "***", "".join(masked))


def _is_shown(char: str) -> bool:
    return char.isprintable() and char != " "


def _forms(secret: str) -> Iterator[str]:
    """What a text that repeats a secret may hold, where each %XX is read as one character."""
    data = secret.encode()
    yield from (secret, unquote(secret, "latin-1"), data.decode("latin-1"))
    # In base64 a secret looks otherwise after one or two bytes that share a group of three with it.
    for before in range(3):
        encoded = b64encode(bytes(before) + data).decode()
        whole = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        if len(whole) >= _KEY_PIECE:
            yield from (whole, whole.translate(_URL_SAFE))
