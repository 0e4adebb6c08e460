"""Whether the contexts support the answer (LlamaIndex's FaithfulnessEvaluator)."""

import re
from collections.abc import Generator as Steps
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragifeval.generators.base import Prompt
from ragifeval.judge.chains import Judgement
from ragifeval.judge.items import Item
from ragifeval.run.old.replies import Verdict, read_verdict
from ragifeval.run.template import Template


class Faithfulness:
    """Create and refine: YES or NO on the first context, then on one after the other of the rest.

    Once YES, it stays YES: what follows is not asked any more.

    Args:
        window: characters of a context that one prompt shows; a longer one is split.
        language: of the words that the refining prompt quotes.
    """

    name = "faithfulness"
    scores: Sequence[str] = ("faithfulness",)
    needs: Sequence[str] = ("contexts",)
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "verdict": {"type": "string", "enum": ["YES", "NO"]},
        },
        "required": ["reason", "verdict"],
        "additionalProperties": False,
    }

    def __init__(
        self, templates: Mapping[str, Template], window: int, language: str = "en"
    ) -> None:
        self._create = templates["faithfulness"]
        self._refine = templates["faithfulness_refine"]
        self._window = window
        self._no = {"pl": "NIE"}.get(language, "NO")

    def read(self, reply: str) -> Verdict:
        """Read the verdict and its reason."""
        return read_verdict(reply)

    def steps(self, item: Item) -> Steps[Prompt, Verdict, Judgement]:
        """A prompt for each context, or each part of one, until one supports the answer."""
        assert item.answer is not None and item.contexts is not None  # noqa: PT018
        parts = [part for context in item.contexts for part in split(context, self._window)]
        template = self._create
        values = {"answer": item.answer}
        verdict = Verdict(False, "")
        asked = 0
        for part in parts:
            verdict = yield template.render({**values, "context": part})
            asked += 1
            if verdict.value:
                break
            template, values["verdict"] = self._refine, self._no
        detail: dict[str, Any] = {"reason": verdict.reason, "parts": len(parts), "asked": asked}
        return Judgement({"faithfulness": float(verdict.value)}, detail)


# Where a text is best cut: behind a paragraph, a line, a sentence, a word.
_CUTS = tuple(re.compile(cut) for cut in (r"\n\s*\n", r"\n", r"(?<=[.!?;])\s+", r"\s+"))


def split(text: str, window: int) -> Sequence[str]:
    """A text in parts of at most `window` characters, cut where it hurts least.

    >>> split("Ala ma kota. Kot ma Alę.", 14)
    ['Ala ma kota.', 'Kot ma Alę.']
    """
    return list(_parts(text.strip(), window)) or [""]


def _parts(text: str, window: int) -> Iterator[str]:
    while len(text) > window:
        end = window
        for cut in _CUTS:
            found = [match.start() for match in cut.finditer(text, 0, window + 1)]
            # A cut near the beginning would make many small parts.
            if found and found[-1] >= window // 2:
                end = found[-1]
                break
        yield text[:end].rstrip()
        text = text[end:].lstrip()
    if text:
        yield text
