"""The generator that asks a service, many questions at once."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

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


class RemoteGenerator:
    """Asks a service, `threads` questions at once: no question waits for another's answer.

    Args:
        config: names the model; served_model() finds it if the user does not.
        api_key: "-" for none; not used on Vertex AI.
        text_completion: ask for the completion of a text instead of a chat answer.

    Raises:
        UserError: the key, the credentials or the URL cannot be used.
    """

    def __init__(self, config: RemoteConfig, api_key: str, text_completion: bool) -> None:
        if config.model is None:
            raise ValueError("the config names no model")
        self.name = config.model
        self._config = config
        self._text_completion = text_completion
        self._service = _service(config, api_key)
        self._stopped = False
        self._portal: BlockingPortal | None = None

    @property
    def status(self) -> str:
        """For a progress line: how often was asked again, and the last fault. Mostly empty."""
        retries = f"{self._service.retries} retries" if self._service.retries else ""
        return ", ".join(part for part in (retries, self._service.last_fault) if part)

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in the order in which the service does.

        The service is asked from a thread of its own, so that deadlines and connections do not
        depend on how long the caller deals with an answer. At most `threads` requests are with the
        service or wait for the caller.
        """
        waiting = iter(requests)
        asked: set[Future[Answer]] = set()
        answered: SimpleQueue[Future[Answer]] = SimpleQueue()
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(self._service),
        ):
            self._portal = portal

            def ask() -> None:
                while len(asked) < self._config.threads and not self._stopped:
                    request = next(waiting, None)
                    if request is None:
                        return
                    future = portal.start_task_soon(self._answer, request)
                    asked.add(future)
                    future.add_done_callback(answered.put)

            try:
                ask()
                while asked:
                    future = answered.get()
                    asked.remove(future)
                    ask()
                    yield future.result()
            finally:
                self._portal = None
                for future in asked:
                    future.cancel()

    def stop(self) -> None:
        """Ask nothing more, and nothing again: generate() yields what is in flight, and ends."""
        self._stopped = True
        if self._portal is not None:
            self._portal.start_task_soon(self._service.stop)

    async def _answer(self, request: Request) -> Answer:
        path = COMPLETIONS if self._text_completion else CHAT
        read = read_completion if self._text_completion else read_chat
        started = time.monotonic()
        try:
            reply, seconds = await self._service.ask(path, self._body(request), read)
        except Fault as fault:
            return Answer(
                request,
                None,
                str(fault),
                seconds=time.monotonic() - started,
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
        )

    def _body(self, request: Request) -> dict[str, Any]:
        prompt, config = request.prompt, self._config
        body: dict[str, Any] = {"model": self.name}
        if self._text_completion:
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
        return body | config.extra_body


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
    names = [service.tidy(model) for model in models]
    if len(models) != 1:
        shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        what = f"{len(models)} models: {shown}" if models else "no model"
        raise UserError(f"{service.where}: serves {what}; {remedy}")
    if names != list(models):
        raise UserError(f"{service.where}: its model's name is no name ({names[0]}); {remedy}")
    return models[0]


def _service(config: RemoteConfig, api_key: str) -> Service:
    if config.vertex_credentials is None:
        return Service(config.api_bases, ApiKey(api_key), config)
    # google-auth is as heavy as the SDK, and few need it.
    from ragifeval.generators.remote.vertex import ServiceAccount

    account = ServiceAccount(config.vertex_credentials)
    bases = config.api_bases or [account.api_base(config.vertex_location)]
    return Service(bases, account, config)
