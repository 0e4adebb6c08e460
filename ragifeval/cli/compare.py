"""python -m ragifeval compare."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragifeval import defaults
from ragifeval.cli.options import inputs
from ragifeval.cli.terminal import say, show
from ragifeval.errors import UserError
from ragifeval.files import check_output, is_comparison, written_beside
from ragifeval.results.compare.comparison import MEASURES, Comparison, Setting, compare
from ragifeval.results.compare.formats import FORMATS, GRID_FORMATS
from ragifeval.results.compare.scored_logs import (
    ScoredLog,
    common_signature,
    differing_parts,
    read_scored_log,
    unknown_parts,
)
from ragifeval.results.compare.significance import SURE
from ragifeval.results.outputs import prices_of
from ragifeval.results.sets import by_set
from ragifeval.tables import plural

ALL = "all"
"""What --variant says for every variant that the logs have in common."""


def run(options: argparse.Namespace) -> int:
    """Print the comparison; 1 where a model does not pass."""
    if options.fail_if_worse and len(options.logs) < 2:
        raise UserError("--fail_if_worse: needs a second log to compare with the first")
    _check_measures("--measures", options.measures)
    _check_measures("--fail_under", [measure for measure, _ in options.fail_under])
    sets = by_set(options.logs)
    is_grid = options.variant == ALL or len(sets) > 1
    if is_grid and options.format not in GRID_FORMATS:
        raise UserError(f"several variants or sets: have no format {options.format}")
    if options.output is not None:
        check_output(options.output, is_comparison, inputs(options))
    found: dict[tuple[str, str], Comparison] = {}
    for name, logs in sets.items():
        variants = _common_variants(logs) if options.variant == ALL else [options.variant]
        found |= {(name, variant): compared(variant, logs, options) for variant in variants}
    form = "wide" if options.wide and options.format == "table" else options.format
    if is_grid:
        text = GRID_FORMATS[form](_named(found))
    else:
        text = FORMATS[form](next(iter(found.values())))
    failures = []
    for name in sets:
        # Of several variants the first, as of a run.
        comparison = next(one for (of, _), one in found.items() if of == name)
        told = _failures(comparison, options.fail_under, options.fail_if_worse)
        failures += [f"{name}: {failure}" if len(sets) > 1 else failure for failure in told]
    if options.output is None:
        show(text)
    else:
        with written_beside(options.output) as file:
            file.write(text + "\n")
    for failure in failures:
        say(failure)
    return 1 if failures else 0


def _named(
    found: Mapping[tuple[str, str], Comparison],
) -> Mapping[str, Comparison]:
    """What is compared by its variant, its set, or both, as far as there are several."""
    sets, variants = ({key[place] for key in found} for place in (0, 1))
    several = len(sets) > 1, len(variants) > 1 or len(sets) == 1
    return {
        " ".join(part for part, shown in zip(key, several, strict=True) if shown): one
        for key, one in found.items()
    }


def _common_variants(paths: Sequence[Path]) -> Sequence[str]:
    """The variants that all logs have answers to, in the order of the first."""
    first, *others = (read_scored_log(path, None).variants for path in paths)
    common = [variant for variant in first if all(variant in other for other in others)]
    if not common:
        raise UserError("the logs have no variant in common")
    return common


def compared(variant: str, paths: Sequence[Path], options: argparse.Namespace) -> Comparison:
    """Compare logs over one variant; say what is doubtful."""
    matching = options.matching
    logs: list[ScoredLog] = []
    for path in paths:
        log = read_scored_log(path, matching, variant)
        if log.variants and variant not in log.variants:
            known = ", ".join(log.variants)
            raise UserError(f"{path}: has no answers to the variant {variant!r}; it has: {known}")
        logs.append(log)
        # One rule for all, whatever the headlines of logs that are forced together.
        matching = matching or min(logs[0].headlines, default=defaults.MATCHING)
    for note in _check(logs, options.matching is not None, options.force):
        say(note)
    if len({line for log in logs for line in log.judge_signatures}) > 1:
        say("warning: the logs were judged in different ways; see their judge_signature")
    # The prices given are of the logs in the order of the command.
    prices = dict(zip(options.logs, prices_of(options.logs, options.price), strict=True))
    setting = Setting(
        matching,
        common_signature(logs, matching),
        options.seed,
        options.draws,
        options.measures,
        options.by,
    )
    comparison = compare(logs, setting, options.top, [prices[path] for path in paths])
    if comparison.left_out:
        count = plural(comparison.left_out, "sample is", "samples are")
        say(f"{count} not answered in all logs, and left out")
    if comparison.conditions_left_out:
        count = plural(comparison.conditions_left_out, "condition is", "conditions are")
        say(f"{count} not scored in all logs, and left out")
    if options.by is not None and not comparison.models[0].groups:
        say(f"{paths[0]}: does not tell the {options.by} of its questions")
    return comparison


def _check_measures(option: str, names: Sequence[str]) -> None:
    for name in names:
        if name not in MEASURES:
            raise UserError(f"{option}: {name!r} is none of: {', '.join(MEASURES)}")


def _check(logs: Sequence[ScoredLog], any_headline: bool, force: bool) -> Iterator[str]:
    """Yield what is doubtful about comparing these logs; refuse what may not be compared."""
    if len(logs) < 2:
        return
    unsigned = [str(log.path) for log in logs if "" in log.signatures]
    apart = [part for part in differing_parts(logs) if not (part == "matching" and any_headline)]
    reasons = []
    if unsigned:
        reasons.append(f"no signature in: {', '.join(unsigned)}")
    if apart:
        reasons.append(f"the signatures differ in: {', '.join(apart)}")
    if reasons and not force:
        raise UserError(f"may not be compared: {'; '.join(reasons)}; --force compares all the same")
    for reason in reasons:
        yield f"warning: compared all the same, though {reason}"
    unknown = unknown_parts(logs)
    if unknown:
        yield f"warning: nothing is known of how the answers came about: {', '.join(unknown)}"


def _failures(
    comparison: Comparison, floors: Sequence[tuple[str, float]], if_worse: bool
) -> Iterator[str]:
    """Yield why the comparison does not pass."""
    first = comparison.models[0]
    for measure, percent in floors:
        if measure not in first.scores:
            raise UserError(f"--fail_under: no sample in the logs has a score for {measure!r}")
        for model in comparison.models:
            mean = model.scores[measure].mean * 100
            if mean < percent:
                yield f"{model.name}: {measure} is {mean:.2f} %, under {percent:g} %"
    for model in comparison.models[1:] if if_worse else []:
        total = model.differences["total"]
        if total.mean < 0 and total.holm_permutation < SURE:
            yield (
                f"{model.name}: total is {-total.mean * 100:.2f} points worse than that of "
                f"{first.name}, p = {total.holm_permutation:.4f}"
            )
