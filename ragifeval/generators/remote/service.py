"""A service that speaks OpenAI's protocol, asked with patience: what is asked again, and where."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Self, TypeVar

import aiohttp
import httpx2
import openai

from ragifeval.errors import UserError
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote.credentials import Credential
from ragifeval.generators.remote.faults import (
    Broken,
    Fault,
    Unreachable,
    service_message,
    status_fault,
    tidy,
)
from ragifeval.generators.remote.response import read_models
from ragifeval.generators.remote.transport import Client, Transport, connection_fault

CHAT, COMPLETIONS, MODELS = "/chat/completions", "/completions", "/models"

# The wait before another attempt doubles each time up to this.
_LONGEST_WAIT = 60.0
# After so many questions in a row without an answer, the next ones are asked only once each.
_PATIENT_QUESTIONS = 3
# After so many questions in a row that were refused alike, before any answer, the run ends.
_SAME_REFUSALS = 5
# What a service says of one question's prompt or answer, even if many are refused alike.
_ONE_PROMPT = re.compile(r"(?i)\btokens\b|context|length|too (?:long|large)|filter")
_PAUSE = 30.0  # seconds for which a replica is left alone after a broken connection
_SHORTEST_KEY = 8
_NOTICEABLE = 0.01  # seconds

# The SDK tells the service of this machine and of its own retries. No service needs it, and these
# headers would be copied and checked five times for each request.
_TELEMETRY = (
    *("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async"),
    *("Retry-Count", "Read-Timeout"),
)
_GET = openai.RequestOptions(headers={f"X-Stainless-{name}": openai.omit for name in _TELEMETRY})
_POST = openai.RequestOptions(headers={**_GET["headers"], "Content-Type": "application/json"})

Read = TypeVar("Read")


class Service:
    """Replicas of one model behind one credential. A context manager; may be entered again.

    Args:
        bases: the replicas' URLs, which the paths of the API are appended to.
        config: gives the patience (timeout, max_retries, sleep_time, max_faults).
        on_fault: told of each failed attempt, for a progress line.

    Raises:
        UserError: one of the bases is no URL, or certificates cannot be read.
    """

    def __init__(
        self,
        bases: Sequence[str],
        credential: Credential,
        config: RemoteConfig,
        on_fault: Callable[[str], None],
    ) -> None:
        self._credential = credential
        self._config = config
        urls = [_parse_url(base) for base in bases]
        self._url_secrets = [*url_secrets(bases)]
        self._transport = Transport(urls, config.max_response_mb, config.threads)
        http = Client(self._transport)
        self._replicas = Replicas([Replica(url, credential, http) for url in urls])
        self._on_fault = on_fault
        self._retries = 0
        self._last_fault = ""
        # Questions in a row that were given up, or refused alike before any answer.
        self._given_up = self._refused_alike = 0
        self._refusal = ""
        self._has_answered = False
        # Whether anything ever listened at one of the URLs, and whether all have since gone.
        self._was_reached = self._is_lost = False
        self._deadlines: set[asyncio.Timeout] = set()
        self._models: Sequence[str] | None = None

    async def __aenter__(self) -> Self:
        self._stopped, self._listing = asyncio.Event(), asyncio.Lock()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()

    @property
    def where(self) -> str:
        """The replicas' URLs without their secrets."""
        return ", ".join(replica.url for replica in self._replicas)

    def stop(self) -> None:
        """Ask nothing again: what waits for another attempt has failed."""
        self._stopped.set()

    def postpone(self, seconds: float) -> None:
        """Put off the deadlines of all calls: the event loop stood still for so long."""
        if seconds > _NOTICEABLE:
            for deadline in self._deadlines:
                when = deadline.when()
                if when is not None and not deadline.expired():
                    deadline.reschedule(when + seconds)

    async def ask(
        self, path: str, body: Mapping[str, Any] | None, read: Callable[[bytes], Read]
    ) -> tuple[Read, float, int]:
        """Ask until there is an answer or patience is at its end.

        When a replica's connection breaks, it is set aside and the next one is asked at once; that
        is no retry. When a question found no replica for as long as patience lasts, the following
        ones are asked only once each, until a replica responds again; after `max_faults` questions
        in a row without an answer, nothing is asked any more.

        Args:
            path: of the API, from the replica's URL on.
            body: to be posted as JSON; None to get.
            read: reads the answer from the response's body, or raises Fault.

        Returns:
            (the answer, the seconds of the attempt that brought it, how many attempts failed
            before it)

        Raises:
            Fault: no answer came; its text is fit to be shown.
            UserError: no answer can come to any question.
        """
        if self._given_up >= self._config.max_faults:
            raise Fault(
                f"not asked: {self._given_up} questions in a row had no answer, "
                f"the last one because of: {self._last_fault}"
            )
        is_hopeless = self._is_lost or self._given_up >= _PATIENT_QUESTIONS
        retries = 0 if is_hopeless else self._config.max_retries
        attempts = tried = 0
        broken: set[Replica] = set()
        avoid = broken
        while True:
            sent = time.monotonic()
            replica = self._replicas.pick(avoid, sent)
            attempts += 1
            try:
                answer = read(await self._call(replica, path, body))
            except Fault as fault:
                failure = fault
            else:
                replica.has_answered = self._has_answered = True
                self._given_up = 0
                return answer, time.monotonic() - sent, attempts - 1
            self._last_fault = self.tidy(str(failure))
            self._on_fault(f"asked again {self._retries} times; {self._last_fault}")
            if isinstance(failure, Broken):
                self._replicas.set_aside(replica, time.monotonic())
                broken.add(replica)
                if self._replicas.has_other(broken, time.monotonic()):
                    avoid = broken
                    continue
                if isinstance(failure, Unreachable):
                    if not self._was_reached:
                        raise UserError(self._nobody_there(failure))
                    self._is_lost |= tried == retries
            is_over = tried == retries or not failure.again
            if is_over or await self._stopped_within(self._wait(failure, tried)):
                break
            tried += 1
            self._retries += 1
            broken, avoid = set(), {replica}
        if not failure.is_refusal:
            self._given_up += 1
        elif not self._has_answered and "response_format" not in (body or {}):
            self._count_refusal(self._last_fault)
        times = f" (asked {attempts} times)" if attempts > 1 else ""
        raise Fault(
            f"{self._last_fault}{times}", is_refusal=failure.is_refusal, retries=attempts - 1
        )

    def tidy(self, text: str) -> str:
        """The text without secrets, in one line."""
        return tidy(text, [*self._credential.secrets(), *self._url_secrets])

    async def _stopped_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)
        return self._stopped.is_set()

    def _wait(self, fault: Fault, retries: int) -> float:
        """The seconds before another attempt, after so many retries."""
        if fault.wait is not None:
            return min(fault.wait, self._config.timeout)
        seconds = self._config.sleep_time
        return max(seconds, min(seconds * 2.0 ** min(retries, 30), _LONGEST_WAIT))

    async def _call(self, replica: "Replica", path: str, body: Mapping[str, Any] | None) -> bytes:
        """Ask a replica once; return the body of its response."""
        deadline = asyncio.timeout(self._config.timeout)
        self._deadlines.add(deadline)
        try:
            async with deadline:
                response = await self._send(replica, path, body)
        except TimeoutError:
            raise Fault(f"no answer within {self._config.timeout:g} seconds") from None
        except aiohttp.ClientError as error:
            fault = connection_fault(error, replica.url, self._config.threads)
            self._was_reached |= not isinstance(fault, Unreachable)
            raise fault from None
        except UnicodeEncodeError as error:
            raise Fault(f"the prompt is no text: {error.reason}", again=False) from None
        except openai.APIStatusError as error:
            response = error.response
        except (Fault, UserError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one exchange concerns one question
            raise Fault(f"the response cannot be read: {type(error).__name__}: {error}") from None
        finally:
            self._deadlines.discard(deadline)
        self._was_reached, self._is_lost = True, False
        self._replicas.restore(replica)
        if response.is_success:
            return response.content
        await self._end_if_hopeless(replica, path, response)
        headers = {**response.headers, "location": response.extensions["location"]}
        raise status_fault(response.status_code, headers, response.content)

    async def _send(
        self, replica: "Replica", path: str, body: Mapping[str, Any] | None
    ) -> httpx2.Response:
        """Make a call, and make it again if its token had to be renewed."""
        try:
            return await replica.send(path, body)
        except openai.AuthenticationError as error:
            token = error.request.headers["Authorization"].removeprefix("Bearer ")
            if not await self._credential.renew(token):
                raise
        return await replica.send(path, body)

    async def _end_if_hopeless(
        self, replica: "Replica", path: str, response: httpx2.Response
    ) -> None:
        """Raise UserError if every question would be refused like this one."""
        status = response.status_code
        message, code = service_message(response.content)
        said = self.tidy(f"{status}: {message}" if message else str(status))
        unknown = status == 404 and path != MODELS and re.search(r"(?i)\bmodel\b", message)
        if unknown or code == "model_not_found":
            served = "" if path == MODELS else await self._served(replica)
            raise UserError(
                f"{replica.url}: there is no model {self._config.model!r} ({said}){served}"
            )
        if status == 401 or (status == 403 and not replica.has_answered):
            raise UserError(f"{replica.url}: access refused ({said}); {self._credential.remedy}")
        if status == 404 and not replica.has_answered:
            other = " or the service has no text completion" if path == COMPLETIONS else ""
            raise UserError(
                f"{replica.url}{path}: not found ({said}); api_base must be the part of the URL "
                f"before {path}, for example http://127.0.0.1:8000/v1{other and ',' + other}"
            )

    async def _served(self, replica: "Replica") -> str:
        """The models that a service lists, to choose from; empty where it lists none."""
        async with self._listing:  # once for all questions in flight
            if self._models is None:
                self._models = []
                with suppress(Fault, UserError):
                    self._models = read_models(await self._call(replica, MODELS, None))
        return f"; it has: {self.listing(self._models)}" if self._models else ""

    def listing(self, models: Sequence[str]) -> str:
        """The first few names."""
        return ", ".join(map(self.tidy, models[:10])) + ", ..." * (len(models) > 10)

    def _count_refusal(self, refusal: str) -> None:
        """Raise UserError once the first questions were refused alike."""
        if _ONE_PROMPT.search(refusal):
            return
        self._refused_alike = self._refused_alike + 1 if refusal == self._refusal else 1
        self._refusal = refusal
        if self._refused_alike >= _SAME_REFUSALS:
            key = f", {self._credential.remedy}" if not [*self._credential.secrets()] else ""
            raise UserError(
                f"{self.where}: refuses every question alike ({refusal}); "
                f'look at "model" ({self._config.model!r}) and extra_body in the config{key}'
            )

    def _nobody_there(self, fault: Unreachable) -> str:
        if not fault.refused:
            return self.tidy(str(fault))
        model = self._config.model or "MODEL"
        port = next(iter(self._replicas)).port
        return (
            f"no server listens at {self.where}; start one, for example: "
            f"vllm serve {model} --port {port}, or: transformers serve {model} --port {port}"
        )


class Replica:
    """One server of the model, and OpenAI's client for it.

    Attributes:
        url: the base without what may be secret: credentials and query.
        has_answered: whether an answer of it could be read, so that its URL is right.
        back_at: when it is tried again; 0 while it is up.
    """

    def __init__(self, base: httpx2.URL, credential: Credential, http: httpx2.AsyncClient) -> None:
        self.url = str(_bare(base))
        self.port = base.port or (443 if base.scheme == "https" else 80)
        self.has_answered = False
        self.back_at = 0.0
        self._client = openai.AsyncOpenAI(
            **client_address(base),
            api_key=credential.token,
            timeout=None,
            max_retries=0,  # asking again may mean asking another replica
            http_client=http,
        )

    async def send(self, path: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        """Make one call.

        Raises:
            openai.APIStatusError: the response has a status other than 2xx.
        """
        # The whole URL: the SDK would join and parse base and path again for each request.
        url = self.url.rstrip("/") + path
        if body is None:
            return await self._client.get(url, cast_to=httpx2.Response, options=_GET)
        # Encoded here: of a body that is no bytes, the SDK makes copies.
        content = json.dumps(body, ensure_ascii=False).encode()
        return await self._client.post(url, cast_to=httpx2.Response, content=content, options=_POST)


class Replicas:
    """The replicas, picked in turn without those that are down. Times are seconds of any clock."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._replicas = replicas
        self._turn = 0

    def __iter__(self) -> Iterator[Replica]:
        return iter(self._replicas)

    def pick(self, avoid: Collection[Replica], now: float) -> Replica:
        """The next replica that is up, if possible none of those to avoid.

        If all are set aside they have their turn nevertheless: one that was only reset may be up
        again long before its pause ends.
        """
        up = self._up(now)
        candidates = up or self._replicas
        candidates = [replica for replica in candidates if replica not in avoid] or candidates
        size = len(self._replicas)
        picked = min(candidates, key=lambda one: (self._replicas.index(one) - self._turn) % size)
        self._turn = (self._replicas.index(picked) + 1) % size
        if picked.back_at and up:
            # One question finds out whether it is back; meanwhile the others go elsewhere.
            picked.back_at = now + _PAUSE
        return picked

    def has_other(self, tried: Collection[Replica], now: float) -> bool:
        """Whether a replica is up that has not been tried."""
        return any(replica not in tried for replica in self._up(now))

    def set_aside(self, replica: Replica, now: float) -> None:
        """Leave a replica alone for a while: its connection broke."""
        if not replica.back_at:  # else the question was sent before, or is the one that finds out
            replica.back_at = now + _PAUSE

    def restore(self, replica: Replica) -> None:
        """Count a replica as up: it responded."""
        replica.back_at = 0.0

    def _up(self, now: float) -> list[Replica]:
        return [replica for replica in self._replicas if now >= replica.back_at]


def _parse_url(base: str) -> httpx2.URL:
    """Read a base URL.

    Raises:
        UserError: it is none.
    """
    try:
        url = httpx2.URL(base)
        url.host.encode("idna")  # as the resolver will
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise UserError(f"api_base: is no URL: {error}") from None
    return url


def client_address(base: httpx2.URL | str) -> dict[str, Any]:
    """What OpenAI's client is told of a base URL, so that its parts go where they belong."""
    url = _parse_url(base) if isinstance(base, str) else base
    basic = aiohttp.encode_basic_auth(url.username, url.password)
    return {
        "base_url": _bare(url),
        # Credentials in the URL take the place of the key.
        "default_headers": {"Authorization": basic} if url.userinfo else None,
        "default_query": dict(url.params),
    }


def _bare(url: httpx2.URL) -> httpx2.URL:
    """Without what may be secret."""
    return url.copy_with(userinfo=b"", query=None)


def url_secrets(bases: Sequence[str]) -> Iterator[str]:
    """What of base URLs no message may show: password and query."""
    for url in map(_parse_url, bases):
        if url.password:
            yield url.password
        # Shorter ones are versions, not keys.
        values = [*dict(url.params).values(), *re.split("[&=]", url.query.decode())[1::2]]
        yield from (value for value in values if len(value) >= _SHORTEST_KEY)
