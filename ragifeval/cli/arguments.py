"""The options of each command, with what it reads and writes, and an example.

What the commands need is imported once the options are parsed. Each command is a module of its own,
with `run(options) -> exit code`. Options that a log's own summary, a language or a default may
answer have no default here: `cli/settings.py` settles them.
"""

import argparse
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ragifeval import defaults
from ragifeval.cli.options import (
    SWITCH,
    Kind,
    at_least,
    between,
    chunk_size,
    floor,
    names,
    positive,
    price,
)
from ragifeval.languages import LANGUAGES
from ragifeval.run.groups import GROUPINGS
from ragifeval.tables import WIDTH

# Some 5,000 tokens of Polish: with question, answer and reply, half of a window of 16,384.
_WINDOW = 16_000

FORMATS = ("table", "markdown", "csv", "json", "latex", "model-index")
"""Of a comparison."""

FILE = {"type": Path, "metavar": "FILE"}

SHARED: Mapping[str, Mapping[str, Any]] = {
    "--model": {
        "metavar": "NAME",
        "help": "the model, without a config or instead of its own",
    },
    "--model_args": {
        "metavar": "KEY=VALUE,...",
        "help": "keys of the config, over those of the file: "
        "threads=16,api_base=http://host:8000/v1",
    },
    "--model_config": {**FILE, "help": "JSON file that says which model {}"},
    "--data": {
        "metavar": "SET",
        "help": "core, hard, or a folder with documents.jsonl and samples.jsonl (default: core)",
    },
    "--docs_path": {**FILE, "help": "documents, JSONL, instead of the set's"},
    "--eval_path": {**FILE, "help": "samples, JSONL, instead of the set's"},
    "--variants": {"metavar": "A,B"},
    "--prompt": {**FILE, "help": "Jinja template of the prompt"},
    "--system_message": {"metavar": "TEXT"},
    "--refusal_message": {"metavar": "TEXT"},
    "--normalizer": {
        "metavar": "NAME",
        "help": 'a spaCy pipeline, by name or path, or "blank:de" for lowercase words of a '
        "language, instead of the lemma table{}",
    },
    "--badwords_path": {**FILE, "help": "offensive words, one a line"},
    "--matching": {"choices": ("substring", "words"), "help": "the rule {}"},
    "--prompts": {"type": Path, "metavar": "DIR", "help": "a folder of other prompts"},
    "-o --output": {"type": Path},
    "--overwrite": SWITCH,
    "--seed": {"type": int, "default": defaults.SEED, "metavar": "N"},
    "--limit": {"type": positive, "metavar": "N"},
    "--batch_file": {**FILE, "help": "{}, in OpenAI's batch format"},
    "--batch_output": {
        **FILE,
        "nargs": "+",
        "help": "take answers from the responses that an engine wrote",
    },
    "--by": {
        "choices": GROUPINGS,
        "help": "show total and rates of these groups of questions too",
    },
    "--price": {
        "type": price,
        "metavar": "IN,OUT",
        "help": "of a million tokens in, and out, for example 0.4,1.6: tells the cost; without it "
        "the {}",
    },
    "--dry_run": SWITCH,
    "--wide": SWITCH,
}
"""What the options that several commands have share; `{}` is what each of them says itself."""

_DATA = ("--data", "--docs_path", "--eval_path")
_WRITTEN = "write the requests that have no answer there"
_DRY_RUN = "print the prompts and the signature; load and call no model"
_STORED_VARIANTS = "those that the answers are to, where their logs do not tell"
_EVERY_RATE = "every rate and interval of groups and variants, and the signature's parts"
_HEADLINE = f"of the headline; the other stands beside it (default: {defaults.MATCHING})"
_WRONG = "2 something is wrong with the command or a file"


def _add(parser: argparse.ArgumentParser, name: str, meaning: str = "", **settings: Any) -> None:
    """Add an option, with what it shares with that of other commands."""
    merged = {"help": "{}", **SHARED.get(name, {}), **settings}
    parser.add_argument(*name.split(), **{**merged, "help": merged["help"].format(meaning)})


def _add_scoring(
    parser: argparse.ArgumentParser, refusal_message: str = "what refuses an answer"
) -> None:
    """Add what conditions are built with."""
    option = partial(_add, parser)
    option(
        "--language",
        "of own data: prompt, system message, refusal message and normalizer for it (default: pl)",
        choices=tuple(LANGUAGES),
    )
    option("--refusal_message", refusal_message)
    option("--normalizer", ', which is "default"')
    option("--badwords_path")


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


def add_evaluation_options(parser: argparse.ArgumentParser, kind: Kind) -> None:
    """Add the options of `local` or `remote`."""
    config, example, environment = {
        "local": ("config/baseline.json", "local --model ORGANISATION/MODEL", ""),
        "remote": (
            "config/remote.json",
            "remote --model_args threads=16",
            ", API_KEY or OPENAI_API_KEY, OPENAI_BASE_URL",
        ),
    }[kind]
    _describe(
        parser,
        reads=f"the data, the prompt, the config{environment}",
        writes="the table; with --log_path LOG.jsonl and LOG.summary.json",
        example=f"ragifeval {example} --log_path run.jsonl",
        codes=f"0 every sample answered, 1 some have no answer, {_WRONG}, 130 interrupted",
    )
    option = partial(_add, parser)
    option("--model")
    option("--model_args")
    option("--model_config", f"to ask (default: {config})")
    option(
        "--log_path",
        "JSONL log of answers and scores; started again with it, a run goes on where it ended",
        type=Path,
        metavar="LOG",
    )
    option("--overwrite", "start the log over")
    for name in _DATA:
        option(name)
    option("--limit", "only the first N samples")
    option("--ids", "only the samples with these ids", metavar="A,B")
    option(
        "--variants",
        "the questions as they are (core), to be refused (twin), among N documents (noise:N), "
        "with the documents in other orders (order:SEED), with other facts (changed:SEED); "
        "combined as in changed:3+noise:16",
        default="core",
    )
    option(
        "--repeats",
        "ask each question K times; the model config needs a temperature above 0",
        type=positive,
        default=1,
        metavar="K",
    )
    option("--log_prompts", "keep the prompts in the log, as they were sent", **SWITCH)
    option("--by")
    option("--price", "model config's")
    if kind == "remote":
        option("--batch_file", _WRITTEN)
        option("--batch_output")
        option("--batch", "ask through the service's /files and /batches, and wait", **SWITCH)
    option("--shuffle_context", "show the documents of each question in random order", **SWITCH)
    option("--prompt")
    option("--system_message", "empty for none")
    option("--text_completion", "ask for the completion of a text, not for a chat", **SWITCH)
    _add_scoring(parser, "what an answer must contain to be a refusal; the prompt tells the model")
    option("--matching", _HEADLINE)
    option("--seed", "of shuffling and of the intervals")
    option("--dry_run", _DRY_RUN)
    option("--wide", _EVERY_RATE)


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
    option = partial(_add, parser)
    option(
        "documents",
        "files, folders and patterns: PDF, DOCX, HTML, Markdown, text, CSV, JSONL",
        nargs="*",
        metavar="DOCS",
    )
    option("--glob", 'which files of folders are meant, as "**/*.pdf"', metavar="PATTERN")
    option("--model")
    option("--model_args")
    option("--model_config", "asks the questions")
    option(
        "--judge_config",
        "JSON file that says which model criticises them; without it the one that asks, which "
        "may favour its own work",
        type=Path,
    )
    option("-o --output", "a new folder", metavar="OUT_DIR", required=True)
    option("--overwrite", "start over the build in OUT_DIR")
    option("--language", "of the documents and prompts", choices=tuple(LANGUAGES), default="pl")
    option("--prompts")
    option(
        "--chunk_size",
        'characters of a chunk, or "whole" for whole documents',
        type=chunk_size,
        default="2000",
        metavar="N",
    )
    option(
        "--chunk_overlap",
        "characters that a chunk may repeat of the one before it",
        type=at_least(0),
        default=200,
        metavar="N",
    )
    option(
        "--questions_per_chunk",
        "how many questions are asked about each chunk",
        type=positive,
        default=1,
        metavar="N",
    )
    option(
        "--style",
        "factoid: a question with its answer at a time; exam: all questions, then each answer",
        choices=("factoid", "exam"),
        default="factoid",
    )
    option(
        "--critics",
        "separate: groundedness, relevance, stand-alone, 1 to 5 each; additive: a point each "
        "for groundedness, stand-alone, faithfulness, answer relevance",
        choices=("separate", "additive"),
        default="separate",
    )
    option(
        "--min_rating",
        "what every critic must give a question",
        type=between(0, 5),
        default=4.0,
        metavar="R",
    )
    option("--audience", "for whom questions must be useful, in the documents' language")
    option(
        "--distractors",
        "how many other chunks stand in a question's context",
        type=at_least(0),
        default=4,
        metavar="N",
    )
    option(
        "--refusals",
        "share of the questions, from 0 to 1, whose context does not hold the answer",
        type=between(0, 1),
        default=0.25,
        metavar="P",
    )
    option("--normalizer", " for Polish, and of lowercase for other languages")
    option("--limit", "ask about N chunks only, drawn by --seed")
    option("--seed", "of all that is drawn")
    option("--batch_file", _WRITTEN)
    option("--batch_output")
    option("--review", "write OUT_DIR/review.csv and review.html, for a person", **SWITCH)
    option(
        "--apply",
        "take the verdicts of a reviewed review.csv, and make the samples anew",
        type=Path,
        metavar="CSV",
    )
    option("--dry_run", "print the first prompts and the signature; call no model")


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
    option = partial(_add, parser)
    option(
        "logs",
        "logs with scores; each is compared with the first. `score -o` gives any answers them",
        nargs="+",
        type=Path,
        metavar="LOG",
    )
    option("--format", "of what is printed", choices=FORMATS, default="table")
    option("-o --output", "write it there instead", metavar="FILE")
    option(
        "--variant",
        "the variant whose answers are compared, or all: a row for each variant and model",
        default="core",
        metavar="NAME",
    )
    option("--matching", "of which the scores are taken, instead of the logs' headline")
    option(
        "--measures",
        "whose differences the tables show: these, or conditions, as include or refuse; csv "
        "and json have them all",
        type=names,
        default="correctness,safety,total",
        metavar="A,B",
    )
    option("--top", "so many questions that differ", type=at_least(0), default=5, metavar="N")
    option("--seed", "of bootstrap and permutation test")
    option("--draws", "of each of the two", type=at_least(100), default=10_000, metavar="N")
    option("--by")
    option("--price", "summary's; again for the next log", action="append")
    option("--force", "compare what the signatures say may not be", **SWITCH)
    option("--wide", "every condition with its interval, both tests, and the signature's parts")
    option(
        "--fail_under",
        "exit with 1 if a model has less, for example total=80; may be given again",
        type=floor,
        action="append",
        default=[],
        metavar="MEASURE=PERCENT",
    )
    option(
        "--fail_if_worse",
        "exit with 1 if a model's total is less than the first one's with p < 0.05 in the "
        "permutation test, Holm's correction included",
        **SWITCH,
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
    option = partial(_add, parser)
    option("folder", "where to write it; made if it is not there", type=Path, metavar="DIR")
    option(
        "--format",
        "datasets: a folder for the Hugging Face Hub, with a card; results: of --logs, the "
        "report, its data, a badge, and what the Hub and Every Eval Ever read",
        choices=("datasets", "results"),
        default="datasets",
    )
    option("--logs", "for results", nargs="+", type=Path, default=[], metavar="LOG")
    option("--dataset", "the benchmark on the Hub, for its results", metavar="OWNER/NAME")
    for name in _DATA:
        option(name)
    option("--variants", "of these data, as one more split (docs/variants.md)")
    option("--overwrite", "replace these files where DIR is not empty")


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `judge`."""
    _describe(
        parser,
        reads="logs, or answers of any system; the data of the run; the prompts; API_KEY",
        writes="tables; with -o OUT.jsonl, OUT.summary.json and the judge's replies",
        example="ragifeval judge run.jsonl --model_config judge.json -o judged.jsonl",
        codes=f"0 every answer judged by every metric; 1 some are not; {_WRONG}; 130 interrupted",
    )
    option = partial(_add, parser)
    option(
        "logs",
        "a log; or JSONL or CSV with id (or question), answer, and perhaps reference, "
        "contexts, cite, retrieved",
        nargs="*",
        type=Path,
        metavar="LOG",
    )
    option("--question", "judge one answer instead: the question")
    option("--reference", "its right answer")
    option("--answer", "the answer to be judged")
    option("--context", "what it is based on; again for more", action="append", metavar="TEXT")
    option(
        "--metrics",
        "of correctness, faithfulness, claims, lexical, retrieval; without it all but the "
        "last, or lexical where no judge is named, or claims for one --question",
        metavar="A,B",
    )
    option("--model")
    option("--model_args")
    option("--model_config", "judges")
    option(
        "-o --output",
        "write a judged log; started again with it, judging goes on where it ended; for several "
        "logs a folder",
        metavar="OUT",
    )
    option("--overwrite", "start over what -o names")
    option("--threshold", "the correctness that passes", type=between(1, 5), default=4.0)
    option("--window", "characters of a context in one prompt", type=positive, default=_WINDOW)
    option("--k", "how many retrieved documents are looked at", type=positive, default=5)
    option("--language", "of the prompts, and for BERTScore", choices=("pl", "en"), default="pl")
    option("--prompts")
    option(
        "--structured",
        "auto asks the service to hold the judge to a JSON schema, and goes without it where "
        "that is refused",
        choices=("auto", "off"),
        default="auto",
    )
    option(
        "--bertscore_model",
        "add BERTScore by this model to lexical; needs bert-score",
        metavar="NAME_OR_DIR",
    )
    option(
        "--embedding_model",
        "add the cosine of embeddings by this model to lexical; needs sentence-transformers",
        metavar="NAME_OR_DIR",
    )
    option("--batch_file", _WRITTEN)
    option("--batch_output")
    option("--agreement", "how far the judge and the rules agree", **SWITCH)
    for name in _DATA:
        option(name)
    option("--variants", _STORED_VARIANTS)
    option("--limit", "only the first N answers of each log")
    option("--seed", "of the intervals of --agreement")
    option("--dry_run", _DRY_RUN)


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `report`."""
    _describe(
        parser,
        reads="logs; data, prompt and rules as in the summary beside the first of them",
        writes="one HTML page",
        example="ragifeval report run.jsonl -o report.html --lang en",
        codes=f"0; {_WRONG}",
    )
    option = partial(_add, parser)
    option("logs", "a log, one for each model", type=Path, nargs="+", metavar="LOG")
    option("-o --output", "the page, HTML", metavar="FILE", required=True)
    for name in _DATA:
        option(name)
    option("--variants", _STORED_VARIANTS)
    option("--prompt")
    option("--system_message", "shown with the prompt")
    _add_scoring(parser)
    option("--matching", "of the headline and of the marks; the other stands beside it")
    option("--seed", "of the intervals")
    option("--lang", "language of the page", choices=("pl", "en"), default="pl")
    option("--price", "summary's; again for the next log", action="append")


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `score`."""
    _describe(
        parser,
        reads="logs, or answers of any system; data and rules as in the summary beside each log",
        writes="tables; with -o a new log and its summary",
        example="ragifeval score run.jsonl --matching words -o again.jsonl",
        codes=f"0 every sample has an answer, and every answer a sample; 1 not so; {_WRONG}",
    )
    option = partial(_add, parser)
    option(
        "logs",
        "a log of this harness or of the published implementation; or answers of any system: "
        "JSONL or CSV with id (or question) and answer",
        nargs="*",
        type=Path,
        metavar="LOG",
    )
    option(
        "-o --output",
        "write a new log, and its summary beside it; for several logs a folder for new ones of the "
        "same names",
        metavar="OUT",
    )
    option("--overwrite", "replace what -o names, never what is read")
    for name in _DATA:
        option(name)
    option("--variants", _STORED_VARIANTS)
    _add_scoring(parser)
    option("--matching", _HEADLINE)
    option(
        "--reasoning_end",
        'for logs made without it: what stands up to this mark, for example "</think>", is '
        "reasoning and not scored",
        metavar="MARK",
    )
    option("--seed", "of the intervals")
    option("--by")
    option("--price", "summary's")
    option("--batch_file", "the requests that --batch_output answers, as `remote` wrote them")
    option("--batch_output")
    option("--wide", _EVERY_RATE)


def add_validate_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `validate`."""
    _describe(
        parser,
        reads="the data",
        writes="what is wrong, and what answers without understanding get",
        example="ragifeval validate --data library",
        codes=f"0; 1 something is wrong with the data; {_WRONG}",
    )
    option = partial(_add, parser)
    for name in _DATA:
        option(name)
    _add_scoring(parser)
    option(
        "--contrast_path",
        "wrong answers with the scores they must get, JSONL; without --eval_path, those that "
        "come with the project's own samples",
        type=Path,
    )
    option(
        "--twins",
        "instead of the checks, list the twins (docs/variants.md) that a person should look at",
        **SWITCH,
    )
    option(
        "--listing",
        "instead of the checks, list what statements meet in the documents, values that could be "
        "said instead, and wrong answers made of the gold answers that get full marks",
        **SWITCH,
    )
    option(
        "--answers",
        "labelled answers, JSONL with id, answer, label (right, wrong, incomplete, debatable) "
        "and kind; instead of the checks, print how far include and exclude agree with the labels",
        type=Path,
    )
    option("--matching", "for phrases, with --answers; statements are judged in one way")


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
