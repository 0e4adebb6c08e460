"""Structured replies: what is read, what is not, what is asked again, kept and not asked again."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator
from ragifeval.run.asking import Asking
from ragifeval.run.journal import Journal
from ragifeval.run.structured import (
    Ask,
    Reply,
    StructuredAsking,
    Unparsed,
    check_reply,
    read_reply,
    strict_schema,
)
from ragifeval.scoring.signature import Signature
from tools.testing.loopback import Call, Loopback, Response, Script, chat, failure
from tools.testing.process import records, write_records

SIGNATURE = Signature({"model": "m#1", "version": "1"})


class Pair(BaseModel):
    question: str = Field(min_length=1)
    answer: str


class Number(BaseModel):
    value: int
    why: str = ""


LABELS = {"question": ["Pytanie", "Question"], "answer": ["Odpowiedź"]}
PAIR = {"question": "Ile?", "answer": "17 zł {netto}"}

OBJECT = '{"question": "Ile?", "answer": "17 zł {netto}"}'
READ = {
    "a fenced block": f"Oto:\n```json\n{OBJECT}\n```\nTak.",
    "amid prose": f"Oto para: {OBJECT} Powodzenia!",
    "single quotes, a key too many": f'{OBJECT[:-1]}, "note": 1}}'.replace('"', "'"),
    "behind a reasoning": f'<think>{{"a": 1}}</think>{OBJECT}',
    "labels in Markdown": "**Pytanie:** Ile?\n\n- **Odpowiedź**: 17 zł {netto}\n",
    "labels that are numbered": "1. question: Ile?\n2. ODPOWIEDŹ : 17 zł {netto}",
    "labels in another order": "Odpowiedź:\n17 zł {netto}\nPytanie: Ile?",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_what_is_read(text: str) -> None:
    assert read_reply(text, Pair, LABELS).model_dump() == PAIR


UNREAD = {
    "nothing": ("  ", "it is empty"),
    "a list": ("[1, 2]", "it is not a JSON object"),
    "a field too few": ('{"question": "Ile?"}', "answer: Field required"),
    "one label": ("Pytanie: Ile?", "it is not a JSON object"),
    "a label twice": ("Pytanie: Ile?\nPytanie: Kto?\nOdpowiedź: 5", "it is not a JSON object"),
    "a label in a sentence": ("To Pytanie: Ile? Odpowiedź: 5", "it is not a JSON object"),
    "two objects": (f"{OBJECT} lub {OBJECT.replace('Ile', 'Kto')}", "it is not a JSON object"),
    "deep nesting": ('{"a":' * 100_000, "it is not a JSON object"),
}


@pytest.mark.parametrize(("text", "reason"), UNREAD.values(), ids=UNREAD)
def test_what_is_not_read(text: str, reason: str) -> None:
    with pytest.raises(Unparsed) as caught:
        read_reply(text, Pair, LABELS)
    assert str(caught.value).startswith(reason)


def test_every_key_of_the_schema_is_required_and_no_other_allowed() -> None:
    class Claim(BaseModel):
        text: str
        is_supported: bool = True

    class Claims(BaseModel):
        claims: list[Claim]

    schema = strict_schema(Claims)
    for inner, keys in ((schema, ["claims"]), (schema["$defs"]["Claim"], ["text", "is_supported"])):
        assert (inner["required"], inner["additionalProperties"]) == (keys, False)
    assert "default" not in str(schema)


def asks(count: int) -> Iterator[Ask]:
    for number in range(count):
        yield Ask(str(number), Prompt((Message("user", f"prompt of {number}"),)))


def put(
    script: Script, wanted: Iterator[Ask], path: Path | None = None, **options: Any
) -> tuple[dict[str, Reply[Number]], list[Call]]:
    """Ask, with a journal or without; return the replies by id, and what the server saw."""
    keeping = Journal(path, SIGNATURE, check=check_reply, hint="-o") if path else nullcontext()
    with Loopback(script) as server, keeping as journal:
        config = RemoteConfig(model="m", api_base=server.url, max_retries=0, threads=8)
        generator = RemoteGenerator(config, "-", False)
        with Asking(generator, journal, total=None, unit=" replies") as asking:
            replies = list(StructuredAsking(asking, Number, **options).ask(wanted))
    assert len({reply.ask.id for reply in replies}) == len(replies)
    return {reply.ask.id: reply for reply in replies}, server.calls


def echo(call: Call) -> Response:
    return chat(json.dumps({"value": int(call.prompt.rpartition(" ")[2])}))


def values(replies: dict[str, Reply[Number]]) -> dict[str, int | None]:
    return {key: reply.value and reply.value.value for key, reply in replies.items()}


class TestRepliesThatAreNotRead:
    # The reply, what the model is told -> the messages that are added to the second prompt.
    SECOND: list[tuple[str, str | None, list[str]]] = [
        ("x" * 9_000, "Sam JSON!", ["x" * 2_000, "Sam JSON!"]),
        (" ", "Sam JSON!", []),
        ("dużo", None, []),
    ]

    @pytest.mark.parametrize(("reply", "again", "added"), SECOND)
    def test_are_asked_for_once_more(self, reply: str, again: str | None, added: list[str]) -> None:
        replies, calls = put(lambda call: chat(reply), asks(1), again=again)
        first, second = (call.json["messages"] for call in calls)
        assert second[: len(first)] == first
        assert [message["content"] for message in second[len(first) :]] == added
        assert (replies["0"].value, replies["0"].text) == (None, reply)
        assert str(replies["0"].error).startswith("the reply cannot be read: it is")

    def test_a_reply_that_was_cut_off(self) -> None:
        cut = chat('{"value": 1, "why": "bo', "length")
        replies, _ = put(lambda call: cut, asks(1))
        assert values(replies) == {"0": 1}  # repaired
        replies, calls = put(lambda call: cut, asks(1), must_be_whole=True)
        assert replies["0"].error == (
            "the reply cannot be read, cut off by its limit of tokens: it is not whole"
        )
        assert len(calls) == 2

    @pytest.mark.parametrize(("status", "is_refusal"), [(422, True), (500, False)])
    def test_a_fault_is_no_reply(self, status: int, is_refusal: bool) -> None:
        replies, calls = put(lambda call: failure(status, "no"), asks(2))
        assert str(replies["0"].error).startswith(f"{status} ")
        assert (replies["0"].text, replies["0"].is_refusal) == (None, is_refusal)
        assert len(calls) == 2

    def test_reasoning_is_no_part_of_it(self) -> None:
        reply = '{"value": 1} or 2?</END>{"value": 3}'
        replies, _ = put(lambda call: chat(reply), asks(1), reasoning_end="</END>")
        assert replies["0"].text == '{"value": 3}'
        assert values(replies) == {"0": 3}


def has_schema(call: Call) -> bool:
    return "response_format" in call.json


class TestSchema:
    @pytest.mark.parametrize(
        "failing", [failure(400, "no response_format"), failure(500, "down"), chat("tak")]
    )
    def test_a_service_that_fails_under_it_is_asked_without(self, failing: Response) -> None:
        replies, calls = put(
            lambda call: failing if has_schema(call) else echo(call), asks(60), use_schema=True
        )
        assert values(replies) == {str(number): number for number in range(60)}
        # Eight are in flight, and as many replies wait, when the third failure gives it up.
        assert 3 <= sum(map(has_schema, calls)) <= 3 + 16
        assert len(calls) - sum(map(has_schema, calls)) == 60

    def test_once_it_worked_a_failure_is_a_failure(self) -> None:
        def script(call: Call) -> Response:
            return failure(500, "down") if call.prompt.endswith("9") else echo(call)

        replies, _ = put(script, asks(10), use_schema=True)
        assert [key for key, reply in replies.items() if reply.error is not None] == ["9"]


class TestJournal:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "replies.jsonl"

    def test_only_what_is_missing_is_asked(self, path: Path) -> None:
        put(lambda call: echo(call) if call.index else failure(500, "down"), asks(10), path)
        (failed,) = (one["id"] for one in records(path) if one["error"] is not None)
        kept = next(one for one in records(path) if one["error"] is None)
        assert kept["reply"] == f'{{"value": {kept["id"]}}}'
        assert (kept["tries"], kept["usage"]["prompt_tokens"]) == (1, 11)
        assert kept["signature"] == "model:m#1|version:1"
        with path.open("a") as file:
            file.write('{"id": "10", "pro')  # a kill in the middle of a line
        replies, calls = put(echo, asks(12), path)
        assert values(replies) == {str(number): number for number in range(12)}
        asked = sorted(int(call.prompt.rpartition(" ")[2]) for call in calls)
        assert asked == sorted([int(failed), 10, 11])
        assert not any(replies[str(number)].is_resumed for number in asked)
        assert len(records(path)) == 12

    def test_another_prompt_of_the_same_id_is_asked(self, path: Path) -> None:
        put(echo, asks(1), path)
        changed = Ask("0", Prompt((Message("user", "another prompt 5"),)))
        replies, calls = put(echo, iter([changed]), path)
        assert values(replies) == {"0": 5}
        assert len(calls) == 1

    def test_a_changed_record_is_refused(self, path: Path) -> None:
        put(echo, asks(1), path)
        write_records(path, [{**records(path)[0], "reply": 5}])
        with pytest.raises(UserError, match=r"written: its prompt or reply .* another -o, or"):
            put(echo, asks(1), path)
