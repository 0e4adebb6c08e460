"""Metrics that ask a model: each answer is a chain of prompts, and all chains are asked at once."""

import re
from collections import Counter, deque
from collections.abc import Generator as Steps
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ragifeval.generators.base import Generator, Prompt
from ragifeval.judge.items import Item
from ragifeval.run.old.asking import Ask, Asked, Asker


@dataclass(frozen=True)
class Judgement:
    """What a metric says of one answer.

    Attributes:
        scores: name -> value; empty where it is unjudged.
        detail: what else is kept: reasons, lists.
        unjudged: why there are no scores.
        replies: the model's, one a prompt.
    """

    scores: Mapping[str, float]
    detail: Mapping[str, Any] = field(default_factory=dict)
    unjudged: str | None = None
    replies: Sequence[str] = ()


def unjudged(reason: str, replies: Sequence[str] = ()) -> Judgement:
    """No scores, and why."""
    return Judgement({}, unjudged=reason, replies=replies)


Read = TypeVar("Read")


class Metric(Protocol[Read]):
    """A metric that asks a model.

    Attributes:
        name: of the metric, for --metrics.
        scores: the names of its scores.
        needs: the fields of an Item without which an answer cannot be judged.
        schema: the JSON schema of a reply, for services that hold a model to one.
    """

    name: str
    scores: Sequence[str]
    needs: Sequence[str]
    schema: Mapping[str, Any]

    def read(self, reply: str) -> Read:
        """Read a reply, or raise Unparsed."""
        ...

    def steps(self, item: Item) -> "Steps[Prompt, Read, Judgement]":
        """Yield prompts, and be sent what was read of the replies; return the judgement."""
        ...


def missing(item: Item, needs: Sequence[str]) -> str | None:
    """Why an answer cannot be judged; None if it can be."""
    if item.answer is None:
        return "no answer" + (f": {item.error}" if item.error else "")
    absent = [name for name in needs if getattr(item, name) is None]
    return f"no {' and no '.join(absent)}" if absent else None


_DOUBTS = 3
"""How many prompts may fail under a schema before it is given up, where none ever succeeded."""

# How OpenAI, vLLM, llama.cpp, Anthropic, Gemini, TGI and our own local models say that a prompt
# does not fit.
_TOO_LONG = re.compile(
    r"context[ _-](length|window|size|holds)|max\w* (model|sequence|input) length|"
    r"(prompt|input) is too long|token count .*exceeds|tokens? .*must be <=",
    re.IGNORECASE,
)


@dataclass
class _Chain:
    index: int
    name: str
    steps: Any
    replies: list[str] = field(default_factory=list)


class Chains:
    """Asks one metric's prompts for all answers.

    Args:
        metric: which one.
        items: the answers; each is judged once.
        asker: asks; its generator is the one that takes text as it comes.
        structured: the same model held to the metric's schema; None where that is not to be tried.
            Until one of its replies was read, each prompt that it fails on is put as text, too; if
            the service refuses the schema, or it fails again and again, so are all others.
    """

    def __init__(
        self,
        metric: Metric[Any],
        items: Sequence[Item],
        asker: Asker,
        structured: Generator | None = None,
    ) -> None:
        self._metric = metric
        self._asker = asker
        self._items = iter(enumerate(items))
        self._seen = Counter[str]()
        self._queue: deque[Ask] = deque()
        self._chains: dict[str, _Chain] = {}
        self._done: deque[tuple[int, Judgement]] = deque()
        self._text = asker.generator
        self._schema_works = False
        self._doubted: list[Ask] = []
        if structured is not None:
            asker.generator = structured

    def judge(self) -> Iterator[tuple[int, Judgement]]:
        """Yield (the item's place, its judgement), as they come; an interruption ends it."""
        while not self._asker.interrupted:
            generator = self._asker.generator
            for asked in self._asker.ask(self._waiting(generator), self._metric.read):
                self._take(asked, generator is not self._text)
                yield from self._judged()
            yield from self._judged()
            if self._doubted:
                self._asker.generator = self._text
                self._queue.extend(self._doubted)
                self._doubted.clear()
            if not self._queue and self._asker.generator is generator:
                return

    def _judged(self) -> Iterator[tuple[int, Judgement]]:
        while self._done:
            yield self._done.popleft()

    def _waiting(self, generator: Generator) -> Iterator[Ask]:
        """Yield prompts, chains that are under way before new ones."""
        # Once the schema is given up, what is left is for another round.
        while self._asker.generator is generator:
            if self._queue:
                yield self._queue.popleft()
                continue
            begun = next(self._items, None)
            if begun is None:
                return
            self._begin(*begun)

    def _begin(self, index: int, item: Item) -> None:
        reason = missing(item, self._metric.needs)
        if reason is not None:
            self._done.append((index, unjudged(reason)))
            return
        self._seen[item.id] += 1
        times = f"#{self._seen[item.id]}" if self._seen[item.id] > 1 else ""
        name = f"{item.id}{times}/{self._metric.name}"
        self._go_on(_Chain(index, name, self._metric.steps(item)), None)

    def _go_on(self, chain: _Chain, read: Any) -> None:
        try:
            ask = Ask(f"{chain.name}/{len(chain.replies)}", chain.steps.send(read))
        except StopIteration as end:
            self._done.append((chain.index, replace(end.value, replies=chain.replies)))
            return
        self._chains[ask.id] = chain
        self._queue.append(ask)

    def _take(self, asked: Asked[Any], with_schema: bool) -> None:
        is_too_long = asked.reply is None and bool(_TOO_LONG.search(asked.error or ""))
        if with_schema and not asked.resumed and not is_too_long:
            if asked.error is None:
                self._schema_works = True
            elif not self._schema_works and not self._asker.interrupted:
                self._doubted.append(asked.ask)
                if asked.refused or len(self._doubted) >= _DOUBTS:
                    self._asker.generator = self._text
                return
        chain = self._chains.pop(asked.ask.id)
        if asked.reply is not None:
            chain.replies.append(asked.reply)
        if asked.error is not None:
            splits = is_too_long and "contexts" in self._metric.needs
            remedy = "; a smaller --window makes shorter prompts" if splits else ""
            self._done.append((chain.index, unjudged(asked.error + remedy, chain.replies)))
        else:
            self._go_on(chain, asked.value)
