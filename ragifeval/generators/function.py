"""Any Python system as a generator: a function of the prompt."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from ragifeval.generators.base import Answer, Prompt, Request


class FunctionGenerator:
    """Answers each request with a function; what it raises is the reason why there is no answer.

    Args:
        name: of the system.
        function: a prompt -> the answer.
        threads: how many calls are made at once.

    Attributes:
        first_error: the first exception that a call raised.
    """

    def __init__(self, name: str, function: Callable[[Prompt], str], threads: int = 1) -> None:
        self.name = name
        self.first_error: Exception | None = None
        self._function = function
        self._threads = threads
        self._is_stopped = False

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests."""
        todo = iter(requests)
        if self._threads == 1:
            for request in todo:
                yield self._answer(request)
                if self._is_stopped:
                    return
            return
        with ThreadPoolExecutor(self._threads) as pool:
            running: set[Future[Answer]] = set()
            while True:
                while len(running) < self._threads and not self._is_stopped:
                    following = next(todo, None)
                    if following is None:
                        break
                    running.add(pool.submit(self._answer, following))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()

    def stop(self) -> None:
        """Ask nothing more."""
        self._is_stopped = True

    def _answer(self, request: Request) -> Answer:
        start = time.monotonic()
        try:
            text = self._function(request.prompt)
            if not isinstance(text, str):
                raise TypeError(f"an answer is a string, not {type(text).__name__}")
        except Exception as error:  # noqa: BLE001 - whatever the system raises
            self.first_error = self.first_error or error
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            return Answer(request, None, reason, seconds=time.monotonic() - start)
        return Answer(request, text, finish_reason="stop", seconds=time.monotonic() - start)
