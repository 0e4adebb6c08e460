"""The numbers of one run: estimates by condition and by category, and what else its log tells."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median

from ragifeval.benchmark.benchmark import Sample
from ragifeval.results.answers import StoredAnswer
from ragifeval.run.outcome import Outcome, score_names
from ragifeval.scoring.conditions import counted
from ragifeval.scoring.scorer import Scores
from ragifeval.scoring.statistics import Estimate, Tally


class Results:
    """The numbers of one run.

    Args:
        samples: of the data.
        matching: the headline rule.

    Attributes:
        outcome: what is answered, and the scores.
        rescored: ids of the samples for which the log has other scores than those computed now.
        seconds: that answers took, as far as the log tells.
        tokens: of all prompts and answers; None where the log tells none.
    """

    def __init__(self, samples: Sequence[Sample], matching: str) -> None:
        self.outcome = Outcome(samples, matching)
        self.rescored: list[str] = []
        self.seconds: list[float] = []
        self.tokens: int | None = None
        self._by_category: dict[str, Tally] = defaultdict(partial(Tally, len(samples)))

    @property
    def median_seconds(self) -> float | None:
        """Of the time that an answer took; None where the log tells no time, or none passed."""
        return median(self.seconds) or None if self.seconds else None

    def add(
        self, sample: Sample, stored: StoredAnswer, scores: Mapping[str, Scores] | None
    ) -> None:
        """Count one answer.

        Args:
            scores: under each rule; None where there is no answer.
        """
        outcome = self.outcome
        names = score_names(outcome.matching)
        outcome.add(
            {
                "id": sample.id,
                "answer": stored.text,
                "error": stored.error,
                "finish_reason": stored.finish_reason,
                **{name: scores and scores[rule] for rule, name in names.items()},
            }
        )
        if scores is None:
            return
        if sample.category is not None:
            headline = scores[outcome.matching]
            counts = {name: value for name, value in headline.items() if name in counted()}
            self._by_category[sample.category].add(outcome.places[sample.id], counts)
        if _differs(stored, scores):
            self.rescored.append(sample.id)
        if stored.seconds is not None:
            self.seconds.append(stored.seconds)
        for count in stored.tokens:
            if count is not None:
                self.tokens = (self.tokens or 0) + count

    def totals_by_category(self, seed: int) -> dict[str, Estimate]:
        """Category -> the estimate of the total under the headline rule."""
        by_category = {name: tally.estimates(seed) for name, tally in self._by_category.items()}
        return {name: estimates["total"] for name, estimates in by_category.items() if estimates}


def _differs(stored: StoredAnswer, scores: Mapping[str, Scores]) -> bool:
    """Whether the log has other scores for an answer; those of keys unknown here aside."""
    logged = stored.record.get("scores")
    now = scores.get(stored.matching, scores["substring"])
    return isinstance(logged, dict) and any(
        isinstance(value, int | float) and abs(value - now[key]) > 1e-6
        for key, value in logged.items()
        if key in now and key in counted()
    )
