"""What a generator is: requests in, answers out, in whatever order they come."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is given: `messages` in a chat, one `text` in completion mode."""

    messages: Sequence[Message] = ()
    text: str | None = None

    def __str__(self) -> str:
        if self.text is not None:
            return self.text
        return "\n\n".join(f"<{message.role}>\n{message.content}" for message in self.messages)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """One prompt to be answered. Two requests are equal only if they are the same object.

    Attributes:
        id: names the question; a local model that samples draws from the random stream of this id.
        schema: the JSON schema of the reply, for services that can hold a model to one; generators
            that cannot ignore it.
        repeat: which asking of the same question it is, from 1; a seed in the model's config grows
            with it.
    """

    id: str
    prompt: Prompt
    schema: Mapping[str, Any] | None = None
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one request: a text, or the reason why there is none.

    Attributes:
        text: the model's answer as it was generated; None if none came.
        error: why no answer came, in one line without keys or tokens; None if one did.
        finish_reason: why the generation ended: "stop", "length", or what the service says.
        usage: counts of tokens: prompt_tokens, completion_tokens.
        seconds: from the sending of the request (or the start of its batch) to its answer; of
            several attempts the last one's, where none succeeded all of them with the waits.
        reasoning: what the service gave apart from the answer as the model's reasoning.
        retries: how often the question was asked again.
        is_refusal: whether the service found the request itself wrong (400, 413, 422), so that
            asking again is useless.
        is_pending: whether it waits in a batch file: nothing is wrong, the answer comes later.
    """

    request: Request
    text: str | None
    error: str | None = None
    finish_reason: str | None = None
    usage: Mapping[str, int] | None = None
    seconds: float = 0.0
    reasoning: str | None = None
    retries: int = 0
    is_refusal: bool = False
    is_pending: bool = False


@runtime_checkable
class ReportsFaults(Protocol):
    """A generator that asks again after a fault: it tells `on_fault` of each, in one line."""

    on_fault: Callable[[str], None]


class Generator(Protocol):
    """A model that answers.

    It takes requests from the iterable as it has room for them, so that prompts are rendered when
    they are needed, and yields each answer as soon as it is there, in any order, each request
    exactly once. A fault that concerns one request alone is that Answer's `error`; one that ends
    the run (a wrong key, a model that does not exist) is raised as UserError.
    """

    @property
    def name(self) -> str:
        """The model's name, for the table and the signature: no path, no key."""
        ...

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests."""
        ...

    def stop(self) -> None:
        """Ask nothing more: generate() yields what is in flight, and ends. For a signal handler."""
        ...
