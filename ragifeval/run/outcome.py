"""Records counted: who is answered, who is not and why, what is doubtful, and all scores."""

from array import array
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from ragifeval.benchmark.benchmark import Sample
from ragifeval.benchmark.variants.source import VariantName, VariantSample, names_of
from ragifeval.benchmark.variants.variants import CORE
from ragifeval.run.asking import REASONING_END
from ragifeval.run.groups import groups_of, ordered
from ragifeval.run.journal import Record
from ragifeval.run.performance import Performance
from ragifeval.scoring.conditions import MADE_BY_VARIANTS, REGISTRY, counted
from ragifeval.scoring.rates import LENGTHS, LONGEST, are_observed, rates
from ragifeval.scoring.statistics import Estimate, Floats, Tally
from ragifeval.text.matching import RULES, other_rule

TRUNCATED = ("length", "reasoning_unfinished", "content_filter")
"""The reasons to finish of an answer that its limit of tokens or a filter cut off."""


class Outcome:
    """The records of a run, or of a log, counted one by one.

    Args:
        samples: those that are asked, or that records may be about.
        matching: the headline rule.
        reasoning_end: the mark that ends a reasoning; None if none is known.
        repeats: how many answers each sample is to have.

    Attributes:
        samples: what tells them.
        tallies: the rule's name -> its scores.
        answers: how many answers each sample has, by its place. A sample with several counts with
            their means.
        failed: sample id -> why it has no answer, or not all of them.
        variants: variant -> the places of its samples; one where samples are of no variant.
        by_repeat: (variant, repeat) -> the sum and the number of the headline rule's scores.
        truncated: how many answers were cut off by their limit of tokens or a filter.
        reasoning_unset: how many answers hold the end of a reasoning although none is known.
        groups: grouping -> group -> the places of its answered samples.
        performance: what the answers took.
        interrupted: whether the user stopped the run.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        matching: str,
        reasoning_end: str | None = None,
        repeats: int = 1,
    ) -> None:
        self.samples = names_of(samples)
        self.matching = matching
        self.places = {sample.id: place for place, sample in enumerate(self.samples)}
        self.tallies = {rule: Tally(len(samples)) for rule in RULES}
        self.answers = [0] * len(samples)
        self.answered = 0
        self.repeats = repeats
        self.variants: dict[str, array[int]] = {}
        for place, sample in enumerate(self.samples):
            self.variants.setdefault(variant_of(sample), array("l")).append(place)
        self.by_repeat: dict[tuple[str, int], tuple[float, int]] = {}
        # A byte for each answer that is to come, the repeats of a sample side by side.
        self._is_there = bytearray(len(samples) * repeats)
        self.failed: dict[str, str] = {}
        self.truncated = 0
        self.reasoning_unset = 0
        self.groups: dict[str, dict[str, set[int]]] = {}
        self.performance = Performance()
        self.interrupted = False
        self._texts: set[str] = set()
        self._counts_reasoning = reasoning_end is None

    def add(self, record: Record) -> None:
        """Count one record."""
        key: str = record["id"]
        place, repeat = self.places[key], record.get("repeat", 1)
        self.performance.add(record)
        if record["answer"] is None:
            if not self.is_answered(place, repeat):
                self.failed[key] = record["error"]
            return
        self._is_there[self._index(place, repeat)] = True
        if all(self._is_there[self._index(place, 1) : self._index(place, self.repeats) + 1]):
            self.failed.pop(key, None)
        self.answered += not self.answers[place]
        self.answers[place] += 1
        if len(self._texts) < 2:
            self._texts.add(record["answer"].strip())
        self.truncated += record["finish_reason"] in TRUNCATED
        self.reasoning_unset += self._counts_reasoning and REASONING_END in record["answer"]
        for rule, name in score_names(self.matching).items():
            found = record[name]
            self.tallies[rule].add(place, {**found, **rates(record, found)})
        for grouping, group in groups_of(record):
            self.groups.setdefault(grouping, {}).setdefault(group, set()).add(place)
        scores = [value for name, value in record["scores"].items() if name in counted()]
        variant = variant_of(self.samples[place])
        before, count = self.by_repeat.get((variant, repeat), (0.0, 0))
        self.by_repeat[variant, repeat] = before + sum(scores), count + len(scores)

    def is_answered(self, place: int, repeat: int = 1) -> bool:
        """Whether the sample at a place has its answer, or that of a repeat."""
        return bool(self._is_there[self._index(place, repeat)])

    def _index(self, place: int, repeat: int) -> int:
        # A log that is scored anew may hold repeats that nobody waits for.
        return place * self.repeats + min(repeat, self.repeats) - 1

    @property
    def unanswered(self) -> int:
        """How many answers are missing."""
        return self._is_there.count(0)

    @property
    def headline(self) -> str:
        """The variant whose scores stand at the head: the core, or the first."""
        return CORE if CORE in self.variants or not self.variants else next(iter(self.variants))

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
    def missing(self) -> Sequence[Sample | VariantName]:
        """What tells the samples without an answer."""
        return [self.samples[place] for place, count in enumerate(self.answers) if not count]

    @property
    def repeated(self) -> Sequence[str]:
        """The ids of the samples with several answers."""
        return [
            self.samples[place].id
            for place, count in enumerate(self.answers)
            if count > self.repeats
        ]

    @property
    def status(self) -> str:
        """Whether all samples are answered, in one word."""
        if self.interrupted:
            return "partial"
        return "incomplete" if self.unanswered else "complete"

    def estimates(self, seed: int, variant: str | None = None) -> dict[str, dict[str, Estimate]]:
        """The rule's name -> score, rate -> its estimate; of the headline's variant, or another."""
        places = self.variants.get(variant or self.headline, ())
        chosen = None if len(self.variants) < 2 else places
        return {rule: tally.estimates(seed, chosen) for rule, tally in self.tallies.items()}

    def totals(self) -> tuple[Floats, Floats]:
        """Of each sample of the headline's variant, the sum and the number of scores that count."""
        chosen = None if len(self.variants) < 2 else self.variants[self.headline]
        return self.tallies[self.matching].totals(chosen)

    def grouped(self, seed: int, grouping: str) -> dict[str, dict[str, Estimate]]:
        """Group -> score key, or rate -> its estimate under the headline rule."""
        tally = self.tallies[self.matching]
        places = self.places_by(grouping)
        return {group: tally.estimates(seed, places[group]) for group in places}

    def places_by(self, grouping: str) -> dict[str, Sequence[int]]:
        """Group -> the places of its answered samples, of the headline's variant alone."""
        groups = self.groups.get(grouping, {})
        if grouping != "variant" and len(self.variants) > 1:
            kept = set(self.variants[self.headline])
            groups = {group: places & kept for group, places in groups.items() if places & kept}
        return {group: sorted(groups[group]) for group in ordered(grouping, groups)}


def variant_of(sample: Sample | VariantName) -> str:
    """The variant of a sample; the core for one as the data have it."""
    return sample.variant if isinstance(sample, VariantSample | VariantName) else CORE


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
        return None if are_observed(record.get("observed")) else "'observed' is none"
    return "its scores are no scores of this harness"


def _are_scores(scores: object) -> TypeGuard[Mapping[str, float]]:
    """Whether it is an object of known scores from 0 to 1, and of lengths."""
    if not isinstance(scores, dict):
        return False
    conditions = (*REGISTRY.values(), *MADE_BY_VARIANTS.values())
    known = {key for condition in conditions for key in condition.keys}
    return scores.keys() <= known | {*LENGTHS} and all(
        type(value) in (int, float) and 0 <= value <= (LONGEST if key in LENGTHS else 1)
        for key, value in scores.items()
    )
