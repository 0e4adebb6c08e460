"""A service on this machine that answers as a test tells it to, byte by byte if need be.

    def script(call: Call) -> Response:
        return chat("Tak.") if call.json["model"] == "m" else failure(404, "no such model")

    with Loopback(script) as server:
        ...  # ask f"{server.url}/chat/completions"
        assert len(server.calls) == 1

The script is called in the server's thread, once a request, and may keep state. `chat`,
`completion`, `models` and `failure` make the responses that a service gives; `Response` makes any
other.
"""

import asyncio
import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count, cycle
from typing import Any, Self
from urllib.parse import parse_qs


@dataclass(frozen=True)
class Call:
    """A request as it was seen.

    Attributes:
        index: how many requests there were before it.
        path: with the query.
        headers: the names in lower case.
        at: when it was there, in seconds of the server's clock.
    """

    index: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def form(self) -> dict[str, str]:
        return {key: values[0] for key, values in parse_qs(self.body.decode()).items()}

    @property
    def prompt(self) -> str:
        """What the model is asked: the last message, or the text to be completed."""
        body = self.json
        return body["messages"][-1]["content"] if "messages" in body else body["prompt"]


@dataclass(frozen=True)
class Response:
    """What is sent back.

    Attributes:
        body: a text or an object for JSON is encoded.
        delay: seconds before the first byte.
        until: no byte is sent before this is true.
        drip: seconds between one byte of the body and the next.
        cut: the connection is cut after so many bytes of the body.
        raw: sent as it is instead of a response; then the connection is cut.
        reset: nothing is sent; the connection is reset, as by a process that was killed.
        endless: the body is sent again and again, without a length, until the client hangs up.
        surplus: seconds after which the same response is sent once more, which nobody asked for.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    until: Callable[[], bool] = lambda: True
    drip: float = 0.0
    cut: int | None = None
    raw: bytes | None = None
    reset: bool = False
    endless: bool = False
    surplus: float | None = None

    def gzipped(self, cut: int | None = None) -> "Response":
        """The same, compressed (once more); only so many bytes of it."""
        body = gzip.compress(self.encoded())[:cut]
        coding = f"{self.headers['Content-Encoding']}, gzip" if self.headers else "gzip"
        return replace(self, body=body, headers={"Content-Encoding": coding})

    def encoded(self) -> bytes:
        """The body as it is sent; an answer gets an id of its own each time, as services do."""
        match self.body:
            case bytes():
                return self.body
            case str():
                return self.body.encode()
            case {"choices": _}:
                return json.dumps({"id": str(next(_NUMBERS)), **self.body}).encode()
        return json.dumps(self.body).encode()


Script = Callable[[Call], Response]
_NUMBERS = count()


def chat(content: object, finish_reason: str | None = "stop", **how: Any) -> Response:
    """An answer of /chat/completions; `message` adds to its message, the rest is Response's."""
    message = {"role": "assistant", "content": content, **how.pop("message", {})}
    return Response(_choices({"message": message, "finish_reason": finish_reason}), **how)


def completion(text: object, finish_reason: str | None = "stop", **how: Any) -> Response:
    """An answer of /completions."""
    return Response(_choices({"text": text, "finish_reason": finish_reason}), **how)


def _choices(choice: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"model": "m", "choices": [{"index": 0, **choice}], "usage": usage}


def models(*ids: str) -> Response:
    """The list of /models."""
    return Response({"object": "list", "data": [{"id": key, "object": "model"} for key in ids]})


def failure(status: int, message: str, code: str | None = None, **how: Any) -> Response:
    """An error as OpenAI tells it."""
    return Response({"error": {"message": message, "code": code}}, status=status, **how)


def in_turn(*responses: Response) -> Script:
    """A script that gives the responses one after the other, and the last one for ever."""
    return lambda call: responses[min(call.index, len(responses) - 1)]


class Loopback:
    """The server: listens on a port of 127.0.0.1 between `with` and stop().

    Args:
        port: 0 for a free one.

    Attributes:
        url: what a config calls api_base.
        calls: the requests seen so far.
        connections: how many were made so far.
        at_once: the most requests that were in work at the same time.
    """

    def __init__(self, script: Script, port: int = 0) -> None:
        self.port = port
        self.calls: list[Call] = []
        self.connections = self.at_once = 0
        self._script = script
        self._in_work = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._connections: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._connected, "127.0.0.1", self.port))
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def stop(self) -> None:
        """Die: refuse new connections, cut those there are."""
        self._run(self._stop())

    def _run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=10)

    async def _stop(self) -> None:
        # What is accepted while the server closes, asyncio drops without hanging up.
        for listener in self._server.sockets:
            self._loop.remove_reader(listener)
        for _ in range(3):
            await asyncio.sleep(0)
        self._server.close()
        connections = list(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if not self._server.is_serving():  # accepted just before it died
            writer.close()
            return
        self._connections.add(task)
        self.connections += 1
        try:
            # The client hangs up, or stop() cancels: neither is a fault of the server.
            with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while True:
                    call = await self._read(reader)
                    self._in_work += 1
                    self.at_once = max(self.at_once, self._in_work)
                    try:
                        if not await _write(self._script(call), writer):
                            break
                    finally:
                        self._in_work -= 1
        finally:
            self._connections.discard(task)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Call:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
        method, path, _ = head[0].split(" ")
        lines = [line.partition(":") for line in head[1:] if line]
        headers = {name.lower(): value.strip() for name, _, value in lines}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        call = Call(len(self.calls), method, path, headers, body, self._loop.time())
        self.calls.append(call)
        return call


async def _write(response: Response, writer: asyncio.StreamWriter) -> bool:
    """Send a response; return whether the connection lives on."""
    await asyncio.sleep(response.delay)
    while not response.until():
        await asyncio.sleep(0.01)
    if response.reset:
        at_once = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        return False
    if response.raw is not None:
        writer.write(response.raw)
        await writer.drain()
        return False
    body = response.encoded()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    if response.endless:
        del headers["Content-Length"]
    lines = [f"{name}: {value}" for name, value in {**headers, **response.headers}.items()]
    head = "\r\n".join([f"HTTP/1.1 {response.status} Status", *lines, "", ""]).encode()
    writer.write(head)
    pieces = [body[: response.cut]] if not response.drip else _single(body)
    for piece in cycle([body]) if response.endless else pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(response.drip)
    if response.surplus is not None:
        await asyncio.sleep(response.surplus)
        writer.write(head + body)
    return response.cut is None


def _single(body: bytes) -> Iterator[bytes]:
    return (body[index : index + 1] for index in range(len(body)))


@contextmanager
def dead_url() -> Iterator[str]:
    """An api_base where connections are refused; nobody else gets the port meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
