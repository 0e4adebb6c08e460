"""The parser of all commands, and the options that several of them share, in groups.

A name may be written with `-` or `_`, and is never abbreviated; a switch stands alone, or takes
true or false. Options that a log's own summary, a language or a default may answer have no default
here: `cli/settings.py` settles them.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NoReturn

from ragifeval import defaults
from ragifeval.cli.terminal import EXIT_WRONG
from ragifeval.errors import UserError, unknown
from ragifeval.languages import LANGUAGES
from ragifeval.run.groups import GROUPINGS

_OUTPUTS = ("log_path", "output", "folder", "batch_file")

Kind = Literal["local", "remote"]


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help with the defaults that say something, and with an epilog of several lines."""

    def _get_help_string(self, action: argparse.Action) -> str:
        says_something = action.default not in (None, False, [], argparse.SUPPRESS)
        default = " (default: %(default)s)" if says_something else ""
        return (action.help or "") + default


class Parser(argparse.ArgumentParser):
    """A parser of `--a-b` as `--a_b`, whose errors are one line, as all other errors here are."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=Formatter, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_WRONG, f"{self.prog}: error: {message} (--help lists the options)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        arguments = sys.argv[1:] if args is None else args
        found, rest = super().parse_known_args(self._respelt(arguments), namespace)
        for argument in rest:
            if argument.startswith("--"):
                self.error(self._unknown(argument.partition("=")[0]))
        if rest:
            # Beside --model or files, a lone word may mean either.
            known = self._option_string_actions
            takes_data = "--data" in known and "--model" not in known
            is_data = (
                takes_data and not self._get_positional_actions() and not rest[0].startswith("-")
            )
            hint = f"; is --data {rest[0]} meant?" if is_data else ""
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        for name, value in vars(found).items():
            # Of "new/../data", what is there is known only once the folder "new" is made.
            if isinstance(value, Path) and ".." in value.parts:
                setattr(found, name, value.resolve())
        return found, rest

    def _unknown(self, option: str) -> str:
        known = self._option_string_actions
        if "--model_args" in known:
            # Imported here alone: --help needs no pydantic.
            from ragifeval.generators.config.local import LocalConfig
            from ragifeval.generators.config.remote import RemoteConfig

            key = option[2:]
            if key in LocalConfig.model_fields | RemoteConfig.model_fields:
                return f"unknown option {option!r}; a key of the config is --model_args {key}=..."
        return unknown(option, [name for name in known if name.startswith("--")], "option")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "command" if isinstance(action, argparse._SubParsersAction) else "value"
            reason = unknown(str(value), map(str, action.choices), what)
            raise argparse.ArgumentError(None if what == "command" else action, reason)

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
        """Whether a name is one of `add_switch`."""
        action = self._option_string_actions.get(name)
        return action is not None and action.type is boolean


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


def add_model(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add which model is asked.

    Args:
        meaning: help of the config.
    """
    option = parser.add_argument
    option("--model", metavar="NAME", help="the model, without a config or instead of its own")
    option(
        "--model_args",
        metavar="KEY=VALUE,...",
        help="keys of the config, over those of the file: threads=16,api_base=http://host:8000/v1",
    )
    option("--model_config", type=Path, metavar="FILE", help=meaning)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the files of the benchmark."""
    option = parser.add_argument
    option(
        "--data",
        metavar="SET",
        help="core, hard, or a folder with documents.jsonl and samples.jsonl (default: core)",
    )
    option("--docs_path", type=Path, metavar="FILE", help="documents, JSONL, instead of the set's")
    option("--eval_path", type=Path, metavar="FILE", help="samples, JSONL, instead of the set's")


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
    option = parser.add_argument
    option("--prompt", type=Path, metavar="FILE", help="Jinja template of the prompt")
    option("--system_message", metavar="TEXT", help=system_message)


def add_scoring(
    parser: argparse.ArgumentParser, refusal_message: str = "what refuses an answer"
) -> None:
    """Add what conditions are built with.

    Args:
        refusal_message: help of the option.
    """
    option = parser.add_argument
    option(
        "--language",
        choices=tuple(LANGUAGES),
        help="of own data: prompt, system message, refusal message and normalizer for it "
        "(default: pl)",
    )
    option("--refusal_message", metavar="TEXT", help=refusal_message)
    add_normalizer(parser, 'instead of the lemma table, which is "default"')
    option("--badwords_path", type=Path, metavar="FILE", help="offensive words, one a line")


def add_normalizer(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """Add --normalizer.

    Args:
        otherwise: end of its help: what normalizes where it is not given.
    """
    parser.add_argument(
        "--normalizer",
        metavar="NAME",
        help='a spaCy pipeline, by name or path, or "blank:de" for lowercase words of a language, '
        + otherwise,
    )


def add_matching(
    parser: argparse.ArgumentParser,
    meaning: str = f"the rule of the headline; the other stands beside it "
    f"(default: {defaults.MATCHING})",
) -> None:
    """Add --matching."""
    parser.add_argument("--matching", choices=("substring", "words"), help=meaning)


def add_prompts(parser: argparse.ArgumentParser, languages: Sequence[str], of: str) -> None:
    """Add the prompts of a command that asks a model about answers or documents.

    Args:
        of: of what the language is.
    """
    option = parser.add_argument
    option("--language", choices=tuple(languages), default="pl", help=of)
    option("--prompts", type=Path, metavar="DIR", help="a folder of other prompts")


def add_output(
    parser: argparse.ArgumentParser, metavar: str, meaning: str, *, required: bool = False
) -> None:
    """Add -o."""
    parser.add_argument(
        "-o", "--output", type=Path, metavar=metavar, required=required, help=meaning
    )


def add_seed(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add --seed."""
    parser.add_argument("--seed", type=int, default=defaults.SEED, metavar="N", help=meaning)


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


def add_wide(
    parser: argparse.ArgumentParser,
    meaning: str = "every rate and interval of groups and variants, and the signature's parts",
) -> None:
    """Add --wide."""
    add_switch(parser, "--wide", meaning)


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
