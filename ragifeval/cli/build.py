"""python -m ragifeval build."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.building import build, read_chunks
from ragifeval.build.finish import finish, table, warnings
from ragifeval.build.folder import BuildFolder, read_json
from ragifeval.build.plan import CRITICS, STYLES, BuildPlan, Facts
from ragifeval.build.reading import find_files
from ragifeval.build.records import Corpus
from ragifeval.build.review.verdicts import apply_verdicts, write_review
from ragifeval.build.samples import SampleSettings
from ragifeval.build.stages import first_asks
from ragifeval.cli.arguments import add_build_options
from ragifeval.cli.batch import batch_files, say_written
from ragifeval.cli.settings import model_changes
from ragifeval.cli.terminal import EXIT_INTERRUPTED, say, show
from ragifeval.errors import UserError
from ragifeval.languages import LANGUAGES
from ragifeval.paths import BUILD_PROMPTS
from ragifeval.run.models import load_any_config
from ragifeval.run.template import PromptTemplate, Template, load_again
from ragifeval.scoring.signature import Signature
from ragifeval.tables import plural
from ragifeval.text.normalizer import normalizer_name

# The prompt that models get when they are evaluated on the samples.
_EVALUATION = "evaluation.jinja"
# What templates are tried with.
_SHOWN: Mapping[str, object] = {
    **dict.fromkeys(("context", "question", "answer", "audience"), "-"),
    "earlier": ["-"],
    "number": 1,
}
_FINISHING = {"command", "typed", "documents", "output", "review", "apply"}


def run(options: argparse.Namespace) -> int:
    """Build; print what came of each stage; 1 where something is missing."""
    folder = BuildFolder(options.output)
    if options.documents:
        return _build(folder, options)
    _check_finishing(options)
    if not folder.candidates.is_file():
        raise UserError(
            f"-o: {folder.path} holds no finished build; build DOCS --model_config … first"
        )
    with folder.held():
        return _finish(folder, options)


def _check_finishing(options: argparse.Namespace) -> None:
    """Without documents, a build that is there is finished; options of its stages say nothing."""
    if options.apply is None and not options.review:
        raise UserError("DOCS: name files or folders; or --review, or --apply CSV, with -o OUT_DIR")
    parser = argparse.ArgumentParser()
    add_build_options(parser)
    for name, value in vars(options).items():
        if name not in _FINISHING and value != parser.get_default(name):
            raise UserError(f"--{name}: is for building from documents, and none are named")


def _build(folder: BuildFolder, options: argparse.Namespace) -> int:
    if options.apply is not None:
        raise UserError("--apply: is for a finished build: name no documents, but -o OUT_DIR")
    plan = _make_plan(options, model_changes(options))
    configs = [path for path in (options.model_config, options.judge_config) if path is not None]
    found = find_files(options.documents, options.glob, [options.output, *configs])
    if options.dry_run:
        return _print_prompts(plan, read_chunks(plan, found, None))
    if (files := batch_files(options)) is not None:
        plan = replace(plan, files=files)
    with folder.held():
        if not options.overwrite:
            _check_model(folder, plan)
        models = build(folder, plan, found, options.overwrite)
        for line in models.notes():
            say(line)
        say_written(plan.files)
        if models.interrupted:
            return EXIT_INTERRUPTED
        return _finish(folder, options)


def _check_model(folder: BuildFolder, plan: BuildPlan) -> None:
    """Refuse to replace what another model built; other critics and options go on from there."""
    if folder.facts.is_file():
        facts = read_json(folder.facts, Facts)
        before = Signature.parse(facts.signature).parts
        if before["model"] != plan.signature.parts["model"]:
            raise UserError(
                f"-o: {folder.path} was built by {facts.models['generator']}, or with other "
                "settings of it; name another folder, or --overwrite it"
            )


def _make_plan(options: argparse.Namespace, changes: Mapping[str, Any]) -> BuildPlan:
    """Read and check all that the options name, before a document is read or a model asked.

    Args:
        changes: keys over those of the config of the model that asks.
    """
    size = None if options.chunk_size == "whole" else int(options.chunk_size)
    if size is not None and options.chunk_overlap >= size:
        raise UserError(
            f"--chunk_overlap: {options.chunk_overlap} is not less than --chunk_size, {size}"
        )
    language = LANGUAGES[options.language]
    folder = (options.prompts or BUILD_PROMPTS / options.language).resolve()
    names = [*STYLES[options.style], *CRITICS[options.critics], "phrases"]
    most = 5 if options.critics == "separate" else 4
    if options.min_rating > most:
        raise UserError(
            f"--min_rating: {options.min_rating:g} is more than the {most:g} that "
            f"--critics {options.critics} can give"
        )
    if options.audience is not None and options.critics != "separate":
        raise UserError("--audience: is for the critic of relevance, of --critics separate")
    templates = {name: Template(folder / f"{name}.jinja") for name in names}
    for template in templates.values():
        # A template that cannot be rendered is found out now, not by its first prompt.
        if not template.render(_SHOWN).messages:
            raise UserError(f"{template.path}: makes an empty prompt")
    normalizer = options.normalizer or language.normalizer
    normalizer_name(normalizer)
    config = critic = None
    if options.model_config is not None or changes:
        config = load_any_config(options.model_config, changes, options.dry_run)
    elif not options.dry_run:
        raise UserError("--model_config: is missing; it, or --model, says which model asks")
    if options.judge_config is not None:
        critic = load_any_config(options.judge_config, dry_run=options.dry_run)
    return BuildPlan(
        config=config,
        critic=critic,
        language=options.language,
        audience=options.audience or language.audience,
        style=options.style,
        criticism=options.critics,
        templates=templates,
        again=load_again(folder),
        evaluation=_evaluation(folder, options.language),
        chunk_size=size,
        chunk_overlap=0 if size is None else options.chunk_overlap,
        questions=options.questions_per_chunk,
        least_rating=options.min_rating,
        normalizer=normalizer,
        samples=SampleSettings(
            distractors=options.distractors,
            refusals=options.refusals,
            seed=options.seed,
            refusal_message=language.refusal_message,
            kind=options.style,
        ),
        limit=options.limit,
    )


def _evaluation(folder: Path, name: str) -> PromptTemplate:
    """The template in a folder of the user's own, or else the one of the language."""
    own = folder / _EVALUATION
    path = own if own.exists() else BUILD_PROMPTS / name / _EVALUATION
    language = LANGUAGES[name]
    template = PromptTemplate(path, language.system_message, language.refusal_message)
    document = Document("-", "-")
    template.render(Sample("-", "-", ("-",), {}), [document])
    return template


def _print_prompts(plan: BuildPlan, corpus: Corpus) -> int:
    """The prompts of the first stage; those of the others depend on replies."""
    for ask in first_asks(plan, corpus.chosen):
        print(f"=== {ask.id}\n{ask.prompt}\n")
    for file, reason in corpus.unread.items():
        say(f"not read: {file}: {reason}")
    print(
        f"{plural(corpus.read, 'file')}, {plural(len(corpus.chunks), 'chunk')}, "
        f"{plural(len(corpus.duplicates), 'duplicate')} left out"
    )
    print(plan.signature)
    return 0


def _finish(folder: BuildFolder, options: argparse.Namespace) -> int:
    """Make the benchmark of what the stages left, after a reviewer's verdicts if there are any."""
    if options.apply is not None:
        if not options.apply.exists():
            raise UserError(
                f"--apply: there is no {options.apply}; --review writes {folder.review_table}"
            )
        counts = apply_verdicts(folder, options.apply)
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        say(f"{options.apply}: {told}")
    result = finish(folder)
    if options.review:
        for line in write_review(folder, result.review, result.facts.language):
            say(line)
    show(table(result, options.output))
    for line in warnings(result):
        say(line)
    return 0 if result.is_complete else 1
