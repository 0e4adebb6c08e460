"""The options of each command, with what it reads and writes, and an example.

What the commands need is imported once the options are parsed. Each command is a module of its own,
with `run(options) -> exit code`.
"""

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ragifeval.cli.options import (
    Kind,
    add_batch_files,
    add_by,
    add_data,
    add_dry_run,
    add_limit,
    add_matching,
    add_model,
    add_normalizer,
    add_output,
    add_price,
    add_prompt,
    add_prompts,
    add_scoring,
    add_seed,
    add_stored_variants,
    add_switch,
    add_variants,
    add_wide,
    at_least,
    between,
    positive,
)
from ragifeval.languages import LANGUAGES
from ragifeval.tables import WIDTH

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
    if not 0 <= value <= 100 or 0 < value < 1:
        meant = f"; per cent is meant: {measure}={value * 100:g}?" if 0 < value < 1 else ""
        raise argparse.ArgumentTypeError(
            f"must be MEASURE=PERCENT, from 0 to 100, for example total=80, not {text!r}{meant}"
        )
    return measure, value


def _describe(
    parser: argparse.ArgumentParser, *, reads: str, writes: str, example: str, codes: str
) -> None:
    """Say at the end of --help what a command reads and writes, an example, and its exit codes."""
    told = {"reads:    ": reads, "writes:   ": writes, "example:  ": example}
    parts = [_wrapped(head, text) for head, text in told.items()]
    parser.epilog = "\n".join([*parts, "", _wrapped("exit codes: ", codes)])


def _wrapped(head: str, text: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )


_WRONG = "2 something is wrong with the command or a file"


def add_evaluation_options(parser: argparse.ArgumentParser, kind: Kind) -> None:
    """Add the options of `local` or `remote`."""
    config = {
        "local": ("config/baseline.json", "local --model ORGANISATION/MODEL"),
        "remote": ("config/remote.json", "remote --model_args threads=16"),
    }[kind]
    _describe(
        parser,
        reads="the data, the prompt, the config"
        + (", API_KEY or OPENAI_API_KEY, OPENAI_BASE_URL" if kind == "remote" else ""),
        writes="the table; with --log_path LOG.jsonl and LOG.summary.json",
        example=f"ragifeval {config[1]} --log_path run.jsonl",
        codes=f"0 every sample answered, 1 some have no answer, {_WRONG}, 130 interrupted",
    )
    option = parser.add_argument
    add_model(parser, f"JSON file that says which model to ask (default: {config[0]})")
    option(
        "--log_path",
        type=Path,
        metavar="LOG",
        help="JSONL log of answers and scores; started again with it, a run goes on where it ended",
    )
    add_switch(parser, "--overwrite", "start the log over")
    add_data(parser)
    add_limit(parser, "only the first N samples")
    option("--ids", metavar="A,B", help="only the samples with these ids")
    add_variants(
        parser,
        "core",
        "the questions as they are (core), to be refused (twin), among N documents (noise:N), "
        "with the documents in other orders (order:SEED), with other facts (changed:SEED); "
        "combined as in changed:3+noise:16",
    )
    option(
        "--repeats",
        type=positive,
        default=1,
        metavar="K",
        help="ask each question K times; the model config needs a temperature above 0",
    )
    add_switch(parser, "--log_prompts", "keep the prompts in the log, as they were sent")
    add_by(parser)
    add_price(parser, "without it the model config's")
    if kind == "remote":
        add_batch_files(parser)
        add_switch(parser, "--batch", "ask through the service's /files and /batches, and wait")
    add_switch(parser, "--shuffle_context", "show the documents of each question in random order")
    add_prompt(parser, "empty for none")
    add_switch(parser, "--text_completion", "ask for the completion of a text, not for a chat")
    add_scoring(
        parser,
        refusal_message="what an answer must contain to be a refusal; the prompt tells the model",
    )
    add_matching(parser)
    add_seed(parser, "of shuffling and of the intervals")
    add_dry_run(parser)
    add_wide(parser)


def add_build_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `build`."""
    _describe(
        parser,
        reads="PDF, DOCX, HTML, Markdown, text, CSV and JSONL files; the prompts; API_KEY",
        writes="OUT_DIR: documents.jsonl, samples.jsonl, prompt.jinja, README.md, rejected.jsonl",
        example="ragifeval build docs/ --model_config model.json -o library",
        codes="0 built; 1 no samples came of it, a file could not be read, or a prompt got no "
        f"reply: the same command asks for what is missing; {_WRONG}; 130 interrupted",
    )
    option = parser.add_argument
    option(
        "documents",
        nargs="*",
        metavar="DOCS",
        help="files, folders and patterns: PDF, DOCX, HTML, Markdown, text, CSV, JSONL",
    )
    option("--glob", metavar="PATTERN", help='which files of folders are meant, as "**/*.pdf"')
    add_model(parser, "JSON file that says which model asks the questions")
    option(
        "--judge_config",
        type=Path,
        help="JSON file that says which model criticises them; without it the one that asks, which "
        "may favour its own work",
    )
    add_output(parser, "OUT_DIR", "a new folder", required=True)
    add_switch(parser, "--overwrite", "start over the build in OUT_DIR")
    add_prompts(parser, tuple(LANGUAGES), "of the documents and prompts")
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
    _describe(
        parser,
        reads="logs with scores",
        writes="tables; with -o a file",
        example="ragifeval compare base.jsonl new.jsonl --fail_under total=80",
        codes="0; 1 where --fail_under or --fail_if_worse says so; 2 something is wrong with the "
        "command or a log, or the logs may not be compared",
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
    add_output(parser, "FILE", "write it there instead")
    option(
        "--variant",
        default="core",
        metavar="NAME",
        help="the variant whose answers are compared, or all: a row for each variant and model",
    )
    add_matching(parser, "the rule of which the scores are taken, instead of the logs' headline")
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
    add_wide(parser, "every condition with its interval, both tests, and the signature's parts")
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
    _describe(
        parser,
        reads="the data",
        writes="DIR: a card, README.md, with samples and documents; without --data, core and hard",
        example="ragifeval export urzad --variants twin,changed:1",
        codes=f"0; {_WRONG}",
    )
    option = parser.add_argument
    option("folder", type=Path, metavar="DIR", help="where to write it; made if it is not there")
    option(
        "--format",
        choices=("datasets", "results"),
        default="datasets",
        help="datasets: a folder for the Hugging Face Hub, with a card; results: of --logs, the "
        "report, its data, a badge, and what the Hub and Every Eval Ever read",
    )
    option("--logs", nargs="+", type=Path, default=[], metavar="LOG", help="for results")
    option("--dataset", metavar="OWNER/NAME", help="the benchmark on the Hub, for its results")
    add_data(parser)
    add_variants(parser, None, "of these data, as one more split (docs/variants.md)")
    add_switch(parser, "--overwrite", "replace these files where DIR is not empty")


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `judge`."""
    _describe(
        parser,
        reads="logs, or answers of any system; the data of the run; the prompts; API_KEY",
        writes="tables; with -o OUT.jsonl, OUT.summary.json and the judge's replies",
        example="ragifeval judge run.jsonl --model_config judge.json -o judged.jsonl",
        codes=f"0 every answer judged by every metric; 1 some are not; {_WRONG}; 130 interrupted",
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
    add_model(parser, "JSON file that says which model judges")
    add_output(
        parser,
        "OUT",
        "write a judged log; started again with it, judging goes on where it ended; for several "
        "logs a folder",
    )
    add_switch(parser, "--overwrite", "start over what -o names")
    option("--threshold", type=between(1, 5), default=4.0, help="the correctness that passes")
    option("--window", type=positive, default=_WINDOW, help="characters of a context in one prompt")
    option("--k", type=positive, default=5, help="how many retrieved documents are looked at")
    add_prompts(parser, ("pl", "en"), "of the prompts, and for BERTScore")
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
    _describe(
        parser,
        reads="logs; data, prompt and rules as in the summary beside the first of them",
        writes="one HTML page",
        example="ragifeval report run.jsonl -o report.html --lang en",
        codes=f"0; {_WRONG}",
    )
    option = parser.add_argument
    option("logs", type=Path, nargs="+", metavar="LOG", help="a log, one for each model")
    add_output(parser, "FILE", "the page, HTML", required=True)
    add_data(parser)
    add_stored_variants(parser)
    add_prompt(parser, "shown with the prompt")
    add_scoring(parser)
    add_matching(parser, "the rule of the headline and of the marks; the other stands beside it")
    add_seed(parser, "of the intervals")
    option("--lang", choices=("pl", "en"), default="pl", help="language of the page")
    add_price(parser, "without it the summary's; again for the next log", again=True)


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `score`."""
    _describe(
        parser,
        reads="logs, or answers of any system; data and rules as in the summary beside each log",
        writes="tables; with -o a new log and its summary",
        example="ragifeval score run.jsonl --matching words -o again.jsonl",
        codes=f"0 every sample has an answer, and every answer a sample; 1 not so; {_WRONG}",
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
    add_output(
        parser,
        "OUT",
        "write a new log, and its summary beside it; for several logs a folder for new ones of the "
        "same names",
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
    add_price(parser, "without it the summary's")
    add_batch_files(parser, "the requests that --batch_output answers, as `remote` wrote them")
    add_wide(parser)


def add_validate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `validate`."""
    _describe(
        parser,
        reads="the data",
        writes="what is wrong, and what answers without understanding get",
        example="ragifeval validate --data library",
        codes=f"0; 1 something is wrong with the data; {_WRONG}",
    )
    add_data(parser)
    add_scoring(parser)
    parser.add_argument(
        "--contrast_path",
        type=Path,
        help="wrong answers with the scores they must get, JSONL; without --eval_path, those that "
        "come with the project's own samples",
    )

    add_switch(
        parser,
        "--twins",
        "instead of the checks, list the twins (docs/variants.md) that a person should look at",
    )
    add_switch(
        parser,
        "--listing",
        "instead of the checks, list what statements meet in the documents, values that could be "
        "said instead, and wrong answers made of the gold answers that get full marks",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        help="labelled answers, JSONL with id, answer, label (right, wrong, incomplete, debatable) "
        "and kind; instead of the checks, print how far include and exclude agree with the labels",
    )
    add_matching(parser, "the rule for phrases, with --answers; statements are judged in one way")


ADD_OPTIONS: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {
    "local": partial(add_evaluation_options, kind="local"),
    "remote": partial(add_evaluation_options, kind="remote"),
    "build": add_build_options,
    "compare": add_compare_options,
    "export": add_export_options,
    "judge": add_judge_options,
    "report": add_report_options,
    "score": add_score_options,
    "validate": add_validate_options,
}
"""Command -> what adds its options."""
