"""What a run, or a log that was scored anew, amounts to: the table, the notes, OUT.summary.json."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from ragifeval import __version__, defaults
from ragifeval.paths import ROOT
from ragifeval.run.asking import REASONING_END
from ragifeval.run.by_variant import scores_by_variant, spreads, variant_table
from ragifeval.run.outcome import Outcome
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import AGGREGATES, Estimate
from ragifeval.tables import one_line
from ragifeval.text.matching import other_rule

Estimates = Mapping[str, Mapping[str, Estimate]]
"""The rule's name -> score key -> its estimate."""

_LENGTHS = ("len_chars", "len_words")
_PACKAGES = ("transformers", "torch", "accelerate", "openai", "jinja2", "spacy", "google-auth")


def table(
    outcome: Outcome,
    by_rule: Estimates,
    name: str,
    signature: Signature,
    seed: int = defaults.SEED,
) -> str:
    """A title, the conditions, lengths and aggregates, the variants, then the signature.

    Args:
        by_rule: from Outcome.estimates().
        name: of the model or the log.
        seed: of the intervals of variants.
    """
    other = other_rule(outcome.matching)
    headline, beside = by_rule[outcome.matching], by_rule[other]
    status = " (interrupted)" if outcome.interrupted else ""
    lines = [
        f"{one_line(name)}: {outcome.answered} of {len(outcome.samples)} samples answered{status}",
        "",
    ]
    head = outcome.headline if len(outcome.variants) > 1 else ""
    lines += [_row(head, [f"{outcome.matching} %", "95 % interval", "count", f"{other} %"])]
    keys = [key for key in headline if key not in AGGREGATES and key not in _LENGTHS]
    lines += [_score_row(key, headline[key], beside[key]) for key in keys]
    lines += [_length_row(key, headline[key]) for key in _LENGTHS if key in headline]
    lines.append(_rule())
    lines += [_score_row(key, headline[key], beside[key]) for key in AGGREGATES if key in headline]
    if has_variants(outcome):
        lines += ["", variant_table(outcome, seed)]
    lines += ["", one_line(str(signature))]
    return "\n".join(lines)


def has_variants(outcome: Outcome) -> bool:
    """Whether there is more than the answers to the core, one for each question."""
    return len(outcome.variants) > 1 or any(repeat > 1 for _, repeat in outcome.by_repeat)


_NAME_WIDTH, _WIDTHS = 16, (12, 15, 7, 12)


def _row(name: str, cells: Sequence[str]) -> str:
    padded = (cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return f"{name:<{_NAME_WIDTH}}{''.join(padded)}".rstrip()


def _rule() -> str:
    return "-" * (_NAME_WIDTH + sum(_WIDTHS))


def _score_row(key: str, headline: Estimate, beside: Estimate) -> str:
    interval = f"{headline.low * 100:.1f} - {headline.high * 100:.1f}"
    return _row(
        key,
        [f"{headline.mean * 100:.2f}", interval, str(headline.count), f"{beside.mean * 100:.2f}"],
    )


def _length_row(key: str, length: Estimate) -> str:
    interval = f"{length.low:.0f} - {length.high:.0f}"
    return _row(key, [f"{length.mean:.1f}", interval, str(length.count), ""])


def doubts(outcome: Outcome, remedy: str) -> Iterator[str]:
    """Yield what makes the scores doubtful, a line each.

    Args:
        remedy: what leaves a reasoning out of the scores.
    """
    if outcome.constant is not None:
        what = f"the same: {outcome.constant!r:.60}" if outcome.constant else "empty"
        yield f"warning: all {outcome.answered} answers are {what}"
    if outcome.truncated:
        yield (
            f"warning: {outcome.truncated} answers were cut off by their limit of tokens, or by "
            "the service's content filter"
        )
    if outcome.reasoning_unset:
        yield (
            f"warning: {outcome.reasoning_unset} answers contain {REASONING_END}, and the "
            f"reasoning before it was scored; {remedy}"
        )


def summary(
    outcome: Outcome,
    by_rule: Estimates,
    signature: Signature,
    options: Mapping[str, Any],
    **more: object,
) -> dict[str, Any]:
    """The content of OUT.summary.json. Scores are shares from 0 to 1.

    Args:
        by_rule: from Outcome.estimates().
        options: the command's options.
        more: what else it holds.
    """
    return {
        "status": outcome.status,
        "samples": len(outcome.samples),
        "answered": outcome.answered,
        "failed": len(outcome.failed),
        "truncated": outcome.truncated,
        **_scores_as_json(by_rule, outcome.matching),
        **_variants_as_json(outcome, options.get("seed", defaults.SEED)),
        "failures": outcome.failed,
        "signature": str(signature),
        "signature_parts": dict(signature.parts),
        "options": {name: _plain(value) for name, value in options.items()},
        **more,
        "versions": versions(),
    }


def _variants_as_json(outcome: Outcome, seed: int) -> dict[str, Any]:
    if not has_variants(outcome):
        return {}
    scores = list(scores_by_variant(outcome, seed))
    return {
        "variants": [variant.as_json() for variant in scores],
        "spreads": [asdict(spread) for spread in spreads(outcome, scores)],
    }


def _scores_as_json(by_rule: Estimates, matching: str) -> dict[str, Any]:
    """The headline rule, its scores as `scores`, and those of the other rule under its name."""
    others = {
        f"scores_{rule}": _as_json(scores) for rule, scores in by_rule.items() if rule != matching
    }
    return {"matching": matching, "scores": _as_json(by_rule[matching]), **others}


def _as_json(scores: Mapping[str, Estimate]) -> dict[str, dict[str, float]]:
    return {
        key: {
            "mean": estimate.mean,
            "count": estimate.count,
            "low": estimate.low,
            "high": estimate.high,
        }
        for key, estimate in scores.items()
    }


def _plain(value: object) -> object:
    """An option as JSON; a file of the harness itself without the folder it lies in."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value.relative_to(ROOT) if value.is_relative_to(ROOT) else value)
    return value


def versions() -> dict[str, str]:
    """The versions of the harness, Python and the packages whose code has a say in answers."""
    found = {"ragifeval": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
