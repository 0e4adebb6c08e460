"""Many prompts to one model: what is asked, asked again, kept and not asked again."""

import json
import threading
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator
from ragifeval.run.old.asking import Ask, Asked, Asker
from ragifeval.run.old.replies import Unparsed
from ragifeval.run.old.reply_log import Replies
from ragifeval.scoring.signature import Signature
from tests.end_to_end.process import records
from tests.loopback import Call, Loopback, Response, Script, chat, failure

SIGNATURE = Signature({"model": "m#1", "version": "1"})


def ask(name: str) -> Ask:
    return Ask(name, Prompt((Message("user", f"prompt of {name}"),)))


def asks(count: int) -> Iterator[Ask]:
    return (ask(str(number)) for number in range(count))


def number(reply: str) -> int:
    if not reply.strip().isdigit():
        raise Unparsed("it is no number")
    return int(reply)


def put(
    script: Script,
    wanted: Iterator[Ask],
    path: Path | None = None,
    reasoning_end: str | None = None,
    **config: Any,
) -> tuple[dict[str, Asked[int]], list[Call]]:
    """Ask; return the results by id, and what the server saw."""
    with Loopback(script) as server:
        settings = {"model": "m", "api_base": server.url, "max_retries": 0, "threads": 8, **config}
        generator = RemoteGenerator(RemoteConfig(**settings), "-", False)
        if path is None:
            with Asker(generator, reasoning_end=reasoning_end) as asker:
                found = list(asker.ask(wanted, number))
        else:
            with Replies(path, SIGNATURE) as file, Asker(generator, file) as asker:
                found = list(asker.ask(wanted, number))
        assert len({asked.ask.id for asked in found}) == len(found)
        return {asked.ask.id: asked for asked in found}, server.calls


def echo(call: Call) -> Response:
    return chat(call.prompt.rpartition(" ")[2])


class TestAsking:
    def test_every_prompt_is_asked_once(self) -> None:
        found, calls = put(echo, asks(100))
        assert {key: asked.value for key, asked in found.items()} == {
            str(place): place for place in range(100)
        }
        assert len(calls) == 100

    def test_nothing_to_ask_asks_nothing(self) -> None:
        assert put(echo, asks(0)) == ({}, [])

    def test_as_many_at_once_as_there_are_threads(self) -> None:
        with Loopback(lambda call: chat("1", delay=0.05)) as server:
            config = RemoteConfig(model="m", api_base=server.url, threads=16)
            with Asker(RemoteGenerator(config, "-", False)) as asker:
                assert len(list(asker.ask(asks(48), number))) == 48
            assert server.at_once == 16

    def test_prompts_are_made_when_they_are_needed(self) -> None:
        made: list[str] = []

        def watched() -> Iterator[Ask]:
            for one in asks(1000):
                made.append(one.id)
                yield one

        with Loopback(echo) as server:
            config = RemoteConfig(model="m", api_base=server.url, threads=4)
            with Asker(RemoteGenerator(config, "-", False)) as asker:
                next(iter(asker.ask(watched(), number)))
                assert len(made) < 20

    def test_a_queue_may_grow_meanwhile(self) -> None:
        """Ten chains of five prompts, each depending on the reply before it."""
        queue = deque(ask(f"chain{chain}-0") for chain in range(10))
        done = Counter[str]()
        with Loopback(lambda call: chat(call.prompt[-1])) as server:
            config = RemoteConfig(model="m", api_base=server.url, threads=4)
            with Asker(RemoteGenerator(config, "-", False)) as asker:
                while queue:
                    waiting = iter(lambda: queue.popleft() if queue else None, None)
                    for asked in asker.ask(waiting, number):
                        chain, _, step = asked.ask.id.partition("-")
                        assert asked.value == int(step)
                        done[chain] += 1
                        if asked.value < 4:
                            queue.appendleft(ask(f"{chain}-{asked.value + 1}"))
        assert done == {f"chain{chain}": 5 for chain in range(10)}


def put_again(script: Script, again: str | None, prompt: Prompt) -> list[Call]:
    """What the server saw of one prompt whose replies cannot be read."""
    with Loopback(script) as server:
        generator = RemoteGenerator(RemoteConfig(model="m", api_base=server.url), "-", False)
        with Asker(generator, again=again) as asker:
            (asked,) = asker.ask([Ask("0", prompt)], number)
        assert asked.error == "the reply cannot be read: it is no number"
        return server.calls


class TestTheSecondPrompt:
    PROMPT = Prompt((Message("system", "Licz."), Message("user", "Ile?")))

    def test_shows_the_reply_and_says_that_it_was_not_read(self) -> None:
        calls = put_again(lambda call: chat("dużo"), "Sama liczba!", self.PROMPT)
        first, second = (call.json["messages"] for call in calls)
        assert second == [
            *first,
            {"role": "assistant", "content": "dużo"},
            {"role": "user", "content": "Sama liczba!"},
        ]

    def test_a_reply_without_end_is_shown_in_part(self) -> None:
        calls = put_again(lambda call: chat("x" * 9_000), "Sama liczba!", self.PROMPT)
        assert len(calls[1].json["messages"][2]["content"]) == 2_000

    def test_an_empty_reply_is_not_shown(self) -> None:
        first, second = put_again(lambda call: chat(" "), "Sama liczba!", self.PROMPT)
        assert first.json == second.json

    def test_without_a_word_the_prompt_is_the_same(self) -> None:
        first, second = put_again(lambda call: chat("dużo"), None, self.PROMPT)
        assert first.json == second.json


class TestRepliesThatAreNotRead:
    def test_are_asked_for_once_more(self) -> None:
        seen: set[str] = set()

        def second_time(call: Call) -> Response:
            is_new = call.prompt not in seen
            seen.add(call.prompt)
            return chat("I think so" if is_new else "7")

        found, calls = put(second_time, asks(50))
        assert all(asked.value == 7 for asked in found.values())
        assert len(found) == 50
        assert len(calls) == 100

    def test_are_given_up_with_the_reason(self) -> None:
        found, calls = put(lambda call: chat("I think so"), asks(2))
        assert found["0"].value is None
        assert found["0"].reply == "I think so"
        assert found["0"].error == "the reply cannot be read: it is no number"
        assert len(calls) == 4

    def test_say_that_they_were_cut_off(self) -> None:
        found, _ = put(lambda call: chat("I thi", "length"), asks(1))
        assert found["0"].error is not None
        assert "cut off by its limit of tokens" in found["0"].error

    def test_a_fault_is_no_reply(self) -> None:
        found, _ = put(lambda call: failure(400, "no response_format"), asks(2))
        assert found["0"].error == "400 Bad Request: no response_format"
        assert found["0"].refused
        found, _ = put(lambda call: failure(500, "down"), asks(2))
        assert not found["0"].refused

    def test_reasoning_is_no_part_of_it(self) -> None:
        found, _ = put(lambda call: chat("1 or 2?</END>3"), asks(1), reasoning_end="</END>")
        assert found["0"].value == 3
        assert found["0"].reply == "3"


class TestTheFile:
    def test_holds_each_reply(self, tmp_path: Path) -> None:
        put(echo, asks(3), tmp_path / "replies.jsonl")
        kept = {record["id"]: record for record in records(tmp_path / "replies.jsonl")}
        assert kept["2"]["reply"] == "2"
        assert kept["2"]["tries"] == 1
        assert kept["2"]["usage"] == {"prompt_tokens": 11, "completion_tokens": 7}
        assert kept["2"]["signature"] == "model:m#1|version:1"

    def test_only_what_is_missing_is_asked(self, tmp_path: Path) -> None:
        path = tmp_path / "replies.jsonl"
        put(echo, asks(10), path)
        with path.open("a") as file:
            file.write('{"id": "10", "pro')  # a kill in the middle of a line
        found, calls = put(echo, asks(15), path)
        assert {asked.value for asked in found.values()} == set(range(15))
        assert sorted(int(call.prompt.rpartition(" ")[2]) for call in calls) == [10, 11, 12, 13, 14]
        assert len(records(path)) == 15

    def test_a_failure_is_asked_again(self, tmp_path: Path) -> None:
        path = tmp_path / "replies.jsonl"
        put(lambda call: echo(call) if call.index else failure(500, "down"), asks(5), path)
        assert sum(record["error"] is not None for record in records(path)) == 1
        found, calls = put(echo, asks(5), path)
        assert len(calls) == 1
        assert all(asked.error is None for asked in found.values())

    def test_another_prompt_of_the_same_id_is_asked(self, tmp_path: Path) -> None:
        path = tmp_path / "replies.jsonl"
        put(echo, asks(1), path)
        changed = Ask("0", Prompt((Message("user", "another prompt 5"),)))
        found, calls = put(echo, iter([changed]), path)
        assert found["0"].value == 5
        assert len(calls) == 1

    def test_another_model_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "replies.jsonl"
        put(echo, asks(1), path)
        other = Signature({"model": "n#1", "version": "1"})
        with pytest.raises(UserError, match=r"differs in: model; name another -o, or --overwrite"):
            Replies(path, other).__enter__()
        with Replies(path, other, overwrite=True) as file:
            assert file.known() == {}

    @pytest.mark.parametrize(
        "line",
        ['{"id": "a"}', '{"id": "a", "answer": "b", "scores": {}, "error": null}', "[]", "text"],
    )
    def test_another_file_is_refused(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "log.jsonl"
        path.write_text(line + "\n", encoding="utf-8")
        with pytest.raises(UserError, match=r"log\.jsonl:1: is no re"):
            Replies(path, SIGNATURE).__enter__()
        assert path.read_text(encoding="utf-8") == line + "\n"

    def test_a_changed_record_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "replies.jsonl"
        put(echo, asks(1), path)
        record = records(path)[0]
        path.write_text(json.dumps({**record, "reply": 5}) + "\n", encoding="utf-8")
        with pytest.raises(UserError, match="was changed since it was written"):
            Replies(path, SIGNATURE).__enter__()

    def test_one_process_at_a_time(self, tmp_path: Path) -> None:
        with (
            Replies(tmp_path / "replies.jsonl", SIGNATURE),
            pytest.raises(UserError, match="another run is writing"),
        ):
            Replies(tmp_path / "replies.jsonl", SIGNATURE).__enter__()


def test_stopped_it_takes_what_is_in_flight() -> None:
    with Loopback(lambda call: chat("1", delay=0.2)) as server:
        config = RemoteConfig(model="m", api_base=server.url, threads=4)
        with Asker(RemoteGenerator(config, "-", False)) as asker:
            threading.Timer(0.1, asker.stop).start()
            found = list(asker.ask(asks(100), number))
        assert asker.interrupted
        assert len(found) == len(server.calls) == 4
