"""How far the judge and the rules agree: Cohen's kappa and Spearman's rho, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragifeval.judge.items import Item, Judgement
from ragifeval.scoring.conditions import counted

Floats = NDArray[np.float64]

DRAWS = 1_000


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its 95 % interval; None where it is not defined: see `agreements`."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "undefined (one side is the same for all)"
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True)
class Agreement:
    """Of a judged score with one by rules, over the answers that have both.

    Attributes:
        kappa: of the verdicts (passing; by the rules: nothing missing).
        rho: of the scores.
    """

    name: str
    count: int
    kappa: Coefficient
    rho: Coefficient


def agreements(
    items: Sequence[Item], judged: Sequence[Mapping[str, Judgement]], seed: int
) -> list[Agreement]:
    """Correctness against the rules' correctness, faithfulness against cite.

    An answer's correctness by the rules is the mean of its include, exclude and cite_f1, its
    verdict whether that is 1. The intervals are percentiles over 1,000 resamplings of the answers.
    """
    pairs: dict[str, list[tuple[float, float, float, float]]] = {
        "correctness and passing against correctness by rules": [],
        "faithfulness against cite_f1": [],
    }
    by_rules, by_cite = pairs.values()
    for item, row in zip(items, judged, strict=True):
        scores = item.record.get("scores")
        rules = _by_rules(scores) if isinstance(scores, dict) else {}
        found = {name: value for one in row.values() for name, value in one.scores.items()}
        if "correctness" in found and "correctness" in rules:
            value = rules["correctness"]
            by_rules.append((found["correctness"], value, found["passing"], float(value == 1)))
        if "faithfulness" in found and "cite_f1" in rules:
            value, verdict = rules["cite_f1"], found["faithfulness"]
            by_cite.append((verdict, value, verdict, float(value == 1)))
    return [_agreement(name, values, seed) for name, values in pairs.items() if values]


def _by_rules(scores: Mapping[str, Any]) -> dict[str, float]:
    values = {
        key: float(scores[key])
        for key, aggregate in counted().items()
        if aggregate == "correctness" and isinstance(scores.get(key), int | float)
    }
    if values:
        values["correctness"] = sum(values.values()) / len(values)
    return values


def _agreement(name: str, values: Sequence[Sequence[float]], seed: int) -> Agreement:
    table = np.array(values, dtype=np.float64)
    return Agreement(
        name,
        len(table),
        _coefficient(kappa, table[:, 2:], seed),
        _coefficient(rho, table[:, :2], seed),
    )


def _coefficient(
    measure: Callable[[Floats], float | None], pairs: Floats, seed: int
) -> Coefficient:
    value = measure(pairs)
    if value is None:
        return Coefficient(None)
    random = np.random.RandomState(seed % 2**32)
    drawn = (measure(pairs[random.randint(0, len(pairs), len(pairs))]) for _ in range(DRAWS))
    # A resampling in which one side is constant has no coefficient.
    defined = [one for one in drawn if one is not None]
    low, high = np.percentile(defined, [2.5, 97.5]) if defined else (value, value)
    return Coefficient(value, float(low), float(high))


def kappa(pairs: Floats) -> float | None:
    """Cohen's kappa (1960) of two raters who say 0 or 1; None where chance alone agrees wholly."""
    first, second = pairs.T
    observed = float(np.mean(first == second))
    both = float(first.mean() * second.mean())
    expected = both + float((1 - first.mean()) * (1 - second.mean()))
    return None if expected == 1 else (observed - expected) / (1 - expected)


def rho(pairs: Floats) -> float | None:
    """Spearman's rank correlation; None where one side is constant."""
    from scipy.stats import spearmanr

    if len(pairs) < 2 or np.ptp(pairs, axis=0).min() == 0:
        return None
    value = float(spearmanr(pairs[:, 0], pairs[:, 1]).statistic)
    return value if np.isfinite(value) else None  # a log may hold NaN
