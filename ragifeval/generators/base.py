"""What a generator is: requests in, answers out, in whatever order they come."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.run.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Request:
    """One sample to be answered.

    Attributes:
        index: the sample's place in the run, from 0.
        documents: the context in the order in which the prompt shows it.
    """

    index: int
    sample: Sample
    documents: Sequence[Document]
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request: a text, or the reason why there is none.

    Attributes:
        text: the model's answer as it was generated; None if none came.
        error: why no answer came, in one line without keys or tokens; None if one did.
        finish_reason: why the generation ended: "stop", "length", or what the service says.
        usage: counts of tokens: prompt_tokens, completion_tokens.
        seconds: from the sending of the request (or the start of its batch) to its answer; of
            several attempts the last one's, where none succeeded all of them with the waits.
        reasoning: what the service gave apart from the answer as the model's reasoning.
    """

    request: Request
    text: str | None
    error: str | None = None
    finish_reason: str | None = None
    usage: Mapping[str, int] | None = None
    seconds: float = 0.0
    reasoning: str | None = None


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
