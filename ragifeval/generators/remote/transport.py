"""How a call reaches a service: over a connection that is silent, its response of limited size.

A response too many on a kept connection would be taken for the answer to the next question, and
every answer after it would belong to the question before. So a connection rests after each
response, while other calls use others, and one that brings anything meanwhile is closed.
"""

import asyncio
import errno
import os
import ssl
import time
import urllib.request
import zlib
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import aiohttp
import httpx2
import openai
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

from ragifeval.errors import UserError
from ragifeval.generators.remote.faults import Broken, Fault, Unreachable

# A server that is up accepts at once; a dead one is not waited for as long as an answer is.
_CONNECT_SECONDS = 10.0
_GZIP = 31  # zlib's number for gzip with its header and checksum
_MEGABYTE = 1_000_000
_OWN_HEADERS = {"accept-encoding": "gzip"}
# A connection is used again when it has been silent for so many seconds. Servers close one that
# they have not heard of for some seconds, which must not happen while a request is on its way.
_SHORTEST_REST, _LONGEST_REST = 0.1, 1.5
# More than these are not kept: servers may spend a thread, and this process an open file, on each.
_MOST_RESTING = 64
_OTHER_FILES = 50
# What httpx would act on by itself: cookies, redirects, encodings (the body is decoded here).
_DROPPED = frozenset({"set-cookie", "location", "content-encoding", "content-length"})


class Client(openai.DefaultAsyncHttpxClient):
    """The SDK's HTTP client over a transport, with requests that are put together in less time.

    httpx parses the same URL again for each request, and merges headers that the SDK has set
    already.
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport) -> None:
        super().__init__(transport=transport, follow_redirects=False)

    def build_request(
        self, method: str, url: httpx2.URL | str, *, params: Any = None, **settings: Any
    ) -> httpx2.Request:
        return httpx2.Request(
            method,
            _parse_url(str(url), params),
            headers=settings["headers"],
            content=settings.get("content"),
        )


@lru_cache
def _parse_url(url: str, params: str | None) -> httpx2.URL:
    return httpx2.URL(url, params=params) if params else httpx2.URL(url)


class Transport(httpx2.AsyncBaseTransport):
    """Makes calls over connections that were silent since their last response; to be opened.

    aiohttp takes half the CPU time of httpx's own transport.

    Args:
        urls: those that will be called; certificates are read if one is https.
        max_megabytes: the largest body that is read, after decompression.
        threads: how many calls there are at once.

    Raises:
        UserError: the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read.
    """

    def __init__(self, urls: Sequence[httpx2.URL], max_megabytes: int, threads: int) -> None:
        self._max_megabytes = max_megabytes
        self._tls = _certificates() if any(url.scheme == "https" for url in urls) else True
        self._proxies = {url.host: _proxy(url) for url in urls}
        # By scheme, host and port; those that have rested longest come first.
        self._resting: dict[tuple[str, bytes], deque[Line]] = {}
        self._room = _room_for_resting(threads)

    async def aclose(self) -> None:
        """Close the connections that rest."""
        for resting in self._resting.values():
            while resting:
                await resting.popleft().close()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Make a call.

        Raises:
            Fault: the response cannot be read, or is too large.
            aiohttp.ClientError: no whole response came.
        """
        line = await self._rested(request.url)
        while (response := await self._call(line or Line(self._tls), request)) is None:
            line = None
        return response

    async def _rested(self, url: httpx2.URL) -> "Line | None":
        """A connection over which nothing came since its last response."""
        resting = self._resting.setdefault((url.scheme, url.netloc), deque())
        if resting:
            for _ in range(2):  # in one turn of the event loop, what has arrived is read
                await asyncio.sleep(0)
        while resting and (seconds := time.monotonic() - resting[0].used) >= _SHORTEST_REST:
            line = resting.popleft()
            if seconds < _LONGEST_REST and line.is_silent():
                return line
            await line.close()
        return None

    async def _call(self, line: "Line", request: httpx2.Request) -> httpx2.Response | None:
        """Make a call over this connection; None if its last response was sent once more."""
        url, is_repeated, is_kept = request.url, False, False
        try:
            async with line.session.request(
                request.method,
                str(url),
                # Not {**request.headers}: that looks each of them up in a list of all.
                headers=dict(request.headers.items()) | _OWN_HEADERS,
                data=request.content or None,
                allow_redirects=False,
                proxy=self._proxies[url.host],
            ) as response:
                body = await self._read(response)
            is_repeated = hash(body) == line.answer
            is_kept = response.status == 200 and not is_repeated
        finally:
            if is_kept and sum(map(len, self._resting.values())) < self._room:
                line.answer, line.used = hash(body), time.monotonic()
                self._resting[url.scheme, url.netloc].append(line)
            else:
                await line.close()
        if is_repeated:
            return None
        headers = {name.lower(): value for name, value in response.headers.items()}
        return httpx2.Response(
            response.status,
            headers=[pair for pair in headers.items() if pair[0] not in _DROPPED],
            content=body,
            request=request,
            extensions={"location": headers.get("location", "")},
        )

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        encoding = ", ".join(response.headers.getall("Content-Encoding", [])).strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise Fault(f"the response is encoded as {encoding!r}, which nobody asked for")
        unzip = zlib.decompressobj(_GZIP) if "gzip" in encoding else None
        most = self._max_megabytes * _MEGABYTE
        body = bytearray()
        try:
            async for chunk in response.content.iter_any():
                # One byte more than there may be, so that too large is known from just enough.
                body += unzip.decompress(chunk, most + 1 - len(body)) if unzip else chunk
                if len(body) > most:
                    raise Fault(
                        f"the response is larger than {self._max_megabytes} MB (max_response_mb)"
                    )
        except zlib.error as error:
            raise Fault(f"the response is no gzip: {error}") from None
        if unzip and body and not unzip.eof:
            raise Fault("the response is no whole gzip")
        return bytes(body)


class Line:
    """One connection at a time.

    Attributes:
        session: makes the connection, or uses the one there is.
        answer: the hash of its last response's body; None before the first.
        used: when that was read, in seconds of time.monotonic().
    """

    def __init__(self, tls: ssl.SSLContext | bool) -> None:
        self._connector = _Connector(ssl=tls)
        self.session = aiohttp.ClientSession(
            connector=self._connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            auto_decompress=False,
        )
        self.answer: int | None = None
        self.used = 0.0

    def is_silent(self) -> bool:
        """Whether the connection is there and nothing came over it since the last response."""
        protocol = self._connector.protocol
        return protocol is not None and protocol.is_connected() and not protocol.should_close

    async def close(self) -> None:
        """Break off what is under way."""
        await self.session.close()


class _Connector(aiohttp.TCPConnector):
    """A connector that shows what came over its connection.

    Attributes:
        protocol: of the connection.
    """

    protocol: ResponseHandler | None = None

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        self.protocol = connection.protocol
        return connection


def connection_fault(error: aiohttp.ClientError, url: str, threads: int) -> Fault:
    """The fault that a broken or impossible connection is.

    Raises:
        UserError: it is one of this machine or of the config.
    """
    reason = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        raise UserError(
            f"this process may not open as many connections as threads ({threads}); "
            f"raise its limit of open files (ulimit -n {threads + 100}) or lower threads"
        )
    match error:
        case aiohttp.InvalidURL():
            raise UserError(f"api_base: {url!r} is no URL")
        case aiohttp.ConnectionTimeoutError():
            return Unreachable(f"{url} accepts no connection")
        case aiohttp.ClientProxyConnectionError():
            return Unreachable(f"the proxy before {url} cannot be reached")
        case aiohttp.ClientConnectorError() if error.errno == errno.ECONNREFUSED:
            return Unreachable(f"no server listens at {url}", refused=True)
        case aiohttp.ClientConnectorError():
            return Unreachable(f"{url} cannot be reached: {reason}")
    return Broken(f"the connection broke: {reason}")


def _room_for_resting(threads: int) -> int:
    """How many connections may rest, so that enough open files are left for everything else."""
    if resource is None:
        return _MOST_RESTING
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return _MOST_RESTING
    return max(0, min(_MOST_RESTING, most - threads - _OTHER_FILES))


def _certificates() -> ssl.SSLContext:
    """Those of the authorities, as httpx finds them."""
    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        names = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)]
        where = f"{names[0]}={os.environ[names[0]]}" if names else "the certificates of Python"
        raise UserError(f"{where}: cannot be read: {error.strerror or error}") from None


def _proxy(url: httpx2.URL) -> str | None:
    """The proxy that the environment names for a URL (http_proxy, https_proxy, no_proxy)."""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
