"""python -m ragifeval compare."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragifeval import defaults
from ragifeval.cli.options import add_matching, add_seed, add_switch, at_least, inputs
from ragifeval.cli.terminal import say, show
from ragifeval.errors import UserError
from ragifeval.files import check_output, is_comparison, written_beside
from ragifeval.results.compare.comparison import MEASURES, SURE, Comparison, compare
from ragifeval.results.compare.formats import FORMATS, Setting
from ragifeval.results.compare.scored_logs import (
    ScoredLog,
    common_signature,
    differing_parts,
    read_scored_log,
    unknown_parts,
)
from ragifeval.scoring.statistics import Resampling


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog = (
        "Exit codes: 0, 1 where --fail_under or --fail_if_worse says so, 2 something is wrong with "
        "the command or a log, or the logs may not be compared."
    )
    option = parser.add_argument
    option(
        "logs",
        nargs="+",
        type=Path,
        metavar="LOG",
        help="logs with scores; each is compared with the first. `score -o` gives any answers them",
    )
    option("--format", choices=tuple(FORMATS), default="table", help="of what is printed")
    option("-o", "--output", type=Path, metavar="FILE", help="write it there instead")
    add_matching(
        parser, None, "the rule of which the scores are taken, instead of the logs' headline"
    )
    option(
        "--measures",
        type=_measures,
        default=",".join(MEASURES[:3]),
        metavar="A,B",
        help="whose differences the tables show, of: "
        + ", ".join(MEASURES)
        + "; csv and json have them all",
    )
    option("--top", type=at_least(0), default=5, metavar="N", help="so many questions that differ")
    add_seed(parser, "of bootstrap and permutation test")
    option("--draws", type=at_least(100), default=10_000, metavar="N", help="of each of the two")
    add_switch(parser, "--force", "compare what the signatures say may not be")
    option(
        "--fail_under",
        type=_floor,
        action="append",
        default=[],
        metavar="MEASURE=PERCENT",
        help="exit with 1 if a model has less, for example total=80; may be given again",
    )
    add_switch(
        parser,
        "--fail_if_worse",
        "exit with 1 if a model's total is less than the first one's with p < 0.05 in the "
        "permutation test, Holm's correction included",
    )


def _measures(text: str) -> Sequence[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in MEASURES:
            raise argparse.ArgumentTypeError(f"{name!r} is none of: {', '.join(MEASURES)}")
    return names


def _floor(text: str) -> tuple[str, float]:
    measure, _, percent = text.partition("=")
    if measure not in MEASURES:
        raise argparse.ArgumentTypeError(f"{measure!r} is none of: {', '.join(MEASURES)}")
    try:
        value = float(percent)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(
            f"must be MEASURE=PERCENT, from 0 to 100, for example total=80, not {text!r}"
        )
    return measure, value


def run(options: argparse.Namespace) -> int:
    """Print the comparison; 1 where a model does not pass."""
    if options.fail_if_worse and len(options.logs) < 2:
        raise UserError("--fail_if_worse: needs a second log to compare with the first")
    if options.output is not None:
        check_output(options.output, is_comparison, inputs(options))
    matching = options.matching
    logs: list[ScoredLog] = []
    for path in options.logs:
        logs.append(read_scored_log(path, matching, keeps_questions=not logs))
        # One rule for all, whatever the headlines of logs that are forced together.
        matching = matching or min(logs[0].headlines, default=defaults.MATCHING)
    for note in _check(logs, options.matching is not None, options.force):
        say(note)
    if len({line for log in logs for line in log.judge_signatures}) > 1:
        say("warning: the logs were judged in different ways; see their judge_signature")
    comparison = compare(logs, Resampling(options.seed, options.draws), options.top)
    failures = list(_failures(comparison, options.fail_under, options.fail_if_worse))
    if comparison.left_out:
        say(f"{comparison.left_out} samples are not answered in all logs, and left out")
    if comparison.conditions_left_out:
        count = comparison.conditions_left_out
        say(f"{count} conditions are not scored in all logs, and left out")
    setting = Setting(
        matching, common_signature(logs, matching), options.seed, options.draws, options.measures
    )
    text = FORMATS[options.format](comparison, setting)
    if options.output is None:
        show(text)
    else:
        _write(options.output, text)
    for failure in failures:
        say(failure)
    return 1 if failures else 0


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


def _write(path: Path, text: str) -> None:
    try:
        # As on the terminal: half of a surrogate pair is written as its escape.
        with written_beside(path) as file:
            file.write(text + "\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


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
