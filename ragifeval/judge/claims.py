"""Claims in common between reference and answer (Dataworkz' evaluation framework)."""

import re
from collections.abc import Generator as Steps
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ragifeval.generators.base import Prompt
from ragifeval.judge.chains import Judgement
from ragifeval.judge.items import Item
from ragifeval.run.old.replies import Unparsed, pick, plain, read_json, without_thinking
from ragifeval.run.old.replies.claim_keys import (
    COUNTS,
    EXPLANATIONS,
    LISTS,
    SIDES,
    by_stems,
    counted_lines,
)
from ragifeval.run.template import Template


@dataclass(frozen=True)
class Claims:
    """What a judge found: side -> its claims, side -> how many it says they are.

    A side is "reference", "candidate" or "common"; None where the reply does not tell.
    """

    lists: Mapping[str, Sequence[str] | None]
    counts: Mapping[str, int | None]
    explanation: str = ""

    def count(self, side: str) -> int | None:
        """The stated count; where none is stated, that of the list."""
        stated = self.counts[side]
        return self.listed(side) if stated is None else stated

    def listed(self, side: str) -> int | None:
        """How many claims the list holds."""
        claims = self.lists[side]
        return None if claims is None else len(claims)

    @property
    def disagreements(self) -> list[str]:
        """Where what is counted and what is listed cannot both be true."""
        found = [
            f"{side}: {self.counts[side]} counted, {self.listed(side)} listed"
            for side in SIDES
            if None not in (self.counts[side], self.listed(side))
            and self.counts[side] != self.listed(side)
        ]
        common, reference = self.count("common"), self.count("reference")
        if common is not None and reference is not None and common > reference:
            found.append(f"common: {common} of {reference} claims of the reference")
        return found


def read_claims(reply: str) -> Claims:
    """Read a reply's JSON.

    Raises:
        Unparsed: it holds no JSON, or neither counts nor lists of claims.
    """
    try:
        return _claims_of(_told(reply))
    except RecursionError:
        raise Unparsed("its JSON is nested too deep") from None


def _told(reply: str) -> Mapping[str, Any]:
    """The object of a reply; without one, the counts on its lines."""
    try:
        value = read_json(reply)
    except Unparsed:
        if lines := counted_lines(without_thinking(reply)):
            return lines
        raise
    if isinstance(value, list):
        objects = [item for item in value if isinstance(item, dict)]
        value = {key: item for part in objects for key, item in part.items()}
    return value if isinstance(value, dict) else {}


def _claims_of(value: Mapping[str, Any]) -> Claims:
    """What an object tells, or else the only object in it that tells all: {"claims": {...}}."""
    try:
        return _claims_in(value)
    except Unparsed:
        found = []
        for inner in value.values():
            if isinstance(inner, dict):
                with suppress(Unparsed):
                    found.append(_claims_in({**_explained(value), **inner}))
        if len(found) != 1:
            raise
        return found[0]


def _claims_in(value: Mapping[str, Any]) -> Claims:
    listed, counted = by_stems(value)
    lists = {side: _claims(pick(value, LISTS[side])) for side in SIDES}
    counts = {side: _count(pick(value, COUNTS[side])) for side in SIDES}
    for side in SIDES:
        if lists[side] is None:
            lists[side] = _claims(listed.get(side))
        if counts[side] is None:
            counts[side] = _count(counted.get(side))
    found = Claims(lists, counts, str(pick(value, EXPLANATIONS) or "").strip())
    for side in SIDES:
        if found.count(side) is None:
            raise Unparsed(f"its JSON neither lists nor counts the {side} claims")
    return found


def _explained(value: Mapping[str, Any]) -> Mapping[str, Any]:
    explanation = pick(value, EXPLANATIONS)
    return {"explanation": explanation} if isinstance(explanation, str) else {}


def _claims(value: object) -> Sequence[str] | None:
    """A list of claims, however it is written: ["..."], {"1": "..."}, {"..."}, lines."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, set):
        value = sorted(map(str, value))
    if isinstance(value, str):
        lines = re.split(r"\n+|;\s+(?=\d+[.)])", value)
        value = [re.sub(r"^\s*(?:\d+[.)]|[-*•])\s*", "", line) for line in lines]
    if not isinstance(value, list):
        return None
    texts = [
        str(next(iter(claim.values()), "") if isinstance(claim, dict) else claim).strip()
        for claim in value
    ]
    return [text for text in texts if text and plain(text) not in _NOTHING]


_NOTHING = {"none", "brak", "n a", "null"}


def _count(value: object) -> int | None:
    if isinstance(value, str) and (number := re.fullmatch(r"\s*(\d{1,6})(?:[.,]0)?\s*", value)):
        value = int(number[1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        return None
    return int(value) if value == int(value) else None


def overlap(reference: int, candidate: int, common: int) -> dict[str, float]:
    """Recall, precision and F1 from numbers of claims.

    There are at least as many claims in the candidate as in common, and no more in common than in
    the reference. Precision is 0 where the candidate makes no claim, as published.

    >>> overlap(4, 5, 4)
    {'recall': 1.0, 'precision': 0.8, 'f1': 0.888888888888889}

    Raises:
        ValueError: the reference makes no claim.
    """
    if reference == 0:
        raise ValueError("the reference makes no claim that the question does not")
    candidate = max(candidate, common)
    recall = min(common, reference) / reference
    precision = common / candidate if candidate else 0.0
    f1 = 2 * recall * precision / (recall + precision) if recall and precision else 0.0
    return {"recall": recall, "precision": precision, "f1": f1}


class ClaimOverlap:
    """A model lists the claims of both and those in common; the rest is arithmetic."""

    name = "claims"
    scores: Sequence[str] = (
        "recall",
        "precision",
        "f1",
        "recall_listed",
        "precision_listed",
        "f1_listed",
    )
    needs: Sequence[str] = ("question", "reference")
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "explanation": {"type": "string"},
            **{f"{side}_claims": {"type": "array", "items": {"type": "string"}} for side in SIDES},
            **{f"{side}_count": {"type": "integer"} for side in SIDES},
        },
        "required": [
            "explanation",
            *(f"{side}_claims" for side in SIDES),
            *(f"{side}_count" for side in SIDES),
        ],
        "additionalProperties": False,
    }

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._template = templates["claims"]

    def read(self, reply: str) -> Claims:
        """Read the claims."""
        return read_claims(reply)

    def steps(self, item: Item) -> Steps[Prompt, Claims, Judgement]:
        """One prompt."""
        assert item.question is not None and item.reference is not None  # noqa: PT018
        assert item.answer is not None
        claims = yield self._template.render(
            {"question": item.question, "reference": item.reference, "answer": item.answer}
        )
        return judged_claims(claims)


def judged_claims(claims: Claims) -> Judgement:
    """The scores by the stated counts, and those by the lists as `recall_listed` and so on."""
    detail: dict[str, Any] = {
        **{f"{side}_claims": claims.lists[side] for side in SIDES},
        **{f"{side}_count": claims.count(side) for side in SIDES},
        "explanation": claims.explanation,
    }
    if claims.disagreements:
        detail["disagreements"] = claims.disagreements
    try:
        scores = overlap(*(claims.count(side) or 0 for side in SIDES))
    except ValueError as error:
        return Judgement({}, detail, unjudged=str(error))
    reference, candidate, common = (claims.listed(side) for side in SIDES)
    if reference and candidate is not None and common is not None:
        listed = overlap(reference, candidate, common)
        scores |= {f"{name}_listed": value for name, value in listed.items()}
    return Judgement(scores, detail)
