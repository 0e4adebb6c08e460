"""What answers took: tokens, seconds, retries, and money at a price for tokens."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any, TypeAlias

from ragifeval.tables import plural

Price: TypeAlias = tuple[float, float]
"""For a million tokens in, and out."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the answers of a log took; None for what it does not tell.

    Attributes:
        prompt_tokens, completion_tokens: in, and out.
        median_seconds, p95_seconds: of the time to an answer; the 95th percentile is the least time
            within which 95 % of the answers came.
        wall_seconds: the time in which at least one question was being answered.
        tokens_per_second: of the answers that tell when they were asked, over the wall time.
        retries: how many attempts were made again.
        cost, cost_per_1000: of the answers, and of 1,000 of their kind.
    """

    prompt_tokens: int | None
    completion_tokens: int | None
    median_seconds: float | None
    p95_seconds: float | None
    wall_seconds: float | None
    tokens_per_second: float | None
    retries: int
    cost: float | None
    cost_per_1000: float | None


class Performance:
    """The records of a log, counted one by one."""

    def __init__(self) -> None:
        self._prompt = self._completion = self._told = self._retries = self._timed = 0
        self._seconds = array("d")
        self._starts, self._ends = array("d"), array("d")

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record; what it does not tell, or tells wrongly, is left out."""
        usage = record.get("usage")
        prompt, completion = (
            _number(usage.get(f"{name}_tokens") if isinstance(usage, dict) else None)
            for name in ("prompt", "completion")
        )
        if prompt is not None and completion is not None:
            self._prompt += int(prompt)
            self._completion += int(completion)
            self._told += 1
        self._retries += int(_number(record.get("retries")) or 0)
        seconds = _number(record.get("seconds"))
        if not seconds:
            return
        if record.get("answer") is not None:
            self._seconds.append(seconds)
        try:
            start = datetime.fromisoformat(str(record.get("asked"))).timestamp()
        except ValueError:
            return
        self._timed += int(completion or 0)
        self._starts.append(start)
        self._ends.append(start + seconds)

    def figures(self, price: Price | None = None) -> Figures:
        """All of them; with a price, the cost too."""
        ordered = sorted(self._seconds)
        wall = self._wall()
        cost = None
        if price is not None and self._told:
            cost = (self._prompt * price[0] + self._completion * price[1]) / 1e6
        return Figures(
            prompt_tokens=self._prompt if self._told else None,
            completion_tokens=self._completion if self._told else None,
            median_seconds=_quantile(ordered, 50),
            p95_seconds=_quantile(ordered, 95),
            wall_seconds=wall,
            tokens_per_second=self._timed / wall if wall and self._told else None,
            retries=self._retries,
            cost=cost,
            cost_per_1000=None if cost is None else cost / self._told * 1000,
        )

    def _wall(self) -> float | None:
        """The length of the union of all the times in which a question was being answered."""
        total, end = 0.0, 0.0
        for start, stop in sorted(zip(self._starts, self._ends, strict=True)):
            total += max(0.0, stop - max(start, end))
            end = max(end, stop)
        return total or None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isfinite(value) and value >= 0 else None


def _quantile(ordered: list[float], percent: int) -> float | None:
    """The least value that so many per cent of the values do not exceed."""
    return ordered[-(-len(ordered) * percent // 100) - 1] if ordered else None


def moment(seconds_ago: float) -> str:
    """A time of the past, in UTC, as records have it."""
    now = datetime.now(UTC).timestamp()
    return datetime.fromtimestamp(now - seconds_ago, UTC).isoformat(timespec="milliseconds")


def sentence(figures: Figures) -> str:
    """What is known, in one line."""
    parts = []
    if figures.prompt_tokens is not None:
        parts.append(f"{figures.prompt_tokens:,} tokens in, {figures.completion_tokens:,} out")
    if figures.median_seconds is not None:
        parts.append(f"{figures.median_seconds:.2f} s an answer ({figures.p95_seconds:.2f} s p95)")
    if figures.wall_seconds is not None:
        parts.append(f"{figures.wall_seconds:,.0f} s in all")
    if figures.tokens_per_second is not None:
        parts.append(f"{figures.tokens_per_second:,.0f} tokens/s")
    if figures.retries:
        parts.append(plural(figures.retries, "retry", "retries"))
    if figures.cost is not None:
        parts.append(f"cost {figures.cost:.4f} ({figures.cost_per_1000:.4f} per 1,000 questions)")
    return "; ".join(parts)
