"""Claims in common between reference and answer (Dataworkz' evaluation framework)."""

import re
from collections.abc import Generator as Steps
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragifeval.block_template import BlockTemplate
from ragifeval.judge.chains import Judgement
from ragifeval.judge.items import Item
from ragifeval.prompt import Prompt
from ragifeval.replies import Unparsed, pick, plain, read_json

_SIDES = ("reference", "candidate", "common")
# The keys asked for, those published, and their translations.
_LISTS = {
    "reference": (
        *("reference_claims", "golden response claims", "golden claims", "gold claims"),
        *("reference answer claims", "twierdzenia wzorca", "twierdzenia odpowiedzi wzorcowej"),
        *("twierdzenia wzorcowe",),
    ),
    "candidate": (
        *("candidate_claims", "candidate response claims", "candidate answer claims"),
        *("answer claims", "twierdzenia odpowiedzi", "twierdzenia odpowiedzi ocenianej"),
        *("twierdzenia oceniane", "twierdzenia kandydata"),
    ),
    "common": ("common_claims", "shared claims", "wspólne twierdzenia", "twierdzenia wspólne"),
}
_OF = ("no of {}", "number of {}", "num {}", "{} count", "count of {}", "liczba {}")
_POLISH_COUNTS = {
    "reference": ("liczba twierdzeń wzorca", "liczba twierdzeń odpowiedzi wzorcowej"),
    "candidate": ("liczba twierdzeń odpowiedzi", "liczba twierdzeń odpowiedzi ocenianej"),
    "common": ("liczba wspólnych twierdzeń", "liczba twierdzeń wspólnych"),
}
_COUNTS = {
    side: (
        f"{side}_count",
        *(form.format(name) for form in _OF for name in _LISTS[side]),
        *_POLISH_COUNTS[side],
    )
    for side in _SIDES
}
_EXPLANATIONS = ("explanation", "evaluation method", "reason", "wyjaśnienie", "uzasadnienie")


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
            for side in _SIDES
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
    value = read_json(reply)
    if isinstance(value, list):
        objects = [item for item in value if isinstance(item, dict)]
        value = {key: item for part in objects for key, item in part.items()}
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        value = inner  # {"evaluation": {...}}
    lists = {side: _claims(pick(value, _LISTS[side])) for side in _SIDES}
    counts = {side: _count(pick(value, _COUNTS[side])) for side in _SIDES}
    found = Claims(lists, counts, str(pick(value, _EXPLANATIONS) or "").strip())
    for side in _SIDES:
        if found.count(side) is None:
            raise Unparsed(f"its JSON neither lists nor counts the {side} claims")
    return found


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
    if isinstance(value, str) and (number := re.fullmatch(r"\s*(\d+)(?:[.,]0)?\s*", value)):
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
            **{f"{side}_claims": {"type": "array", "items": {"type": "string"}} for side in _SIDES},
            **{f"{side}_count": {"type": "integer"} for side in _SIDES},
        },
        "required": [
            "explanation",
            *(f"{side}_claims" for side in _SIDES),
            *(f"{side}_count" for side in _SIDES),
        ],
        "additionalProperties": False,
    }

    def __init__(self, templates: Mapping[str, BlockTemplate]) -> None:
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
        **{f"{side}_claims": claims.lists[side] for side in _SIDES},
        **{f"{side}_count": claims.count(side) for side in _SIDES},
        "explanation": claims.explanation,
    }
    if claims.disagreements:
        detail["disagreements"] = claims.disagreements
    try:
        scores = overlap(*(claims.count(side) or 0 for side in _SIDES))
    except ValueError as error:
        return Judgement({}, detail, unjudged=str(error))
    reference, candidate, common = (claims.listed(side) for side in _SIDES)
    if reference and candidate is not None and common is not None:
        listed = overlap(reference, candidate, common)
        scores |= {f"{name}_listed": value for name, value in listed.items()}
    return Judgement(scores, detail)
