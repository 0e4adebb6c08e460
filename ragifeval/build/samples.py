"""Candidates -> samples that `validate` finds nothing wrong with."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from random import Random

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.validate.floors import MOST_FOR_COPYING
from ragifeval.build.bound import with_statements
from ragifeval.build.changeable import with_facts
from ragifeval.build.contexts import Contexts
from ragifeval.build.eligible import Eligible, sift
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.scoring import conditions
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer
from ragifeval.text.normalizer import Normalizer

UNANSWERABLE = "unanswerable"
"""The kind of the questions that are to be refused."""


@dataclass(frozen=True)
class SampleSettings:
    """How samples are made; docs/build.md tells what copying gets by these numbers.

    Attributes:
        distractors: how many chunks stand beside the one that a question was asked about.
        refusals: the share of questions, from 0 to 1, whose context does not hold the answer.
        seed: of the choice of these questions, and of the chunk's position in its context.
        refusal_message: what refuses an answer.
        kind: of the questions to be answered: a tag for how they were asked.
    """

    distractors: int
    refusals: float
    seed: int
    refusal_message: str
    kind: str


@dataclass(frozen=True)
class Built:
    """What was made of the candidates.

    Attributes:
        documents: the chunks that stand in a context, in the order of the chunks.
        samples: in the order of the candidates.
        rejections: the candidates that became no sample.
        dropped: the phrases that became no entries, those of samples too, each with the reason.
        eligible: the candidates that samples were made of, with the entries that passed.
        drawn: the ids of those that were drawn to be refused.
        notes: what a reader of the samples should know, a line each.
    """

    documents: Sequence[Document]
    samples: Sequence[Sample]
    rejections: Sequence[Rejection]
    dropped: Sequence[str]
    eligible: Sequence[Eligible]
    drawn: Collection[str]
    notes: Sequence[str]


def make_samples(
    candidates: Sequence[Candidate],
    chunks: Sequence[Chunk],
    normalizer: Normalizer,
    settings: SampleSettings,
    drawn: Collection[str] | None = None,
) -> Built:
    """Make samples of those candidates that prove themselves, and say why not of the others.

    Other candidates bear on a sample in two things only: whether one before it asks nearly the
    same, and whether it is among those that are to be refused.

    Args:
        candidates: each with an id of its own, about one of the chunks.
        drawn: the ids of those that are to be refused; None to draw them.
    """
    contexts = Contexts(chunks, normalizer)
    by_id = {chunk.id: chunk for chunk in chunks}
    found = sift(candidates, by_id, contexts, normalizer, settings.refusal_message)
    if drawn is None:
        drawn = _drawn([one.candidate.id for one in found.eligible], settings)
    documents_of = {chunk.id: _document(chunk) for chunk in chunks}
    scorer = Scorer(Criteria(normalizer, settings.refusal_message, frozenset()))
    samples: list[Sample] = []
    rejections = list(found.rejections)
    short = unrefused = 0
    for one in found.eligible:
        is_drawn = one.candidate.id in drawn
        refused = _to_refuse(one, contexts, settings) if is_drawn else None
        sample = refused or _to_answer(one, contexts, settings)
        if refused is None and normalizer.language == "pl":
            sample = with_statements(sample, documents_of[one.chunk.id], scorer)
            sample = with_facts(sample, documents_of, scorer)
        lost = ", ".join(_lost(sample, scorer))
        if lost:
            reason = "the gold answer does not get full marks"
            rejections.append(Rejection(sample.id, "samples", reason, lost, one.candidate))
            continue
        samples.append(sample)
        short += len(sample.context) <= settings.distractors
        unrefused += is_drawn and refused is None
    used = {key for sample in samples for key in sample.context}
    documents = [document for key, document in documents_of.items() if key in used]
    return Built(
        documents,
        samples,
        rejections,
        found.dropped,
        found.eligible,
        drawn,
        list(_notes(samples, short, unrefused, sum(one.is_whole for one in found.eligible))),
    )


def _notes(samples: Sequence[Sample], short: int, unrefused: int, whole: int) -> Iterator[str]:
    if short:
        yield f"{short} with fewer documents than asked for: there were no others"
    if unrefused:
        yield (
            f"{unrefused} drawn to be refused, but to be answered: every other chunk holds one of "
            "their phrases"
        )
    if whole:
        yield f"{whole} with the whole short answer for a phrase, as no proposed one passed"
    copied = _copied(samples)
    if copied >= MOST_FOR_COPYING:
        yield (
            f"copying all documents and citing them gets {copied:.0%} in total, and validate "
            f"wants less than {MOST_FOR_COPYING:.0%}: more distractors or refusals lower it"
        )


def _copied(samples: Sequence[Sample]) -> float:
    """What an answer that copies all documents and cites them gets in total, on average."""
    scores: list[float] = []
    for sample in samples:
        if "cite" in sample.expect:
            # All of include, and the F1 of one document among all.
            scores += [1, 2 / (1 + len(sample.context))]
        else:
            scores.append(0)
    return sum(scores) / len(scores) if scores else 0.0


def _drawn(ids: Sequence[str], settings: SampleSettings) -> frozenset[str]:
    """The ids of the questions that are to be refused: the share with the lowest hashes."""
    number = int(settings.refusals * len(ids) + 0.5)

    def rank(key: str) -> bytes:
        return sha256(f"{settings.seed}:{key}".encode()).digest()

    return frozenset(sorted(ids, key=rank)[:number])


def _to_refuse(one: Eligible, contexts: Contexts, settings: SampleSettings) -> Sample | None:
    """A sample whose context does not hold the answer; None if there is no such context."""
    others = contexts.without(one.chunk, one.candidate.question, one.entries)
    context = tuple(other.id for other in islice(others, settings.distractors + 1))
    if not context:
        return None
    return Sample(
        one.candidate.id,
        one.candidate.question,
        context,
        {"refuse": True},
        reference=settings.refusal_message,
        kind=(UNANSWERABLE,),
    )


def _to_answer(one: Eligible, contexts: Contexts, settings: SampleSettings) -> Sample:
    """A sample whose context holds the chunk, at a position that depends on nothing else."""
    candidate = one.candidate
    others = contexts.beside(one.chunk, candidate.question, one.entries)
    context = [other.id for other in islice(others, settings.distractors)]
    position = Random(f"{settings.seed}:{candidate.id}").randint(0, len(context))
    context.insert(position, one.chunk.id)
    include = [entry.parameter for entry in one.entries]
    return Sample(
        candidate.id,
        candidate.question,
        tuple(context),
        {"include": include, "cite": [one.chunk.id]},
        reference=f"{candidate.answer.strip()} [{position}]",
        kind=(settings.kind,),
    )


def _lost(sample: Sample, scorer: Scorer) -> Iterator[str]:
    """The scores of a sample's gold answer that are not full marks."""
    assert sample.reference is not None
    for rule, scores in scorer.score(sample, sample.context, sample.reference).items():
        for key in conditions.counted():
            if scores.get(key, 1) != 1:
                yield f"{scores[key]:.4g} for {key} under the rule {rule}"


def _document(chunk: Chunk) -> Document:
    """The document that a chunk becomes."""
    source = chunk.file
    if chunk.page is not None:
        source += f", page {chunk.page}"
    if chunk.row is not None:
        source += f", row {chunk.row}"
    return Document(chunk.id, chunk.text, chunk.title, source)
