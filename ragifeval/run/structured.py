"""A model's structured replies: asked for with a JSON schema, read into a pydantic model."""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError

from ragifeval.generators.base import Answer, Message, Prompt, Request
from ragifeval.run.asking import REASONING_END, Asking, split_reasoning
from ragifeval.run.journal import Record
from ragifeval.scoring.signature import fingerprint

Model = TypeVar("Model", bound=BaseModel)

# How much of a reply that cannot be read is shown to the model again: some never end.
_SHOWN_AGAIN = 2_000
# How many prompts may fail under a schema, while none succeeded, before schemas are given up.
_SCHEMA_FAILURES = 3


class Unparsed(ValueError):
    """A reply that cannot be read; its text says why."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One prompt to be put to the model; the id names it in the journal."""

    id: str
    prompt: Prompt

    @property
    def key(self) -> str:
        """A fingerprint that tells this prompt from another one that had the same id."""
        return fingerprint([str(self.prompt), self.prompt.text is None])


@dataclass(frozen=True, slots=True)
class Reply(Generic[Model]):
    """The result of one prompt.

    Attributes:
        value: the reply as it was read; None if there is an error.
        text: the last reply, without its reasoning; None if none came.
        error: why there is no value: no reply came, or none could be read.
        is_refusal: whether the service found the request itself wrong.
        is_resumed: whether an earlier run had asked.
    """

    ask: Ask
    value: Model | None
    text: str | None
    error: str | None
    is_refusal: bool = False
    is_resumed: bool = False


@dataclass(frozen=True, slots=True)
class _Try:
    ask: Ask
    is_second: bool


class StructuredAsking(Generic[Model]):
    """Asks for replies that fit a pydantic model, and reads them.

    A reply that cannot be read is asked for once more, the reply and `again` shown. A prompt that
    fails under a schema, before any reply under it could be read, is asked again without one;
    after three such failures no schema is sent any more.

    Args:
        asking: an entered one; what its journal holds is not asked again.
        model: what replies are read into.
        labels: field of the model -> the labels that may stand before it in a reply that is not
            JSON; from the front matter of the prompt.
        again: what the model is told when its reply could not be read; None to put the same prompt
            again.
        use_schema: whether the service is asked to hold the model to the schema.
        reasoning_end: the mark that ends the model's reasoning; None if it has none.
        must_be_whole: whether a reply that its limit of tokens cut off counts as unread.

    Attributes:
        resumed: how many replies were there already.
        gave_up_schema: whether the service failed under the schema.
    """

    def __init__(
        self,
        asking: Asking,
        model: type[Model],
        *,
        labels: Mapping[str, Sequence[str]] | None = None,
        again: str | None = None,
        use_schema: bool = False,
        reasoning_end: str | None = None,
        must_be_whole: bool = False,
    ) -> None:
        self._asking = asking
        self._model = model
        self._labels = labels or {}
        self._again = again
        self._schema = strict_schema(model) if use_schema else None
        self._reasoning_end = reasoning_end
        self._must_be_whole = must_be_whole
        self._schema_works = False
        self._schema_failures = 0
        self._in_flight: dict[Request, _Try] = {}
        self._done: deque[Reply[Model]] = deque()
        records = asking.journal.records() if asking.journal is not None else ()
        self._known = {(record["id"], record["prompt"]): record["reply"] for record in records}
        self.resumed = 0
        self.gave_up_schema = False

    def ask(self, asks: Iterable[Ask]) -> Iterator[Reply[Model]]:
        """Yield the reply to each prompt, in any order, each exactly once unless interrupted.

        Args:
            asks: their ids differ, except for prompts that are the same to the letter. Read as the
                model has room; as with Asking.ask(), it may be fed from the replies.

        Raises:
            UserError: no reply can come to any prompt, or the journal cannot be written.
        """
        for _ in self._asking.ask(self._requests(iter(asks)), self._read):
            yield from self._taken()
        yield from self._taken()

    def _taken(self) -> Iterator[Reply[Model]]:
        while self._done:
            yield self._done.popleft()

    def _requests(self, asks: Iterator[Ask]) -> Iterator[Request]:
        """Yield the prompts that no earlier run has a reply to."""
        for ask in asks:
            text = self._known.get((ask.id, ask.key))
            if text is not None:
                try:
                    value = read_reply(text, self._model, self._labels)
                except Unparsed:
                    pass  # another version could read it
                else:
                    self._done.append(Reply(ask, value, text, None, is_resumed=True))
                    self.resumed += 1
                    self._asking.skip()
                    continue
            yield self._request(_Try(ask, is_second=False), ask.prompt)

    def _request(self, attempt: _Try, prompt: Prompt, *, with_schema: bool = True) -> Request:
        # A local model that samples draws from the random stream of the id: without another id the
        # second try would bring the same reply.
        key = f"{attempt.ask.id}#2" if attempt.is_second else attempt.ask.id
        with_schema = with_schema and not self.gave_up_schema
        request = Request(key, prompt, self._schema if with_schema else None)
        self._in_flight[request] = attempt
        return request

    def _read(self, answer: Answer) -> Record | Request:
        attempt = self._in_flight.pop(answer.request)
        value, text, reasoning = None, None, answer.reasoning
        error: str | None = answer.error or "no reply came"
        if answer.text is not None:
            text, parted, _ = split_reasoning(answer.text, self._reasoning_end)
            reasoning = parted or reasoning
            value, error = self._value(text, answer.finish_reason)
        if value is not None:
            self._schema_works = self._schema_works or answer.request.schema is not None
        elif not answer.is_pending and not self._asking.interrupted:
            has_schema = answer.request.schema is not None
            if self._doubts_schema(answer.request):
                return self._request(attempt, answer.request.prompt, with_schema=False)
            if text is not None and not attempt.is_second:
                prompt = second_prompt(attempt.ask.prompt, text, self._again)
                second = _Try(attempt.ask, is_second=True)
                return self._request(second, prompt, with_schema=has_schema)
        self._done.append(Reply(attempt.ask, value, text, error, answer.is_refusal))
        journal = self._asking.journal
        return {
            "id": attempt.ask.id,
            "prompt": attempt.ask.key,
            "reply": text,
            "finish_reason": answer.finish_reason,
            "usage": answer.usage,
            "seconds": round(answer.seconds, 3),
            "tries": 2 if attempt.is_second else 1,
            "error": error,
            "signature": str(journal.signature) if journal is not None else "",
            **({"reasoning": reasoning} if reasoning else {}),
        }

    def _value(self, text: str, finish_reason: str | None) -> tuple[Model | None, str | None]:
        """The value of a reply; or None, and why it has none."""
        try:
            value = read_reply(text, self._model, self._labels)
            if self._must_be_whole and finish_reason == "length":
                raise Unparsed("it is not whole")
        except Unparsed as reason:
            cut = ", cut off by its limit of tokens" if finish_reason == "length" else ""
            return None, f"the reply cannot be read{cut}: {reason}"
        return value, None

    def _doubts_schema(self, request: Request) -> bool:
        """Whether a failure may be due to the schema: none of its replies could be read yet."""
        if request.schema is None or self._schema_works:
            return False
        self._schema_failures += 1
        self.gave_up_schema = self._schema_failures >= _SCHEMA_FAILURES
        return True


def check_reply(record: Record) -> str | None:
    """What is wrong with a record of a journal of replies; None if nothing is."""
    texts = (record.get("prompt"), record.get("reply"))
    if not all(isinstance(text, str) for text in texts):
        return "its prompt or reply is no text"
    return None


def second_prompt(prompt: Prompt, reply: str, again: str | None) -> Prompt:
    """The prompt of a second try: the first one, the reply to it, and what was wrong with that.

    Args:
        again: the user's message behind the reply; None leaves the prompt as it is.
    """
    # Some services take no empty message.
    if again is None or prompt.text is not None or not reply.strip():
        return prompt
    shown = Message("assistant", reply[:_SHOWN_AGAIN])
    return Prompt(messages=(*prompt.messages, shown, Message("user", again)))


def strict_schema(model: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON schema of a model, with every key required and no other allowed."""
    schema: Mapping[str, Any] = _strict(model.model_json_schema())
    return schema


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items() if key != "default"}
    if isinstance(strict.get("properties"), dict):
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def read_reply(
    text: str, model: type[Model], labels: Mapping[str, Sequence[str]] | None = None
) -> Model:
    """Read a reply: a JSON object, alone, in a fenced block or amid prose; or labelled lines.

    Args:
        labels: field of the model -> the labels that may stand before it.

    Raises:
        Unparsed: it is neither, or does not fit the model.
    """
    text = text.rpartition(REASONING_END)[2].strip()
    if not text:
        raise Unparsed("it is empty")
    value = _read_json(text)
    if value is None and labels:
        value = _read_labelled(text, labels)
    if value is None:
        raise Unparsed("it is not a JSON object")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Unparsed(f"{where and f'{where}: '}{first['msg']}") from None


_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)


def _read_json(text: str) -> dict[str, Any] | None:
    """The one JSON object of a text; None where there is none, or more than one."""
    blocks = _FENCED.findall(text)
    if len(blocks) == 1 and blocks[0].lstrip().startswith("{"):
        text = blocks[0]
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return None
    text = text[start : end + 1] if end > start else text[start:]
    try:
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            value, end = json_repair.loads(text, skip_json_loads=True), len(text)
    except (ValueError, RecursionError):
        return None
    # Of two objects, neither is known to be the one that is meant.
    return value if isinstance(value, dict) and "{" not in text[end:] else None


# What Markdown puts around a label: "**Pytanie:** ...", "- Pytanie: ...", "1. Pytanie: ...".
_BEFORE, _AFTER = r"[^\S\n]*(?:[-*#>_]+[^\S\n]*|\d+[.)][^\S\n]*)*", r"[*_]*[^\S\n]*:[^\S\n]*[*_]*"


def _read_labelled(text: str, labels: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
    """The texts behind labels at the beginnings of lines; None unless each field stands once."""
    fields = {name.casefold(): field for field, names in labels.items() for name in names}
    names = "|".join(re.escape(name) for name in sorted(fields, key=len, reverse=True))
    pieces = re.split(rf"^{_BEFORE}({names}){_AFTER}", text, flags=re.MULTILINE | re.IGNORECASE)
    found = [fields[name.casefold()] for name in pieces[1::2]]
    if sorted(found) != sorted(labels):
        return None
    return {field: piece.strip() for field, piece in zip(found, pieces[2::2], strict=True)}
