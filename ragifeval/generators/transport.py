"""One call to a service as openai's SDK makes it: a response, whatever its status, or a fault.

Its connections and headers are the SDK's; the request is put together here. The SDK copies every
prompt twice and builds headers anew for each request: a third of a run's CPU time, which with many
requests in flight is what the others wait for.
"""

import asyncio
import errno
import json
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
import httpx2
import openai

from ragifeval.errors import UserError
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.credentials import Credential
from ragifeval.generators.faults import Broken, Fault, Unreachable

# A host that is up accepts at once; a dead one is not waited for as long as an answer is.
_CONNECT_SECONDS = 10.0
# Less than the 5 seconds after which uvicorn (vLLM, transformers) closes an idle connection: a
# question sent at that very moment would be lost.
_KEEPALIVE_SECONDS = 3.0
_SHORTEST_KEY = 8


class Transport:
    """The connections to the replicas of a service; to be closed.

    Args:
        bases: the replicas' URLs, which the paths of the API are appended to.
        config: gives the deadline of a call, and how many are made at once.

    Raises:
        UserError: one of the bases is no URL.
    """

    def __init__(self, bases: Sequence[str], credential: Credential, config: RemoteConfig) -> None:
        self._credential = credential
        self._deadline = config.timeout
        self._http = openai.DefaultAioHttpClient(
            # The deadline of a whole call is our own: the SDK's is for each read.
            timeout=httpx2.Timeout(None, connect=min(_CONNECT_SECONDS, config.timeout)),
            limits=httpx2.Limits(
                max_connections=config.threads,
                max_keepalive_connections=config.threads,
                keepalive_expiry=_KEEPALIVE_SECONDS,
            ),
            # The SDK's default follows, and the key would go along.
            follow_redirects=False,
            verify=_tls(),
        )
        self._endpoints = {base: self._endpoint(parse_url(base)) for base in bases}

    def _endpoint(self, url: httpx2.URL) -> "_Endpoint":
        headers = {}
        if url.userinfo:
            # aiohttp refuses a URL with credentials where a header carries some already.
            headers["Authorization"] = aiohttp.encode_basic_auth(url.username, url.password)
        client = openai.AsyncOpenAI(
            base_url=url.copy_with(userinfo=b"", query=None),
            default_headers=headers,
            api_key="-",  # the credential's is put in with each request
            http_client=self._http,
        )
        given = client.default_headers.items()
        headers = {name: value for name, value in given if isinstance(value, str)}
        return _Endpoint(client.base_url, headers, dict(url.params))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def call(self, base: str, path: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        """Make one call; make it again only where its token had to be renewed.

        Args:
            body: to be posted as JSON; None to get.

        Raises:
            Fault: no whole response came; its text is not tidy yet.
        """
        response = await self._call(base, path, body)
        if response.status_code == 401:
            token = response.request.headers["Authorization"].removeprefix("Bearer ")
            if await self._credential.renew(token):
                response = await self._call(base, path, body)
        return response

    async def _call(self, base: str, path: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        endpoint = self._endpoints[base]
        try:
            async with asyncio.timeout(self._deadline):
                headers = dict(endpoint.headers)
                if "Authorization" not in headers:
                    headers["Authorization"] = f"Bearer {await self._credential.token()}"
                request = self._http.build_request(
                    "POST" if body is not None else "GET",
                    endpoint.url(path),
                    params=endpoint.params or None,
                    headers=headers,
                    content=_encoded(body) if body is not None else None,
                )
                return await self._http.send(request)
        except TimeoutError:
            raise Fault(f"no answer within {self._deadline:g} seconds") from None
        except UnicodeEncodeError as error:
            raise Fault(f"the prompt, or the response, is no text: {error.reason}") from None
        except (httpx2.HTTPError, aiohttp.ClientError) as error:
            raise _connection_fault(error, shown_url(base)) from None


@dataclass(frozen=True)
class _Endpoint:
    """Where a replica is asked.

    Attributes:
        base: with a slash at its end.
        params: of every request's query.
    """

    base: httpx2.URL
    headers: Mapping[str, str]
    params: Mapping[str, str]

    def url(self, path: str) -> httpx2.URL:
        return self.base.copy_with(raw_path=self.base.raw_path + path.lstrip("/").encode())


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


@cache
def _tls() -> ssl.SSLContext:
    """Reads the certificates of the authorities: once, for it takes longer than a short call."""
    return httpx2.create_ssl_context()


def parse_url(base: str) -> httpx2.URL:
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


def shown_url(base: str) -> str:
    """A base URL without what may be secret: credentials and query."""
    return str(parse_url(base).copy_with(userinfo=b"", query=None))


def url_secrets(base: str) -> Iterator[str]:
    """What of a base URL no message may show: password and query, in each form they are sent in."""
    url = parse_url(base)
    if url.password:
        header = aiohttp.encode_basic_auth(url.username, url.password)
        yield from (url.password, header.removeprefix("Basic "))
        yield url.userinfo.decode().partition(":")[2]
    # Shorter ones are versions, not keys.
    values = [*dict(url.params).values(), *re.split("[&=]", url.query.decode())[1::2]]
    yield from (value for value in values if len(value) >= _SHORTEST_KEY)


def _connection_fault(error: Exception, url: str) -> Fault:
    """The SDK and its transport blur what happened; the aiohttp error behind theirs tells it."""
    causes = list(_causes(error))
    reason = str(causes[-1]) or type(causes[-1]).__name__
    for cause in causes:
        match cause:
            case aiohttp.InvalidURL():
                raise UserError(f"api_base: {url!r} is no URL")
            case aiohttp.ConnectionTimeoutError():
                return Unreachable(f"{url} accepts no connection", refused=False)
            case aiohttp.ClientProxyConnectionError():
                return Unreachable(f"the proxy before {url} cannot be reached", refused=False)
            case aiohttp.ClientConnectorError() if cause.errno == errno.ECONNREFUSED:
                return Unreachable(f"no server listens at {url}", refused=True)
            case aiohttp.ClientConnectorError():
                return Unreachable(f"{url} cannot be reached: {reason}", refused=False)
            case aiohttp.ClientError():
                return Broken(f"the connection broke: {reason}")
    return Fault(f"the response cannot be read: {reason}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
