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


def judge_chains(
    metric: Metric[Any], items: Sequence[Item], asking: StructuredAsking[Any]
) -> Iterator[tuple[int, Judgement]]:
    """Ask one metric's prompts for all answers; each answer is judged once.

    Prompts of chains that are under way go before those of new ones.

    Yields:
        (the item's place, its judgement), as they come; an interruption ends it.
    """
    new, under_way, queue = deque[_Chain](), dict[str, _Chain](), deque[Ask]()
    seen = Counter[str]()
    for index, item in enumerate(items):
        reason = missing(item, metric.needs)
        if reason is not None:
            yield index, Judgement(unjudged=reason)
            continue
        seen[item.id] += 1
        times = f"#{seen[item.id]}" if seen[item.id] > 1 else ""
        new.append(_Chain(index, f"{item.id}{times}/{metric.name}", metric.steps(item)))

    def go_on(chain: _Chain, value: Any) -> Judgement | None:
        """Queue the next prompt of a chain, or return what its replies come to."""
        try:
            ask = Ask(f"{chain.name}/{len(chain.replies)}", chain.steps.send(value))
        except StopIteration as end:
            judgement: Judgement = end.value
            return replace(judgement, replies=chain.replies)
        under_way[ask.id] = chain
        queue.append(ask)
        return None

    def asks() -> Iterator[Ask]:
        while queue or new:
            if not queue:
                go_on(new.popleft(), None)
            yield queue.popleft()

    is_asked = True
    while is_asked:  # the last replies may have led to further prompts
        is_asked = False
        for reply in asking.ask(asks()):
            is_asked = True
            chain = under_way.pop(reply.ask.id)
            if reply.text is not None:
                chain.replies.append(reply.text)
            if reply.error is None:
                judgement = go_on(chain, reply.value)
            else:
                unjudged = reply.error + _remedy(reply, metric)
                judgement = Judgement(unjudged=unjudged, replies=chain.replies)
            if judgement is not None:
                yield chain.index, judgement


def _remedy(reply: Reply[Any], metric: Metric[Any]) -> str:
    """What helps against an error, where that is known."""
    is_too_long = reply.text is None and _TOO_LONG.search(reply.error or "") is not None
    splits = is_too_long and "contexts" in metric.needs
    return "; a smaller --window makes shorter prompts" if splits else ""
