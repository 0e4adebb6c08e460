"""What the page shows of each question and answer, as plain data.

It becomes JSON inside the page, where JavaScript makes elements of it. Long texts that recur (a
document, the head of a prompt) stand once among `strings`, and are referred to by their index.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragifeval.results.report.losses import Loss
from ragifeval.results.report.segments import Segment

Index = int


@dataclass(frozen=True, slots=True)
class ShownMark:
    """What a mark says; where it stands, the segments know."""

    kind: str
    verdict: str
    about: str
    rule: str | None


@dataclass(frozen=True, slots=True)
class ShownOpinion:
    """What one metric of the judge says of an answer besides its scores.

    Attributes:
        reason: why, in the judge's words.
        unjudged: why there are no scores.
        doubts: where the judge's counts and lists disagree.
        claims: (whose they are, the claims) of each list.
    """

    metric: str
    reason: str | None = None
    unjudged: str | None = None
    doubts: Sequence[str] = ()
    claims: Sequence[tuple[str, Sequence[str]]] = ()


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """One answer of one run.

    Attributes:
        view: which of the question's views the model saw.
        segments: the answer, cut where marks begin and end; None where there is no answer.
        scores: under the headline rule, in the order of `Shown.keys`; None for a key that the
            sample has not. Empty where there is no answer.
        others: the same under the other rule; empty where it gives the same.
        cited: the positions in the context that are cited.
        tokens: of the prompt and of the answer.
        finish: why the generation ended, as the log says it.
        error: why there is no answer.
        judged: (name, value) of each judged score.
        opinions: what is behind them.
        differs: those judged scores that the rules do not bear out.
    """

    view: Index
    segments: Sequence[Segment] | None
    marks: Sequence[ShownMark] = ()
    losses: Sequence[Loss] = ()
    scores: Sequence[float | None] = ()
    others: Sequence[float | None] = ()
    cited: Sequence[int] = ()
    reasoning: str | None = None
    tokens: Sequence[int | None] = ()
    seconds: float | None = None
    finish: str | None = None
    error: str | None = None
    judged: Sequence[tuple[str, float]] = ()
    opinions: Sequence[ShownOpinion] = ()
    differs: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class View:
    """One way in which a question was put to a model.

    Attributes:
        context: the documents in their order.
        prompt: (role, text in pieces) of each message; the role is "text" in completion mode.
    """

    context: Sequence[Index]
    prompt: Sequence[tuple[str, Sequence[Index]]]


@dataclass(frozen=True, slots=True)
class Question:
    """One sample.

    Attributes:
        conditions: the keys of the conditions that count, by their place in `Shown.keys`.
        expected: the documents that are to be cited.
        answers: for each run, what its log has: one answer as a rule, perhaps none or several.
    """

    id: str
    text: Index
    category: Index | None
    kind: Sequence[str]
    reference: str | None
    conditions: Sequence[Index]
    expected: Sequence[Index]
    views: Sequence[View]
    answers: Sequence[Sequence[ShownAnswer]]


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """One document; `text` is its contents."""

    id: str
    text: Index
    title: str | None
    source: str | None


@dataclass
class Shown:
    """All that the page shows below its headline.

    Attributes:
        runs: their names.
        keys: of the scores.
        counted: those of them that count towards the total, by place.
    """

    runs: Sequence[str]
    matching: str
    keys: Sequence[str]
    counted: Sequence[Index]
    categories: Sequence[str]
    documents: list[ShownDocument] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)


class Interned:
    """Texts that are kept once each.

    Args:
        strings: where they are kept.
    """

    def __init__(self, strings: list[str]) -> None:
        self._strings = strings
        self._places: dict[str, Index] = {}

    def __call__(self, text: str) -> Index:
        """The index of a text, which is kept if it was not yet."""
        place = self._places.setdefault(text, len(self._strings))
        if place == len(self._strings):
            self._strings.append(text)
        return place

    def in_pieces(self, text: str, known: Sequence[str]) -> list[Index]:
        """A text as pieces of which the known ones (those that stand in it) are shared."""
        found = sorted(
            (start, -len(part), part) for part in known if (start := text.find(part)) >= 0
        )
        pieces = []
        done = 0
        for start, length, part in found:
            if start >= done:
                pieces += [text[done:start], part]
                done = start - length
        return [self(piece) for piece in [*pieces, text[done:]] if piece]
