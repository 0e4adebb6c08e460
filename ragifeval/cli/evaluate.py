"""eval_local.py and eval_remote.py."""

import argparse
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
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
    settings, config = run_settings(options), _load_config(options)
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
            f"{options.model_config or '--model'}: {error.filename} cannot be read: "
            f"{error.strerror}"
        ) from None
    for variant, reasons in task.left_out.items():
        say(f"{variant}: leaves out {_reasons(reasons)}")
    if options.dry_run:
        _show_prompts(task)
        return EXIT_COMPLETE
    if signature is not None and (parts := task.signature.differences(signature)):
        raise UserError(
            f"--batch_output: the requests were written by a run that differs in: "
            f"{', '.join(parts)}; write them anew"
        )
    files = None
    if options.command == "remote":
        if options.batch and options.log_path is None:
            raise UserError("--batch: needs --log_path, beside which it notes what was sent")
        if options.batch and (options.batch_file or options.batch_output):
            raise UserError(
                "--batch: asks a service; --batch_file and --batch_output are for files"
            )
        files = batch_files(options)
    return _evaluate(Evaluation(task, config, settings.scoring, options, files))


def _load_config(options: argparse.Namespace) -> RunConfig:
    path, changes = options.model_config, model_changes(options)
    if options.command == "local":
        return load_local_config(path or (None if changes else LOCAL_CONFIG), changes)
    is_elsewhere = "vertex_credentials" in changes or base_url() is not None
    default = None if is_elsewhere else REMOTE_CONFIG
    return load_remote_config(path or default, changes, base_url())


def _show_prompts(task: Task) -> None:
    """Print each prompt, how many there are of each variant, and the signature."""
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


@dataclass(frozen=True)
class Evaluation:
    """A run whose options, config and data are right.

    Attributes:
        files: of a batch, which answer in the model's place.
    """

    task: Task
    config: RunConfig
    scoring: ScoringSettings
    options: argparse.Namespace
    files: "BatchFiles | None" = None

    @property
    def public_options(self) -> Mapping[str, Any]:
        """The options without secrets."""
        return public_options(self.options, self.config.public_settings())

    @property
    def price(self) -> Price | None:
        """Of a million tokens in, and out: the option's, or the config's."""
        price = self.options.price or self.config.price
        return (price[0], price[1]) if price else None


def _evaluate(evaluation: Evaluation) -> int:
    task, options = evaluation.task, evaluation.options
    outcome = task.new_outcome()
    others = 0
    keeping: AbstractContextManager[Journal | None] = nullcontext()
    if options.log_path:
        check_output(options.log_path, is_log, inputs(options), "--log_path")
        check_output(summary_path(options.log_path), is_summary, inputs(options), "--log_path")
        check = partial(check_record, matching=task.matching)
        keeping = Journal(options.log_path, task.signature, options.overwrite, check=check)
    with keeping as journal:
        if journal is not None:
            if options.overwrite:  # the summary of the log that was
                summary_path(options.log_path).unlink(missing_ok=True)
            others = _take_up(journal, outcome)
        if evaluation.files is not None and not options.batch_output:
            return _write_requests(evaluation, evaluation.files, outcome)
        try:
            if outcome.unanswered:
                _answer(evaluation, journal, outcome)
        except BaseException as error:
            outcome.interrupted |= isinstance(error, KeyboardInterrupt)
            with suppress(UserError):  # the disk may be full, and that is already being reported
                _summarize(evaluation, journal, outcome, others)
            raise
        try:
            _show_outcome(evaluation, outcome)
        finally:
            _summarize(evaluation, journal, outcome, others)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_INCOMPLETE if outcome.failed else EXIT_COMPLETE


def _take_up(journal: Journal, outcome: Outcome) -> int:
    """Count what the log holds, and say so; return how many answers are not of this run."""
    others = resume(journal, outcome)
    if journal.torn_lines:
        say(f"{journal.path}: the last line was cut off and is dropped")
    if outcome.answered:
        say(f"{journal.path}: {plural(outcome.answered, 'answer is', 'answers are')} already there")
    if others:
        say(
            f"{journal.path}: has {others} more answers, which this selection of samples "
            f"leaves out; {summary_path(journal.path).name} stays that of the whole log"
        )
    return others


def _write_requests(evaluation: Evaluation, files: "BatchFiles", outcome: Outcome) -> int:
    """Write the requests that have no answer yet, and what run they are of."""
    task = evaluation.task
    generator = _load_generator(evaluation, evaluation.scoring.load_normalizer)
    for _ in generator.generate(missing(task, outcome)):
        pass
    told = argparse.Namespace(**evaluation.public_options)
    write_options(evaluation.options.batch_file, told, task.signature)
    show(
        f"{files.path}: {plural(files.written, 'request')}; have them answered, then: "
        f"ragifeval score --batch_file {files.path} --batch_output RESPONSES -o LOG"
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
    ask(evaluation.task, generator, scorer, journal, outcome, evaluation.options.log_prompts)


def _load_generator(evaluation: Evaluation, normalizer: Callable[[], Normalizer]) -> Generator:
    task, config, options = evaluation.task, evaluation.config, evaluation.options
    is_text = task.template.text_completion
    if isinstance(config, BaselineConfig):
        resources = Resources(evaluation.scoring.refusal_message, normalizer)
        return BaselineGenerator(config.model, task.find, resources)
    if isinstance(config, PluginConfig):
        return config.load()
    if evaluation.files is not None:
        from ragifeval.generators.remote.batch import FileGenerator, question_id

        return FileGenerator(check_remote(config), evaluation.files, is_text, question_id)
    if options.command == "remote" and options.batch:
        from ragifeval.generators.remote.batch import BatchGenerator

        return BatchGenerator(
            check_remote(config),
            api_key(),
            is_text,
            lambda key, repeat: task.request(task.find(key)[0], repeat),
            options.log_path.with_name(
                options.log_path.name.removesuffix(".jsonl") + ".batch.json"
            ),
            say,
        )
    return load_any_generator(config, is_text)


def _summarize(
    evaluation: Evaluation, journal: Journal | None, outcome: Outcome, others: int
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
        outcome.estimates(evaluation.options.seed),
        evaluation.task.signature,
        evaluation.public_options,
        evaluation.price,
        model_config=evaluation.config.public_settings(),
    )
    write_json(summary_path(journal.path), content)


def _show_outcome(evaluation: Evaluation, outcome: Outcome) -> None:
    """Print the table, and on stderr what its reader should know."""
    options, config = evaluation.options, evaluation.config
    seed, wide, signature = options.seed, options.wide, evaluation.task.signature
    by_rule = outcome.estimates(seed)
    shown = table(outcome, by_rule, config.display_name, signature, seed, wide=wide)
    if options.by is not None:
        shown += "\n\n" + group_table(outcome, options.by, seed, wide=wide)
    show(shown)
    if took := sentence(outcome.performance.figures(evaluation.price)):
        say(took)
    lines = [f"no answer: {key}: {error}" for key, error in outcome.failed.items()]
    if len(lines) > _FAILURES_SHOWN:
        lines[_FAILURES_SHOWN:] = [f"... and {len(lines) - _FAILURES_SHOWN} more"]
    if outcome.failed:
        again = "with --log_path, the same command asks for them alone"
        if evaluation.files is not None:
            again = f"`ragifeval remote --log_path {options.log_path}` asks for them alone"
        lines.append(
            f"{len(outcome.failed)} of {len(outcome.samples)} samples have no answer and are no "
            f"part of the scores; {again}"
        )
    lines += doubts(outcome, f'set "reasoning_end": "{REASONING_END}" in the model config')
    for line in lines:
        say(line)


def _reasons(reasons: Mapping[str, str]) -> str:
    """How many samples are left out for each reason, and the first few of them."""
    by_reason: dict[str, list[str]] = {}
    for key, reason in reasons.items():
        by_reason.setdefault(reason, []).append(key)
    return "; ".join(
        f"{len(keys)} ({reason}): {', '.join(keys[:_NAMED])}{', ...' * (len(keys) > _NAMED)}"
        for reason, keys in by_reason.items()
    )
