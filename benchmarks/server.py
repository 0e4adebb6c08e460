"""A loopback server that speaks OpenAI's protocol, fast enough not to be what is measured.

    python benchmarks/server.py [--delay 0.05] [--slow_request 100 --slow_seconds 5]

Prints its URL and serves until it is killed. Every POST is answered with a text of 60 words from
data/documents.jsonl, another one each time, after the delay. GET /stats tells what was seen since
the last GET /reset; with `--digest`, also a sum of the hashes of all messages, by which to see
whether two programs asked the same in whatever order. `--limit` measures the server itself instead,
with a client that does nothing but send and count.
"""

import argparse
import asyncio
import hashlib
import json
import time
from itertools import cycle
from pathlib import Path
from typing import Any

DOCUMENTS = Path(__file__).resolve().parent.parent / "data" / "documents.jsonl"
WORDS = 60
# asyncio rounds the wait for its next timer up to whole milliseconds.
LATE = 0.0005

NO_ID = b"00000000"  # in its place, each answer has one of its own


class Service:
    """What all connections share.

    Args:
        delay: seconds between a request and its answer.
        slow_request: the number of the request, from 0, that takes `slow_seconds` instead.
        digests: whether to read the messages.
    """

    def __init__(self, delay: float, slow_request: int, slow_seconds: float, digests: bool) -> None:
        self.delay = delay
        self.digests = digests
        self.slow_request = slow_request
        self.slow_seconds = slow_seconds
        self._answers = cycle(_answers())
        self.reset()

    def reset(self) -> None:
        """Forget what was seen."""
        self.requests = self.answers = self.in_work = self.most_at_once = 0
        self.digest = 0
        self.waited = self.first = self.last = 0.0
        self._cpu = time.process_time()

    def stats(self) -> dict[str, Any]:
        """What was seen since the last reset; `first` and `last` are of the clock time()."""
        return {
            "requests": self.requests,
            "answers": self.answers,
            "most_at_once": self.most_at_once,
            "mean_delay": self.waited / max(1, self.answers),
            "digest": f"{self.digest % 2**64:016x}",
            "first": self.first,
            "last": self.last,
            "cpu": time.process_time() - self._cpu,
        }

    def began(self) -> float:
        """Take note of a request; return the seconds until its answer."""
        if not self.requests:
            self.first = time.time()
        seconds = self.slow_seconds if self.requests == self.slow_request else self.delay
        self.requests += 1
        self.in_work += 1
        self.most_at_once = max(self.most_at_once, self.in_work)
        return seconds

    def read(self, body: bytes) -> None:
        """Add the messages of a request to the digest."""
        messages = json.loads(body)["messages"]
        text = json.dumps([[message["role"], message["content"]] for message in messages])
        self.digest += int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])

    def answer(self, waited: float) -> bytes:
        """The next answer, as it is sent after so many seconds."""
        self.in_work -= 1
        self.waited += waited
        self.answers += 1
        self.last = time.time()
        return next(self._answers).replace(NO_ID, b"%08d" % (self.answers % 10**8), 1)


class Connection(asyncio.Protocol):
    """One connection, kept alive; its client sends a request when it has the last answer."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._needed = 0

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) < self._needed:
            return
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self._buffer[:end]).lower()
        _, found, rest = head.partition(b"\r\ncontent-length:")
        self._needed = end + 4 + (int(rest.partition(b"\r\n")[0]) if found else 0)
        if len(self._buffer) < self._needed:
            return
        self._needed = 0
        if self._service.digests and head.startswith(b"post "):
            self._service.read(self._buffer[end + 4 :])
        self._buffer.clear()
        if head.startswith(b"post "):
            delay = self._service.began()
            now = self._loop.time()
            if delay:
                self._loop.call_at(now + delay - LATE, self._answer, now)
            else:
                self._answer(now)
        else:
            self._transport.write(_response(self._told(head.split(b" ", 2)[1])))

    def _answer(self, since: float) -> None:
        # Taken even if the client is gone, so that the counts are right.
        answer = self._service.answer(self._loop.time() - since)
        if not self._transport.is_closing():
            self._transport.write(answer)

    def _told(self, path: bytes) -> Any:
        if path == b"/reset":
            self._service.reset()
        if path.endswith(b"/models"):
            return {"object": "list", "data": [{"id": "m", "object": "model"}]}
        return self._service.stats()


def _response(value: object) -> bytes:
    body = json.dumps(value, ensure_ascii=False).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def _answers() -> list[bytes]:
    """A response for each document: its first words, and a citation."""
    responses = []
    with DOCUMENTS.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            words = json.loads(line)["contents"].split()[: WORDS - 1]
            message = {"role": "assistant", "content": " ".join([*words, f"[{number % 4}]"])}
            value = {
                "id": NO_ID.decode(),
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020},
            }
            responses.append(_response(value))
    return responses


class Client(asyncio.Protocol):
    """Sends one request after the other until so many were answered."""

    REQUEST = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 8000\r\n\r\n" + b" " * 8000

    def __init__(self, count: int) -> None:
        self._left = count
        self._buffer = bytearray()
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self.REQUEST)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if found and len(body) >= int(head.rpartition(b":")[2]):
            self._buffer.clear()
            self._left -= 1
            if self._left:
                self._transport.write(self.REQUEST)
            else:
                self._transport.close()
                self.done.set_result(None)


async def ask(port: int, connections: int, each: int) -> float:
    """Ask a server from many connections; return the requests it answered in a second."""
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    clients = [
        await loop.create_connection(lambda: Client(each), "127.0.0.1", port)
        for _ in range(connections)
    ]
    await asyncio.gather(*(client.done for _, client in clients))
    return connections * each / (time.monotonic() - began)


async def serve(service: Service) -> None:
    """Serve on a free port until killed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(service), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main() -> None:
    """Serve, or measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--delay", type=float, default=0.0, help="seconds")
    parser.add_argument("--slow_request", type=int, default=-1, help="the number of one, from 0")
    parser.add_argument("--slow_seconds", type=float, default=5.0, help="what that one takes")
    parser.add_argument("--digest", action="store_true", help="of the messages")
    parser.add_argument("--limit", action="store_true", help="measure the server itself")
    parser.add_argument("--smoke", action="store_true", help="a tiny measurement, for the test")
    options = parser.parse_args()
    if options.limit or options.smoke:
        from common import Server, say_where

        say_where()
        each = 5 if options.smoke else 500
        for connections in (1, 16, 128):
            with Server() as server:
                rate = asyncio.run(ask(server.port, connections, each))
                cpu = server.stats()["cpu"] / (connections * each)
            print(
                f"{connections:4} connections: {rate:8,.0f} requests/s, "
                f"{cpu * 1e3:.3f} ms of the server's CPU each"
            )
        return
    service = Service(options.delay, options.slow_request, options.slow_seconds, options.digest)
    asyncio.run(serve(service))


if __name__ == "__main__":
    main()
