import json
from typing import Any

import pytest

from ragifeval.generators.remote.faults import Fault
from ragifeval.generators.remote.response import Reply, read_chat, read_completion, read_models


def body(value: object) -> bytes:
    return json.dumps(value).encode()


def chat(message: object, finish_reason: object = "stop", **more: Any) -> bytes:
    return body({"choices": [{"message": message, "finish_reason": finish_reason}], **more})


USED = {"prompt_tokens": 3, "completion_tokens": 2}
ANSWERS = [
    (chat({"content": ""}), Reply("", "stop", None, None)),
    (chat({"content": "Ta"}, "content_filter"), Reply("Ta", "content_filter", None, None)),
    (chat({"content": "Tak."}, error=None), Reply("Tak.", "stop", None, None)),
    (chat({"reasoning": "Hm"}, "length"), Reply("", "length", None, "Hm")),
    (chat({"content": "Tak."}, 3), Reply("Tak.", None, None, None)),
    (chat({"content": None, "refusal": "Nie mogę."}), Reply("Nie mogę.", "stop", None, None)),
    (chat({"content": "A", "reasoning_content": "B"}), Reply("A", "stop", None, "B")),
    (chat({"content": "A", "reasoning": {"x": 1}}), Reply("A", "stop", None, None)),
    (b"\xef\xbb\xbf" + chat({"content": "A"}), Reply("A", "stop", None, None)),
    (chat({"content": "\ud83d \U0001f600"}), Reply("\ufffd \U0001f600", "stop", None, None)),
    (chat({"content": "A"}, usage={**USED, "x": 1}), Reply("A", "stop", USED, None)),
    (chat({"content": "A"}, usage={"prompt_tokens": True}), Reply("A", "stop", None, None)),
]


@pytest.mark.parametrize(("response", "reply"), ANSWERS)
def test_reads_an_answer(response: bytes, reply: Reply) -> None:
    assert read_chat(response) == reply


# tools/testing/faults.py has those that services give more often.
NO_ANSWERS = [
    (b"[" * 100_000, "the response is not valid JSON: "),
    (body({"choices": [None]}), "the response holds no choices"),
    (body({"error": {"message": "tłok"}}), "the response holds no choices: tłok"),
    (chat({"content": "Ta"}, error={"message": "tłok"}), "the response reports an error: tłok"),
    (
        body({"choices": [{"message": {"content": "Ta"}, "error": {"code": 502}}]}),
        'the response reports an error: {"code": 502}',
    ),
    (chat({"content": "Ta"}, "abort"), "the service broke the answer off (finish_reason 'abort')"),
    (body({"choices": [{}]}), "the response's first choice holds no message"),
    (chat({"content": None}, "tool_calls"), "the answer is null, not a text (finish_reason 't"),
    (chat({"content": 1}), "the answer is a int, not a text"),
]


@pytest.mark.parametrize(("response", "text"), NO_ANSWERS)
def test_says_why_there_is_no_answer(response: bytes, text: str) -> None:
    with pytest.raises(Fault) as raised:
        read_chat(response)
    assert str(raised.value).startswith(text)
    assert raised.value.again


def test_what_a_filter_withholds_it_withholds_again() -> None:
    with pytest.raises(Fault) as raised:
        read_chat(chat({"content": None}, "content_filter"))
    assert (raised.value.again, raised.value.is_refusal) == (False, True)


def test_reads_a_completion() -> None:
    response = body({"choices": [{"text": " A", "finish_reason": "stop"}]})
    assert read_completion(response) == Reply(" A", "stop", None, None)
    with pytest.raises(Fault):
        read_completion(chat({"content": "A"}))


def test_reads_a_list_of_models() -> None:
    assert read_models(body({"data": [{"id": "a"}, {"id": "b", "object": "model"}]})) == ["a", "b"]
    for value in ({"data": None}, {"data": [{"id": 1}]}, {"data": ["a"]}, ["a"]):
        with pytest.raises(Fault) as raised:
            read_models(body(value))
        assert not raised.value.again
