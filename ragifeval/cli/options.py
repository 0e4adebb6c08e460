"""The options that both entry scripts share. Imports nothing heavy: --help is to answer at once."""

import argparse
from pathlib import Path
from typing import Literal

from ragifeval import __version__, defaults, paths
from ragifeval.cli.terminal import Parser, add_switch, positive

Kind = Literal["local", "remote"]


def build_parser(kind: Kind) -> argparse.ArgumentParser:
    """The parser of an entry script; the two differ in the default of --model_config."""
    what = {
        "local": "Score a local model: Hugging Face transformers, or a built-in baseline.",
        "remote": "Score a model behind an OpenAI-compatible API, or on Vertex AI.",
    }[kind]
    config = paths.LOCAL_CONFIG if kind == "local" else paths.REMOTE_CONFIG
    parser = Parser(
        prog=f"eval_{kind}.py",
        description=what,
        epilog="Exit codes: 0 every sample answered, 1 some samples have no answer, "
        "2 something is wrong with the command, a config or the data, 130 interrupted.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    option = parser.add_argument
    option(
        "--model_config", type=Path, default=config, help="JSON file that says which model to ask"
    )
    option("--docs_path", type=Path, default=paths.DOCUMENTS, help="documents, JSONL")
    option("--eval_path", type=Path, default=paths.SAMPLES, help="samples, JSONL")
    option("--prompt", type=Path, default=paths.PROMPT, help="Jinja template of the prompt")
    add_switch(parser, "--shuffle_context", "show the documents of each question in random order")
    option("--system_message", default=defaults.SYSTEM_MESSAGE, help="empty for none")
    option(
        "--refusal_message",
        default=defaults.REFUSAL_MESSAGE,
        help="what an answer must contain to be a refusal; the prompt tells the model",
    )
    option(
        "--log_path",
        type=Path,
        help="JSONL log of answers and scores; started again with it, a run goes on where it ended",
    )
    add_switch(parser, "--text_completion", "ask for the completion of a text, not for a chat")
    add_normalizer(parser)
    option("--badwords_path", type=Path, default=paths.BADWORDS, help="one word a line")
    option(
        "--matching",
        choices=("substring", "words"),
        default=defaults.MATCHING,
        help="the rule of the headline; the other stands beside it",
    )
    option("--seed", type=int, default=defaults.SEED, help="of shuffling and of the intervals")
    option("--limit", type=positive, metavar="N", help="only the first N samples")
    option("--ids", metavar="A,B", help="only the samples with these ids")
    add_switch(parser, "--overwrite", "start the log over")
    add_switch(parser, "--dry_run", "print the prompts and the signature; load and call no model")
    option("--version", action="version", version=f"ragifeval {__version__}")
    return parser


def add_normalizer(parser: argparse.ArgumentParser) -> None:
    """Add --normalizer, for whatever scores answers."""
    parser.add_argument(
        "--normalizer",
        help='a spaCy pipeline, by name or path, or "blank:de" for lowercase words of a language, '
        "instead of the lemma table",
    )
