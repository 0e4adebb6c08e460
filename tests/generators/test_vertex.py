import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragifeval.generators.base import Answer
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator
from ragifeval.generators.remote.vertex import ServiceAccount
from tests.generators.test_remote import _plain_environment, end_of, requests  # noqa: F401
from tools.testing.loopback import Call, Loopback, Response, chat, failure, in_turn

TOKEN = "ya29.canary-token"
TAK = in_turn(chat("Tak."))


Write = Callable[..., str]


@pytest.fixture
def key_file(tmp_path: Path, private_key: str) -> Write:
    """Writes the key file of a service account."""
    path = tmp_path / "key.json"

    def write(token_uri: str | None = "http://127.0.0.1:9/token", **changes: Any) -> str:
        info = {
            **{"type": "service_account", "project_id": "projekt-7", "private_key_id": "1"},
            "private_key": private_key,
            "client_email": "ocena@projekt-7.iam.gserviceaccount.com",
            **{"token_uri": token_uri, **changes},
        }
        kept = {name: value for name, value in info.items() if value is not None}
        path.write_text(json.dumps(kept), encoding="utf-8")
        return str(path)

    return write


def tokens(call: Call) -> Response:
    """A token server: TOKEN-0, TOKEN-1, and so on."""
    token = f"{TOKEN}-{call.index}"
    answer = {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}
    return Response(answer, delay=0.05)


def token_of(call: Call) -> str:
    return call.headers["authorization"].removeprefix("Bearer ")


def answers(path: str, url: str, count: int = 1, **changes: Any) -> list[Answer]:
    settings = {"max_retries": 2, "sleep_time": 0.01, "timeout": 5.0, **changes}
    config = RemoteConfig(model="google/m", api_base=url, vertex_credentials=path, **settings)
    found = list(RemoteGenerator(config, "-", False).generate(requests(count)))
    assert "canary" not in repr(found)
    return found


@pytest.fixture
def token_server() -> Iterator[Loopback]:
    with Loopback(tokens) as server:
        yield server


def test_knows_the_endpoint_of_the_project(key_file: Write) -> None:
    account = ServiceAccount(key_file())
    for location, host in (("europe-west4", "europe-west4-aiplatform"), ("global", "aiplatform")):
        assert account.api_base(location) == (
            f"https://{host}.googleapis.com/v1/projects/projekt-7/locations/{location}/"
            "endpoints/openapi"
        )


def test_renews_an_expiring_token_once_for_all_requests(
    key_file: Write, token_server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = 0.0
    clock = SimpleNamespace(time=lambda: time.time() + passed)
    monkeypatch.setattr("ragifeval.generators.remote.vertex.time", clock)

    def script(call: Call) -> Response:
        nonlocal passed
        # Nine tenths of its life have not passed when question 20 is there, and have at 60.
        passed = {20: 3200.0, 60: 3300.0}.get(call.index, passed)
        return chat("Tak.", delay=0.02)

    with Loopback(script) as server:
        path = key_file(f"{token_server.url}/token")
        found = answers(path, server.url, 120, threads=16)
    assert all(answer.text == "Tak." for answer in found)
    used = [token_of(call) for call in server.calls]
    assert set(used[:61]) == {f"{TOKEN}-0"}
    # Fifteen more may have been on their way.
    assert set(used[76:]) == {f"{TOKEN}-1"}
    assert len(token_server.calls) == 2


def test_renews_a_revoked_token_once_for_all_requests(
    key_file: Write, token_server: Loopback
) -> None:
    def script(call: Call) -> Response:
        if token_of(call) == f"{TOKEN}-0" and call.index >= 20:
            return failure(401, f"revoked: {token_of(call)}", delay=0.02)
        return chat("Tak.", delay=0.02)

    with Loopback(script) as server:
        path = key_file(f"{token_server.url}/token")
        found = answers(path, server.url, 100, threads=16, max_retries=0)
    assert [answer.error for answer in found] == [None] * 100
    assert len(token_server.calls) == 2


@pytest.mark.parametrize("status", [401, 403])
def test_an_account_without_access_ends_the_run(
    key_file: Write, token_server: Loopback, status: int
) -> None:
    path = key_file(f"{token_server.url}/token")

    def script(call: Call) -> Response:
        return failure(status, f"no role for {token_of(call)}")

    with Loopback(script) as server:
        said = end_of(lambda: answers(path, server.url, 5))
    assert said == (
        f"{server.url}: access refused ({status}: no role for ***); "
        f"look at the roles of the service account in {path} (vertex_credentials)"
    )
    assert len(token_server.calls) == (2 if status == 401 else 1)


# What is in the file, or is changed in a right one; and what is said.
KEY_FILES: list[tuple[str | dict[str, Any], str]] = [
    ("-----BEGIN PRIVATE KEY-----canary", "is not valid JSON, so no key file of a service account"),
    ('{"type": "authorized_user"}', "is no key file of a service account"),
    ({"private_key": "canary"}, "its private_key is no RSA key in PEM format"),
    ({"token_uri": None}, "token_uri is missing"),
    ({"project_id": None}, "has no project_id"),
]


@pytest.mark.parametrize(("content", "line"), KEY_FILES)
def test_refuses_what_is_no_key_file(
    key_file: Write, content: str | dict[str, Any], line: str
) -> None:
    path = key_file(**(content if isinstance(content, dict) else {}))
    if isinstance(content, str):
        Path(path).write_text(content)
    config = RemoteConfig(model="google/m", vertex_credentials=path)
    said = end_of(lambda: RemoteGenerator(config, "-", False))
    assert said.startswith(f"{path}: ")
    assert line in said


GONE = {"error": "invalid_grant", "error_description": "gone"}
REFUSALS = [
    (Response(GONE, status=400), "gives no token: invalid_grant: gone"),
    (Response({}), "gives no token: No access token in response."),
    (Response(status=307, headers={"Location": "http://127.0.0.1:9/"}), "gives no token"),
]


@pytest.mark.parametrize(("response", "line"), REFUSALS)
def test_no_token_ends_the_run(key_file: Write, response: Response, line: str) -> None:
    with Loopback(in_turn(response)) as token_server, Loopback(TAK) as server:
        path = key_file(f"{token_server.url}/token")
        said = end_of(lambda: answers(path, server.url))
    assert said.startswith(f"{path}: 127.0.0.1:{token_server.port} {line}")
    assert server.calls == []


def test_no_token_server_ends_the_run(key_file: Write) -> None:
    path = key_file("http://127.0.0.1:9/token")
    assert "cannot be reached" in end_of(lambda: answers(path, "http://127.0.0.1:9/v1"))


NO_TOKENS = [
    b"nie",
    b'{"access_token": "t", "expires_in": "x"}',
    b'{"access_token": "a\\nb", "expires_in": 60}',
]


@pytest.mark.parametrize("token", NO_TOKENS)
def test_nonsense_for_a_token_is_a_passing_fault(key_file: Write, token: bytes) -> None:
    script = in_turn(Response(token), Response({"access_token": TOKEN, "expires_in": 60}))
    with Loopback(script) as token_server, Loopback(TAK) as server:
        (answer,) = answers(key_file(f"{token_server.url}/token"), server.url)
    assert (answer.text, answer.error) == ("Tak.", None)
    assert len(token_server.calls) == 2
