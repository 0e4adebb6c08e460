"""The numbers of one run: estimates by condition and by category, and what else its log tells."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from statistics import median

from ragifeval.results.answers import StoredAnswer
from ragifeval.results.rescore.rescoring import MeanTally
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.scorer import Scores
from ragifeval.scoring.statistics import Estimate, Tally
from ragifeval.text.matching import RULES

TRUNCATED = ("length", "reasoning_unfinished")


@dataclass
class Results:
    """The numbers of one run.

    Args:
        size: how many samples the data have.
        matching: the headline rule.

    Attributes:
        failed: ids of the samples without an answer.
        truncated: how many answers were cut off.
        rescored: ids of the samples for which the log has other scores than those computed now.
        repeated: ids of the samples with several answers.
        seconds: that answers took, as far as the log tells.
        tokens: of all prompts and answers; None where the log tells none.
    """

    size: int
    matching: str
    failed: list[str] = field(default_factory=list)
    truncated: int = 0
    rescored: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    tokens: int | None = None
    _places: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        new_tally = partial(MeanTally, self.size)
        self._tallies: dict[str, Tally] = {rule: new_tally() for rule in RULES}
        self._by_category: dict[str, Tally] = defaultdict(new_tally)

    @property
    def answered(self) -> int:
        """How many samples have an answer."""
        return len(self._places)

    @property
    def median_seconds(self) -> float | None:
        """Of the time that an answer took; None where the log tells no time, or none passed."""
        return median(self.seconds) or None if self.seconds else None

    def add(
        self,
        place: int,
        category: str | None,
        stored: StoredAnswer,
        scores: Mapping[str, Scores] | None,
    ) -> None:
        """Take one answer into account.

        Args:
            place: of its sample in the data.
            scores: under each rule; None where there is no answer.
        """
        key = stored.sample_id or ""
        if scores is None:
            self.failed.append(key)
            return
        if place in self._places and key not in self.repeated[-1:]:
            self.repeated.append(key)
        self._places.add(place)
        for rule, tally in self._tallies.items():
            tally.add(place, scores[rule])
        counts = {name: value for name, value in scores[self.matching].items() if name in counted()}
        if category is not None:
            self._by_category[category].add(place, counts)
        if _differs(stored, scores):
            self.rescored.append(key)
        self.truncated += stored.record.get("finish_reason") in TRUNCATED
        if (seconds := seconds_of(stored)) is not None:
            self.seconds.append(seconds)
        for count in tokens_of(stored):
            if count is not None:
                self.tokens = (self.tokens or 0) + count

    def estimates(self, seed: int) -> dict[str, dict[str, Estimate]]:
        """The rule's name -> score key -> its estimate."""
        return {rule: tally.estimates(seed) for rule, tally in self._tallies.items()}

    def totals_by_category(self, seed: int) -> dict[str, Estimate]:
        """Category -> the estimate of the total under the headline rule."""
        found = {name: tally.estimates(seed) for name, tally in self._by_category.items()}
        return {name: estimates["total"] for name, estimates in found.items() if estimates}


def _differs(stored: StoredAnswer, scores: Mapping[str, Scores]) -> bool:
    """Whether the log has other scores for an answer; those of keys unknown here aside."""
    signature = stored.signature
    rule = signature.parts.get("matching", "") if signature is not None else ""
    logged = stored.record.get("scores")
    now = scores.get(rule, scores["substring"])
    return isinstance(logged, dict) and any(
        isinstance(value, int | float) and abs(value - now[key]) > 1e-6
        for key, value in logged.items()
        if key in now and key in counted()
    )


def seconds_of(stored: StoredAnswer) -> float | None:
    """How long an answer took; None where the log does not tell."""
    seconds = stored.record.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds):
        return None
    return float(seconds)


def tokens_of(stored: StoredAnswer) -> tuple[int | None, int | None]:
    """The tokens of the prompt and of the answer; None where the log does not tell."""
    usage = stored.record.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return (
        prompt if type(prompt) is int else None,
        completion if type(completion) is int else None,
    )
