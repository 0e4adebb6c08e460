"""LlamaIndex's own evaluators, given the same replies, come to the same verdicts.

Where its parser reads a reply: a correctness whose first line is the bare number, a faithfulness
that says "yes" somewhere, or nowhere.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote import RemoteGenerator
from ragifeval.judge.chains import Chains, Judgement, Metric
from ragifeval.judge.correctness import Correctness
from ragifeval.judge.faithfulness import Faithfulness
from ragifeval.judge.items import Item
from ragifeval.judge.plan import PROMPTS
from ragifeval.run.asking import Asker
from ragifeval.run.block_template import BlockTemplate
from tests.loopback import Loopback, chat

core = pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

TEMPLATES = {path.stem: BlockTemplate(path) for path in (PROMPTS / "en").glob("*.jinja")}
QUESTION, REFERENCE, ANSWER = "How much?", "30 zł", "It costs 30 zł."


def scripted(*replies: str) -> Any:
    """A model of LlamaIndex that says these one after the other."""
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

    said: Iterator[str] = iter(replies)

    class Scripted(CustomLLM):
        @property
        def metadata(self) -> Any:
            return LLMMetadata(context_window=8_000, num_output=100, model_name="scripted")

        def complete(self, prompt: str, formatted: bool = False, **how: Any) -> Any:
            return CompletionResponse(text=next(said))

        def stream_complete(self, prompt: str, formatted: bool = False, **how: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def judged(metric: Metric[Any], item: Item, *replies: str) -> Judgement:
    """What the harness makes of the same replies."""
    said = iter(replies)
    with Loopback(lambda call: chat(next(said))) as server:
        config = RemoteConfig(model="m", api_base=server.url, max_retries=0)
        with Asker(RemoteGenerator(config, "-", False)) as asker:
            ((_, judgement),) = Chains(metric, [item], asker).judge()
            return judgement


GRADES = [
    "4.0\nThe same facts.",
    "4\nThe same facts.",
    "5\n\nFully right.\nScore: 1 would be harsh.",
    "3.5\nThe term is missing.",
    "1.0\nAbout something else.",
    "2\n",
]


@pytest.mark.parametrize("reply", GRADES)
def test_correctness(reply: str) -> None:
    from llama_index.core.evaluation import CorrectnessEvaluator

    theirs = CorrectnessEvaluator(llm=scripted(reply)).evaluate(
        query=QUESTION, response=ANSWER, reference=REFERENCE
    )
    item = Item("1", QUESTION, ANSWER, reference=REFERENCE)
    ours = judged(Correctness(TEMPLATES), item, reply)
    assert ours.scores == {"correctness": theirs.score, "passing": float(bool(theirs.passing))}
    assert ours.detail["reason"].split() == (theirs.feedback or "").split()


VERDICTS = ["YES", "NO", "Yes.", "No.", "YES\nIt is said.", "NO. Nothing is said.", "**YES**"]


@pytest.mark.parametrize("reply", VERDICTS)
def test_faithfulness(reply: str) -> None:
    from llama_index.core.evaluation import FaithfulnessEvaluator

    theirs = FaithfulnessEvaluator(llm=scripted(reply)).evaluate(
        response=ANSWER, contexts=["The fee is 30 zł."]
    )
    item = Item("1", QUESTION, ANSWER, contexts=["The fee is 30 zł."])
    ours = judged(Faithfulness(TEMPLATES, 1_000), item, reply)
    assert ours.scores == {"faithfulness": theirs.score}


CHAINS = [
    ("YES", "YES", "YES"),
    ("NO", "YES", "YES"),
    ("NO", "NO", "YES"),
    ("NO", "NO", "NO"),
]


@pytest.mark.parametrize("replies", CHAINS)
def test_create_and_refine(replies: tuple[str, ...]) -> None:
    """A judge that keeps to the prompt: once it said YES, it says YES."""
    from llama_index.core.evaluation.faithfulness import (
        DEFAULT_EVAL_TEMPLATE,
        DEFAULT_REFINE_TEMPLATE,
    )
    from llama_index.core.response_synthesizers import Refine

    contexts = ["First.", "Second.", "Third."]
    refine = Refine(
        llm=scripted(*replies),
        text_qa_template=DEFAULT_EVAL_TEMPLATE,
        refine_template=DEFAULT_REFINE_TEMPLATE,
    )
    theirs = "yes" in str(refine.get_response(ANSWER, contexts)).lower()
    item = Item("1", QUESTION, ANSWER, contexts=contexts)
    ours = judged(Faithfulness(TEMPLATES, 1_000), item, *replies)
    assert ours.scores == {"faithfulness": float(theirs)}
