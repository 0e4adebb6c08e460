"""The way of both entry scripts from options to an exit code."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from typing import TYPE_CHECKING

from ragifeval.cli.options import Kind, build_parser
from ragifeval.cli.terminal import (
    EXIT_INTERRUPTED,
    collect_rarely,
    guarded,
    say,
    show,
)
from ragifeval.errors import UserError
from ragifeval.run.progress import Unfailing, stop_on_interrupt

# Everything heavy is imported once the arguments are right: --help is to answer at once.
if TYPE_CHECKING:
    from ragifeval.generators.base import Generator
    from ragifeval.run.old.log import Log
    from ragifeval.run.plan import Plan
    from ragifeval.run.run import Outcome, Task
    from ragifeval.scoring.scorer import Scorer
    from ragifeval.scoring.statistics import Estimate
    from ragifeval.text.normalizer import Normalizer

EXIT_COMPLETE, EXIT_INCOMPLETE = 0, 1

_FAILURES_SHOWN = 20


def main(kind: Kind, arguments: Sequence[str] | None = None) -> int:
    """Evaluate one model; return the exit code."""
    return guarded(f"eval_{kind}.py", lambda: _plan_and_evaluate(kind, arguments))


def _plan_and_evaluate(kind: Kind, arguments: Sequence[str] | None) -> int:
    options = build_parser(kind).parse_args(arguments)
    from ragifeval.run.plan import make_plan

    plan = make_plan(kind, options)
    if options.dry_run:
        return _print_prompts(plan)
    return _evaluate(plan, options)


def _print_prompts(plan: "Plan") -> int:
    for sample in plan.task.samples:
        print(f"=== {sample.id}\n{plan.task.request(sample).prompt}\n")
    print(plan.signature)
    return EXIT_COMPLETE


def _evaluate(plan: "Plan", options: argparse.Namespace) -> int:
    from ragifeval.run.old.log import Log
    from ragifeval.run.run import new_outcome, resume
    from ragifeval.run.summary import table

    task = plan.task
    outcome = new_outcome(len(task.samples))
    keeping = (
        Log(options.log_path, plan.signature, options.overwrite)
        if options.log_path
        else nullcontext()
    )
    with keeping as log:
        if log is not None:
            resume(task, log, outcome)
            _say_resumed(log, outcome)
        try:
            if len(outcome.answered) < len(task.samples):
                _answer(plan, options, log, outcome)
        except BaseException as error:
            outcome.interrupted |= isinstance(error, KeyboardInterrupt)
            with suppress(UserError):  # the disk may be full, and that is already being said
                _summarize(plan, options, log, outcome)
            raise
        by_rule = _summarize(plan, options, log, outcome)
    show(table(task, outcome, by_rule, plan.model))
    _warn(task, outcome)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_INCOMPLETE if outcome.failed else EXIT_COMPLETE


def _say_resumed(log: "Log", outcome: "Outcome") -> None:
    if log.torn_lines:
        say(f"{log.path}: the last line was cut off and is dropped")
    if outcome.answered:
        say(f"{log.path}: {len(outcome.answered)} answers are already there")


def _answer(
    plan: "Plan", options: argparse.Namespace, log: "Log | None", outcome: "Outcome"
) -> None:
    """Load the model and let it answer what is missing, under a progress bar."""
    from tqdm import tqdm

    from ragifeval.run.run import run

    # Loaded when the first answer is there: a remote model thinks about the others meanwhile.
    normalizer = cache(lambda: _load_normalizer(options.normalizer))
    if options.normalizer is not None:
        normalizer()  # a pipeline that cannot be loaded is found out before any question
    scorer = cache(lambda: _load_scorer(options, normalizer()))
    generator = _load_generator(plan, options, normalizer)
    task = plan.task
    bar = tqdm(
        total=len(task.samples),
        initial=len(outcome.answered),
        unit=" answers",
        dynamic_ncols=True,
        file=Unfailing(sys.stderr),
    )

    def show(outcome: "Outcome") -> None:
        total = outcome.tallies[task.matching].running_total
        if total is not None:
            bar.set_postfix_str(f"total {total * 100:.1f}", refresh=False)
        bar.update()

    def stop() -> None:
        outcome.interrupted = True
        generator.stop()

    with bar, stop_on_interrupt(stop):
        run(task, generator, scorer, log, outcome, show)


def _load_normalizer(name: str | None) -> "Normalizer":
    from ragifeval.text.normalizer import load_normalizer

    return load_normalizer(name)


def _load_scorer(options: argparse.Namespace, normalizer: "Normalizer") -> "Scorer":
    from ragifeval.scoring.scorer import load_scorer

    return load_scorer(normalizer, options.refusal_message, options.badwords_path)


def _load_generator(
    plan: "Plan", options: argparse.Namespace, normalizer: "Callable[[], Normalizer]"
) -> "Generator":
    from ragifeval.generators.config import BaselineConfig, LocalConfig

    config = plan.config
    if isinstance(config, BaselineConfig):
        from ragifeval.benchmark.baselines import Resources
        from ragifeval.generators.baseline import BaselineGenerator

        return BaselineGenerator(
            config.model, plan.task.find, Resources(options.refusal_message, normalizer)
        )
    if isinstance(config, LocalConfig):
        from ragifeval.generators.local import LocalGenerator

        return LocalGenerator(config, options.text_completion)
    from ragifeval.generators.remote import RemoteGenerator
    from ragifeval.run.plan import api_key

    collect_rarely()
    return RemoteGenerator(config, api_key(), options.text_completion)


def _summarize(
    plan: "Plan", options: argparse.Namespace, log: "Log | None", outcome: "Outcome"
) -> "Mapping[str, Mapping[str, Estimate]]":
    """Estimate the scores; keep them beside the log, if there is one."""
    from ragifeval.run.old.log import write_json
    from ragifeval.run.summary import estimates, plain_options, summary

    by_rule = estimates(outcome, options.seed)
    if log is not None:
        content = summary(
            plan.task,
            outcome,
            by_rule,
            plan.signature.parts,
            plain_options(vars(options)),
            plan.config.public_settings(),
        )
        try:
            write_json(log.summary_path, content)
        except OSError as error:
            raise UserError(f"{log.summary_path}: cannot be written: {error.strerror}") from None
    return by_rule


def _warn(task: "Task", outcome: "Outcome") -> None:
    """Say on stderr what the reader of the table ought to know."""
    from ragifeval.run.asking import REASONING_END

    lines = [f"no answer: {key}: {error}" for key, error in outcome.failed.items()]
    if len(lines) > _FAILURES_SHOWN:
        lines[_FAILURES_SHOWN:] = [f"... and {len(lines) - _FAILURES_SHOWN} more"]
    if outcome.failed:
        lines.append(
            f"{len(outcome.failed)} of {len(task.samples)} samples have no answer and are no part "
            "of the scores; with --log_path, the same command asks for them alone"
        )
    if outcome.truncated:
        lines.append(f"warning: {outcome.truncated} answers were cut off by their limit of tokens")
    if outcome.reasoning_unset:
        lines.append(
            f"warning: {outcome.reasoning_unset} answers contain {REASONING_END}, and the "
            f'reasoning before it was scored; set "reasoning_end": "{REASONING_END}" in the '
            "model config"
        )
    for line in lines:
        say(line)
