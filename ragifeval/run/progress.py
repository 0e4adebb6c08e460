"""What a long run has with the terminal: lines to stderr that cannot fail it, and its end."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

# What a terminal obeys, as what it shows: a name or an answer may hold anything.
_SHOWN = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_SHOWN |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)

ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""The signals that end a run in order: Ctrl-C, `kill`, a terminal that is closed."""


def printable(text: str) -> str:
    """The text without what a terminal obeys; line breaks and tabs stay."""
    return text.translate(_SHOWN)


def say(line: str) -> None:
    """Write a line to stderr, if it can be written; a signal handler may call this."""
    try:
        print(printable(line), file=sys.stderr)
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


Step = TypeVar("Step")


def watched(steps: Sequence[Step]) -> Iterable[Step]:
    """Yield steps under a progress bar, which shows itself where they take more than a second."""
    from tqdm import tqdm  # takes longer than `--help`

    return tqdm(
        steps, unit=" samples", dynamic_ncols=True, file=Unfailing(sys.stderr), delay=1, leave=False
    )


@contextmanager
def stop_on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C, or other signal that ends, call `stop`; the second ends at once."""
    is_stopping = False

    def handle(number: int, frame: object) -> None:
        nonlocal is_stopping
        if is_stopping:
            raise KeyboardInterrupt
        is_stopping = True
        stop()
        say("\nWaiting for the answers in flight; Ctrl-C again stops at once.")

    with handled(handle):
        yield


@contextmanager
def handled(handle: Callable[[int, Any], Any]) -> Iterator[None]:
    """Handle the signals that end a run; one that is ignored, as under nohup, stays so."""
    if threading.current_thread() is not threading.main_thread():  # which alone may handle signals
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    before = {number: old for number, old in before.items() if old != signal.SIG_IGN}
    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
