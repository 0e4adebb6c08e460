"""Why an attempt brought no answer, whether another may bring one, and how that is told."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

_LONGEST_MESSAGE = 300
# What stands behind this in a body is no message; it would only take time to search for keys.
_LONGEST_SEARCHED = 20_000
# The least part of a key that is masked where a message quotes one only in part.
_SHORTEST_PART = 6


class Fault(Exception):
    """Why one attempt brought no answer.

    Attributes:
        again: whether asking once more may help.
        wait: the seconds that the service asks to wait for; None where it does not say.
    """

    def __init__(self, text: str, again: bool = True, wait: float | None = None) -> None:
        super().__init__(text)
        self.again = again
        self.wait = wait


class Broken(Fault):
    """The connection broke: what listens there may be dying."""


class Unreachable(Broken):
    """No connection came about.

    Attributes:
        refused: whether nothing listens there.
    """

    def __init__(self, text: str, refused: bool) -> None:
        super().__init__(text)
        self.refused = refused


def status_fault(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """The fault that a response with a status other than 2xx stands for; its text is not tidy yet.

    408, 409, 429, the 5xx and redirects may pass; what else is wrong with a request stays wrong.

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
    again = status in (408, 409, 429) or status >= 500
    # OpenAI's word for an account without credit, under the status of a passing overload.
    again = again and code != "insufficient_quota"
    said = f": {message}" if message else ""
    return Fault(f"{status} {_phrase(status)}{said}", again, retry_after(headers))


def service_message(body: bytes) -> tuple[str, str | None]:
    """What an error's body says, and its code: every service has a shape of its own for them."""
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
        except ValueError:
            return None
        # A date without a zone is in GMT, says RFC 9110.
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def tidy(text: str, secrets: Iterable[str]) -> str:
    """Make a text from outside fit for a message: no secrets, one line, not too long.

    Args:
        secrets: masked wherever they stand, or a longer part of one from its start or to its end.
    """
    # A service that masks a key itself leaves its ends.
    text = re.sub(r"[\w-]{0,16}\*{2,}[\w-]{0,16}", "***", text[:_LONGEST_SEARCHED])
    secrets = [*secrets]
    for secret in secrets:
        text = text.replace(secret, "***")
    for secret in secrets:
        for size in range(len(secret) - 1, _SHORTEST_PART - 1, -1):
            text = text.replace(secret[:size], "***").replace(secret[-size:], "***")
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "(an unknown status)"
