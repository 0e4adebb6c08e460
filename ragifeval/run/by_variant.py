"""The scores of each variant, and what variants say beside each other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

from ragifeval.benchmark.benchmark import Sample
from ragifeval.benchmark.variants.source import VariantName, VariantSample
from ragifeval.benchmark.variants.variants import CORE
from ragifeval.run.outcome import Outcome
from ragifeval.scoring.statistics import Estimate, mean_of
from ragifeval.tables import WIDTH, Grid


@dataclass(frozen=True)
class VariantScores:
    """One variant of a run, under the headline rule.

    Attributes:
        difference: its total less that of the core, over the questions answered in both; None of a
            twin, of which something else is expected.
        pair: of a twin: the share of questions that are right in the core and refused here.
        always, sometimes, never: the shares of questions with so many right answers, where each is
            asked more than once.
        spread: the standard deviation of the total from repeat to repeat.
    """

    name: str
    samples: int
    answered: int
    scores: Mapping[str, Estimate]
    difference: Estimate | None
    pair: Estimate | None
    always: float | None = None
    sometimes: float | None = None
    never: float | None = None
    spread: float | None = None

    def as_json(self) -> dict[str, Any]:
        """As the summary has it."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Spread:
    """One kind of variant under several seeds.

    Attributes:
        name: of the variants, with SEED in the place of their seeds.
        low, high: the least and the greatest total.
        turning: the share of questions that are right under some of the seeds alone.
    """

    name: str
    seeds: int
    low: float
    high: float
    turning: float


def origin_of(sample: Sample | VariantName) -> str:
    """The id of the question in the data."""
    return sample.origin if isinstance(sample, VariantSample | VariantName) else sample.id


def scores_by_variant(outcome: Outcome, seed: int) -> Iterator[VariantScores]:
    """Yield the scores of each variant, in the order of the run.

    Args:
        seed: of the intervals.
    """
    tally = outcome.tallies[outcome.matching]
    for name, places in outcome.variants.items():
        # Several sets beside each other name theirs: "urzad-hard twin".
        of, _, variant = name.rpartition(" ")
        cores = outcome.variants.get(f"{of} {CORE}".lstrip(), ())
        core = {origin_of(outcome.samples[place]): place for place in cores}
        pairs = [
            (core[origin], place)
            for place in places
            if (origin := origin_of(outcome.samples[place])) in core
        ]
        first, second = [one for one, _ in pairs], [other for _, other in pairs]
        difference = pair = None
        if "twin" not in re.split(r"[+:]", variant):
            if variant != CORE and pairs:
                difference = tally.difference("total", first, second, seed)
        else:
            rates = zip(tally.shares_right(first), tally.shares_right(second), strict=True)
            shares = [one * other for one, other in rates if one is not None and other is not None]
            pair = mean_of(shares, seed)
        yield VariantScores(
            name,
            len(places),
            sum(outcome.answers[place] > 0 for place in places),
            outcome.estimates(seed, name)[outcome.matching],
            difference,
            pair,
            **_steadiness(outcome, name, places),
        )


def _steadiness(outcome: Outcome, name: str, places: Sequence[int]) -> Mapping[str, float]:
    """How much answers differ from repeat to repeat."""
    tally = outcome.tallies[outcome.matching]
    shares = [share for share in tally.shares_right(places) if share is not None]
    totals = [total / count for (of, _), (total, count) in outcome.by_repeat.items() if of == name]
    if not shares or len(totals) < 2:
        return {}
    return {
        "always": fmean(share == 1 for share in shares),
        "sometimes": fmean(0 < share < 1 for share in shares),
        "never": fmean(share == 0 for share in shares),
        "spread": stdev(totals),
    }


def spreads(outcome: Outcome, scores: Sequence[VariantScores]) -> Iterator[Spread]:
    """Yield what several seeds of one kind of variant make of the same questions."""
    tally = outcome.tallies[outcome.matching]
    groups: dict[str, list[VariantScores]] = {}
    for variant in scores:
        if "total" in variant.scores:
            name = re.sub(r"(changed|order):\d+", r"\1:SEED", variant.name)
            groups.setdefault(name, []).append(variant)
    for name, variants in groups.items():
        if len(variants) < 2:
            continue
        right: dict[str, list[float]] = {}
        for variant in variants:
            places = outcome.variants[variant.name]
            for place, share in zip(places, tally.shares_right(places), strict=True):
                if share is not None:
                    right.setdefault(origin_of(outcome.samples[place]), []).append(share)
        whole = [shares for shares in right.values() if len(shares) == len(variants)]
        totals = [variant.scores["total"].mean for variant in variants]
        turning = fmean(len(set(shares)) > 1 for shares in whole) if whole else 0.0
        yield Spread(name, len(variants), min(totals), max(totals), turning)


_SHOWN = ("total", "correctness", "safety", "invented", "partial", "memory")


def variant_table(outcome: Outcome, seed: int, *, wide: bool = False) -> str:
    """A row for each variant, and a line for each kind of them with several seeds.

    Args:
        wide: show correctness and safety, too, and the ends of intervals.
    """
    scores = list(scores_by_variant(outcome, seed))
    shown = _SHOWN if wide else (_SHOWN[0], *_SHOWN[3:])
    keys = [key for key in shown if any(key in variant.scores for variant in scores)]
    has_pairs = any(variant.pair for variant in scores)
    interval = ["interval"] * wide
    header = ["variant", "answers", "total", *interval, "from core", *interval, *keys[1:]]
    header += ["pair"] * has_pairs
    rows = []
    for variant in scores:
        row = [variant.name, str(variant.answered)]
        row += estimate_cells(variant.scores.get("total"), wide) + estimate_cells(
            variant.difference, wide, "+"
        )
        row += [_percent(variant.scores.get(key)) for key in keys[1:]]
        rows.append(row + [_percent(variant.pair)] * has_pairs)
    lines = [Grid("", header, rows).text(ruled=False, width=None if wide else WIDTH)]
    for variant in scores:
        if variant.spread is not None:
            lines.append(
                f"{variant.name}: of the repeats right: all {_share(variant.always)}, some "
                f"{_share(variant.sometimes)}, none {_share(variant.never)} of the questions; "
                f"standard deviation of the total {_share(variant.spread)}"
            )
    for spread in spreads(outcome, scores):
        lines.append(
            f"{spread.name}: total {_share(spread.low)} to {_share(spread.high)} over "
            f"{spread.seeds} seeds; right under some of them alone: {_share(spread.turning)}"
        )
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.1f} %"


def _percent(estimate: Estimate | None, sign: str = "") -> str:
    return "-" if estimate is None else f"{estimate.mean * 100:{sign}.1f}"


def estimate_cells(
    estimate: Estimate | None, wide: bool, sign: str = "", none: str = "-"
) -> list[str]:
    """A mean with its interval: the ends of it in a cell of their own, or, after ±, the half."""
    if estimate is None:
        return [none, none] if wide else [none]
    low, high = estimate.low * 100, estimate.high * 100
    if wide:
        return [_percent(estimate, sign), f"{low:.1f} - {high:.1f}"]
    return [f"{_percent(estimate, sign)} ±{(high - low) / 2:.1f}"]
