"""A service with /files and /batches on this machine, which answers batches as a script tells."""

import json
import re
from collections.abc import Callable
from typing import Any

from tools.testing.loopback import Call, Response, failure

Answering = Callable[[str, dict[str, Any]], dict[str, Any] | None]
"""custom_id, the request's body -> what stands beside custom_id in a line of the output, or None
for no line; with an `error`, the line goes into the file of errors."""


def answered(content: str) -> dict[str, Any]:
    """The line of an answer."""
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    return {"response": {"status_code": 200, "body": {"choices": [choice], "usage": usage}}}


class BatchService:
    """The script of a Loopback.

    Args:
        answering: gives the lines of the output.
        polls: how often a batch is still in progress.
        status: the one that it ends with.

    Attributes:
        uploads: the requests of each file that was uploaded.
        sabotage: a response that is given instead, once.
    """

    def __init__(self, answering: Answering, polls: int = 1, status: str = "completed") -> None:
        self.answering, self.polls, self.status = answering, polls, status
        self.uploads: list[list[dict[str, Any]]] = []
        self.sabotage: dict[str, Response] = {}
        self._seen: dict[str, int] = {}

    def __call__(self, call: Call) -> Response:
        path = call.path.removeprefix("/v1")
        if (prepared := self.sabotage.pop(f"{call.method} {path}", None)) is not None:
            return prepared
        if (call.method, path) == ("POST", "/files"):
            self.uploads.append(_uploaded(call))
            return Response(_file(f"file-{len(self.uploads) - 1}"))
        if (call.method, path) == ("POST", "/batches"):
            number = call.json["input_file_id"].partition("-")[2]
            assert call.json["completion_window"] == "24h"
            return Response(self._batch(int(number), "validating"))
        if match := re.fullmatch(r"/batches/batch-(\d+)", path):
            seen = self._seen[path] = self._seen.get(path, 0) + 1
            over = seen > self.polls
            return Response(self._batch(int(match[1]), self.status if over else "in_progress"))
        if match := re.fullmatch(r"/files/(output|error)-(\d+)/content", path):
            lines = self._lines(int(match[2]), match[1])
            return Response("".join(json.dumps(line) + "\n" for line in lines))
        return failure(404, f"no {path}")

    def _lines(self, number: int, kind: str) -> list[dict[str, Any]]:
        lines = []
        for request in self.uploads[number]:
            line = self.answering(request["custom_id"], request["body"])
            if line is not None and ("error" in line) == (kind == "error"):
                lines.append({"id": "1", "custom_id": request["custom_id"], **line})
        return lines

    def _batch(self, number: int, status: str) -> dict[str, Any]:
        files = {
            f"{kind}_file_id": f"{kind}-{number}" if self._lines(number, kind) else None
            for kind in ("output", "error")
        }
        is_over = status not in ("validating", "in_progress")
        return {
            **{"id": f"batch-{number}", "object": "batch", "status": status, "created_at": 0},
            **{"completion_window": "24h", "endpoint": "/v1/chat/completions"},
            "input_file_id": f"file-{number}",
            **(files if is_over and status != "failed" else {}),
            "errors": {"data": [{"message": "line 1 is bad"}]} if status == "failed" else None,
        }


def _file(key: str) -> dict[str, Any]:
    return {
        **{"id": key, "object": "file", "bytes": 1, "created_at": 0, "filename": "x"},
        **{"purpose": "batch", "status": "processed"},
    }


def _uploaded(call: Call) -> list[dict[str, Any]]:
    """The lines of the file in a form of several parts."""
    boundary = call.headers["content-type"].partition("boundary=")[2].encode()
    (part,) = (p for p in call.body.split(b"--" + boundary) if b'name="file"' in p)
    return [json.loads(line) for line in part.partition(b"\r\n\r\n")[2].strip().splitlines()]
