"""From options to what is to be run: everything is checked before a model is loaded or asked."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragifeval import defaults
from ragifeval.benchmark.benchmark import Benchmark, Sample, load_benchmark
from ragifeval.errors import UserError
from ragifeval.generators.config import (
    BaselineConfig,
    LocalConfig,
    RemoteConfig,
    load_local_config,
    load_remote_config,
)
from ragifeval.run.models import with_served_model
from ragifeval.run.run import Task
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.conditions import check_refusal_message
from ragifeval.scoring.scorer import read_badwords
from ragifeval.scoring.signature import (
    PARTS,
    Signature,
    default_or_fingerprint,
    fingerprint,
    model_part,
    scoring_parts,
)
from ragifeval.text.normalizer import normalizer_name

Config = BaselineConfig | LocalConfig | RemoteConfig


@dataclass(frozen=True)
class Plan:
    """A run whose options, config and data are right.

    Attributes:
        model: the model's name, without the folders of this machine.
    """

    config: Config
    model: str
    task: Task
    signature: Signature


def make_plan(kind: Literal["local", "remote"], options: argparse.Namespace) -> Plan:
    """Read and check all that the options name.

    Raises:
        UserError: something is wrong with an option, the config, the data or the template.
    """
    check_refusal_message(options.refusal_message)
    for name in ("refusal_message", "system_message"):
        if not _is_text(getattr(options, name)):
            raise UserError(f"--{name}: is not UTF-8 text")
    config: Config
    if kind == "local":
        config = load_local_config(options.model_config)
    else:
        config = load_remote_config(options.model_config)
    benchmark = load_benchmark(options.docs_path, options.eval_path)
    samples = _selected(benchmark.samples, options)
    template = PromptTemplate(
        options.prompt, options.system_message, options.refusal_message, options.text_completion
    )
    badwords = read_badwords(options.badwords_path)
    if isinstance(config, RemoteConfig) and not options.dry_run:
        config = with_served_model(config)
    try:
        model, settings = config.display_name, config.scored_settings()
    except OSError as error:
        raise UserError(
            f"{options.model_config}: {error.filename} cannot be read: {error.strerror}"
        ) from None
    signature = _signature(options, model, settings, benchmark, template.source, badwords)
    task = Task(
        benchmark=benchmark,
        samples=samples,
        template=template,
        shuffle_seed=options.seed if options.shuffle_context else None,
        matching=options.matching,
        reasoning_end=config.reasoning_end,
        signature=str(signature),
    )
    # A template that cannot be rendered is found out now, not by the first question asked.
    task.request(samples[0])
    return Plan(config, model, task, signature)


def _is_text(argument: str) -> bool:
    """Whether it was UTF-8: what was not, Python hands on as halves of surrogate pairs."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _selected(samples: Sequence[Sample], options: argparse.Namespace) -> Sequence[Sample]:
    if options.ids is not None:
        wanted = {key.strip() for key in options.ids.split(",") if key.strip()}
        unknown = wanted - {sample.id for sample in samples}
        if unknown or not wanted:
            named = ", ".join(sorted(unknown)) or "none is named"
            raise UserError(f"--ids: no such sample in {options.eval_path}: {named}")
        samples = [sample for sample in samples if sample.id in wanted]
    return samples[: options.limit]


def _signature(
    options: argparse.Namespace,
    model: str,
    settings: Mapping[str, Any],
    benchmark: Benchmark,
    template: str,
    badwords: Sequence[str],
) -> Signature:
    asking = {
        "prompt": fingerprint(template),
        "shuffle": f"seed{options.seed}" if options.shuffle_context else "no",
        "system": default_or_fingerprint(options.system_message, defaults.SYSTEM_MESSAGE),
        "mode": "completion" if options.text_completion else "chat",
        "model": model_part(model, settings),
    }
    scoring = scoring_parts(
        benchmark.fingerprint(),
        normalizer_name(options.normalizer),
        badwords,
        options.matching,
        options.refusal_message,
    )
    return Signature({part: (asking | scoring)[part] for part in PARTS})
