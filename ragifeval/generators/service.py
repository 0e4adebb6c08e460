"""A service that speaks OpenAI's protocol, asked with patience: what is asked again, and where."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import httpx2

from ragifeval.errors import UserError
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.credentials import Credential
from ragifeval.generators.faults import (
    Broken,
    Fault,
    Unreachable,
    service_message,
    status_fault,
    tidy,
)
from ragifeval.generators.replicas import Replica, Replicas
from ragifeval.generators.transport import Transport, parse_url, shown_url, url_secrets

CHAT, COMPLETIONS, MODELS = "/chat/completions", "/completions", "/models"

_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)

Read = TypeVar("Read")


class Service:
    """Replicas of one model behind one credential; to be closed.

    Args:
        bases: the replicas' URLs, which the paths of the API are appended to.
        config: gives the patience: timeout, max_retries, sleep_time.

    Raises:
        UserError: one of the bases is no URL.
    """

    def __init__(self, bases: Sequence[str], credential: Credential, config: RemoteConfig) -> None:
        self.urls = [shown_url(base) for base in bases]
        self._credential = credential
        self._config = config
        self._url_secrets = [secret for base in bases for secret in url_secrets(base)]
        self._transport = Transport(bases, credential, config)
        self._replicas = Replicas(bases)
        # Whether anything ever listened at one of the URLs, and whether all have since gone.
        self._was_reached = self._is_lost = False
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Ask nothing again: what waits for another attempt has failed."""
        self._stopped.set()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def ask(
        self, path: str, body: Mapping[str, Any] | None, read: Callable[[bytes], Read]
    ) -> tuple[Read, float]:
        """Ask until there is an answer or patience is at its end.

        A replica whose connection breaks is set aside, and the next one asked at once and at no
        cost. Where a question met no replica for as long as patience lasts, the ones that follow
        are asked only once, until a replica responds again.

        Args:
            path: of the API, from the replica's URL on.
            body: to be posted as JSON; None to get.
            read: reads the answer from the response's body, or raises Fault.

        Returns:
            (the answer, the seconds of the attempt that brought it)

        Raises:
            Fault: no answer came; its text is fit to be shown.
            UserError: no answer can come to any question.
        """
        retries = 0 if self._is_lost else self._config.max_retries
        attempts = 0
        broken: set[Replica] = set()
        avoid = broken
        while True:
            sent = time.monotonic()
            replica = self._replicas.pick(avoid, sent)
            attempts += 1
            try:
                answer = read(await self._call(replica, path, body))
            except Broken as fault:
                failure: Fault = fault
                self._replicas.set_aside(replica, time.monotonic())
                broken.add(replica)
                if self._replicas.has_other(broken, time.monotonic()):
                    avoid = broken
                    continue
                if isinstance(fault, Unreachable):
                    if not self._was_reached:
                        raise UserError(self._nobody_there(fault)) from None
                    self._is_lost |= retries == 0
            except Fault as fault:
                failure = fault
            else:
                replica.answered = True
                return answer, time.monotonic() - sent
            is_over = retries == 0 or not failure.again
            if is_over or await self._stopped_within(self._pause_after(failure)):
                times = f" (asked {attempts} times)" if attempts > 1 else ""
                raise Fault(self._tidy(str(failure)) + times)
            retries -= 1
            broken, avoid = set(), {replica}

    async def _stopped_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)
        return self._stopped.is_set()

    def _pause_after(self, fault: Fault) -> float:
        if fault.wait is None:
            return self._config.sleep_time
        return min(fault.wait, self._config.timeout)

    async def _call(self, replica: Replica, path: str, body: Mapping[str, Any] | None) -> bytes:
        """Ask a replica once; return the body of its response."""
        try:
            response = await self._transport.call(replica.base, path, body)
        except Broken as fault:
            self._was_reached |= not isinstance(fault, Unreachable)
            raise
        self._was_reached, self._is_lost = True, False
        self._replicas.restore(replica)
        if response.is_success:
            return response.content
        self._end_if_hopeless(replica, path, response)
        raise status_fault(response.status_code, response.headers, response.content)

    def _end_if_hopeless(self, replica: Replica, path: str, response: httpx2.Response) -> None:
        """Raise UserError where every question would be refused like this one."""
        status, url = response.status_code, shown_url(replica.base)
        message, code = service_message(response.content)
        said = self._tidy(f"{status}: {message}" if message else str(status))
        unknown = status == 404 and path != MODELS and _MODEL.search(message)
        if unknown or code == "model_not_found":
            raise UserError(f"{url}: there is no model {self._config.model!r} ({said})")
        if status in (401, 403):
            raise UserError(f"{url}: access refused ({said}); {self._credential.remedy}")
        if status == 404 and not replica.answered:
            raise UserError(
                f"{url}{path}: not found ({said}); api_base must be the part of the URL before "
                f"{path}, for example http://127.0.0.1:8000/v1"
            )

    def _nobody_there(self, fault: Unreachable) -> str:
        if not fault.refused:
            return self._tidy(str(fault))
        url = parse_url(self.urls[0])
        port = url.port or (443 if url.scheme == "https" else 80)
        model = self._config.model or "MODEL"
        return (
            f"no server listens at {', '.join(self.urls)}; start one, for example: "
            f"vllm serve {model} --port {port}, or: transformers serve {model} --port {port}"
        )

    def _tidy(self, text: str) -> str:
        return tidy(text, [*self._credential.secrets(), *self._url_secrets])
