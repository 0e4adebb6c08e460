"""Keys and tokens are sent, and never written: a canary in every failure, and a search for it.

What a model says is written as it said it; here nothing puts the key into its mouth.
"""

import base64
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import main
from tools.testing.loopback import Call, Loopback, Response, chat, failure, in_turn
from tools.testing.process import (
    KEY,
    Case,
    Finished,
    by_id,
    call,
    environment,
    make_case,
    number_of,
)

PASSWORD, QUERY = "pw-canary-77aa88bb99", "query-canary-55cc66dd"
PATIENCE: dict[str, Any] = {"max_retries": 1, "sleep_time": 0.0, "timeout": 10.0}
# Each prints what it does on stderr.
TALKATIVE = {"OPENAI_LOG": "debug", "PYTHONASYNCIODEBUG": "1", "PYTHONDEVMODE": "1"}


def echoes(key: str) -> list[Response]:
    """Every failure, with the key in it."""
    header = {"X-Echo": f"Bearer {key}"}
    return [
        failure(400, f"bad key {key}"),
        failure(400, "bad", code=key),
        failure(413, f"{key[:10]}****{key[-4:]}"),
        failure(413, f"begins with {key[:12]}"),
        failure(413, f"ends in {key[-12:]}"),
        failure(429, "slow", headers={"Retry-After": key}),
        failure(500, f"{'x' * 295} {key}"),
        Response(f"Bearer {key}", status=500, headers=header),
        Response(f"<html>{key}</html>", status=503, headers=header),
        Response({"error": {"message": {"nested": key}}}, status=400),
        Response({"detail": [{"loc": ["header"], "msg": key}]}, status=422),
        Response({key: key}, status=400),
        Response([{"error": {"message": key}}], status=400),
        Response(status=307, headers={"Location": f"http://{key}@h/{key}?{key}#{key}"}),
        Response(status=302, headers={"Location": key}),
        Response(f'{{"choices": {key}'),
        Response(key),
        Response(key.encode() + b"\xff"),
        Response([key]),
        Response({"choices": None, "error": {"message": key}}),
        Response({"choices": [{"message": {"content": [key]}, "finish_reason": key}]}),
        Response({"choices": [{"message": {"content": None}, "finish_reason": key}]}),
        chat("Tak.", finish_reason=key),
        Response({"choices": [{"message": {"content": "Tak."}}], "usage": {key: 1}, key: key}),
        chat("Tak.", cut=9, headers=header),
        Response(b"gzip?", headers={"Content-Encoding": "gzip", **header}),
        Response(b"{}", headers={"Content-Encoding": key, "Content-Type": f"a/b; charset={key}"}),
        *(
            Response(raw=raw.encode())
            for raw in (
                f"{key} nonsense\r\n\r\n",
                f"HTTP/1.1 {key} x\r\n\r\n",
                f"HTTP/1.1 500 {key}\r\nContent-Length: 2\r\n\r\n{{}}",
                f"HTTP/1.1 200 OK\r\nBad Header {key}: 1\r\n\r\n",
                f"HTTP/1.1 200 OK\r\nX: {key}\x01\r\n\r\n",
                f"HTTP/1.1 200 OK\r\n{key * 900}: 1\r\n\r\n",
                f"HTTP/1.1 200 OK\r\nContent-Length: {key}\r\n\r\n",
                f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{key}\r\n",
            )
        ),
    ]


@dataclass
class Searched:
    """A run, and all that it wrote: files, stdout, stderr."""

    case: Case
    run: Finished
    sent: list[Call]

    @property
    def text(self) -> str:
        # The config is the user's own file.
        written = [
            path.read_text(errors="replace")
            for path in self.case.folder.iterdir()
            if path.name not in ("config.json", "samples.jsonl", "account.json")
        ]
        return "\n".join([*written, self.run.out, self.run.err])

    def holds(self, secret: str) -> list[str]:
        """The parts of a secret, a third of it long, that stand in the text."""
        size = max(8, len(secret) // 3)
        pieces = (secret[start : start + size] for start in range(0, len(secret) - size + 1, size))
        return [piece for piece in (*pieces, secret[-size:]) if piece in self.text]


def searched(
    folder: Path,
    script: Callable[[Call], Response],
    count: int,
    userinfo: str = "",
    query: str = "",
) -> Searched:
    with Loopback(script) as server:
        url = server.url.replace("http://", f"http://{userinfo}") + query
        case = make_case(folder, count, url, threads=8, **PATIENCE)
        return Searched(case, case.run(env=environment(**TALKATIVE)), list(server.calls))


ENDINGS = {
    "401": failure(401, f"Incorrect API key provided: {KEY}"),
    "404": failure(404, f"no model for {KEY}", "model_not_found"),
}


Runs = dict[str, Searched]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("secrets")
    total = len(echoes(KEY))

    def echo(call: Call) -> Response:
        key = call.headers["authorization"].removeprefix("Bearer ")
        return echoes(key)[number_of(call.prompt)]

    def echo_url(call: Call) -> Response:
        header = call.headers["authorization"]
        user_and_password = base64.b64decode(header.removeprefix("Basic ")).decode()
        return failure(400, f"{header} {user_and_password} {call.path} {PASSWORD}")

    url = folder / "url"
    return {
        "echoes": searched(folder / "echoes", echo, total),
        "url": searched(url, echo_url, 3, f"anna:{PASSWORD}@", f"?key={QUERY}&version=2"),
        **{name: searched(folder / name, in_turn(one), 3) for name, one in ENDINGS.items()},
    }


class TestApiKey:
    @pytest.mark.parametrize("name", ["echoes", *ENDINGS])
    def test_it_is_sent_and_no_part_of_it_written(self, runs: Runs, name: str) -> None:
        assert {call.headers["authorization"] for call in runs[name].sent} == {f"Bearer {KEY}"}
        assert runs[name].holds(KEY) == []
        if name in ENDINGS:
            assert runs[name].run.code == 2
            assert "***" in runs[name].run.last_line

    def test_every_failure_was_met(self, runs: Runs) -> None:
        one = runs["echoes"]
        assert one.run.code == 1
        errors = [record["error"] for record in by_id(one.case.records()).values()]
        assert len(errors) == len(echoes(KEY))
        assert errors.count(None) == 2
        assert sum("***" in str(error) for error in errors) >= 20

    def test_no_part_of_it_is_in_a_report(self, runs: Runs, tmp_path: Path) -> None:
        case, page = runs["echoes"].case, tmp_path / "page.html"
        options = ["out.jsonl", "--eval_path", "samples.jsonl", "-o", page]
        done = call(main, "report", *options, cwd=case.folder)
        assert done.code == 0, done.err
        text = page.read_text(encoding="utf-8") + done.out + done.err
        assert "400 Bad Request: bad key ***" in text
        assert "canary" not in text

    def test_neither_password_nor_query_of_the_url_is_written(self, runs: Runs) -> None:
        one = runs["url"]
        header = base64.b64encode(f"anna:{PASSWORD}".encode()).decode()
        assert {call.headers["authorization"] for call in one.sent} == {f"Basic {header}"}
        assert f"key={QUERY}" in one.sent[0].path
        for secret in (PASSWORD, QUERY, header):
            assert one.holds(secret) == []
        # What is no secret is shown.
        assert "version=2" in one.text

    def test_neither_is_written_where_the_command_gave_them(self, tmp_path: Path) -> None:
        def script(call: Call) -> Response:
            return failure(404, PASSWORD) if "/files" in call.path else chat("Tak.")

        with Loopback(script) as server:
            case = make_case(tmp_path, 2, "http://unused.invalid/v1")
            url = server.url.replace("http://", f"http://anna:{PASSWORD}@")
            given = ["--model_args", f"api_base={url}?key={QUERY},threads=2"]
            run = case.call(*given)
            one, told = Searched(case, run, list(server.calls)), case.summary()
            batch = case.call(*given, "--overwrite", "--batch")
        assert batch.err.endswith(
            f"{server.url}: the service has no /files and /batches; "
            "without --batch the questions are asked one by one\n"
        )
        assert run.code == 0, run.err
        assert f"key={QUERY}" in one.sent[0].path
        assert one.holds(PASSWORD) == one.holds(QUERY) == []
        shown = f'api_base=["{server.url}"],threads=2'
        assert told["options"]["model_args"] == shown
        assert shlex.split(told["command"])[-2:] == ["--model_args", shown]
        # Nor beside the requests of a batch, whose responses are taken in all the same.
        assert case.call(*given, "--overwrite", "--batch_file", "p.jsonl").code == 0
        options = json.loads((tmp_path / "p.options.json").read_text("utf-8"))["options"]
        assert options["model_args"] == shown
        assert one.holds(PASSWORD) == one.holds(QUERY) == []
        (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
        files = ["--batch_file", "p.jsonl", "--batch_output", "a.jsonl"]
        taken = call(main, "score", *files, "-o", "l.jsonl", cwd=tmp_path)
        assert "0 of 2 samples answered" in taken.out


class TestVertex:
    TOKEN = "ya29.canary-a0b1c2d3e4f5a6b7c8d9"

    def run(
        self,
        folder: Path,
        private_key: str,
        token_script: Callable[[Call], Response],
        script: Callable[[Call], Response],
    ) -> tuple[Searched, Sequence[Call]]:
        """Run; no line of the key may be written."""
        with Loopback(token_script) as tokens, Loopback(script) as server:
            account = {
                **{"type": "service_account", "project_id": "projekt-7", "private_key_id": "1"},
                "private_key": private_key,
                "client_email": "ocena@projekt-7.iam.gserviceaccount.com",
                "token_uri": f"{tokens.url}/token",
            }
            settings = {"model": "google/m", "vertex_credentials": "account.json", **PATIENCE}
            case = make_case(folder / "run", 12, server.url, **settings)
            (case.folder / "account.json").write_text(json.dumps(account), encoding="utf-8")
            one = Searched(case, case.run(env=environment(**TALKATIVE)), list(server.calls))
        assert not [line for line in private_key.split("\n")[1:-2] if line[:20] in one.text]
        return one, list(tokens.calls)

    def test_no_token_is_written(self, tmp_path: Path, private_key: str) -> None:
        def give_token(call: Call) -> Response:
            token = {"access_token": self.TOKEN, "expires_in": 3600, "token_type": "Bearer"}
            return Response(token)

        def script(call: Call) -> Response:
            token = call.headers["authorization"].removeprefix("Bearer ")
            number = number_of(call.prompt)
            return chat("Tak.") if number % 2 else echoes(token)[number]

        one, asked = self.run(tmp_path, private_key, give_token, script)
        assert one.run.code == 1
        assert {call.headers["authorization"] for call in one.sent} == {f"Bearer {self.TOKEN}"}
        assert one.holds(self.TOKEN) == []
        assert len(asked) == 1

    def test_no_refused_proof_is_written(self, tmp_path: Path, private_key: str) -> None:
        """The token's server is sent a proof signed with the key, which is good for an hour."""

        def refuse(call: Call) -> Response:
            told = {"error": "invalid_grant", "error_description": call.form["assertion"]}
            return Response(told, status=400)

        one, asked = self.run(tmp_path, private_key, refuse, lambda call: chat("Tak."))
        assert one.run.code == 2
        assert "invalid_grant" in one.run.last_line
        assert one.sent == []
        assert one.holds(asked[0].form["assertion"]) == []
