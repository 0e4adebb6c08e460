"""python -m ragifeval build."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ragifeval.cli.arguments import add_build_options
from ragifeval.cli.batch import batch_files, say_written
from ragifeval.cli.terminal import EXIT_INTERRUPTED, say, show
from ragifeval.errors import UserError

if TYPE_CHECKING:
    from ragifeval.build.folder import BuildFolder
    from ragifeval.build.plan import BuildPlan
    from ragifeval.build.records import Corpus

_FINISHING = {"command", "documents", "output", "review", "apply"}


def run(options: argparse.Namespace) -> int:
    """Build; print what came of each stage; 1 where something is missing."""
    from ragifeval.build.folder import BuildFolder

    folder = BuildFolder(options.output)
    if options.documents:
        return _build(folder, options)
    _check_finishing(options)
    folder.check_built()
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


def _build(folder: "BuildFolder", options: argparse.Namespace) -> int:
    from ragifeval.build.building import build, read_chunks
    from ragifeval.build.plan import make_build_plan
    from ragifeval.build.reading import find_files
    from ragifeval.cli.settings import model_changes

    if options.apply is not None:
        raise UserError("--apply: is for a finished build: name no documents, but -o OUT_DIR")
    plan = make_build_plan(options, model_changes(options))
    configs = [path for path in (options.model_config, options.judge_config) if path is not None]
    found = find_files(options.documents, options.glob, [options.output, *configs])
    if options.dry_run:
        return _print_prompts(plan, read_chunks(plan, found, None))
    if (files := batch_files(options)) is not None:
        plan = replace(plan, files=files)
    with folder.held():
        models = build(folder, plan, found, options.overwrite)
        for line in models.notes():
            say(line)
        say_written(plan.files)
        if models.interrupted:
            return EXIT_INTERRUPTED
        return _finish(folder, options)


def _print_prompts(plan: "BuildPlan", corpus: "Corpus") -> int:
    """The prompts of the first stage; those of the others depend on replies."""
    from ragifeval.build.stages import first_asks

    for ask in first_asks(plan, corpus.chosen):
        print(f"=== {ask.id}\n{ask.prompt}\n")
    for file, reason in corpus.unread.items():
        say(f"not read: {file}: {reason}")
    print(
        f"{corpus.read} files, {len(corpus.chunks)} chunks, "
        f"{len(corpus.duplicates)} duplicates left out"
    )
    print(plan.signature)
    return 0


def _finish(folder: "BuildFolder", options: argparse.Namespace) -> int:
    """Make the benchmark of what the stages left, after a reviewer's verdicts if there are any."""
    from ragifeval.build.finish import finish, table, warnings
    from ragifeval.build.review.verdicts import apply_verdicts, write_review

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
