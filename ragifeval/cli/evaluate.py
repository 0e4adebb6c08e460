"""eval_local.py and eval_remote.py."""

import argparse
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragifeval.benchmark.baselines import Resources
from ragifeval.cli.batch import batch_files, write_options
from ragifeval.cli.options import inputs
from ragifeval.cli.settings import (
    language_doubt,
    model_changes,
    public_options,
    run_settings,
    settled,
)
from ragifeval.cli.terminal import EXIT_INTERRUPTED, say, show
from ragifeval.errors import UserError
from ragifeval.files import check_output, is_log, is_summary, write_json
from ragifeval.generators.base import Generator
from ragifeval.generators.baseline import BaselineGenerator
from ragifeval.generators.config import (
    BaselineConfig,
    PluginConfig,
    load_local_config,
    load_remote_config,
)
from ragifeval.paths import LOCAL_CONFIG, REMOTE_CONFIG
from ragifeval.results.outputs import summary_path
from ragifeval.run.asking import REASONING_END
from ragifeval.run.journal import Journal
from ragifeval.run.models import (
    AnyConfig,
    api_key,
    base_url,
    check_remote,
    load_any_generator,
    ready,
)
from ragifeval.run.outcome import Outcome, check_record, variant_of
from ragifeval.run.performance import Price, sentence
from ragifeval.run.plan import make_task
from ragifeval.run.run import Task, missing, resume
from ragifeval.run.run import run as ask
from ragifeval.run.summary import doubts, group_table, summary, table
from ragifeval.scoring.scorer import ScoringSettings
from ragifeval.scoring.signature import Signature
from ragifeval.tables import plural
from ragifeval.text.normalizer import Normalizer

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles

EXIT_COMPLETE, EXIT_INCOMPLETE = 0, 1

CHARACTERS_A_TOKEN = 3
"""Of Polish text, about, whatever the tokenizer."""

_FAILURES_SHOWN, _NAMED = 20, 5

RunConfig = BaselineConfig | PluginConfig | AnyConfig


def run(options: argparse.Namespace, signature: Signature | None = None) -> int:
    """Evaluate one model; 1 where an answer is missing.

    Args:
        signature: what the run must have; None where it is a new one.
    """
    options, _ = settled(options)
    settings, changes, path = run_settings(options), model_changes(options), options.model_config
    config: RunConfig
    if options.command == "local":
        config = load_local_config(path or (None if changes else LOCAL_CONFIG), changes)
    else:
        is_elsewhere = "vertex_credentials" in changes or base_url() is not None
        default = None if is_elsewhere else REMOTE_CONFIG
        config = load_remote_config(path or default, changes, base_url())
    # A service that is told no temperature has one of its own.
    if settings.repeats > 1 and getattr(config, "temperature", 0) == 0:
        raise UserError("--repeats: needs a temperature above 0 in the model config")
    task = make_task(settings)
    for line in language_doubt(settings, task.benchmark):
        say(line)
    if not options.dry_run:
        config = ready(config)
    try:
        task = task.answered_by(config.display_name, config.scored_settings(), config.reasoning_end)
    except OSError as error:
        raise UserError(
            f"{path or '--model'}: {error.filename} cannot be read: {error.strerror}"
        ) from None
    for variant, reasons in task.left_out.items():
        say(f"{variant}: leaves out {_reasons(reasons)}")
    if options.dry_run:
        sizes: dict[str, list[int]] = {}
        for sample in task.samples:
            prompt = str(task.request(sample).prompt)
            show(f"=== {sample.id}\n{prompt}\n")
            sizes.setdefault(variant_of(sample), []).append(len(prompt))
        for variant, lengths in sizes.items():
            count = plural(len(lengths) * task.repeats, "prompt")
            tokens = sum(lengths) * task.repeats // CHARACTERS_A_TOKEN
            show(f"{variant}: {count}, about {tokens:,} tokens")
        show(str(task.signature))
        return EXIT_COMPLETE
    if signature is not None and (parts := task.signature.differences(signature)):
        raise UserError(
            f"--batch_output: the requests were written by a run that differs in: "
            f"{', '.join(parts)}; write them anew"
        )
    files = None
    if options.command == "remote" and not options.dry_run:
        _check_batch(options)
        files = batch_files(options)
    told = public_options(options, config.public_settings())
    evaluation = Evaluation(task, config, settings.scoring, told, files)
    return _evaluate(evaluation, options)


def _check_batch(options: argparse.Namespace) -> None:
    if options.batch and options.log_path is None:
        raise UserError("--batch: needs --log_path, beside which it notes what was sent")
    if options.batch and (options.batch_file or options.batch_output):
        raise UserError("--batch: asks a service; --batch_file and --batch_output are for files")


@dataclass(frozen=True)
class Evaluation:
    """A run whose options, config and data are right.

    Attributes:
        options: of the command, for the summary; without secrets.
        files: of a batch, which answer in the model's place.
    """

    task: Task
    config: RunConfig
    scoring: ScoringSettings
    options: Mapping[str, Any]
    files: "BatchFiles | None" = None

    @property
    def price(self) -> Price | None:
        """Of a million tokens in, and out: the option's, or the config's."""
        price = self.options["price"] or self.config.price
        return (price[0], price[1]) if price else None


def _evaluate(evaluation: Evaluation, options: argparse.Namespace) -> int:
    task = evaluation.task
    outcome = task.new_outcome()
    others = 0
    if options.log_path:
        check_output(options.log_path, is_log, inputs(options), "--log_path")
        check_output(summary_path(options.log_path), is_summary, inputs(options), "--log_path")
    check = partial(check_record, matching=task.matching)
    keeping = (
        Journal(options.log_path, task.signature, options.overwrite, check=check)
        if options.log_path
        else nullcontext()
    )
    with keeping as journal:
        if journal is not None:
            if options.overwrite:  # the summary of the log that was
                summary_path(options.log_path).unlink(missing_ok=True)
            others = resume(journal, outcome)
            if journal.torn_lines:
                say(f"{journal.path}: the last line was cut off and is dropped")
            if outcome.answered:
                answered = plural(outcome.answered, "answer is", "answers are")
                say(f"{journal.path}: {answered} already there")
            if others:
                say(
                    f"{journal.path}: has {others} more answers, which this selection of samples "
                    f"leaves out; {summary_path(journal.path).name} stays that of the whole log"
                )
        if evaluation.files is not None and not options.batch_output:
            return _write_requests(evaluation, evaluation.files, outcome, options)
        try:
            if outcome.unanswered:
                _answer(evaluation, journal, outcome)
        except BaseException as error:
            outcome.interrupted |= isinstance(error, KeyboardInterrupt)
            with suppress(UserError):  # the disk may be full, and that is already being reported
                _summarize(evaluation, options.seed, journal, outcome, others)
            raise
        try:
            name = evaluation.config.display_name
            by_rule = outcome.estimates(options.seed)
            signature, seed = task.signature, options.seed
            shown = table(outcome, by_rule, name, signature, seed, wide=options.wide)
            if options.by is not None:
                shown += "\n\n" + group_table(outcome, options.by, options.seed, wide=options.wide)
            show(shown)
            if took := sentence(outcome.performance.figures(evaluation.price)):
                say(took)
            again = "with --log_path, the same command asks for them alone"
            if evaluation.files is not None:
                again = f"`ragifeval remote --log_path {options.log_path}` asks for them alone"
            _report_doubts(outcome, again)
        finally:
            _summarize(evaluation, options.seed, journal, outcome, others)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_INCOMPLETE if outcome.failed else EXIT_COMPLETE


def _write_requests(
    evaluation: Evaluation, files: "BatchFiles", outcome: Outcome, options: argparse.Namespace
) -> int:
    """Write the requests that have no answer yet, and what run they are of."""
    task = evaluation.task
    generator = _load_generator(evaluation, evaluation.scoring.load_normalizer)
    for _ in generator.generate(missing(task, outcome)):
        pass
    told = argparse.Namespace(**evaluation.options)  # without secrets
    write_options(options.batch_file, told, task.signature)
    show(
        f"{files.path}: {plural(files.written, 'request')}; have them answered, then: "
        "ragifeval score "
        f"--batch_file {files.path} --batch_output RESPONSES -o LOG"
    )
    return EXIT_COMPLETE


def _answer(evaluation: Evaluation, journal: Journal | None, outcome: Outcome) -> None:
    """Load the model and let it answer what is missing."""
    scoring = evaluation.scoring
    # Loaded when the first answer is there: a remote model works on the others meanwhile.
    normalizer = cache(scoring.load_normalizer)
    if scoring.normalizer is not None:
        normalizer()  # a pipeline that cannot be loaded is reported before any question
    scorer = cache(lambda: scoring.load_scorer(normalizer()))
    generator = _load_generator(evaluation, normalizer)
    log_prompts = bool(evaluation.options["log_prompts"])
    ask(evaluation.task, generator, scorer, journal, outcome, log_prompts)


def _load_generator(evaluation: Evaluation, normalizer: Callable[[], Normalizer]) -> Generator:
    task, config = evaluation.task, evaluation.config
    if isinstance(config, BaselineConfig):
        resources = Resources(evaluation.scoring.refusal_message, normalizer)
        return BaselineGenerator(config.model, task.find, resources)
    if isinstance(config, PluginConfig):
        return config.load()
    if evaluation.files is not None:
        from ragifeval.generators.remote.batch import FileGenerator, question_id

        is_text = task.template.text_completion
        return FileGenerator(check_remote(config), evaluation.files, is_text, question_id)
    if evaluation.options.get("batch"):
        return _load_batch_generator(evaluation)
    return load_any_generator(config, task.template.text_completion)


def _load_batch_generator(evaluation: Evaluation) -> Generator:
    from ragifeval.generators.remote.batch import BatchGenerator

    task = evaluation.task
    log: Path = evaluation.options["log_path"]
    return BatchGenerator(
        check_remote(evaluation.config),
        api_key(),
        task.template.text_completion,
        lambda key, repeat: task.request(task.find(key)[0], repeat),
        log.with_name(log.name.removesuffix(".jsonl") + ".batch.json"),
        say,
    )


def _summarize(
    evaluation: Evaluation,
    seed: int,
    journal: Journal | None,
    outcome: Outcome,
    others: int,
) -> None:
    """Write the summary of the log, if there is one and nobody has taken it away.

    Args:
        others: how many answers the log holds to samples that this run leaves out.
    """
    if journal is None or not journal.is_in_place:
        return
    if others:
        task = evaluation.task
        samples = task.whole() if task.whole is not None else task.benchmark.samples
        whole = replace(task, samples=samples).new_outcome()
        resume(journal, whole)
        whole.interrupted = outcome.interrupted
        outcome = whole
    content = summary(
        outcome,
        outcome.estimates(seed),
        evaluation.task.signature,
        evaluation.options,
        evaluation.price,
        model_config=evaluation.config.public_settings(),
    )
    path = summary_path(journal.path)
    try:
        write_json(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def _reasons(reasons: Mapping[str, str]) -> str:
    """How many samples are left out for each reason, and the first few of them."""
    by_reason: dict[str, list[str]] = {}
    for key, reason in reasons.items():
        by_reason.setdefault(reason, []).append(key)
    return "; ".join(
        f"{len(keys)} ({reason}): {', '.join(keys[:_NAMED])}{', ...' * (len(keys) > _NAMED)}"
        for reason, keys in by_reason.items()
    )


def _report_doubts(outcome: Outcome, again: str) -> None:
    """Say on stderr what the reader of the table should know.

    Args:
        again: how what is missing is asked for.
    """
    lines = [f"no answer: {key}: {error}" for key, error in outcome.failed.items()]
    if len(lines) > _FAILURES_SHOWN:
        lines[_FAILURES_SHOWN:] = [f"... and {len(lines) - _FAILURES_SHOWN} more"]
    if outcome.failed:
        lines.append(
            f"{len(outcome.failed)} of {len(outcome.samples)} samples have no answer and are no "
            f"part of the scores; {again}"
        )
    lines += doubts(outcome, f'set "reasoning_end": "{REASONING_END}" in the model config')
    for line in lines:
        say(line)
