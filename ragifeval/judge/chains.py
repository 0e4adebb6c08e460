"""Each answer is a chain of prompts; all chains are asked at once."""

import re
from collections import Counter, deque
from collections.abc import Generator as Steps
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragifeval.generators.base import Prompt
from ragifeval.judge.items import Item, Judgement, missing
from ragifeval.judge.metrics import Metric
from ragifeval.run.structured import Ask, Reply, StructuredAsking

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
    steps: Steps[Prompt, Any, Judgement]
    replies: list[str] = field(default_factory=list)


class Chains:
    """Asks one metric's prompts for all answers.

    Args:
        items: the answers; each is judged once.
        asking: asks the judge for the metric's replies.
    """

    def __init__(
        self, metric: Metric[Any], items: Sequence[Item], asking: StructuredAsking[Any]
    ) -> None:
        self._metric = metric
        self._asking = asking
        self._items = iter(enumerate(items))
        self._seen = Counter[str]()
        self._queue: deque[Ask] = deque()
        self._under_way: dict[str, _Chain] = {}
        self._done: deque[tuple[int, Judgement]] = deque()

    def judge(self) -> Iterator[tuple[int, Judgement]]:
        """Yield (the item's place, its judgement), as they come; an interruption ends it."""
        while True:
            is_asked = False
            for reply in self._asking.ask(self._asks()):
                is_asked = True
                self._take(reply)
                yield from self._judged()
            yield from self._judged()
            # The last replies may have led to further prompts.
            if not is_asked:
                return

    def _judged(self) -> Iterator[tuple[int, Judgement]]:
        while self._done:
            yield self._done.popleft()

    def _asks(self) -> Iterator[Ask]:
        """Yield prompts, those of chains that are under way before those of new ones."""
        while True:
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
            self._done.append((index, Judgement(unjudged=reason)))
            return
        self._seen[item.id] += 1
        times = f"#{self._seen[item.id]}" if self._seen[item.id] > 1 else ""
        name = f"{item.id}{times}/{self._metric.name}"
        self._go_on(_Chain(index, name, self._metric.steps(item)), None)

    def _go_on(self, chain: _Chain, value: Any) -> None:
        try:
            ask = Ask(f"{chain.name}/{len(chain.replies)}", chain.steps.send(value))
        except StopIteration as end:
            self._done.append((chain.index, replace(end.value, replies=chain.replies)))
            return
        self._under_way[ask.id] = chain
        self._queue.append(ask)

    def _take(self, reply: Reply[Any]) -> None:
        chain = self._under_way.pop(reply.ask.id)
        if reply.text is not None:
            chain.replies.append(reply.text)
        if reply.error is None:
            self._go_on(chain, reply.value)
            return
        is_too_long = reply.text is None and _TOO_LONG.search(reply.error) is not None
        splits = is_too_long and "contexts" in self._metric.needs
        remedy = "; a smaller --window makes shorter prompts" if splits else ""
        judgement = Judgement(unjudged=reply.error + remedy, replies=chain.replies)
        self._done.append((chain.index, judgement))
