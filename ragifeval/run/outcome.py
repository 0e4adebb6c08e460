"""Records counted: who is answered, who is not and why, what is doubtful, and all scores."""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from ragifeval.benchmark.benchmark import Sample
from ragifeval.run.asking import REASONING_END
from ragifeval.run.journal import Record
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.statistics import Estimate, Tally
from ragifeval.text.matching import RULES, other_rule

TRUNCATED = ("length", "reasoning_unfinished", "content_filter")
"""The reasons to finish of an answer that its limit of tokens or a filter cut off."""

_LENGTHS = {"len_chars", "len_words"}
_LONGEST_ANSWER = 1e15


class Outcome:
    """The records of a run, or of a log, counted one by one.

    Args:
        samples: those that are asked, or that records may be about.
        matching: the headline rule.
        reasoning_end: the mark that ends a reasoning; None if none is known.

    Attributes:
        tallies: the rule's name -> its scores.
        answers: how many answers each sample has, by its place. A sample with several counts with
            their means.
        failed: sample id -> why it has no answer.
        truncated: how many answers were cut off by their limit of tokens or a filter.
        reasoning_unset: how many answers hold the end of a reasoning although none is known.
        interrupted: whether the user stopped the run.
    """

    def __init__(
        self, samples: Sequence[Sample], matching: str, reasoning_end: str | None = None
    ) -> None:
        self.samples = samples
        self.matching = matching
        self.places = {sample.id: place for place, sample in enumerate(samples)}
        self.tallies = {rule: Tally(len(samples)) for rule in RULES}
        self.answers = [0] * len(samples)
        self.answered = 0
        self.failed: dict[str, str] = {}
        self.truncated = 0
        self.reasoning_unset = 0
        self.interrupted = False
        self._texts: set[str] = set()
        self._counts_reasoning = reasoning_end is None

    def add(self, record: Record) -> None:
        """Count one record."""
        key: str = record["id"]
        place = self.places[key]
        if record["answer"] is None:
            if not self.answers[place]:
                self.failed[key] = record["error"]
            return
        self.failed.pop(key, None)
        self.answered += not self.answers[place]
        self.answers[place] += 1
        if len(self._texts) < 2:
            self._texts.add(record["answer"].strip())
        self.truncated += record["finish_reason"] in TRUNCATED
        self.reasoning_unset += self._counts_reasoning and REASONING_END in record["answer"]
        for rule, name in score_names(self.matching).items():
            self.tallies[rule].add(place, record[name])

    @property
    def running_total(self) -> float | None:
        """The total so far under the headline rule; None before the first condition."""
        return self.tallies[self.matching].running_total

    @property
    def constant(self) -> str | None:
        """The answer to every question, where there is but one and it is empty or to several."""
        texts = list(self._texts)
        if len(texts) == 1 and (self.answered > 1 or not texts[0]):
            return texts[0]
        return None

    @property
    def missing(self) -> Sequence[Sample]:
        """The samples without an answer."""
        return [self.samples[place] for place, count in enumerate(self.answers) if not count]

    @property
    def repeated(self) -> Sequence[str]:
        """The ids of the samples with several answers."""
        return [self.samples[place].id for place, count in enumerate(self.answers) if count > 1]

    @property
    def status(self) -> str:
        """Whether all samples are answered, in one word."""
        if self.interrupted:
            return "partial"
        return "complete" if self.answered == len(self.samples) else "incomplete"

    def estimates(self, seed: int) -> dict[str, dict[str, Estimate]]:
        """The rule's name -> score key -> its estimate."""
        return {rule: tally.estimates(seed) for rule, tally in self.tallies.items()}


def score_names(matching: str) -> Mapping[str, str]:
    """The rule's name -> the key of its scores in a record.

    Args:
        matching: the headline rule.
    """
    return {rule: "scores" if rule == matching else f"scores_{rule}" for rule in RULES}


def check_record(record: Record, matching: str) -> str | None:
    """Why the record of an answer cannot be counted; None if it can be."""
    if not isinstance(record.get("answer"), str):
        return "it has neither an answer nor an error"
    scores, others = record.get("scores"), record.get(f"scores_{other_rule(matching)}")
    if _are_scores(scores) and _are_scores(others) and scores.keys() == others.keys():
        return None
    return "its scores are no scores of this harness"


def _are_scores(scores: object) -> TypeGuard[Mapping[str, float]]:
    """Whether it is an object of known scores from 0 to 1, and of lengths."""
    if not isinstance(scores, dict):
        return False
    known = {key for condition in REGISTRY.values() for key in condition.keys}
    return scores.keys() <= known | _LENGTHS and all(
        type(value) in (int, float) and 0 <= value <= (_LONGEST_ANSWER if key in _LENGTHS else 1)
        for key, value in scores.items()
    )
