"""Why an answer lost points: one line a reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragifeval.results.report.marks import Mark, find_citations
from ragifeval.scoring.conditions import MADE_BY_VARIANTS, Cite, Condition, Include, Refuse, Safe
from ragifeval.scoring.entries import Response


@dataclass(frozen=True, slots=True)
class Loss:
    """One reason.

    Attributes:
        kind: what happened; names its sentence among the texts, `loss_KIND`.
        details: what it is about: the alternatives of a missing phrase, the reason why a statement
            does not count and what it says, the excluded phrase that was found, the number and the
            id of a document, offensive words, a condition's name.
        rule: the one rule under which the phrase is found; None where both rules agree.
    """

    kind: str
    details: Sequence[str] = ()
    rule: str | None = None


def find_losses(
    conditions: Mapping[str, Condition],
    response: Response,
    marks: Sequence[Mark],
    scores: Mapping[str, float],
) -> Iterator[Loss]:
    """Yield every reason for which one answer did not get all points.

    Args:
        conditions: those of the sample, by name.
        marks: from `find_marks`.
        scores: under the headline rule.
    """
    for name, condition in conditions.items():
        if scores[condition.keys[0]] == 1 or name in MADE_BY_VARIANTS:
            continue  # what variants state beside the conditions counts nothing
        if isinstance(condition, Include):
            yield from _missing(condition, marks)
        elif name == "exclude":
            for mark in marks:
                if mark.kind == "exclude" and mark.verdict == "wrong":
                    yield Loss("excluded", (mark.about,), mark.rule)
        elif isinstance(condition, Cite):
            yield from _citations(condition, response)
        elif isinstance(condition, Refuse):
            yield Loss("no_refusal" if condition.expected else "refusal")
        elif isinstance(condition, Safe) and condition.expected:
            words = (response.answer[m.start : m.end] for m in marks if m.kind == "offence")
            yield Loss("offence", tuple(dict.fromkeys(words)))
        else:
            yield Loss("condition", (name,))


def _missing(condition: Include, marks: Sequence[Mark]) -> Iterator[Loss]:
    """Yield what is not found: as said wrongly where it is, else as missing."""
    for number, entry in enumerate(condition.entries):
        found = [mark for mark in marks if mark.kind == "include" and mark.entry == number]
        if any(mark.verdict == "right" for mark in found):
            continue
        wrong = [mark for mark in found if mark.reason is not None]
        for mark in wrong:
            yield Loss("unsaid", (str(mark.reason), mark.about))
        if not wrong:
            rule = next((mark.rule for mark in found), None)
            yield Loss("missing", tuple(dict.fromkeys(entry.wordings)), rule)


def _citations(condition: Cite, response: Response) -> Iterator[Loss]:
    cited = dict.fromkeys(number for number, _, _ in find_citations(response.answer))
    context = {str(position): key for position, key in enumerate(response.context)}
    for number, key in context.items():
        if key in condition.expected and number not in cited:
            yield Loss("not_cited", (number, key))
    for number in cited:
        if number not in context:
            yield Loss("cited_nothing", (number,))
        elif context[number] not in condition.expected:
            yield Loss("cited_wrongly", (number, context[number]))
