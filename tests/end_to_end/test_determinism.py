"""The same command gives the same records; the surroundings have no say in them."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import (
    answer_to,
    by_id,
    environment,
    make_case,
    number_of,
)

COUNT = 60
SHUFFLED = ("--shuffle_context", "--seed", "7")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@dataclass
class Asked:
    """A run.

    Attributes:
        prompts: the question's number -> the prompt that was sent.
        out: what it wrote to stdout.
        order: the ids in the order of the log.
    """

    records: dict[str, dict[str, Any]]
    summary: dict[str, Any]
    prompts: dict[int, str]
    out: str
    order: list[str]


def ask(folder: Path, threads: int, *more: str, **variables: str) -> Asked:
    """Run eval_remote.py: in this process, or where variables are given in one with them."""
    chance = random.Random(threads)

    def script(call: Call) -> Response:
        number = number_of(call.prompt)
        assert number not in prompts
        prompts[number] = call.prompt
        return chat(answer_to(case.questions[number]), delay=chance.uniform(0.0, 0.03))

    prompts: dict[int, str] = {}
    with Loopback(script) as server:
        case = make_case(folder, COUNT, server.url, threads=threads)
        if variables:
            run = case.run(*SHUFFLED, *more, env=environment(**variables))
        else:
            run = case.call(*SHUFFLED, *more)
    assert run.code == 0, run.err
    found = case.records()
    summary = {
        key: value
        for key, value in case.summary().items()
        if key
        not in (
            "model_config",
            "options",
            "command",
            "performance",
            "date",
        )  # threads and port are meant to differ
    }
    order = [record["id"] for record in found]
    return Asked(by_id(found, "seconds", "asked"), summary, prompts, run.out, order)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Asked]:
    folder = tmp_path_factory.mktemp("runs")
    elsewhere = {"PYTHONHASHSEED": "12345", "TZ": "Pacific/Kiritimati", **ASCII}
    return {
        "first": ask(folder / "first", 1),
        "16 threads": ask(folder / "threads", 16),
        "elsewhere": ask(folder / "else where ą", 3, **elsewhere),
    }


class TestRemote:
    @pytest.mark.parametrize("name", ["16 threads", "elsewhere"])
    def test_all_but_seconds_and_their_order_is_the_same(
        self, runs: dict[str, Asked], name: str
    ) -> None:
        first, other = runs["first"], runs[name]
        assert len(first.records) == COUNT
        assert other.records == first.records
        assert other.out == first.out
        assert other.summary == first.summary
        assert other.prompts == first.prompts

    def test_the_runs_did_differ(self, runs: dict[str, Asked]) -> None:
        assert runs["16 threads"].order != runs["first"].order
        in_order = [record["context"] for record in runs["first"].records.values()]
        assert any(context != sorted(context) for context in in_order)

    def test_the_order_of_documents_depends_on_the_seed(
        self, runs: dict[str, Asked], tmp_path: Path
    ) -> None:
        other = ask(tmp_path / "seed", 8, "--seed", "8", "--limit", "20")
        contexts = {key: runs["first"].records[key]["context"] for key in other.records}
        assert {key: one["context"] for key, one in other.records.items()} != contexts
