"""Where a local model lies, found out before anything that runs models is imported."""

import os
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ragifeval.__main__ import evaluate
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.config.places import check_hub
from tools.testing.process import call


class NotFound(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    """A service that answers each request with 404."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), NotFound)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("./nothing-here", "model: there is no directory './nothing-here'\n"),
        ("/nothing/here", "model: there is no directory '/nothing/here'\n"),
        ("models/of/mine", "model: there is no directory 'models/of/mine'\n"),
        (
            __file__,
            f"model: {__file__!r} is a file; it is to be a directory, or an id on the Hub\n",
        ),
        (
            "own/model",
            "model: there is no directory 'own/model', and the Hugging Face Hub is not to be "
            "reached; a model behind an API is asked by `ragifeval remote`\n",
        ),
    ],
)
def test_a_name_that_leads_nowhere(tmp_path: Path, model: str, reason: str) -> None:
    """Nothing listens at port 9 of this machine."""
    hub = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": ""}
    done = call(partial(evaluate, "local"), "--model", model, cwd=tmp_path, **hub)
    assert done.code == 2
    assert done.err.endswith(f"error: {reason}")


def test_the_hub_is_asked_where_it_answers(
    hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for endpoint, model, is_offline in (
        (hub, "own/model", False),
        ("http://127.0.0.1:9", str(tmp_path), False),  # nothing is to be asked
        ("http://127.0.0.1:9", "own/model", True),
    ):
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        check_hub(LocalConfig(model=model))
        assert ("HF_HUB_OFFLINE" in os.environ) is is_offline
