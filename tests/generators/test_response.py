import json
from typing import Any

import pytest

from ragifeval.generators.remote.faults import Fault
from ragifeval.generators.remote.response import Reply, read_chat, read_completion, read_models


def body(value: object) -> bytes:
    return json.dumps(value).encode()


def chat(message: object, finish_reason: object = "stop", **more: Any) -> bytes:
    return body({"choices": [{"message": message, "finish_reason": finish_reason}], **more})


@pytest.mark.parametrize(
    ("response", "reply"),
    [
        (chat({"content": "Tak."}), Reply("Tak.", "stop", None, None)),
        (chat({"content": ""}), Reply("", "stop", None, None)),
        (chat({"content": "Ta"}, "content_filter"), Reply("Ta", "content_filter", None, None)),
        (chat({"content": "Tak."}, error=None), Reply("Tak.", "stop", None, None)),
        (chat({"content": None}, "length"), Reply("", "length", None, None)),
        (chat({"reasoning": "Hm"}, "length"), Reply("", "length", None, "Hm")),
        (chat({"content": "Tak."}, None), Reply("Tak.", None, None, None)),
        (chat({"content": "Tak."}, 3), Reply("Tak.", None, None, None)),
        (chat({"content": None, "refusal": "Nie mogę."}), Reply("Nie mogę.", "stop", None, None)),
        (chat({"content": "A", "reasoning": "B"}), Reply("A", "stop", None, "B")),
        (chat({"content": "A", "reasoning_content": "B"}), Reply("A", "stop", None, "B")),
        (chat({"content": "A", "reasoning_content": ""}), Reply("A", "stop", None, None)),
        (chat({"content": "A", "reasoning": {"x": 1}}), Reply("A", "stop", None, None)),
        (b"\xef\xbb\xbf" + chat({"content": "A"}), Reply("A", "stop", None, None)),
        (chat({"content": "\ud83d \U0001f600"}), Reply("\ufffd \U0001f600", "stop", None, None)),
        (
            chat({"content": "A"}, usage={"prompt_tokens": 3, "completion_tokens": 2, "x": 1}),
            Reply("A", "stop", {"prompt_tokens": 3, "completion_tokens": 2}, None),
        ),
        (
            chat({"content": "A"}, usage={"prompt_tokens": 3, "completion_tokens": None}),
            Reply("A", "stop", {"prompt_tokens": 3}, None),
        ),
        (chat({"content": "A"}, usage={"prompt_tokens": True}), Reply("A", "stop", None, None)),
        (chat({"content": "A"}, usage=[1]), Reply("A", "stop", None, None)),
    ],
)
def test_reads_an_answer(response: bytes, reply: Reply) -> None:
    assert read_chat(response) == reply


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (b"", "the response is empty"),
        (b"\xff", "the response is not UTF-8 text (invalid start byte)"),
        (b"<html>", "the response is an HTML page, not JSON"),
        (b"\n <!DOCTYPE html>", "the response is an HTML page, not JSON"),
        (b"{", "the response is not valid JSON: Expecting property name"),
        (b"[" * 100_000, "the response is not valid JSON: "),
        (b"9" * 10_000, "the response is not valid JSON: "),
        (b"[]", "the response is not a JSON object but a list"),
        (b"null", "the response is not a JSON object but a NoneType"),
        (b"{}", "the response holds no choices"),
        (body({"choices": []}), "the response holds no choices"),
        (body({"choices": None}), "the response holds no choices"),
        (body({"choices": [None]}), "the response holds no choices"),
        (body({"error": {"message": "tłok"}}), "the response holds no choices: tłok"),
        (chat({"content": "Ta"}, error={"message": "tłok"}), "the response reports an error: tłok"),
        (chat({"content": "Ta"}, error="tłok"), "the response reports an error: "),
        (
            body({"choices": [{"message": {"content": "Ta"}, "error": {"code": 502}}]}),
            'the response reports an error: {"code": 502}',
        ),
        *(
            (chat({"content": "Ta"}, reason), "the service broke the answer off (finish_reason ")
            for reason in ("error", "abort", "cancelled")
        ),
        (body({"choices": [{}]}), "the response's first choice holds no message"),
        (chat(["A"]), "the response's first choice holds no message"),
        (chat({"content": None}), "the answer is null, not a text (finish_reason 'stop')"),
        (chat({"content": 1}), "the answer is a int, not a text"),
        (chat({"content": [{"text": "A"}]}), "the answer is a list, not a text"),
        (chat({"content": None}, "tool_calls"), "the answer is null, not a text (finish_reason 't"),
    ],
)
def test_says_why_there_is_no_answer(response: bytes, text: str) -> None:
    with pytest.raises(Fault) as raised:
        read_chat(response)
    assert str(raised.value).startswith(text)
    assert raised.value.again


@pytest.mark.parametrize("content", [None, ""])
def test_what_a_filter_withholds_it_withholds_again(content: str | None) -> None:
    with pytest.raises(Fault) as raised:
        read_chat(chat({"content": content}, "content_filter"))
    assert (raised.value.again, raised.value.is_refusal) == (False, True)


@pytest.mark.parametrize(
    ("choice", "reply"),
    [
        ({"text": " A", "finish_reason": "stop"}, Reply(" A", "stop", None, None)),
        ({"text": None, "finish_reason": "length"}, Reply("", "length", None, None)),
        ({"text": None, "finish_reason": "stop"}, None),
        ({"message": {"content": "A"}, "finish_reason": "stop"}, None),
    ],
)
def test_reads_a_completion(choice: dict[str, Any], reply: Reply | None) -> None:
    response = body({"choices": [choice]})
    if reply is not None:
        assert read_completion(response) == reply
    else:
        with pytest.raises(Fault):
            read_completion(response)


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ({"data": [{"id": "a"}, {"id": "b", "object": "model"}]}, ["a", "b"]),
        ({"data": []}, []),
        ({"data": None}, None),
        ({"data": [{"id": 1}]}, None),
        ({"data": ["a"]}, None),
        (["a"], None),
    ],
)
def test_reads_a_list_of_models(value: object, ids: list[str] | None) -> None:
    if ids is not None:
        assert read_models(body(value)) == ids
    else:
        with pytest.raises(Fault) as raised:
            read_models(body(value))
        assert not raised.value.again
