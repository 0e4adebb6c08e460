"""The options that both entry scripts share. Imports nothing heavy: --help is to answer at once."""

import argparse
from pathlib import Path
from typing import Literal

from ragifeval import __version__, defaults

Kind = Literal["local", "remote"]


def build_parser(kind: Kind) -> argparse.ArgumentParser:
    """The parser of an entry script; the two differ in the default of --model_config."""
    what = {
        "local": "Score a local model: Hugging Face transformers, or a built-in baseline.",
        "remote": "Score a model behind an OpenAI-compatible API, or on Vertex AI.",
    }[kind]
    config = defaults.LOCAL_CONFIG if kind == "local" else defaults.REMOTE_CONFIG
    parser = argparse.ArgumentParser(
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
    option("--docs_path", type=Path, default=defaults.DOCUMENTS, help="documents, JSONL")
    option("--eval_path", type=Path, default=defaults.SAMPLES, help="samples, JSONL")
    option("--prompt", type=Path, default=defaults.PROMPT, help="Jinja template of the prompt")
    _switch(parser, "--shuffle_context", "show the documents of each question in random order")
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
    _switch(parser, "--text_completion", "ask for the completion of a text, not for a chat answer")
    option("--normalizer", help="a spaCy pipeline, by name or path, instead of the lemma table")
    option("--badwords_path", type=Path, default=defaults.BADWORDS, help="one word a line")
    option(
        "--matching",
        choices=("substring", "words"),
        default=defaults.MATCHING,
        help="the rule of the headline; the other stands beside it",
    )
    option("--seed", type=int, default=defaults.SEED, help="of shuffling and of the intervals")
    option("--limit", type=_positive, metavar="N", help="only the first N samples")
    option("--ids", metavar="A,B", help="only the samples with these ids")
    _switch(parser, "--overwrite", "start the log over")
    _switch(parser, "--dry_run", "print the prompts and the signature; load and call no model")
    option("--version", action="version", version=f"ragifeval {__version__}")
    return parser


def _switch(parser: argparse.ArgumentParser, name: str, meaning: str) -> None:
    """An option that takes true or false, or stands alone for true."""
    parser.add_argument(
        name,
        type=_boolean,
        nargs="?",
        const=True,
        default=False,
        metavar="true|false",
        help=meaning,
    )


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"must be true or false, not {text!r}")
    return text.lower() == "true"


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number of at least 1, not {text!r}")
    return int(text)
