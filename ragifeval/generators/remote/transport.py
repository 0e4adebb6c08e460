"""How a call reaches a service: one connection, one response of limited size, no cookies.

A connection is never used twice. On a kept one, a response too many would be taken for the answer
to the next question, and every answer after it would belong to the question before; no client can
tell. A connection costs a fraction of a millisecond here, and a round trip or two of the network.
"""

import errno
import os
import ssl
import urllib.request
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import aiohttp
import httpx2
import openai

from ragifeval.errors import UserError
from ragifeval.generators.remote.faults import Broken, Fault, Unreachable

# A server that is up accepts at once; a dead one is not waited for as long as an answer is.
_CONNECT_SECONDS = 10.0
_GZIP = 31  # zlib's number for gzip with its header and checksum
_MEGABYTE = 1_000_000
_OWN_HEADERS = {"accept-encoding": "gzip", "connection": "close"}
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


class OneShotTransport(httpx2.AsyncBaseTransport):
    """Makes each call over a connection of its own and reads its response whole; to be opened.

    aiohttp takes half the CPU time of httpx's own transport.

    Args:
        urls: those that will be called; certificates are read if one is https.
        max_megabytes: the largest body that is read, after decompression.

    Raises:
        UserError: the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read.
    """

    def __init__(self, urls: Sequence[httpx2.URL], max_megabytes: int) -> None:
        self._max_megabytes = max_megabytes
        self._tls = _certificates() if any(url.scheme == "https" for url in urls) else True
        self._proxies = {url.host: _proxy(url) for url in urls}

    async def open(self) -> None:
        """Make ready for calls in the running event loop."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True, ssl=self._tls),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            auto_decompress=False,
        )

    async def aclose(self) -> None:
        """Break off what is under way."""
        await self._session.close()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Make a call.

        Raises:
            Fault: the response cannot be read, or is too large.
            aiohttp.ClientError: no whole response came.
        """
        async with self._session.request(
            request.method,
            str(request.url),
            # Not {**request.headers}: that looks each of them up in a list of all.
            headers=dict(request.headers.items()) | _OWN_HEADERS,
            data=request.content or None,
            allow_redirects=False,
            proxy=self._proxies[request.url.host],
        ) as response:
            body = await self._read(response)
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
