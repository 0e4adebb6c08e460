"""The options of each command; what they need is imported once they are parsed.

Each command is a module of its own, with `run(options) -> exit code`.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ragifeval.build.languages import LANGUAGES
from ragifeval.cli.options import (
    add_batch_files,
    add_by,
    add_data,
    add_dry_run,
    add_evaluation,
    add_limit,
    add_matching,
    add_normalizer,
    add_price,
    add_prompt,
    add_scoring,
    add_seed,
    add_stored_variants,
    add_switch,
    at_least,
    between,
    positive,
)

# Some 5,000 tokens of Polish: with question, answer and reply, half of a window of 16,384.
_WINDOW = 16_000


FORMATS = ("table", "markdown", "csv", "json", "latex", "model-index")
"""Of a comparison."""


def _chunk_size(text: str) -> str:
    return text if text == "whole" else str(positive(text))


def _names(text: str) -> Sequence[str]:
    return [name.strip() for name in text.split(",")]


def _floor(text: str) -> tuple[str, float]:
    measure, _, percent = text.partition("=")
    try:
        value = float(percent)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(
            f"must be MEASURE=PERCENT, from 0 to 100, for example total=80, not {text!r}"
        )
    return measure, value


def add_build_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `build`."""
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
    add_batch_files(parser)
    add_switch(parser, "--review", "write OUT_DIR/review.csv and review.html, for a person")
    option(
        "--apply",
        type=Path,
        metavar="CSV",
        help="take the verdicts of a reviewed review.csv, and make the samples anew",
    )
    add_switch(parser, "--dry_run", "print the first prompts and the signature; call no model")


def add_compare_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `compare`."""
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
    option("--format", choices=FORMATS, default="table", help="of what is printed")
    option("-o", "--output", type=Path, metavar="FILE", help="write it there instead")
    add_matching(
        parser, None, "the rule of which the scores are taken, instead of the logs' headline"
    )
    option(
        "--measures",
        type=_names,
        default="correctness,safety,total",
        metavar="A,B",
        help="whose differences the tables show: these, or conditions, as include or refuse; csv "
        "and json have them all",
    )
    option("--top", type=at_least(0), default=5, metavar="N", help="so many questions that differ")
    add_seed(parser, "of bootstrap and permutation test")
    option("--draws", type=at_least(100), default=10_000, metavar="N", help="of each of the two")
    add_by(parser)
    add_price(parser, "without it the summary's; again for the next log", again=True)
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


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    option = parser.add_argument
    option("folder", type=Path, metavar="DIR", help="where to write it; made if it is not there")
    option(
        "--format",
        choices=("datasets",),
        default="datasets",
        help="datasets: a folder for the Hugging Face Hub, with a card",
    )
    add_data(parser)
    add_switch(parser, "--overwrite", "replace these files where DIR is not empty")


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `judge`."""
    parser.epilog = (
        "Exit codes: 0 every answer judged by every metric; 1 some are not, see the messages; "
        "2 something is wrong with the command, a config or a file; 130 interrupted."
    )
    option = parser.add_argument
    option(
        "logs",
        nargs="*",
        type=Path,
        metavar="LOG",
        help="a log; or JSONL or CSV with id (or question), answer, and perhaps reference, "
        "contexts, cite, retrieved",
    )
    option("--question", help="judge one answer instead: the question")
    option("--reference", help="its right answer")
    option("--answer", help="the answer to be judged")
    option("--context", action="append", metavar="TEXT", help="what it is based on; again for more")
    option(
        "--metrics",
        metavar="A,B",
        help="of correctness, faithfulness, claims, lexical, retrieval; without it all but the "
        "last, or lexical where no judge is named, or claims for one --question",
    )
    option("--model_config", type=Path, help="JSON file that says which model judges")
    option(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="write a judged log; started again with it, judging goes on where it ended; for "
        "several logs a folder",
    )
    add_switch(parser, "--overwrite", "start over what -o names")
    option("--threshold", type=between(1, 5), default=4.0, help="the correctness that passes")
    option("--window", type=positive, default=_WINDOW, help="characters of a context in one prompt")
    option("--k", type=positive, default=5, help="how many retrieved documents are looked at")
    option(
        "--language", choices=("pl", "en"), default="pl", help="of the prompts, and for BERTScore"
    )
    option("--prompts", type=Path, metavar="DIR", help="a folder of other prompts")
    option(
        "--structured",
        choices=("auto", "off"),
        default="auto",
        help="auto asks the service to hold the judge to a JSON schema, and goes without it where "
        "that is refused",
    )
    option(
        "--bertscore_model",
        metavar="NAME_OR_DIR",
        help="add BERTScore by this model to lexical; needs bert-score",
    )
    option(
        "--embedding_model",
        metavar="NAME_OR_DIR",
        help="add the cosine of embeddings by this model to lexical; needs sentence-transformers",
    )
    add_batch_files(parser)
    add_switch(parser, "--agreement", "how far the judge and the rules agree")
    add_data(parser)
    add_stored_variants(parser)
    add_limit(parser, "only the first N answers of each log")
    add_seed(parser, "of the intervals of --agreement")
    add_dry_run(parser)


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `report`."""
    option = parser.add_argument
    option("logs", type=Path, nargs="+", metavar="LOG", help="a log, one for each model")
    option("-o", "--output", type=Path, required=True, help="the page, HTML")
    add_data(parser)
    add_stored_variants(parser)
    add_prompt(parser, "shown with the prompt")
    add_scoring(parser)
    add_matching(
        parser, meaning="the rule of the headline and of the marks; the other stands beside it"
    )
    add_seed(parser, "of the intervals")
    option("--lang", choices=("pl", "en"), default="pl", help="language of the page")
    add_price(parser, "without it the summary's; again for the next log", again=True)


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `score`."""
    parser.epilog = (
        "Exit codes: 0 every sample has an answer, and every answer a sample; 1 not so, see the "
        "messages; 2 something is wrong with the command, a log or the data."
    )
    option = parser.add_argument
    option(
        "logs",
        nargs="*",
        type=Path,
        metavar="LOG",
        help="a log of this harness or of the published implementation; or answers of any system: "
        "JSONL or CSV with id (or question) and answer",
    )
    option(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="write a new log, and its summary beside it; for several logs a folder for new ones "
        "of the same names",
    )
    add_switch(parser, "--overwrite", "replace what -o names, never what is read")
    add_data(parser)
    add_stored_variants(parser)
    add_scoring(parser)
    add_matching(parser)
    option(
        "--reasoning_end",
        metavar="MARK",
        help='for logs made without it: what stands up to this mark, for example "</think>", is '
        "reasoning and not scored",
    )
    add_seed(parser, "of the intervals")
    add_by(parser)
    add_price(parser, "of the answers")
    add_batch_files(parser, "the requests that --batch_output answers, as `remote` wrote them")


def add_validate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `validate`."""
    add_data(parser)
    add_scoring(parser)
    parser.add_argument(
        "--contrast_path",
        type=Path,
        help="wrong answers with the scores they must get, JSONL; without --eval_path, those that "
        "come with the project's own samples",
    )

    parser.add_argument(
        "--answers",
        type=Path,
        help="labelled answers, JSONL with id, answer, label (right, wrong, incomplete, debatable) "
        "and kind; instead of the checks, print how far include and exclude agree with the labels",
    )
    add_matching(
        parser, meaning="the rule for phrases, with --answers; statements are judged in one way"
    )


ADD_OPTIONS: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {
    "local": partial(add_evaluation, kind="local"),
    "remote": partial(add_evaluation, kind="remote"),
    "build": add_build_options,
    "compare": add_compare_options,
    "export": add_export_options,
    "judge": add_judge_options,
    "report": add_report_options,
    "score": add_score_options,
    "validate": add_validate_options,
}
"""Command -> what adds its options."""
