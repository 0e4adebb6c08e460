"""What every command shares with the terminal: one-line errors, UTF-8, pipes that close, Ctrl-C."""

import signal
import sys
from collections.abc import Callable
from io import TextIOWrapper

from ragifeval.errors import UserError
from ragifeval.run.progress import handled, printable, silence
from ragifeval.run.progress import say as say

EXIT_WRONG, EXIT_INTERRUPTED = 2, 130


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
            with handled(signal.default_int_handler):  # SIGTERM and SIGHUP end it as Ctrl-C does
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
        print(printable(text), flush=True)
    except BrokenPipeError:
        silence(sys.stdout)
