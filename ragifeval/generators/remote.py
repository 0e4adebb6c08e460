"""Models behind an OpenAI-compatible API, or on Vertex AI."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.credentials import ApiKey, Credential
from ragifeval.generators.faults import Fault, tidy
from ragifeval.generators.response import read_chat, read_completion, read_models
from ragifeval.generators.service import CHAT, COMPLETIONS, MODELS, Service

# With these, a service says that it does not take a request as it is.
_REFUSALS = ("400", "404", "413", "415", "422", "501")


class RemoteGenerator:
    """Asks a service, `threads` questions at once: no question waits for another's answer.

    Args:
        config: names the model; served_model() finds it where the user does not.
        api_key: "-" for none; not used on Vertex AI.
        text_completion: ask for the completion of a text instead of a chat answer.

    Raises:
        UserError: the key or the credentials cannot be used.
    """

    def __init__(self, config: RemoteConfig, api_key: str, text_completion: bool) -> None:
        if config.model is None:
            raise ValueError("the config names no model")
        self.name = config.model
        self._config = config
        self._text_completion = text_completion
        self._bases, self._credential = _access(config, api_key)
        self._stopped = False
        self._stop_service: Callable[[], object] | None = None

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in the order in which the service does.

        At most `threads` of them are with the service, and as many answered ones wait to be taken.
        """
        loop = _PatientLoop()
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            service = Service(self._bases, self._credential, self._config)
            asked = self._until_stopped(requests)
            crew = _Crew(partial(self._answer, service), asked, self._config.threads)
            self._stop_service = partial(loop.call_soon_threadsafe, service.stop)
            try:
                while (answer := runner.run(crew.next())) is not None:
                    left = time.monotonic()
                    yield answer
                    loop.stood_still += time.monotonic() - left
            finally:
                self._stop_service = None
                runner.run(crew.dismiss())
                runner.run(service.aclose())

    def stop(self) -> None:
        """Ask nothing more, and nothing again: generate() yields what is in flight, and ends."""
        self._stopped = True
        if self._stop_service is not None:
            self._stop_service()

    def _until_stopped(self, requests: Iterable[Request]) -> Iterator[Request]:
        for request in requests if not self._stopped else ():
            yield request
            if self._stopped:
                return

    async def _answer(self, service: Service, request: Request) -> Answer:
        path = COMPLETIONS if self._text_completion else CHAT
        read = read_completion if self._text_completion else read_chat
        started = time.monotonic()
        try:
            reply, seconds = await service.ask(path, self._body(request), read)
        except Fault as fault:
            seconds = time.monotonic() - started
            is_refusal = str(fault)[:3] in _REFUSALS
            return Answer(request, None, str(fault), seconds=seconds, is_refusal=is_refusal)
        return Answer(
            request,
            reply.text,
            finish_reason=self._tidy(reply.finish_reason),
            usage=reply.usage,
            seconds=seconds,
            reasoning=reply.reasoning,
        )

    def _tidy(self, finish_reason: str | None) -> str | None:
        """A service may give anything for a reason, the key too."""
        return finish_reason and tidy(finish_reason, self._credential.secrets())

    def _body(self, request: Request) -> dict[str, Any]:
        prompt = request.prompt
        body: dict[str, Any] = {"model": self.name}
        if self._text_completion:
            body["prompt"] = prompt.text
        else:
            body["messages"] = [
                {"role": message.role, "content": message.content} for message in prompt.messages
            ]
        if self._config.temperature is not None:
            body |= {"temperature": self._config.temperature, "top_p": 1}
        if self._config.max_tokens is not None:
            body["max_tokens"] = self._config.max_tokens
        if request.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": dict(request.schema)},
            }
        return body | self._config.extra_body


def served_model(config: RemoteConfig, api_key: str) -> str:
    """The id of the one model that the service lists.

    Raises:
        UserError: it lists none or several, or does not answer.
    """
    bases, credential = _access(config, api_key)

    async def ask() -> tuple[str, Sequence[str]]:
        async with aclosing(Service(bases, credential, config)) as service:
            where = ", ".join(service.urls)
            try:
                models, _ = await service.ask(MODELS, None, read_models)
            except Fault as fault:
                raise UserError(
                    f'{where}: does not name its model: {fault}; set "model" in the config'
                ) from None
            return where, models

    where, models = asyncio.run(ask())
    if len(models) != 1:
        what = f"{len(models)} models: {_first(models)}" if models else "no model"
        raise UserError(f'{where}: serves {what}; set "model" in the config')
    return models[0]


def _first(models: Sequence[str]) -> str:
    shown = 10
    return tidy(", ".join(models[:shown]), []) + (", ..." if len(models) > shown else "")


def _access(config: RemoteConfig, api_key: str) -> tuple[Sequence[str], Credential]:
    """The URLs to ask, and what to be known by there."""
    if config.vertex_credentials is None:
        return config.api_bases, ApiKey(api_key)
    from ragifeval.generators.vertex import ServiceAccount

    account = ServiceAccount(config.vertex_credentials)
    return config.api_bases or [account.api_base(config.vertex_location)], account


class _PatientLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands still while the caller deals with an answer.

    It does not run in that time, and no deadline is to pass for an answer that has come meanwhile.
    """

    stood_still = 0.0

    def time(self) -> float:
        return super().time() - self.stood_still


class _Crew:
    """Workers that take the next request from one iterator as soon as they have answered one."""

    def __init__(
        self, answer: Callable[[Request], Awaitable[Answer]], requests: Iterable[Request], size: int
    ) -> None:
        self._answer = answer
        self._requests = iter(requests)
        self._size = self._working = size
        self._workers: list[asyncio.Task[None]] = []
        # Bounded: where answers are taken slowly, no more is asked.
        self._results: asyncio.Queue[Answer | Exception | None] = asyncio.Queue(size)

    async def next(self) -> Answer | None:
        """The next answer; None when there are no more."""
        if not self._workers:
            self._workers = [asyncio.create_task(self._work()) for _ in range(self._size)]
        while self._working:
            result = await self._results.get()
            if isinstance(result, Answer):
                return result
            if result is not None:
                raise result
            self._working -= 1
        return None

    async def _work(self) -> None:
        try:
            for request in self._requests:
                await self._results.put(await self._answer(request))
        except Exception as error:
            await self._results.put(error)
            raise
        await self._results.put(None)

    async def dismiss(self) -> None:
        """Let go of what is not answered, without a word."""
        for worker in self._workers:
            worker.cancel()
        # Waiting also takes note of how each ended: asyncio complains where nobody does.
        await asyncio.gather(*self._workers, return_exceptions=True)
