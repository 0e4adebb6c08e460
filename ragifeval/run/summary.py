"""What a run, or a log that was scored anew, amounts to: the table, the notes, OUT.summary.json."""

import platform
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from ragifeval import __version__, defaults
from ragifeval.paths import ROOT
from ragifeval.run.asking import REASONING_END
from ragifeval.run.by_variant import estimate_cells, scores_by_variant, spreads, variant_table
from ragifeval.run.groups import GROUPINGS
from ragifeval.run.outcome import Outcome
from ragifeval.run.performance import Price, moment
from ragifeval.scoring.rates import LENGTHS, RATES, TOLD, as_text
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import AGGREGATES, Estimate
from ragifeval.tables import WIDTH, Grid, one_line, plural
from ragifeval.text.matching import other_rule

Estimates = Mapping[str, Mapping[str, Estimate]]
"""The rule's name -> score key -> its estimate."""

# Of groups, those that 80 columns hold.
_FIRST_RATES = ("right", "wrong", "false_refusal", "no_refusal", "len_words")
_PACKAGES = ("transformers", "torch", "accelerate", "openai", "jinja2", "spacy", "google-auth")


def table(
    outcome: Outcome,
    by_rule: Estimates,
    name: str,
    signature: Signature,
    seed: int = defaults.SEED,
    *,
    wide: bool = False,
) -> str:
    """A title, the conditions, aggregates and rates, the variants, then the signature.

    Args:
        by_rule: from Outcome.estimates().
        name: of the model or the log.
        seed: of the intervals of variants.
        wide: tell the signature's parts, and more of variants.
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
    keys = [key for key in headline if key not in (*AGGREGATES, *TOLD)]
    lines += [_score_row(key, headline[key], beside[key]) for key in keys]
    lines.append(_rule())
    lines += [_score_row(key, headline[key], beside[key]) for key in AGGREGATES if key in headline]
    if shown := shown_rates([headline]):
        lines.append(_rule())
        lines += [_score_row(key, headline[key], beside[key]) for key in shown]
    if has_variants(outcome):
        lines += ["", variant_table(outcome, seed, wide=wide)]
    lines += ["", one_line(str(signature) if wide else signature.folded)]
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
    if key in LENGTHS:  # the same under both rules
        interval = f"{headline.low:.0f} - {headline.high:.0f}"
        return _row(key, [as_text(key, headline.mean, 1), interval, str(headline.count), ""])
    cells = [f"{headline.mean * 100:.2f}", _interval(headline), str(headline.count)]
    return _row(key, [*cells, f"{beside.mean * 100:.2f}"])


def _interval(estimate: Estimate) -> str:
    return f"{estimate.low * 100:.1f} - {estimate.high * 100:.1f}"


def shown_rates(found: Sequence[Mapping[str, Estimate]]) -> list[str]:
    """The rates and lengths that some estimates have; without reasoning, where there is none."""
    some = [key for key in TOLD if any(key in estimates for estimates in found)]
    has_reasoning = any(f["reasoning"].mean for f in found if "reasoning" in f)
    return [key for key in some if key != "reasoning" or has_reasoning]


def group_table(outcome: Outcome, grouping: str, seed: int, *, wide: bool = False) -> str:
    """The total and the rates of each group of questions, under the headline rule.

    Args:
        wide: show all rates, and the ends of intervals.
    """
    groups, places = outcome.grouped(seed, grouping), outcome.places_by(grouping)
    if not groups:
        return f"the log does not tell the {grouping} of its questions"
    rows = [([group, str(len(places[group]))], scores) for group, scores in groups.items()]
    title = f"by {grouping}, rule {outcome.matching}, per cent"
    grid = group_grid(title, [grouping, "questions"], rows, wide=wide)
    return grid.text(width=None if wide else WIDTH)


def group_grid(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Sequence[str], Mapping[str, Estimate]]],
    *,
    wide: bool,
) -> Grid:
    """The total and the rates of groups of questions.

    Args:
        columns: what stands before the total; the last of it is a number.
        rows: of each group the cells of these columns, and its estimates.
        wide: show all rates, and the ends of intervals.
    """
    rates = shown_rates([scores for _, scores in rows])
    some = [key for key in rates if wide or key in _FIRST_RATES]
    cells = [
        [
            *(*told, *estimate_cells(scores.get("total"), wide, none="")),
            *(as_text(key, scores[key].mean, 0) if key in scores else "" for key in some),
        ]
        for told, scores in rows
    ]
    header = [*columns, "total", *["95 % interval"] * wide, *some]
    title += "" if wide else "; all rates: --wide"
    return Grid(title, header, cells, align="l" * (len(columns) - 1))


def doubts(outcome: Outcome, remedy: str) -> Iterator[str]:
    """Yield what makes the scores doubtful, a line each.

    Args:
        remedy: what leaves a reasoning out of the scores.
    """
    if outcome.constant is not None:
        told = f"the same: {outcome.constant!r:.60}" if outcome.constant else "empty"
        count = outcome.answered
        answers = "the only answer is" if count == 1 else f"all {count} answers are"
        yield f"warning: {answers} {told}"
    if outcome.truncated:
        yield (
            f"warning: {plural(outcome.truncated, 'answer was', 'answers were')} cut off by the "
            "limit of tokens, or by the service's content filter"
        )
    if outcome.reasoning_unset:
        yield (
            f"warning: {plural(outcome.reasoning_unset, 'answer holds', 'answers hold')} "
            f"{REASONING_END}, and the reasoning before it was scored; {remedy}"
        )


def summary(
    outcome: Outcome,
    by_rule: Estimates,
    signature: Signature,
    options: Mapping[str, Any],
    price: Price | None = None,
    **more: object,
) -> dict[str, Any]:
    """The content of OUT.summary.json. Scores and rates are shares from 0 to 1.

    Args:
        by_rule: from Outcome.estimates().
        options: the command's options, and as `typed` its words.
        price: of a million tokens in, and out.
        more: what else it holds.
    """
    seed = options.get("seed", defaults.SEED)
    options = dict(options)
    typed = options.pop("typed", None)
    return {
        "status": outcome.status,
        "samples": len(outcome.samples),
        "answered": outcome.answered,
        "failed": len(outcome.failed),
        "truncated": outcome.truncated,
        **_scores_as_json(by_rule, outcome.matching),
        **_variants_as_json(outcome, seed),
        "by": {
            grouping: {
                group: _as_json({key: some[key] for key in (*AGGREGATES, *TOLD) if key in some})
                for group, some in outcome.grouped(seed, grouping).items()
            }
            for grouping in GROUPINGS
            if grouping in outcome.groups and grouping != "variant"
        },
        "performance": asdict(outcome.performance.figures(price)),
        "price": price,
        "date": moment(0.0),
        "failures": outcome.failed,
        "signature": str(signature),
        "signature_parts": dict(signature.parts),
        "command": None if typed is None else shlex.join(typed),
        "options": {name: _plain(value) for name, value in options.items()},
        **more,
        "versions": versions(),
        "commit": _commit(),
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
    named = {"": by_rule[matching]}
    named |= {f"_{rule}": found for rule, found in by_rule.items() if rule != matching}
    told: dict[str, Any] = {"matching": matching}
    for name, found in named.items():
        told[f"scores{name}"] = _as_json({k: v for k, v in found.items() if k not in RATES})
        told[f"rates{name}"] = _as_json({k: found[k] for k in RATES if k in found})
    return told


def _as_json(scores: Mapping[str, Estimate]) -> dict[str, dict[str, float]]:
    return {key: asdict(estimate) for key, estimate in scores.items()}


def _plain(value: object) -> object:
    """An option as JSON; a file of the harness itself without the folder it lies in.

    Another file of such a name is told apart by "./".
    """
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        if value.is_relative_to(ROOT):
            return str(value.relative_to(ROOT))
        return f"./{value}" if (ROOT / value).is_file() and not value.is_absolute() else str(value)
    return value


def _commit() -> str | None:
    """The commit of a checkout of the harness, and whether files differ from it; None elsewhere."""
    if not (ROOT / ".git").exists():
        return None
    try:
        ran = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout.strip()


def versions() -> dict[str, str]:
    """The versions of the harness, Python and the packages whose code has a say in answers."""
    found = {"ragifeval": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
