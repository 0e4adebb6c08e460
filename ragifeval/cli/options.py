"""The parser of all commands, and the options that several of them share, in groups.

A name may be written with `-` or `_`; a switch stands alone, or takes true or false.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NoReturn

from ragifeval import defaults, paths
from ragifeval.cli.terminal import EXIT_WRONG
from ragifeval.errors import UserError
from ragifeval.run.groups import GROUPINGS

_OUTPUTS = ("log_path", "output", "folder", "batch_file")

Kind = Literal["local", "remote"]


class Parser(argparse.ArgumentParser):
    """A parser of `--a-b` as `--a_b`, whose errors are one line, as all other errors here are."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_WRONG, f"{self.prog}: error: {message} (--help lists the options)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        arguments = sys.argv[1:] if args is None else args
        return super().parse_known_args(self._respelt(arguments), namespace)

    def _respelt(self, arguments: Sequence[str]) -> Sequence[str]:
        """The arguments with `_` in all names, and with the value that a lone switch stands for."""
        respelt: list[str] = []
        for place, argument in enumerate(arguments):
            if argument == "--":
                return [*respelt, *arguments[place:]]
            name, mark, value = argument.partition("=")
            if name.startswith("--"):
                name = "--" + name[2:].replace("-", "_")
            following = arguments[place + 1 : place + 2]
            if self._is_switch(name) and not mark and not any(map(_is_truth, following)):
                mark, value = "=", "true"
            respelt.append(name + mark + value)
        return respelt

    def _is_switch(self, name: str) -> bool:
        """Whether a name, or the one option that it abbreviates, is one of `add_switch`."""
        known = self._option_string_actions
        meant = [name] if name in known else [other for other in known if other.startswith(name)]
        return name.startswith("--") and len(meant) == 1 and known[meant[0]].type is boolean


def add_evaluation(parser: argparse.ArgumentParser, kind: Kind) -> None:
    """Add the options of `local` or `remote`, which differ in the default of --model_config."""
    parser.epilog = (
        "Exit codes: 0 every sample answered, 1 some samples have no answer, "
        "2 something is wrong with the command, a config or the data, 130 interrupted."
    )
    option = parser.add_argument
    option(
        "--model_config",
        type=Path,
        default=paths.LOCAL_CONFIG if kind == "local" else paths.REMOTE_CONFIG,
        help="JSON file that says which model to ask",
    )
    add_data(parser)
    add_prompt(parser, "empty for none")
    add_switch(parser, "--shuffle_context", "show the documents of each question in random order")
    option(
        "--log_path",
        type=Path,
        help="JSONL log of answers and scores; started again with it, a run goes on where it ended",
    )
    add_switch(parser, "--text_completion", "ask for the completion of a text, not for a chat")
    add_scoring(
        parser,
        refusal_message="what an answer must contain to be a refusal; the prompt tells the model",
    )
    add_matching(parser)
    add_seed(parser, "of shuffling and of the intervals")
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
    add_switch(parser, "--overwrite", "start the log over")
    add_switch(parser, "--log_prompts", "keep the prompts in the log, as they were sent")
    add_by(parser)
    add_price(parser, "without it the model config's")
    if kind == "remote":
        add_batch_files(parser)
        add_switch(parser, "--batch", "ask through the service's /files and /batches, and wait")
    add_dry_run(parser)


def inputs(options: argparse.Namespace) -> list[Path]:
    """The files that a command reads: all that its options name, but its outputs."""
    named = {name: value for name, value in vars(options).items() if name not in _OUTPUTS}
    values = [value if isinstance(value, list) else [value] for value in named.values()]
    return [path for group in values for path in group if isinstance(path, Path)]


def check_inputs(options: argparse.Namespace) -> None:
    """Refuse to read what may never end.

    Raises:
        UserError: an option names a pipe or a device.
    """
    for path in inputs(options):
        with suppress(OSError, ValueError):  # whoever reads it reports that it cannot be
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise UserError(f"{path}: cannot be read: is a pipe or a device, not a file")


# Groups of options.


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the files of the benchmark."""
    parser.add_argument("--docs_path", type=Path, default=paths.DOCUMENTS, help="documents, JSONL")
    parser.add_argument("--eval_path", type=Path, default=paths.SAMPLES, help="samples, JSONL")


def add_variants(parser: argparse.ArgumentParser, default: str | None, meaning: str) -> None:
    """Add --variants."""
    parser.add_argument("--variants", default=default, metavar="A,B", help=meaning)


def add_stored_variants(parser: argparse.ArgumentParser) -> None:
    """Add --variants to a command that reads logs."""
    add_variants(parser, None, "those that the answers are to, where their logs do not tell")


def add_prompt(parser: argparse.ArgumentParser, system_message: str) -> None:
    """Add what a model is asked with, beside the question.

    Args:
        system_message: help of the option.
    """
    parser.add_argument(
        "--prompt", type=Path, default=paths.PROMPT, help="Jinja template of the prompt"
    )
    parser.add_argument("--system_message", default=defaults.SYSTEM_MESSAGE, help=system_message)


def add_scoring(
    parser: argparse.ArgumentParser, refusal_message: str = "what refuses an answer"
) -> None:
    """Add what conditions are built with.

    Args:
        refusal_message: help of the option.
    """
    parser.add_argument(
        "--badwords_path", type=Path, default=paths.BADWORDS, help="one word a line"
    )
    add_normalizer(parser, "instead of the lemma table")
    parser.add_argument("--refusal_message", default=defaults.REFUSAL_MESSAGE, help=refusal_message)


def add_normalizer(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """Add --normalizer.

    Args:
        otherwise: end of its help: what normalizes where it is not given.
    """
    parser.add_argument(
        "--normalizer",
        help='a spaCy pipeline, by name or path, or "blank:de" for lowercase words of a language, '
        + otherwise,
    )


def add_matching(
    parser: argparse.ArgumentParser,
    default: str | None = defaults.MATCHING,
    meaning: str = "the rule of the headline; the other stands beside it",
) -> None:
    """Add --matching."""
    parser.add_argument("--matching", choices=("substring", "words"), default=default, help=meaning)


def add_seed(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add --seed."""
    parser.add_argument("--seed", type=int, default=defaults.SEED, help=meaning)


def add_limit(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add --limit."""
    parser.add_argument("--limit", type=positive, metavar="N", help=meaning)


def add_batch_files(
    parser: argparse.ArgumentParser, file: str = "write the requests that have no answer there"
) -> None:
    """Add --batch_file and --batch_output.

    Args:
        file: help of the first.
    """
    parser.add_argument(
        "--batch_file", type=Path, metavar="FILE", help=f"{file}, in OpenAI's batch format"
    )
    parser.add_argument(
        "--batch_output",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="take answers from the responses that an engine wrote",
    )


def add_by(parser: argparse.ArgumentParser) -> None:
    """Add --by."""
    parser.add_argument(
        "--by", choices=GROUPINGS, help="show total and rates of these groups of questions too"
    )


def add_price(parser: argparse.ArgumentParser, meaning: str, *, again: bool = False) -> None:
    """Add --price.

    Args:
        again: whether it may be given again, for the next log.
    """
    parser.add_argument(
        "--price",
        type=_price,
        action="append" if again else "store",
        metavar="IN,OUT",
        help=f"of a million tokens in, and out, for example 0.4,1.6: tells the cost; {meaning}",
    )


def _price(text: str) -> tuple[float, float]:
    try:
        prompt, completion = map(float, text.split(","))
    except ValueError:
        prompt = completion = -1.0
    if not (0 <= prompt < math.inf and 0 <= completion < math.inf):
        raise argparse.ArgumentTypeError(f"must be two prices, as 0.4,1.6, not {text[:40]!r}")
    return prompt, completion


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    """Add --dry_run."""
    add_switch(parser, "--dry_run", "print the prompts and the signature; load and call no model")


def add_switch(parser: argparse.ArgumentParser, name: str, meaning: str) -> None:
    """Add an option that takes true or false, or stands alone for true."""
    parser.add_argument(
        name,
        type=boolean,
        nargs="?",
        const=True,
        default=False,
        metavar="true|false",
        help=meaning,
    )


# Types of options.


def at_least(least: int) -> Callable[[str], int]:
    """The type of an option that is a count of at least so many."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"must be a number of at least {least}, not {text[:40]!r}"
            )
        return int(text)

    return read


positive = at_least(1)


def between(low: float, high: float) -> Callable[[str], float]:
    """The type of an option that is a number in a range, both ends included."""

    def read(text: str) -> float:
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be from {low:g} to {high:g}, not {text[:40]!r}")
        return value

    return read


def boolean(text: str) -> bool:
    """The type of an option that is true or false."""
    if not _is_truth(text):
        raise argparse.ArgumentTypeError(f"must be true or false, not {text[:40]!r}")
    return text.lower() == "true"


def _is_truth(text: str) -> bool:
    return text.lower() in ("true", "false")
