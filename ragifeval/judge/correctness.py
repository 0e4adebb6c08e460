"""Correctness from 1 to 5 against a reference answer (LlamaIndex's CorrectnessEvaluator)."""

from collections.abc import Generator as Steps
from collections.abc import Mapping, Sequence
from typing import Any

from ragifeval.generators.base import Prompt
from ragifeval.judge.chains import Judgement
from ragifeval.judge.items import Item
from ragifeval.run.old.replies import Score, read_score
from ragifeval.run.template import Template

LOW, HIGH = 1, 5


class Correctness:
    """A model grades the answer; from `threshold` on it passes.

    The grade stands on the first line of the reply, the reason below; other shapes are read, too.
    """

    name = "correctness"
    scores: Sequence[str] = ("correctness", "passing")
    needs: Sequence[str] = ("question", "reference")
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    }

    def __init__(self, templates: Mapping[str, Template], threshold: float = 4.0) -> None:
        self._template = templates["correctness"]
        self._threshold = threshold

    def read(self, reply: str) -> Score:
        """Read the grade and its reason."""
        return read_score(reply, LOW, HIGH)

    def steps(self, item: Item) -> Steps[Prompt, Score, Judgement]:
        """One prompt."""
        assert item.question is not None and item.reference is not None  # noqa: PT018
        assert item.answer is not None
        grade = yield self._template.render(
            {"question": item.question, "reference": item.reference, "answer": item.answer}
        )
        passing = float(grade.value >= self._threshold)
        return Judgement({"correctness": grade.value, "passing": passing}, {"reason": grade.reason})
