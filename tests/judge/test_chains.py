"""Chains of prompts that are asked at once, and what is said where a prompt does not fit."""

import json
from collections import Counter

import pytest

from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator
from ragifeval.judge.chains import judge_chains
from ragifeval.judge.items import Item, Judgement
from ragifeval.judge.metrics import Correctness, Faithfulness, Metric
from ragifeval.paths import JUDGE_PROMPTS
from ragifeval.run.asking import Asking
from ragifeval.run.structured import StructuredAsking
from ragifeval.run.template import Template
from tools.testing.loopback import Call, Loopback, Response, Script, chat, failure

TEMPLATES = {path.stem: Template(path) for path in (JUDGE_PROMPTS / "pl").glob("*.jinja")}


def judged(metric: Metric[object], script: Script, *items: Item) -> list[Judgement]:
    """What comes of the answers, in their order."""
    with Loopback(script) as server:
        config = RemoteConfig(model="m", api_base=server.url, max_retries=0, threads=4)
        with Asking(RemoteGenerator(config, "-", False), None, total=None, unit="") as asking:
            structured = StructuredAsking(asking, metric.reply, use_schema=True)
            found = list(judge_chains(metric, items, structured))
    assert sorted(place for place, _ in found) == list(range(len(items)))
    return [judgement for _, judgement in sorted(found, key=lambda pair: pair[0])]


def test_every_chain_goes_on_until_a_context_supports_its_answer() -> None:
    """Answer n is supported by context n of 6; answer 6 by none; answer 7 was never given."""
    calls = Counter[int]()

    def script(call: Call) -> Response:
        answer = int(call.prompt.rpartition("odp. ")[2].partition(".")[0])
        calls[answer] += 1
        supported = f"kontekst {answer}." in call.prompt
        return chat(json.dumps({"reason": "", "supported": supported}))

    contexts = [f"kontekst {number}." for number in range(6)]
    # The same id again, as two answers of one log may have it.
    items = [Item("s", None, f"odp. {n}.", contexts=contexts) for n in range(7)]
    items.append(Item("s", None, None, "500", contexts=contexts))
    found = judged(Faithfulness(TEMPLATES, 12), script, *items)
    assert [one.scores.get("faithfulness") for one in found] == [1] * 6 + [0, None]
    assert [len(one.replies) for one in found] == [1, 2, 3, 4, 5, 6, 6, 0]
    assert found[-1].unjudged == "no answer: 500"
    assert calls == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 6}


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens",
    ],
)
def test_a_prompt_that_does_not_fit_names_the_remedy(message: str) -> None:
    script: Script = lambda call: failure(400, message, "context_length_exceeded")  # noqa: E731
    item = Item("1", "Ile?", "30 zł", reference="30 zł", contexts=["30 zł"])
    said = f"400 Bad Request: {message}"
    (found,) = judged(Faithfulness(TEMPLATES, 16_000), script, item)
    assert found.unjudged == f"{said}; a smaller --window makes shorter prompts"
    # Its prompts hold no contexts.
    (found,) = judged(Correctness(TEMPLATES), script, item)
    assert found.unjudged == said
