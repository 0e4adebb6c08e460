"""The same command gives the same records; the surroundings have no say in them."""

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import answer_to, by_id, environment, make_case, number_of

COUNT = 60
SHUFFLED = ("--shuffle_context", "--seed", "7")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


# Threads and port are meant to differ, and so are seconds.
OTHERS = ("model_config", "options", "command", "performance", "date")


@dataclass
class Asked:
    records: dict[str, dict[str, Any]]
    summary: dict[str, Any]
    prompts: dict[int, str]  # by the question's number
    out: str
    order: list[str]  # ids, as they stand in the log


def ask(folder: Path, threads: int, **variables: str) -> Asked:
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
            run = case.run(*SHUFFLED, env=environment(**variables))
        else:
            run = case.call(*SHUFFLED)
    assert run.code == 0, run.err
    found = case.records()
    summary = {key: value for key, value in case.summary().items() if key not in OTHERS}
    order = [record["id"] for record in found]
    return Asked(by_id(found, "seconds", "asked"), summary, prompts, run.out, order)


def test_all_but_seconds_and_their_order_is_the_same(tmp_path: Path) -> None:
    first = ask(tmp_path / "first", 1)
    threads = ask(tmp_path / "threads", 16)
    surroundings = {"PYTHONHASHSEED": "12345", "TZ": "Pacific/Kiritimati", **ASCII}
    elsewhere = ask(tmp_path / "else where ą", 3, **surroundings)
    assert len(first.records) == COUNT
    for other in (threads, elsewhere):
        assert replace(other, order=first.order) == first
    # The runs did differ, and documents were shuffled.
    assert threads.order != first.order
    contexts = [record["context"] for record in first.records.values()]
    assert any(context != sorted(context) for context in contexts)
