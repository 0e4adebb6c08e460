"""Which candidates may become samples: the answer is fit, an entry passes, the question is new."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragifeval.benchmark.validate.repeats import SIMILAR_QUESTIONS, is_repeated
from ragifeval.build.contexts import Contexts
from ragifeval.build.phrases import Entry, Proposals
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.scoring.conditions import citations
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.similar import similar_pairs


@dataclass(frozen=True)
class Eligible:
    """A candidate with its chunk and the entries that passed.

    Attributes:
        is_whole: whether the entry is the whole short answer, as no proposed phrase passed.
    """

    candidate: Candidate
    chunk: Chunk
    entries: Sequence[Entry]
    is_whole: bool = False


@dataclass(frozen=True)
class Sifted:
    """What became of the candidates, in their order.

    Attributes:
        dropped: the phrases that are no entries, of the eligible too, each with the reason.
    """

    eligible: list[Eligible] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def sift(
    candidates: Iterable[Candidate],
    chunks: Mapping[str, Chunk],
    contexts: Contexts,
    normalizer: Normalizer,
    refusal_message: str,
) -> Sifted:
    """Check every candidate by itself, and then against those before it."""
    result = Sifted()
    refusal = Text(normalizer(refusal_message))
    for candidate in candidates:
        chunk = chunks[candidate.chunk]
        reason = _unfit(candidate.answer, refusal_message)
        if reason:
            result.rejections.append(
                Rejection(candidate.id, "samples", reason, candidate.answer, candidate)
            )
            continue
        proposals = Proposals(candidate, contexts.text(chunk), refusal, normalizer)
        entries, dropped = proposals.check()
        result.dropped.extend(dropped)
        is_whole = not entries
        if is_whole:
            # A short answer is the fact that is asked for, whatever the model made of it.
            entries = proposals.whole_answer()
        if entries:
            result.eligible.append(Eligible(candidate, chunk, entries, is_whole))
            continue
        reason = "no proposed phrase passes" if dropped else "no phrase is proposed"
        words = "; ".join(dropped)
        result.rejections.append(Rejection(candidate.id, "phrases", reason, words, candidate))
    _reject_repeated(result, normalizer)
    return result


def _unfit(answer: str, refusal_message: str) -> str | None:
    """Why an answer cannot be a gold answer, whatever its phrases."""
    if citations(answer):
        return "the answer holds a citation mark"
    if refusal_message.lower() in answer.lower():
        return "the answer holds the refusal message"
    return None


def _reject_repeated(result: Sifted, normalizer: Normalizer) -> None:
    """Reject what asks nearly the same as one before it that stays."""
    staying = {one.candidate.id: one for one in result.eligible}
    bags = {
        key: frozenset(normalizer(one.candidate.question).lemmas) for key, one in staying.items()
    }
    # All pairs of a question with those before it come before its pairs with those behind it.
    for before, key, share in similar_pairs(bags, SIMILAR_QUESTIONS):
        if not (before in staying and key in staying):
            continue
        if is_repeated(share, _entries(staying[before]), _entries(staying[key])):
            candidate = staying.pop(key).candidate
            reason = "asks nearly the same as another"
            words = f"{before!r} ({share:.0%} of the words are common)"
            result.rejections.append(Rejection(key, "samples", reason, words, candidate))
    result.eligible[:] = staying.values()


def _entries(one: Eligible) -> Sequence[object]:
    return [entry.parameter for entry in one.entries]
