"""Scoring many answers, in this process or in several; the results are the same, in the same order.

The other processes are started anew, not forked: nothing of this one's state reaches them but what
is handed over, and it works the same on every platform.
"""

import json
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from ragifeval.benchmark.benchmark import Sample
from ragifeval.errors import UserError
from ragifeval.scoring.conditions import Criteria
from ragifeval.scoring.scorer import Scorer, Scores
from ragifeval.text.matching import RULES
from ragifeval.text.normalizer import load_normalizer

CHUNK = 256
"""How many answers are scored together: some hundredths of a second of work."""
# Chunks on their way for each process: enough that none waits, few enough to keep memory flat.
_AHEAD = 4


Owner = TypeVar("Owner")


@dataclass(frozen=True)
class Recipe:
    """What a scorer is made from, in a form that travels to another process.

    Attributes:
        normalizer: the name or path of a spaCy pipeline; None for the lemma table.
        badwords: the words themselves.
        matching: the headline rule, for the records.
    """

    normalizer: str | None
    badwords: Sequence[str]
    refusal_message: str
    matching: str

    def scorer(self) -> Scorer:
        """Load the normalizer, and make the scorer."""
        normalizer = load_normalizer(self.normalizer)
        badwords = frozenset(normalizer.lemma(word) for word in self.badwords)
        return Scorer(Criteria(normalizer, self.refusal_message, badwords))


@dataclass(frozen=True, slots=True)
class Work:
    """One answer to be scored.

    Attributes:
        index: the sample's place in the data.
        context: the ids of the documents in the order in which the model saw them.
        answer: None where there is none to be scored, and the record is only written.
        record: the record of the new log, without its scores; None where no log is written.
    """

    index: int
    sample: Sample
    context: Sequence[str]
    answer: str | None
    record: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of one answer: rule -> key -> score, and the line of the new log."""

    scores: Mapping[str, Scores] | None
    line: bytes | None


@dataclass(frozen=True, slots=True)
class Chunk(Generic[Owner]):
    """Answers that are scored together, and whose they are."""

    owner: Owner
    works: Sequence[Work]


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def score_chunks(
    chunks: Iterable[Chunk[Owner]], recipe: Recipe, jobs: int
) -> Iterator[tuple[Chunk[Owner], Sequence[Scored]]]:
    """Yield each chunk with its results, in order, while the next ones are read and scored.

    Args:
        chunks: taken only as far ahead as the processes need.
        jobs: how many processes score; 1 for this one.

    Raises:
        UserError: the normalizer cannot be loaded, or a process was killed.
    """
    if jobs == 1:
        scorer = None
        for chunk in chunks:
            scorer = scorer or recipe.scorer()
            yield chunk, _score(scorer, recipe.matching, chunk.works)
        return
    waiting: deque[tuple[Chunk[Owner], Future[Sequence[Scored]]]] = deque()
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_prepare, initargs=(recipe,)
    ) as pool:
        try:
            for chunk in chunks:
                waiting.append((chunk, pool.submit(_score_here, chunk.works)))
                if len(waiting) >= jobs * _AHEAD:
                    first, results = waiting.popleft()
                    yield first, results.result()
            while waiting:
                first, results = waiting.popleft()
                yield first, results.result()
        except BrokenProcessPool:
            raise UserError(
                "a scoring process was killed, perhaps for want of memory; --jobs 1 needs least"
            ) from None
        finally:
            for _, results in waiting:
                results.cancel()


# What a scoring process holds: the recipe from its start, the scorer from its first chunk on, so
# that a normalizer that cannot be loaded is an error like any other; and the samples as they first
# came, because the scorer remembers what it made of a sample by its identity.
_recipe: Recipe | None = None
_scorer: Scorer | None = None
_samples: dict[str, Sample] = {}


def _prepare(recipe: Recipe) -> None:
    global _recipe
    _recipe = recipe
    # Ctrl-C reaches the whole group of processes; the first one ends the others in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _score_here(works: Sequence[Work]) -> Sequence[Scored]:
    global _scorer
    assert _recipe is not None
    _scorer = _scorer or _recipe.scorer()
    if len(_samples) >= Scorer.REMEMBERED:
        _samples.clear()
    known = [replace(w, sample=_samples.setdefault(w.sample.id, w.sample)) for w in works]
    return _score(_scorer, _recipe.matching, known)


def _score(scorer: Scorer, matching: str, works: Sequence[Work]) -> Sequence[Scored]:
    return [_score_one(scorer, matching, work) for work in works]


def _score_one(scorer: Scorer, matching: str, work: Work) -> Scored:
    scores = None
    if work.answer is not None:
        scores = scorer.score(work.sample, work.context, work.answer)
    if work.record is None:
        return Scored(scores, None)
    if scores is not None:
        for name, rule in score_names(matching).items():
            work.record[name] = scores[rule]
    return Scored(scores, _as_line(work.record))


def score_names(matching: str) -> Mapping[str, str]:
    """A record's key -> the rule whose scores it holds.

    Args:
        matching: the headline rule.
    """
    others = {f"scores_{rule}": rule for rule in RULES if rule != matching}
    return {"scores": matching, **others}


def _as_line(record: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can write
        return json.dumps(record).encode() + b"\n"
