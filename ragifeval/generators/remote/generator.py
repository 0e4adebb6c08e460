"""The generator that asks a service, many questions at once."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote.credentials import ApiKey
from ragifeval.generators.remote.faults import Fault
from ragifeval.generators.remote.response import read_chat, read_completion, read_models
from ragifeval.generators.remote.service import CHAT, COMPLETIONS, MODELS, Service

# Sent with a text to be completed if the config names no limit: services cut such an answer after
# 16 tokens by default.
_COMPLETION_TOKENS = 4096
# In so many turns of the event loop a question is written to its connection.
_TURNS_TO_SEND = 12


class RemoteGenerator:
    """Asks a service, `threads` questions at once: no question waits for another's answer.

    Args:
        config: names the model; served_model() finds it if the user does not.
        api_key: "-" for none; not used on Vertex AI.
        text_completion: ask for the completion of a text instead of a chat answer.

    Attributes:
        on_fault: told of each failed attempt, with a count of those that were made again.

    Raises:
        UserError: the key, the credentials or the URL cannot be used.
    """

    def __init__(self, config: RemoteConfig, api_key: str, text_completion: bool) -> None:
        if config.model is None:
            raise ValueError("the config names no model")
        self.name = config.model
        self._config = config
        self._text_completion = text_completion
        self.on_fault: Callable[[str], None] = lambda fault: None
        self._service = _service(config, api_key, lambda fault: self.on_fault(fault))
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in the order in which the service does.

        At most `threads` of them are with the service, and as many answered ones wait to be taken.
        """
        results: asyncio.Queue[Answer | Exception | None] = asyncio.Queue()
        places = asyncio.Semaphore(2 * self._config.threads)
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            # The runner cancels it at the end, if the caller leaves early.
            asking = self._loop.create_task(self._ask_all(iter(requests), results, places))
            try:
                seconds_away = 0.0
                while True:
                    ready = runner.run(self._next(results, seconds_away))
                    left = time.monotonic()
                    for result in ready:
                        if result is None:
                            return
                        if isinstance(result, Exception):
                            raise result
                        yield result
                        places.release()
                    seconds_away = time.monotonic() - left
            finally:
                self._loop = None
                asking.cancel()

    def stop(self) -> None:
        """Ask nothing more, and nothing again: generate() yields what is in flight, and ends."""
        self._stopped = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._service.stop)

    async def _next(
        self, results: "asyncio.Queue[Answer | Exception | None]", seconds_away: float
    ) -> list[Answer | Exception | None]:
        """All that is ready, at least one: starting the event loop for each would cost CPU time."""
        self._service.postpone(seconds_away)
        ready = [await results.get()]
        # The next questions are sent before these answers are scored, so the service does not wait.
        for _ in range(_TURNS_TO_SEND):
            await asyncio.sleep(0)
        while not results.empty():
            ready.append(results.get_nowait())
        return ready

    async def _ask_all(
        self,
        requests: Iterator[Request],
        results: "asyncio.Queue[Answer | Exception | None]",
        places: asyncio.Semaphore,
    ) -> None:
        """Put every answer into the queue, or what ends the run; then None.

        Args:
            places: one is taken for each request, and given back by who takes the answer.
        """

        async def work() -> None:
            while await places.acquire() and not self._stopped:
                if (request := next(requests, None)) is None:
                    return
                results.put_nowait(await self._answer(request))

        end = None
        try:
            async with self._service, asyncio.TaskGroup() as group:
                for _ in range(self._config.threads):
                    group.create_task(work())
        except ExceptionGroup as errors:
            # A task group wraps what its tasks raise; whichever failed first ends the run.
            end = errors.exceptions[0]
        results.put_nowait(end)

    async def _answer(self, request: Request) -> Answer:
        path = COMPLETIONS if self._text_completion else CHAT
        read = read_completion if self._text_completion else read_chat
        started = time.monotonic()
        try:
            reply, seconds, retries = await self._service.ask(
                path, request_body(self._config, request, self._text_completion), read
            )
        except Fault as fault:
            return Answer(
                request,
                None,
                str(fault),
                seconds=time.monotonic() - started,
                retries=fault.retries,
                is_refusal=fault.is_refusal,
            )
        return Answer(
            request,
            reply.text,
            # A service may give anything for a reason, the key too.
            finish_reason=reply.finish_reason and self._service.tidy(reply.finish_reason),
            usage=reply.usage,
            seconds=seconds,
            reasoning=reply.reasoning,
            retries=retries,
        )


def request_body(
    config: RemoteConfig, request: Request, text_completion: bool = False
) -> dict[str, Any]:
    """The body that asks a service for an answer."""
    prompt = request.prompt
    body: dict[str, Any] = {"model": config.model}
    if text_completion:
        body |= {"prompt": prompt.text, "max_tokens": _COMPLETION_TOKENS}
    else:
        body["messages"] = [
            {"role": message.role, "content": message.content} for message in prompt.messages
        ]
    if config.temperature is not None:
        body |= {"temperature": config.temperature, "top_p": 1}
    if config.max_tokens is not None:
        body["max_tokens"] = config.max_tokens
    if request.schema is not None:
        schema = {"name": "reply", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    body |= config.extra_body
    if request.repeat > 1 and isinstance(body.get("seed"), int):
        body["seed"] += request.repeat - 1
    return body


def served_model(config: RemoteConfig, api_key: str) -> str:
    """The id of the one model that the service lists.

    Raises:
        UserError: it lists none or several, or does not answer.
    """
    service = _service(config, api_key)

    async def ask() -> Sequence[str]:
        async with service:
            return (await service.ask(MODELS, None, read_models))[0]

    remedy = 'set "model" in the config'
    try:
        models: Sequence[str] = asyncio.run(ask())
    except Fault as fault:
        raise UserError(f"{service.where}: does not name its model: {fault}; {remedy}") from None
    shown = service.listing(models)
    if len(models) != 1:
        what = f"{len(models)} models: {shown}" if models else "no model"
        raise UserError(f"{service.where}: serves {what}; {remedy}")
    if shown != models[0]:
        raise UserError(f"{service.where}: its model's name is no name ({shown}); {remedy}")
    return models[0]


def _service(
    config: RemoteConfig, api_key: str, on_fault: Callable[[str], None] = lambda fault: None
) -> Service:
    if config.vertex_credentials is None:
        return Service(config.api_bases, ApiKey(api_key), config, on_fault)
    # google-auth is as heavy as the SDK, and few need it.
    from ragifeval.generators.remote.vertex import ServiceAccount

    account = ServiceAccount(config.vertex_credentials)
    bases = config.api_bases or [account.api_base(config.vertex_location)]
    return Service(bases, account, config, on_fault)
