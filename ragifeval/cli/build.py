"""python -m ragifeval build."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragifeval.build.languages import LANGUAGES
from ragifeval.cli.options import (
    add_limit,
    add_normalizer,
    add_seed,
    add_switch,
    at_least,
    between,
    positive,
)
from ragifeval.cli.terminal import EXIT_INTERRUPTED, say, show
from ragifeval.errors import UserError

if TYPE_CHECKING:
    from ragifeval.build.folder import BuildFolder
    from ragifeval.build.plan import BuildPlan
    from ragifeval.build.records import Corpus

_FINISHING = {"command", "documents", "output", "review", "apply"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog = (
        "Exit codes: 0 built; 1 no samples came of it, a file could not be read, or a prompt got "
        "no reply: the same command asks for what is missing; 2 something is wrong with the "
        "command, a config or a file; 130 interrupted."
    )
    option = parser.add_argument
    option(
        "documents",
        nargs="*",
        metavar="DOCS",
        help="files, folders and patterns: PDF, DOCX, HTML, Markdown, text, CSV, JSONL",
    )
    option("--glob", metavar="PATTERN", help='which files of folders are meant, as "**/*.pdf"')
    option("--model_config", type=Path, help="JSON file that says which model asks the questions")
    option(
        "--judge_config",
        type=Path,
        help="JSON file that says which model criticises them; without it the one that asks, which "
        "may favour its own work",
    )
    option("-o", "--output", type=Path, metavar="OUT_DIR", required=True, help="a new folder")
    add_switch(parser, "--overwrite", "start over the build in OUT_DIR")
    option(
        "--language", choices=tuple(LANGUAGES), default="pl", help="of the documents and prompts"
    )
    option("--prompts", type=Path, metavar="DIR", help="a folder of other prompts")
    option(
        "--chunk_size",
        type=_chunk_size,
        default="2000",
        metavar="N",
        help='characters of a chunk, or "whole" for whole documents',
    )
    option(
        "--chunk_overlap",
        type=at_least(0),
        default=200,
        metavar="N",
        help="characters that a chunk may repeat of the one before it",
    )
    option(
        "--questions_per_chunk",
        type=positive,
        default=1,
        metavar="N",
        help="how many questions are asked about each chunk",
    )
    option(
        "--style",
        choices=("factoid", "exam"),
        default="factoid",
        help="factoid: a question with its answer at a time; exam: all questions, then each answer",
    )
    option(
        "--critics",
        choices=("separate", "additive"),
        default="separate",
        help="separate: groundedness, relevance, stand-alone, 1 to 5 each; additive: a point each "
        "for groundedness, stand-alone, faithfulness, answer relevance",
    )
    option(
        "--min_rating",
        type=between(0, 5),
        default=4.0,
        metavar="R",
        help="what every critic must give a question",
    )
    option("--audience", help="for whom questions must be useful, in the documents' language")
    option(
        "--distractors",
        type=at_least(0),
        default=4,
        metavar="N",
        help="how many other chunks stand in a question's context",
    )
    option(
        "--refusals",
        type=between(0, 1),
        default=0.25,
        metavar="P",
        help="share of the questions, from 0 to 1, whose context does not hold the answer",
    )
    add_normalizer(
        parser, "instead of the lemma table for Polish, and of lowercase for other languages"
    )
    add_limit(parser, "ask about N chunks only, drawn by --seed")
    add_seed(parser, "of all that is drawn")
    add_switch(parser, "--review", "write OUT_DIR/review.csv and review.html, for a person")
    option(
        "--apply",
        type=Path,
        metavar="CSV",
        help="take the verdicts of a reviewed review.csv, and make the samples anew",
    )
    add_switch(parser, "--dry_run", "print the first prompts and the signature; call no model")


def _chunk_size(text: str) -> str:
    return text if text == "whole" else str(positive(text))


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
    add_options(parser)
    for name, value in vars(options).items():
        if name not in _FINISHING and value != parser.get_default(name):
            raise UserError(f"--{name}: is for building from documents, and none are named")


def _build(folder: "BuildFolder", options: argparse.Namespace) -> int:
    from ragifeval.build.building import build, read_chunks
    from ragifeval.build.plan import make_build_plan
    from ragifeval.build.reading import find_files

    if options.apply is not None:
        raise UserError("--apply: is for a finished build: name no documents, but -o OUT_DIR")
    plan = make_build_plan(options)
    configs = [path for path in (options.model_config, options.judge_config) if path is not None]
    found = find_files(options.documents, options.glob, [options.output, *configs])
    if options.dry_run:
        return _print_prompts(plan, read_chunks(plan, found, None))
    with folder.held():
        models = build(folder, plan, found, options.overwrite)
        for line in models.notes():
            say(line)
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
