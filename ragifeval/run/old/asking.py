"""Many prompts to one model: each reply parsed, kept in a file, and asked for again where unread.

    with Replies(path, signature) as replies, Asker(generator, replies, total=len(asks)) as asker:
        for asked in asker.ask(asks, parse):
            ...  # asked.value, or asked.error
    asker.interrupted  # whether Ctrl-C ended it before all were asked

`asks` is read as the model has room, and may grow while results are taken: an iterator over a
queue that the caller adds to. Where the queue can fill again after it ran dry, ask() is called
again until it is empty.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from ragifeval.generators.base import Answer, Generator, Prompt, Request
from ragifeval.run.asking import split_reasoning
from ragifeval.run.old.replies import Unparsed
from ragifeval.run.old.reply_log import Replies
from ragifeval.run.progress import Unfailing, stop_on_interrupt
from ragifeval.run.structured import second_prompt
from ragifeval.scoring.signature import fingerprint

Value = TypeVar("Value")

TRIES = 2
"""How often a prompt is put to the model before its replies are given up as not to be read."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One prompt to be put to the model; the id names it in the file of replies."""

    id: str
    prompt: Prompt

    @property
    def key(self) -> str:
        """What tells this prompt from another one that had the same id."""
        return fingerprint([str(self.prompt), self.prompt.text is None])


@dataclass(frozen=True, slots=True)
class Asked(Generic[Value]):
    """What came of one prompt.

    Attributes:
        value: the reply as the parser reads it; None if there is an error.
        reply: the last reply, without its reasoning; None if none came.
        error: why there is no value: no reply came, or none could be read.
        refused: whether the service did not even try: it found the request itself wrong.
        resumed: whether an earlier start had asked.
    """

    ask: Ask
    value: Value | None
    reply: str | None
    error: str | None
    refused: bool = False
    resumed: bool = False


class Asker:
    """Puts prompts to a model under a progress bar; Ctrl-C ends it in order. A context manager.

    Args:
        replies: an open file; what it holds is not asked again. None to keep nothing.
        reasoning_end: the mark that ends the model's reasoning; None if it has none.
        again: what the model is told when its reply could not be read, with that reply before it;
            None to put the same prompt again, to which a model without sampling replies the same.
        whole: whether a reply that its limit of tokens cut off counts as one that cannot be read.
        total: how many prompts there will be, for the bar; None where that is not known.
        unit: of the bar.

    Attributes:
        interrupted: whether the user stopped it. Nothing more is asked then.
        resumed: how many replies were there already.
    """

    def __init__(
        self,
        generator: Generator,
        replies: Replies | None = None,
        *,
        reasoning_end: str | None = None,
        again: str | None = None,
        whole: bool = False,
        total: int | None = None,
        unit: str = " replies",
    ) -> None:
        self.generator = generator
        self._file = replies
        self._known = replies.known() if replies is not None else {}
        self._reasoning_end = reasoning_end
        self._again = again
        self._whole = whole
        self._total, self._unit = total, unit
        self._resources = ExitStack()
        self._in_flight: dict[Request, _Try] = {}
        self.interrupted = False
        self.resumed = 0

    def __enter__(self) -> Self:
        from tqdm import tqdm

        self._bar = self._resources.enter_context(
            tqdm(total=self._total, unit=self._unit, dynamic_ncols=True, file=Unfailing(sys.stderr))
        )
        self._resources.enter_context(stop_on_interrupt(self.stop))
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def stop(self) -> None:
        """Ask nothing more; what is in flight is waited for. A signal handler may call this."""
        self.interrupted = True
        self.generator.stop()

    def ask(self, asks: Iterable[Ask], parse: Callable[[str], Value]) -> Iterator[Asked[Value]]:
        """Yield what came of each prompt, in any order, each exactly once unless interrupted.

        Args:
            asks: their ids differ, but for prompts that are the same to the letter.
            parse: reads a reply, or raises Unparsed; it knows nothing of earlier replies.

        Raises:
            UserError: no reply can come to any prompt, or the file cannot be written.
        """
        again: deque[_Try] = deque()
        done: deque[Asked[Value]] = deque()
        fresh = self._fresh(iter(asks), parse, done)
        while not self.interrupted:
            # Without anything to be asked, no model is called for.
            first = again.popleft() if again else next(fresh, None)
            if first is None:
                break
            for answer in self.generator.generate(self._requests(first, again, fresh)):
                asked = self._read(answer, parse, again)
                if asked is not None:
                    done.append(asked)
                yield from self._taken(done)
        yield from self._taken(done)

    def _taken(self, done: deque[Asked[Value]]) -> Iterator[Asked[Value]]:
        while done:
            self._bar.update()
            yield done.popleft()

    def _fresh(
        self, asks: Iterator[Ask], parse: Callable[[str], Value], done: deque[Asked[Value]]
    ) -> "Iterator[_Try]":
        """Yield the prompts that no earlier start has a reply to; those it has are done."""
        for ask in asks:
            reply = self._known.get((ask.id, ask.key)) if self._known else None
            if reply is not None:
                try:
                    done.append(Asked(ask, parse(reply), reply, None, resumed=True))
                except Unparsed:  # another version's parser could read it
                    pass
                else:
                    self.resumed += 1
                    continue
            if self.interrupted:
                return
            yield _Try(ask, ask.prompt)

    def _requests(
        self, first: "_Try", again: "deque[_Try]", fresh: "Iterator[_Try]"
    ) -> Iterator[Request]:
        attempt: _Try | None = first
        while attempt is not None and not self.interrupted:
            yield self._request(attempt)
            attempt = again.popleft() if again else next(fresh, None)

    def _request(self, attempt: "_Try") -> Request:
        # A local model that samples draws from a stream of the sample's id: the second try has
        # another one, or it would bring the same reply.
        suffix = f"#{TRIES}" if attempt.is_second else ""
        request = Request(attempt.ask.id + suffix, attempt.prompt)
        self._in_flight[request] = attempt
        return request

    def _read(
        self, answer: Answer, parse: Callable[[str], Value], again: "deque[_Try]"
    ) -> Asked[Value] | None:
        """What came of it; None where it is asked again."""
        attempt = self._in_flight.pop(answer.request)
        ask = attempt.ask
        asked: Asked[Value]
        if answer.text is None:
            refused = (answer.error or "").startswith(_REFUSALS)
            asked = Asked(ask, None, None, answer.error or "no reply came", refused)
            self._keep(answer, attempt, asked, "")
            return asked
        text, reasoning, _ = split_reasoning(answer.text, self._reasoning_end)
        try:
            asked = Asked(ask, parse(text), text, None)
            if self._whole and answer.finish_reason == "length":
                raise Unparsed("it is not whole")
        except Unparsed as error:
            if not attempt.is_second and not self.interrupted:
                again.append(
                    _Try(ask, second_prompt(ask.prompt, text, self._again), is_second=True)
                )
                return None
            cut = ", cut off by its limit of tokens" if answer.finish_reason == "length" else ""
            asked = Asked(ask, None, text, f"the reply cannot be read{cut}: {error}")
        self._keep(answer, attempt, asked, reasoning or answer.reasoning or "")
        return asked

    def _keep(self, answer: Answer, attempt: "_Try", asked: Asked[Value], reasoning: str) -> None:
        if self._file is None:
            return
        record = {
            "id": attempt.ask.id,
            "prompt": attempt.ask.key,
            "reply": asked.reply,
            "finish_reason": answer.finish_reason,
            "usage": answer.usage,
            "seconds": round(answer.seconds, 3),
            "tries": TRIES if attempt.is_second else 1,
            "error": asked.error,
            "signature": self._file.signature,
        }
        if reasoning:
            record["reasoning"] = reasoning
        self._file.append(record)


# With these, a service says that it does not take a request as it is.
_REFUSALS = ("400 ", "404 ", "415 ", "422 ", "501 ")


@dataclass(frozen=True, slots=True)
class _Try:
    ask: Ask
    prompt: Prompt
    is_second: bool = False
