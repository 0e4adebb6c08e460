"""Models on Vertex AI: tokens for a service account, and the URL of its project's endpoint."""

import asyncio
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from google.auth.exceptions import GoogleAuthError, TransportError
from google.auth.transport.requests import Request
from google.oauth2 import service_account

from ragifeval.errors import UserError
from ragifeval.generators.remote.faults import Fault, tidy

# google-auth is not typed.
_load: Any = service_account.Credentials.from_service_account_info

_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_TOKEN_SECONDS = 30.0
# The parts of what is signed with the private key, should the token's server send it back.
_PROOF = re.compile(r"[\w-]{40,}")
# The share of a token's life after which it is renewed: of Google's hour, six minutes are left.
_WORN = 0.9


class ServiceAccount:
    """The credential that a service account's key file gives.

    Any number of requests may ask for the token at once: one of them renews it in a thread, and the
    others wait for that.

    Args:
        path: the key file, as Google's console gives it out.

    Raises:
        UserError: the file cannot be read or is no key of a service account.
    """

    def __init__(self, path: str) -> None:
        self.remedy = f"look at the roles of the service account in {path} (vertex_credentials)"
        self._path = path
        self._info = _read_key_file(path)
        try:
            self._credentials = _load(self._info, scopes=_SCOPES)
        except (ValueError, TypeError):
            # What google-auth says may quote the key.
            raise UserError(f"{path}: its private_key is no RSA key in PEM format") from None
        self._lock = threading.Lock()
        self._tokens: list[str] = []
        self._renew_at = 0.0

    def api_base(self, location: str) -> str:
        """The base URL of the OpenAI-compatible endpoint of the account's project.

        Args:
            location: a region of Vertex AI, or "global".
        """
        project = self._info.get("project_id")
        if not isinstance(project, str) or not project:
            raise UserError(f"{self._path}: has no project_id; set api_base in the config")
        host = "" if location == "global" else f"{location}-"
        return (
            f"https://{host}aiplatform.googleapis.com/v1/projects/{project}/locations/{location}"
            "/endpoints/openapi"
        )

    async def token(self) -> str:
        if not self._is_fresh():
            await asyncio.to_thread(self._renew_unless, self._is_fresh)
        return self._tokens[-1]

    async def renew(self, refused: str) -> bool:
        if refused not in self._tokens:
            return False  # api_base holds credentials of its own, and they were sent instead
        await asyncio.to_thread(self._renew_unless, lambda: self._tokens[-1] != refused)
        return True

    def secrets(self) -> Iterable[str]:
        return self._tokens

    def _is_fresh(self) -> bool:
        return bool(self._tokens) and time.time() < self._renew_at

    def _renew_unless(self, is_done: Callable[[], bool]) -> None:
        with self._lock:
            if not is_done():  # by the one that held the lock before
                self._renew()

    def _renew(self) -> None:
        # A redirect would take the account's signature to another host.
        request = partial(Request(), timeout=_TOKEN_SECONDS, allow_redirects=False)
        try:
            self._credentials.refresh(request)
        except GoogleAuthError as error:
            unreachable = isinstance(error, TransportError)
            what = "cannot be reached" if unreachable else "gives no token"
            said = tidy(_PROOF.sub("***", str(error.args[0])), [])
            text = f"{self._path}: {self._token_host()} {what}: {said}"
            if error.retryable or (unreachable and self._tokens):
                raise Fault(text) from None
            raise UserError(text) from None
        except (TypeError, ValueError, AttributeError):
            # google-auth takes for granted that the response is what it ought to be.
            raise Fault(f"{self._path}: {self._token_host()} sent no token") from None
        token, expiry = self._credentials.token, self._credentials.expiry
        if not isinstance(token, str) or not (token and token.isascii() and token.isprintable()):
            raise Fault(f"{self._path}: {self._token_host()} sent what is no token")
        lifetime = expiry.replace(tzinfo=UTC).timestamp() - time.time() if expiry else math.inf
        self._renew_at = time.time() + _WORN * lifetime
        self._tokens.append(token)

    def _token_host(self) -> str:
        return urlsplit(str(self._info["token_uri"])).netloc.rpartition("@")[2]


def _read_key_file(path: str) -> Mapping[str, Any]:
    try:
        info = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        # The reason that json gives is left out: it may quote the file.
        raise UserError(f"{path}: is not valid JSON, so no key file of a service account") from None
    if not isinstance(info, dict) or info.get("type") != "service_account":
        raise UserError(f'{path}: is no key file of a service account ("type": "service_account")')
    for field in ("client_email", "token_uri", "private_key"):
        if not isinstance(info.get(field), str) or not info[field]:
            raise UserError(f"{path}: is no key file of a service account: {field} is missing")
    return info
