"""When a schema is given up, for what fails under it, and what is said of too long prompts."""

from collections import Counter

import pytest

from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator
from ragifeval.judge.chains import Chains, Judgement, Metric
from ragifeval.judge.correctness import Correctness
from ragifeval.judge.faithfulness import Faithfulness
from ragifeval.judge.items import Item
from ragifeval.judge.plan import PROMPTS, with_schema
from ragifeval.run.old.asking import Asker
from ragifeval.run.template import Template
from tests.loopback import Call, Loopback, Response, Script, chat, failure

COUNT = 12
NAMES = ("correctness", "faithfulness", "faithfulness_refine")
TEMPLATES = {name: Template(PROMPTS / "pl" / f"{name}.jinja") for name in NAMES}
CORRECTNESS = Correctness(TEMPLATES, 4.0)


def judged(
    script: Script, threads: int = 1, metric: Metric[object] = CORRECTNESS, count: int = COUNT
) -> list[Judgement]:
    """What comes of so many answers, in their order."""
    items = [
        Item(str(n), "Ile?", f"Odpowiedź nr {n}.", reference="30 zł", contexts=["30 zł"])
        for n in range(count)
    ]
    with Loopback(script) as server:
        config = RemoteConfig(model="m", api_base=server.url, max_retries=0, threads=threads)
        held = with_schema(config, metric.schema)
        assert held is not None
        with Asker(RemoteGenerator(config, "-", False)) as asker:
            chains = Chains(metric, items, asker, RemoteGenerator(held, "-", False))
            found = list(chains.judge())
    assert sorted(place for place, _ in found) == list(range(count))
    return [judgement for _, judgement in sorted(found, key=lambda pair: pair[0])]


def has_schema(call: Call) -> bool:
    return "response_format" in call.json


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    ("first", "then"),
    [
        (failure(503, "busy"), failure(400, "no response_format")),
        (failure(429, "slow down"), failure(400, "no response_format")),
        (failure(503, "busy"), failure(500, "grammar")),
        (chat(""), failure(400, "no response_format")),
        (failure(500, "grammar"), failure(500, "grammar")),
        (chat(""), chat("")),
        (chat("Trudno rzec."), chat("")),
    ],
)
def test_a_schema_under_which_nothing_comes_is_given_up(
    first: Response, then: Response, threads: int
) -> None:
    calls = Counter[bool]()

    def script(call: Call) -> Response:
        calls[has_schema(call)] += 1
        if not has_schema(call):
            return chat("4")
        return first if call.index == 0 else then

    found = judged(script, threads)
    assert [one.scores.get("correctness") for one in found] == [4] * COUNT
    assert calls[False] == COUNT
    # Three that failed, asked twice where a reply came, and what was in flight by then.
    assert calls[True] <= 2 * (3 + 2 * threads)


def test_a_passing_fault_keeps_the_schema() -> None:
    """The first answer is put as text at the end; the others have been read under the schema."""
    with_a_schema: list[bool] = []

    def script(call: Call) -> Response:
        with_a_schema.append(has_schema(call))
        return chat("4") if call.index else failure(503, "busy")

    assert all(one.scores for one in judged(script))
    assert with_a_schema == [True] * COUNT + [False]


def test_a_failure_after_a_reply_was_read_is_final() -> None:
    replies = [chat("4"), failure(500, "down")]
    found = judged(lambda call: replies[min(call.index, 1)], count=3)
    assert [one.unjudged for one in found] == [None] + ["500 Internal Server Error: down"] * 2


def test_text_is_asked_for_once() -> None:
    calls = Counter[tuple[str, bool]]()

    def script(call: Call) -> Response:
        calls[call.prompt, has_schema(call)] += 1
        return failure(500, "down")

    found = judged(script)
    assert {one.unjudged for one in found} == {"500 Internal Server Error: down"}
    assert (
        sum(count for (_, schema), count in calls.items() if schema) <= 3 + 2
    )  # what was under way
    assert [count for (_, schema), count in calls.items() if not schema] == [1] * COUNT


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
        "the request exceeds the available context size (4096 tokens), try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (90000) exceeds the maximum number of tokens allowed (32768).",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens",
    ],
)
def test_a_prompt_that_does_not_fit_names_the_remedy(message: str) -> None:
    script: Script = lambda call: failure(400, message, "context_length_exceeded")  # noqa: E731
    metric = Faithfulness(TEMPLATES, 16_000, "pl")
    said = f"400 Bad Request: {message}"
    (found,) = judged(script, metric=metric, count=1)
    assert found.unjudged == f"{said}; a smaller --window makes shorter prompts"
    # Its prompts hold no contexts.
    (found,) = judged(script, count=1)
    assert found.unjudged == said
