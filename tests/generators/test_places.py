"""Where a local model lies, found out before anything that runs models is imported."""

import os
from functools import partial
from pathlib import Path

import pytest

from ragifeval.__main__ import evaluate
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.config.places import check_hub
from tools.testing.loopback import Loopback, failure
from tools.testing.process import call

NOWHERE = "model: there is no directory {!r}"
REASONS = {
    "./nothing-here": NOWHERE,
    "models/of/mine": NOWHERE,
    __file__: "model: {!r} is a file; it is to be a directory, or an id on the Hub",
    "own/model": f"{NOWHERE}, and the Hugging Face Hub is not to be reached; a model behind an API "
    "is asked by `ragifeval remote`",
}


@pytest.mark.parametrize(("model", "reason"), REASONS.items())
def test_a_name_that_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, reason: str
) -> None:
    """Nothing listens at port 9 of this machine."""
    monkeypatch.delenv("HF_HUB_OFFLINE")
    hub = {"HF_ENDPOINT": "http://127.0.0.1:9"}
    done = call(partial(evaluate, "local"), "--model", model, cwd=tmp_path, **hub)
    assert done.code == 2
    assert done.err.endswith(f"error: {reason.format(model)}\n")


def test_the_hub_is_asked_where_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(lambda call: failure(404, "no")) as hub:
        for endpoint, model, is_offline in (
            (hub.url, "own/model", False),
            ("http://127.0.0.1:9", str(tmp_path), False),  # nothing is to be asked
            ("http://127.0.0.1:9", "own/model", True),
        ):
            monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
            monkeypatch.setenv("HF_ENDPOINT", endpoint)
            check_hub(LocalConfig(model=model))
            assert ("HF_HUB_OFFLINE" in os.environ) is is_offline
