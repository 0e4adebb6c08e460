"""A service's response -> an answer, or the fault it has. Pure: bytes in, values out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragifeval.generators.remote.faults import Fault, message_of
from ragifeval.text.clean import well_formed

# What services give for a finish_reason when they did not finish.
_BROKEN_OFF = frozenset({"error", "abort", "aborted", "cancelled", "canceled"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered; the fields are those of base.Answer."""

    text: str
    finish_reason: str | None
    usage: Mapping[str, int] | None
    reasoning: str | None


def read_chat(body: bytes) -> Reply:
    """Read the answer of /chat/completions.

    Raises:
        Fault: it holds no answer.
    """
    response, choice = _first_choice(body)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Fault("the response's first choice holds no message")
    content = message.get("content")
    if content is None and isinstance(message.get("refusal"), str):
        # OpenAI's models put their own refusal in a field of its own: it is what they answered.
        content = message["refusal"]
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return _reply(response, choice, content, reasoning)


def read_completion(body: bytes) -> Reply:
    """Read the answer of /completions.

    Raises:
        Fault: it holds no answer.
    """
    response, choice = _first_choice(body)
    return _reply(response, choice, choice.get("text"), None)


def read_models(body: bytes) -> Sequence[str]:
    """Read the ids that /models lists.

    Raises:
        Fault: it is no list of models. Asking again does not change what runs at that URL.
    """
    try:
        data = _read_object(body).get("data")
    except Fault as fault:
        raise Fault(str(fault), again=False) from None
    entries = data if isinstance(data, list) else [None]
    ids = [entry.get("id") if isinstance(entry, dict) else None for entry in entries]
    if not all(isinstance(key, str) and key for key in ids):
        raise Fault("the response is no list of models", again=False)
    return [str(key) for key in ids]


def _read_object(body: bytes) -> dict[str, Any]:
    if not body.strip():
        raise Fault("the response is empty")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"the response is not UTF-8 text ({error.reason})") from None
    if text.lstrip().startswith("<"):
        raise Fault("the response is an HTML page, not JSON")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(f"the response is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise Fault(f"the response is not a JSON object but a {type(value).__name__}")
    return value


def _first_choice(body: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    response = _read_object(body)
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    # Gateways report a fault of the service behind them with status 200, also beside a choice
    # that holds nothing, or half a text.
    if not isinstance(choice, dict):
        message = message_of(response)
        raise Fault(f"the response holds no choices{': ' if message else ''}{message}")
    reason = choice.get("finish_reason")
    for error in (response.get("error"), choice.get("error")):
        if error:
            message = message_of(error) or json.dumps(error, ensure_ascii=False)
            raise Fault(f"the response reports an error: {message}")
    if isinstance(reason, str) and reason.lower() in _BROKEN_OFF:
        raise Fault(f"the service broke the answer off (finish_reason {reason!r})")
    return response, choice


def _reply(
    response: Mapping[str, Any], choice: Mapping[str, Any], text: object, reasoning: object
) -> Reply:
    reason = choice.get("finish_reason")
    if text is None and reason == "length":
        # A model that spends all its tokens on reasoning has answered: with nothing.
        text = ""
    if not text and reason == "content_filter":
        message = "the service's content filter withheld the answer"
        raise Fault(message, again=False, is_refusal=True)
    if not isinstance(text, str):
        kind = "null" if text is None else f"a {type(text).__name__}"
        raise Fault(f"the answer is {kind}, not a text (finish_reason {reason!r})")
    return Reply(
        well_formed(text),
        well_formed(reason) if isinstance(reason, str) else None,
        _usage(response.get("usage")),
        well_formed(reasoning) if isinstance(reasoning, str) and reasoning else None,
    )


def _usage(usage: object) -> Mapping[str, int] | None:
    if not isinstance(usage, dict):
        return None
    counts = {key: usage.get(key) for key in ("prompt_tokens", "completion_tokens")}
    return {key: count for key, count in counts.items() if type(count) is int} or None
