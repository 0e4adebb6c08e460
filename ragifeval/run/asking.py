"""The one loop that asks a model: progress bar, Ctrl-C, second tries, journal.

Use:
    with Asking(generator, journal, total=100, unit=" answers") as asking:
        for record in asking.ask(requests, read):
            ...
    asking.interrupted  # whether Ctrl-C ended it before everything was asked
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Self

from tqdm import tqdm

from ragifeval.generators.base import Answer, Generator, ReportsFaults, Request
from ragifeval.run.journal import Journal, Record
from ragifeval.run.progress import Unfailing, printable, stop_on_interrupt

REASONING_END = "</think>"
"""What usually ends a reasoning; answers that hold it while none is named bring a warning."""


class Asking:
    """Asks a model under a progress bar; Ctrl-C ends it in order. A context manager.

    Args:
        journal: an open journal, which every record is appended to; None to keep none.
        total: how many records there will be, for the bar; None where that is not known.
        unit: of the bar, with a leading space.
        status: gives the text that the bar ends with.

    Attributes:
        interrupted: whether the user stopped it. Nothing more is asked then.
    """

    def __init__(
        self,
        generator: Generator,
        journal: Journal | None,
        *,
        total: int | None,
        unit: str,
        status: Callable[[], str] | None = None,
    ) -> None:
        self.generator = generator
        self.journal = journal
        self.interrupted = False
        self._retries = 0
        self._total, self._unit, self._status = total, unit, status
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        self._bar = self._resources.enter_context(
            tqdm(total=self._total, unit=self._unit, dynamic_ncols=True, file=Unfailing(sys.stderr))
        )
        self._resources.enter_context(stop_on_interrupt(self.stop))
        if isinstance(self.generator, ReportsFaults):
            self.generator.on_fault = self._report_fault
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def _report_fault(self, fault: str) -> None:
        self._retries += 1
        self._bar.set_postfix_str(printable(fault))

    def stop(self) -> None:
        """Ask nothing more; what is in flight is waited for. A signal handler may call this."""
        self.interrupted = True
        self.generator.stop()

    def skip(self, count: int = 1) -> None:
        """Count what was answered by an earlier run as done."""
        self._bar.initial += count  # so that they do not count towards the rate
        self._bar.update(count)

    def ask(
        self, requests: Iterable[Request], read: Callable[[Answer], Record | Request]
    ) -> Iterator[Record]:
        """Yield the record of each request, in any order, as soon as it is journalled.

        Args:
            requests: read as the model has room. An iterator that may give more after it ran dry,
                because the caller feeds it from the records, is asked once more when nothing is in
                flight.
            read: makes the record of an answer, or another request that is asked instead.

        Raises:
            UserError: no answer can come to any request, or the journal cannot be written.
        """
        again: deque[Request] = deque()
        fresh = iter(requests)
        while not self.interrupted:
            # Where there is nothing to ask, the model is not called.
            first = again.popleft() if again else next(fresh, None)
            if first is None:
                return
            for answer in self.generator.generate(self._requests(first, again, fresh)):
                record = read(answer)
                if isinstance(record, Request):
                    again.append(record)
                    continue
                if self.journal is not None:
                    self.journal.append(record)
                yield record
                status = self._status() if self._status is not None else ""
                if self._retries:
                    status += f", {self._retries} retries"
                self._bar.set_postfix_str(status, refresh=False)
                self._bar.update()

    def _requests(
        self, first: Request, again: deque[Request], fresh: Iterator[Request]
    ) -> Iterator[Request]:
        request: Request | None = first
        while request is not None and not self.interrupted:
            yield request
            request = again.popleft() if again else next(fresh, None)


def split_reasoning(text: str, reasoning_end: str | None) -> tuple[str, str, bool]:
    """Part a generated text into answer and reasoning.

    Returns:
        (the answer, the reasoning, whether the reasoning came to its end). A reasoning without an
        end leaves an empty answer.
    """
    if reasoning_end is None:
        return text, "", True
    reasoning, end, answer = text.rpartition(reasoning_end)
    if not end:
        return "", text, False
    return answer.strip(), reasoning + end, True
