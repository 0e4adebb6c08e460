"""What a long run has with the terminal: lines to stderr that cannot fail it, and Ctrl-C."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO


def say(line: str) -> None:
    """Write a line to stderr, if it can be written; a signal handler may call this."""
    try:
        print(line, file=sys.stderr)
    except OSError:
        silence(sys.stderr)
    except RuntimeError:
        pass  # the signal came in the middle of another line


def silence(stream: TextIO) -> None:
    """Discard what is still to be written; otherwise Python tries again at exit, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Unfailing:
    """A stream for a progress bar: a run does not end because nobody can watch it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> None:
        try:
            self._stream.write(text)
        except OSError:
            silence(self._stream)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            silence(self._stream)


@contextmanager
def stop_on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C call `stop`; the second one ends the process at once."""
    is_stopping = False

    def handle(number: int, frame: object) -> None:
        nonlocal is_stopping
        if is_stopping:
            raise KeyboardInterrupt
        is_stopping = True
        stop()
        say("\nWaiting for the answers in flight; Ctrl-C again stops at once.")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
