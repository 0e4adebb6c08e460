"""What every command shares with the terminal: one-line errors, UTF-8, pipes that close, Ctrl-C."""

import argparse
import gc
import math
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import NoReturn

from ragifeval.errors import UserError
from ragifeval.run.progress import say as say
from ragifeval.run.progress import silence

EXIT_WRONG, EXIT_INTERRUPTED = 2, 130


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all other errors here are."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_WRONG, f"{self.prog}: error: {message} (--help lists the options)\n")


def guarded(name: str, command: Callable[[], int]) -> int:
    """Run a command; turn the user's mistakes, Ctrl-C and closed pipes into exit codes.

    Args:
        name: of the command, for its errors.
    """
    for stream in (sys.stdout, sys.stderr):
        # Polish text is written as UTF-8 under any locale; a test's own stream stays as it is.
        # A file's name need not be UTF-8: what is no character is written as its escape.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        try:
            code = command()
        except SystemExit as done:  # the parser's: --help, or a wrong option
            code = int(done.code or 0)
        sys.stdout.flush()
    except UserError as error:
        say(f"{name}: error: {error}")
        return EXIT_WRONG
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough: `| head`.
        silence(sys.stdout)
        return 0
    except OSError as error:
        told = UserError(f"{error.filename or 'the output'}: {error.strerror}")
        say(f"{name}: error: {told}")
        try:
            sys.stdout.flush()
        except OSError:
            silence(sys.stdout)
        return EXIT_WRONG
    return code


def show(text: str) -> None:
    """Print a result; that nobody reads it any more does not change the exit code."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        silence(sys.stdout)


def positive(text: str) -> int:
    """The type of an option that is a count of at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number of at least 1, not {text[:40]!r}")
    return int(text)


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
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"must be true or false, not {text[:40]!r}")
    return text.lower() == "true"


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


def collect_rarely() -> None:
    """Let the garbage collector look for cycles less often: they are rare where a service answers.

    By default it does so every 700 objects, through all that lives: a sixth of a run's CPU time.
    A local model is another matter: a cycle there may hold much memory of the device.
    """
    gc.freeze()  # what is loaded by now stays to the end
    gc.set_threshold(50_000)
