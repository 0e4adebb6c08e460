"""The parser of all commands, and the types of options.

A name may be written with `-` or `_`, and is never abbreviated; a switch stands alone, or takes
true or false.
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NoReturn

from ragifeval.cli.terminal import EXIT_WRONG
from ragifeval.errors import UserError, unknown

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
        """Whether a name is that of a SWITCH."""
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


SWITCH: Mapping[str, Any] = {
    "type": boolean,
    "nargs": "?",
    "const": True,
    "default": False,
    "metavar": "true|false",
}
"""What add_argument() is given for an option that takes true or false, or stands alone for true."""


def price(text: str) -> tuple[float, float]:
    """The type of an option that is two prices."""
    try:
        prompt, completion = map(float, text.split(","))
    except ValueError:
        prompt = completion = -1.0
    if not (0 <= prompt < math.inf and 0 <= completion < math.inf):
        raise argparse.ArgumentTypeError(f"must be two prices, as 0.4,1.6, not {text[:40]!r}")
    return prompt, completion


def chunk_size(text: str) -> str:
    """The type of an option that is a number of characters, or "whole"."""
    return text if text == "whole" else str(positive(text))


def names(text: str) -> Sequence[str]:
    """The type of an option that is several names."""
    return [name.strip() for name in text.split(",")]


def floor(text: str) -> tuple[str, float]:
    """The type of an option that is a measure and the per cent that it must reach."""
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
