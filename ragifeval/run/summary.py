"""What a run came to: the table for the screen, and OUT.summary.json."""

import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from ragifeval import __version__
from ragifeval.paths import ROOT
from ragifeval.run.run import Outcome, Task
from ragifeval.scoring.statistics import AGGREGATES, Estimate
from ragifeval.text.matching import other_rule

_LENGTHS = ("len_chars", "len_words")
_PACKAGES = ("transformers", "torch", "accelerate", "openai", "jinja2", "spacy", "google-auth")


def estimates(outcome: Outcome, seed: int) -> dict[str, dict[str, Estimate]]:
    """The rule's name -> score key -> its estimate."""
    return {rule: tally.estimates(seed) for rule, tally in outcome.tallies.items()}


def table(
    task: Task, outcome: Outcome, by_rule: Mapping[str, Mapping[str, Estimate]], model: str
) -> str:
    """The table of a run: conditions, lengths, aggregates, then the signature.

    Args:
        by_rule: from `estimates`.
        model: the model's name.
    """
    status = f"{len(outcome.answered)} of {len(task.samples)} samples answered"
    if outcome.interrupted:
        status += " (interrupted)"
    return score_table(f"{model}: {status}", by_rule, task.matching, task.signature)


def score_table(
    title: str, by_rule: Mapping[str, Mapping[str, Estimate]], matching: str, signature: str
) -> str:
    """A title, the conditions, lengths and aggregates, then the signature.

    Args:
        by_rule: the rule's name -> score key -> its estimate.
        matching: the headline rule; the other stands beside it.
    """
    other = other_rule(matching)
    headline, beside = by_rule[matching], by_rule[other]
    lines = [title, ""]
    lines += [_row("", [f"{matching} %", "95 % interval", "count", f"{other} %"])]
    keys = [key for key in headline if key not in AGGREGATES and key not in _LENGTHS]
    lines += [_score_row(key, headline[key], beside[key]) for key in keys]
    lines += [_length_row(key, headline[key]) for key in _LENGTHS if key in headline]
    lines.append(_rule())
    lines += [_score_row(key, headline[key], beside[key]) for key in AGGREGATES if key in headline]
    lines += ["", signature]
    return "\n".join(lines)


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


def summary(
    task: Task,
    outcome: Outcome,
    by_rule: Mapping[str, Mapping[str, Estimate]],
    signature: Mapping[str, str],
    options: Mapping[str, Any],
    model_config: Mapping[str, Any],
) -> dict[str, Any]:
    """What OUT.summary.json holds. Scores are shares from 0 to 1.

    Args:
        signature: its parts.
        options: the command's options.
        model_config: the model's settings, without what is secret.
    """
    answered = len(outcome.answered)
    return {
        "status": _status(task, outcome),
        "samples": len(task.samples),
        "answered": answered,
        "failed": len(outcome.failed),
        "truncated": outcome.truncated,
        **scores_as_json(by_rule, task.matching),
        "failures": outcome.failed,
        "signature": task.signature,
        "signature_parts": dict(signature),
        "options": dict(options),
        "model_config": dict(model_config),
        "versions": versions(),
    }


def _status(task: Task, outcome: Outcome) -> str:
    if outcome.interrupted:
        return "partial"
    return "complete" if len(outcome.answered) == len(task.samples) else "incomplete"


def scores_as_json(by_rule: Mapping[str, Mapping[str, Estimate]], matching: str) -> dict[str, Any]:
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


def plain_options(options: Mapping[str, object]) -> dict[str, object]:
    """Options as JSON; files of the harness itself without the folder it lies in."""
    return {name: _plain(value) for name, value in options.items()}


def _plain(value: object) -> object:
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
