"""A baseline as a generator: each request is answered at once by a function of its sample."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ragifeval.benchmark.baselines import BASELINES, Resources
from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.generators.base import Answer, Request


class BaselineGenerator:
    """Answers each request at once with a function of it.

    Args:
        name: a key of BASELINES.
        find: a request's id -> its sample, and the documents in the order in which they are shown.
    """

    def __init__(
        self,
        name: str,
        find: Callable[[str], tuple[Sample, Sequence[Document]]],
        resources: Resources,
    ) -> None:
        self.name = name
        self._find = find
        self._resources = resources
        self._is_stopped = False

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in order."""
        answer = BASELINES[self.name]
        for request in requests:
            sample, documents = self._find(request.id)
            yield Answer(request, answer(sample, documents, self._resources), finish_reason="stop")
            if self._is_stopped:
                return

    def stop(self) -> None:
        """Answer nothing more."""
        self._is_stopped = True
