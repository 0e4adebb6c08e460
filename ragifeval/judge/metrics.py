"""The metrics that ask a judge: its prompts, the replies it is to give, the scores they lead to."""

from collections.abc import Generator as Steps
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, Field
from semantic_text_splitter import TextSplitter

from ragifeval.generators.base import Prompt
from ragifeval.judge.items import Item, Judgement
from ragifeval.run.template import Template

MODEL_METRICS = ("correctness", "faithfulness", "claims")
METRICS = (*MODEL_METRICS, "lexical", "retrieval")
TEMPLATES = ("correctness", "faithfulness", "faithfulness_refine", "claims")
"""The names of the metrics' prompts."""

ReplyT = TypeVar("ReplyT", bound=BaseModel)

LOWEST, HIGHEST = 1, 5
# More claims than a reply can hold.
_MOST_CLAIMS = 1_000_000


class Metric(Protocol[ReplyT]):
    """A metric that asks a judge, by one prompt or by several that follow from the replies.

    Attributes:
        name: of the metric, for --metrics.
        scores: the names of its scores -> what they mean, in words.
        needs: the fields of an Item without which an answer cannot be judged.
        reply: what the judge is to reply.
        labels: of the fields of a reply that is not JSON; from the prompt's front matter.
    """

    name: str
    scores: Mapping[str, str]
    needs: Sequence[str]
    reply: type[ReplyT]
    labels: Mapping[str, Sequence[str]]

    def steps(self, item: Item) -> Steps[Prompt, ReplyT, Judgement]:
        """Yield prompts, and be sent the replies; return the judgement."""
        ...


# A schema holds no minimum and no maximum: not every service takes them.
def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a number")
    return value


def _in_range(value: float) -> float:
    if not LOWEST <= value <= HIGHEST:
        raise ValueError(f"must be from {LOWEST} to {HIGHEST}")
    return value


def _countable(value: int) -> int:
    if not 0 <= value <= _MOST_CLAIMS:
        raise ValueError("must be a number of claims")
    return value


class Grade(BaseModel):
    """A grade with its reason."""

    reason: str = Field("", validation_alias=AliasChoices("reason", "uzasadnienie"))
    score: Annotated[float, BeforeValidator(_no_boolean), AfterValidator(_in_range)] = Field(
        validation_alias=AliasChoices("score", "ocena")
    )


class Correctness:
    """A grade from 1 to 5 against a reference answer (LlamaIndex's CorrectnessEvaluator).

    Args:
        threshold: the grade from which on an answer passes.
    """

    name = "correctness"
    needs: Sequence[str] = ("question", "reference")
    reply = Grade

    def __init__(self, templates: Mapping[str, Template], threshold: float = 4.0) -> None:
        self._template = templates["correctness"]
        self._threshold = threshold
        self.labels = self._template.labels
        self.scores: Mapping[str, str] = {
            "correctness": f"from {LOWEST} to {HIGHEST}",
            "passing": f"correctness from {threshold:g} on",
        }

    def steps(self, item: Item) -> Steps[Prompt, Grade, Judgement]:
        grade = yield self._template.render(_shown(item))
        passing = float(grade.score >= self._threshold)
        return Judgement({"correctness": grade.score, "passing": passing}, {"reason": grade.reason})


class Support(BaseModel):
    """Whether a context supports an answer."""

    reason: str = Field("", validation_alias=AliasChoices("reason", "uzasadnienie"))
    supported: bool = Field(validation_alias=AliasChoices("supported", "potwierdza"))


_BETWEEN = "\n\n---\n\n"  # two contexts in one prompt


class Faithfulness:
    """Whether the contexts support the answer (LlamaIndex's FaithfulnessEvaluator).

    Compact and refine: as many contexts as fit are asked about at once, then those that follow,
    until some support the answer.

    Args:
        window: characters of contexts that one prompt shows; a longer context is split.
    """

    name = "faithfulness"
    needs: Sequence[str] = ("contexts",)
    reply = Support
    scores: Mapping[str, str] = {"faithfulness": "supported by the contexts"}

    def __init__(self, templates: Mapping[str, Template], window: int) -> None:
        self._create = templates["faithfulness"]
        self._refine = templates["faithfulness_refine"]
        self._window = window
        self._splitter = TextSplitter(window)
        self.labels = self._create.labels

    def steps(self, item: Item) -> Steps[Prompt, Support, Judgement]:
        parts = self._parts(item.contexts or ())
        support = Support(reason="", supported=False)
        asked = 0
        for part in parts:
            template = self._refine if asked else self._create
            support = yield template.render({**_shown(item), "context": part})
            asked += 1
            if support.supported:
                break
        detail = {"reason": support.reason, "parts": len(parts), "asked": asked}
        return Judgement({"faithfulness": float(support.supported)}, detail)

    def _parts(self, contexts: Sequence[str]) -> Sequence[str]:
        """What each prompt shows."""
        parts: list[str] = []
        for context in contexts:
            for piece in self._splitter.chunks(context):
                if parts and len(parts[-1]) + len(_BETWEEN) + len(piece) <= self._window:
                    parts[-1] += _BETWEEN + piece
                else:
                    parts.append(piece)
        return parts


Count = Annotated[int, BeforeValidator(_no_boolean), AfterValidator(_countable)]


class Claims(BaseModel):
    """The claims of a reference and of an answer (the candidate), and how many the judge counts."""

    explanation: str = ""
    reference_claims: list[str]
    candidate_claims: list[str]
    common_claims: list[str]
    reference_count: Count
    candidate_count: Count
    common_count: Count

    @property
    def counted(self) -> tuple[int, int, int]:
        """How many claims of the reference, of the candidate and in common the judge counts."""
        return self.reference_count, self.candidate_count, self.common_count

    @property
    def listed(self) -> tuple[int, int, int]:
        """How many of each the judge lists."""
        return len(self.reference_claims), len(self.candidate_claims), len(self.common_claims)

    @property
    def disagreements(self) -> list[str]:
        """Where what is counted and what is listed cannot both be true."""
        sides = zip(("reference", "candidate", "common"), self.counted, self.listed, strict=True)
        found = [
            f"{side}: {counted} counted, {listed} listed"
            for side, counted, listed in sides
            if counted != listed
        ]
        if self.common_count > self.reference_count:
            found.append(
                f"common: {self.common_count} of {self.reference_count} claims of the reference"
            )
        return found


class ClaimOverlap:
    """Claims in common between reference and answer (Dataworkz' evaluation framework)."""

    name = "claims"
    needs: Sequence[str] = ("question", "reference")
    reply = Claims
    scores: Mapping[str, str] = {
        **dict.fromkeys(("recall", "precision", "f1"), "of claims, as counted by the judge"),
        **dict.fromkeys(
            ("recall_listed", "precision_listed", "f1_listed"), "of claims, as listed by the judge"
        ),
    }

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._template = templates["claims"]
        self.labels = self._template.labels

    def steps(self, item: Item) -> Steps[Prompt, Claims, Judgement]:
        return judged_claims((yield self._template.render(_shown(item))))


def judged_claims(claims: Claims) -> Judgement:
    """The scores by the stated counts, and those by the lists as `recall_listed` and so on."""
    detail: dict[str, Any] = claims.model_dump()
    if claims.disagreements:
        detail["disagreements"] = claims.disagreements
    if not claims.reference_count:
        reason = "the reference makes no claim that the question does not"
        return Judgement(detail=detail, unjudged=reason)
    scores = overlap(*claims.counted)
    if claims.reference_claims:
        listed = overlap(*claims.listed)
        scores |= {f"{name}_listed": value for name, value in listed.items()}
    return Judgement(scores, detail)


def overlap(reference: int, candidate: int, common: int) -> dict[str, float]:
    """Recall, precision and F1 from numbers of claims.

    There are at least as many claims in the candidate as in common, and no more in common than in
    the reference. Precision is 0 where the candidate makes no claim, as published.

    >>> overlap(4, 5, 4)
    {'recall': 1.0, 'precision': 0.8, 'f1': 0.888888888888889}

    Args:
        reference: at least 1.
    """
    candidate = max(candidate, common)
    recall = min(common, reference) / reference
    precision = common / candidate if candidate else 0.0
    f1 = 2 * recall * precision / (recall + precision) if recall and precision else 0.0
    return {"recall": recall, "precision": precision, "f1": f1}


def _shown(item: Item) -> Mapping[str, object]:
    return {"question": item.question, "reference": item.reference, "answer": item.answer}
