"""What of an answer was scored, and where in it that stands."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from ragifeval.scoring.conditions import (
    CITATION,
    CITED_NUMBER,
    Cite,
    Condition,
    Exclude,
    Include,
    Refuse,
    Safe,
)
from ragifeval.scoring.entries import AllEntry, AnyEntry, Criteria, Entry, Response, StatementEntry
from ragifeval.text.matching import RULES, Place, Text

Kind = Literal["include", "exclude", "cite", "refusal", "offence"]
Verdict = Literal["right", "part", "wrong", "unscored"]
"""Whether what is marked speaks for the answer or against it; a part where the rest of its entry is
not said; unscored where its sample, or the headline rule, does not count it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in an answer.

    Attributes:
        start, end: in characters of the answer as it was given.
        about: the phrase of the data that was found, the id of the cited document ("" where there
            is none by this number), or the lemma of the offensive word.
        entry: for include and exclude, the place of the entry in the data.
        rule: the one rule under which the phrase is found; None where both find it.
        reason: why what is required does not count here, though it stands here: a text of the
            catalogue, `reason_REASON`.
    """

    start: int
    end: int
    kind: Kind
    verdict: Verdict
    about: str = ""
    entry: int | None = None
    rule: str | None = None
    reason: str | None = None


def find_marks(
    conditions: Mapping[str, Condition],
    response: Response,
    criteria: Criteria,
    matching: str,
) -> list[Mark]:
    """Find everything in one answer that a condition looks at, in the order of the answer.

    Citations, the refusal message and offensive words are found whether the sample asks for them or
    not: they tell how a model behaves.

    Args:
        conditions: those of the sample, by name.
        matching: the headline rule.
    """
    marks = [
        *_entries(conditions.get("include"), response, matching),
        *_entries(conditions.get("exclude"), response, matching),
        *_citations(conditions.get("cite"), response),
        *_refusal(conditions.get("refuse"), response.answer, criteria.refusal_message),
        *_offences(conditions.get("safe"), response.text, criteria.badwords),
    ]
    return sorted(marks, key=lambda mark: (mark.start, mark.end))


def _entries(condition: Condition | None, response: Response, matching: str) -> Iterator[Mark]:
    """Yield each entry that is found, where the headline rule finds it, or else the other rule.

    Of one that is required and not found, yield what of it is said, and what is said of it wrongly.
    """
    if not isinstance(condition, Include | Exclude):
        return
    kind: Kind = "include" if isinstance(condition, Include) else "exclude"
    verdict: Verdict = "right" if kind == "include" else "wrong"
    for number, entry in enumerate(condition.entries):
        rules = sorted(RULES, key=matching.__ne__)
        finding = [rule for rule in rules if entry.is_found(response, RULES[rule])]
        only = finding[0] if len(finding) == 1 else None
        for place in _places(entry, response, finding[0] if finding else matching):
            if matching in finding and place.reason is None:
                yield Mark(*place[:2], kind, verdict, place.about, number, only)
            elif finding and matching not in finding:
                yield Mark(*place[:2], kind, "unscored", place.about, number, only)
            elif kind == "include" and not finding:
                said: Verdict = "wrong" if place.reason else "part"
                yield Mark(*place[:2], kind, said, place.about, number, reason=place.reason)


class _Place(NamedTuple):
    """Where an entry, or a part of it, stands, and why it does not count if it does not."""

    start: int
    end: int
    about: str
    reason: str | None = None


def _places(entry: Entry, response: Response, rule: str) -> Iterator[_Place]:
    """Yield where an answer says an entry: of alternatives the first that is found, or all."""
    if isinstance(entry, AnyEntry):
        found = [one for one in entry.entries if one.is_found(response, RULES[rule])]
        for one in found[:1] or entry.entries:
            yield from _places(one, response, rule)
    elif isinstance(entry, AllEntry):
        for one in entry.entries:
            yield from _places(one, response, rule)
        for never in entry.never:
            if never.is_found(response, RULES[rule]):
                for place in _places(never, response, rule):
                    yield place._replace(reason="never")
    elif isinstance(entry, StatementEntry):
        outcome = entry.outcome(response)
        if outcome.place is not None:
            spans = response.text.normalized.original_spans
            first, last = outcome.place
            reason = None if outcome.is_found else outcome.reason.replace(" ", "_")
            yield _Place(spans[first][0], spans[last][1], entry.wordings[0], reason)
    else:
        found_at = ((one, RULES[rule](one, response.text)) for one in entry.phrases)
        for phrase, words in found_at:
            if words is not None:
                span = _span(response.text, words, rule)
                yield _Place(*span, phrase.normalized.original)
                break


def _span(text: Text, place: Place, rule: str) -> tuple[int, int]:
    """Where the words of a place begin and end in the answer as it was given."""
    first, last = place
    spans = text.normalized.original_spans
    if rule == "words":
        # A number or date read from several words ("4 000", "112 zł 50 gr") is known by the first
        # of them; the others reach up to the word of the next token.
        following = bisect_right(text.canonical.words, last)
        origins = text.canonical.words
        last = (origins[following] if following < len(origins) else len(spans)) - 1
    return spans[first][0], spans[last][1]


def find_citations(answer: str) -> Iterator[tuple[str, int, int]]:
    """Yield (number without leading zeros, start, end) of each number cited, in order.

    The bracket before the first number and the one behind the last belong to them.
    """
    for brackets in CITATION.finditer(answer):
        numbers = list(CITED_NUMBER.finditer(answer, *brackets.span()))
        for index, number in enumerate(numbers):
            start = brackets.start() if index == 0 else number.start()
            end = brackets.end() if index == len(numbers) - 1 else number.end()
            yield number[0].lstrip("0") or "0", start, end


def _citations(condition: Condition | None, response: Response) -> Iterator[Mark]:
    documents = {str(position): key for position, key in enumerate(response.context)}
    for number, start, end in find_citations(response.answer):
        document = documents.get(number, "")
        verdict: Verdict = "unscored"
        if isinstance(condition, Cite):
            verdict = "right" if document in condition.expected else "wrong"
        yield Mark(start, end, "cite", verdict, document)


def _refusal(condition: Condition | None, answer: str, message: str) -> Iterator[Mark]:
    found = answer.lower().find(message.lower())
    if found < 0:
        return
    # Lowercasing may lengthen a text: "İ" becomes two characters.
    origins = [index for index, letter in enumerate(answer) for _ in letter.lower()]
    end = origins[found + len(message.lower()) - 1] + 1
    yield Mark(origins[found], end, "refusal", _flag(condition, Refuse, True))


def _offences(condition: Condition | None, text: Text, badwords: frozenset[str]) -> Iterator[Mark]:
    if badwords.isdisjoint(text.normalized.lemmas):
        return
    verdict = _flag(condition, Safe, False)
    for lemma, (start, end) in zip(
        text.normalized.lemmas, text.normalized.original_spans, strict=True
    ):
        if lemma in badwords:
            yield Mark(start, end, "offence", verdict, lemma)


def _flag(condition: Condition | None, kind: type[Refuse | Safe], holds: bool) -> Verdict:
    """Whether a flag that holds, or does not, is what its condition expects."""
    if not isinstance(condition, kind):
        return "unscored"
    return "right" if condition.expected == holds else "wrong"


# A piece of a text, and the indices of the marks that cover it. Not offsets: JavaScript counts
# other characters than Python does.
Segment = tuple[str, Sequence[int]]


def cut(text: str, marks: Sequence[Mark]) -> Iterator[Segment]:
    """Yield the pieces of a text, cut wherever a mark begins or ends; joined, they are the text.

    Marks may overlap, elements of a page may not.
    """
    edges = {0, len(text)}
    beginning = defaultdict(list)
    for index, mark in enumerate(marks):
        edges |= {mark.start, mark.end}
        beginning[mark.start].append(index)
    covering: list[int] = []
    for start, end in pairwise(sorted(edges)):
        covering = [index for index in covering if marks[index].end > start] + beginning[start]
        yield text[start:end], covering
