"""Requests in files, in OpenAI's batch format: written, answered by any engine, taken in again.

A line of such a file is a request with its `custom_id`; a line of an engine's output has the same
id and a response, or an error. `vllm run-batch`, Ray Data and the Batch APIs of services read and
write them.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragifeval.errors import UserError
from ragifeval.files import check_output, write_json
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.config import RemoteConfig
from ragifeval.generators.remote.credentials import ApiKey
from ragifeval.generators.remote.faults import Fault, message_of, tidy
from ragifeval.generators.remote.generator import request_body
from ragifeval.generators.remote.response import read_chat, read_completion
from ragifeval.generators.remote.service import CHAT, COMPLETIONS, client_address, url_secrets
from ragifeval.scoring.signature import fingerprint
from ragifeval.tables import plural

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Batch

# What one batch may hold at OpenAI.
MOST_REQUESTS, MOST_BYTES = 50_000, 190_000_000
_LONGEST_POLL = 60.0
_NO_REASON = "no reason is given"
_OVER = {"completed", "failed", "expired", "cancelled"}


def is_batch_file(path: Path) -> bool:
    """Whether a file holds requests or responses of a batch."""
    with path.open("rb") as file:
        return re.match(rb'\s*\{(?s:.*)"custom_id"\s*:', file.readline(100_000)) is not None


def question_id(request: Request) -> str:
    """The custom_id of an evaluation's request: the sample's id with its variant, the repeat."""
    return request.id if request.repeat == 1 else f"{request.id}#{request.repeat}"


def _line(request: Request, key: str, config: RemoteConfig, text_completion: bool) -> str:
    url = "/v1" + (COMPLETIONS if text_completion else CHAT)
    body = request_body(config, request, text_completion)
    line = {"custom_id": key, "method": "POST", "url": url, "body": body}
    return json.dumps(line, ensure_ascii=False) + "\n"


class Responses:
    """The responses in files, found by custom_id: only their places are kept in memory.

    Raises:
        UserError: a file cannot be read, or a line is no response; with file and line.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._places: dict[str, tuple[int, int]] = {}
        for number, path in enumerate(paths):
            try:
                self._index(number, path)
            except OSError as error:
                raise UserError(f"{path}: cannot be read: {error.strerror}") from None

    def _index(self, number: int, path: Path) -> None:
        with path.open("rb") as file:
            offset = 0
            for count, line in enumerate(file, start=1):
                if line.strip():
                    try:
                        value = json.loads(line)
                        key = value["custom_id"]
                        value.get("response")
                    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                        message = "is no response of a batch: an object with 'custom_id'"
                        raise UserError(f"{path}:{count}: {message}") from None
                    # Of two lines, the one with an answer counts.
                    if key not in self._places or not value.get("error"):
                        self._places[str(key)] = number, offset
                offset += len(line)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def answer(self, key: str, request: Request, text_completion: bool) -> Answer:
        """The answer to a request."""
        number, offset = self._places[key]
        with self._paths[number].open("rb") as file:
            file.seek(offset)
            value = json.loads(file.readline())
        response, error = value.get("response"), value.get("error")
        try:
            if error or not isinstance(response, dict):
                raise Fault(f"the batch has no answer: {message_of(error) or _NO_REASON}")
            status, body = response.get("status_code", 200), response.get("body")
            if status != 200:
                raise Fault(f"the batch has no answer: {status}: {message_of(body) or _NO_REASON}")
            read = read_completion if text_completion else read_chat
            reply = read(json.dumps(body).encode())
        except Fault as fault:
            return Answer(request, None, tidy(str(fault), []), is_refusal=fault.is_refusal)
        return Answer(
            request, reply.text, None, reply.finish_reason, reply.usage, reasoning=reply.reasoning
        )


class BatchFiles:
    """The files of a run: answers come out of some, requests without an answer go into another.

    Args:
        output: files of responses.
        file: takes the requests; None for none.
        inputs: what the command reads, and must not replace.

    Attributes:
        path: of the file that takes requests.
        written: how many requests the file was given.

    Raises:
        UserError: a file cannot be read, or may not be written.
    """

    def __init__(self, output: Sequence[Path], file: Path | None, inputs: Iterable[Path]) -> None:
        if file is not None:
            check_output(file, is_batch_file, inputs, "--batch_file")
            if not file.parent.is_dir():
                raise UserError(f"--batch_file: there is no folder {file.parent}")
        self.responses = Responses(output)
        self.written = 0
        self.path = file
        # Line by line, so that what is written is there when the run ends in any way.
        self._file = file.open("w", encoding="utf-8", buffering=1) if file is not None else None

    def write(self, line: str) -> str:
        """Take a request in; return why it has no answer."""
        if self._file is None:
            return "the batch's output does not hold it"
        self._file.write(line)
        self.written += 1
        return f"waits in {self.path}"


class FileGenerator:
    """Answers from files; a request that has no answer there is written, to be answered later.

    Args:
        key: gives a request's custom_id; None for its id and a hash of its prompt, for prompts of
            which several have one id.
    """

    def __init__(
        self,
        config: RemoteConfig,
        files: BatchFiles,
        text_completion: bool = False,
        key: Callable[[Request], str] | None = None,
    ) -> None:
        self.name = config.display_name
        self._config, self._files, self._text_completion = config, files, text_completion
        self._key = key or self._hashed
        self._is_stopped = False

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in order."""
        for request in requests:
            key = self._key(request)
            if self._is_stopped:
                return
            if key in self._files.responses:
                yield self._files.responses.answer(key, request, self._text_completion)
                continue
            line = _line(request, key, self._config, self._text_completion)
            yield Answer(request, None, self._files.write(line), is_pending=True)

    def stop(self) -> None:
        """Answer nothing more."""
        self._is_stopped = True

    def _hashed(self, request: Request) -> str:
        body = request_body(self._config, request, self._text_completion)
        return f"{request.id}~{fingerprint(body)}"


class BatchGenerator:
    """Answers through a service's /files and /batches: uploads, waits, collects.

    What was sent is told by a file beside the log, so that a run that is started again waits for
    the same batches instead of paying for others.

    Args:
        request: gives the request of an id and a repeat once more: prompts are not kept meanwhile.
        state: that file; the requests and responses lie beside it meanwhile.
        on_progress: told of the state, in one line.

    Raises:
        UserError: the key cannot be used.
    """

    def __init__(
        self,
        config: RemoteConfig,
        api_key: str,
        text_completion: bool,
        request: Callable[[str, int], Request],
        state: Path,
        on_progress: Callable[[str], None] = lambda line: None,
        most_requests: int = MOST_REQUESTS,
    ) -> None:
        if not config.api_bases:
            raise UserError("--batch: is for a service with /files and /batches, not for Vertex AI")
        self.name = config.display_name
        self._config, self._text_completion = config, text_completion
        self._secrets = [*ApiKey(api_key).secrets(), *url_secrets(config.api_bases[:1])]
        self._api_key = api_key
        self._request = request
        self._state = state
        self._on_progress = on_progress
        self._most_requests = most_requests
        self._is_stopped = False

    def stop(self) -> None:
        """Wait no longer; the batches go on at the service."""
        self._is_stopped = True

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, once the service is through with all of them."""
        import openai

        where = self._config.public_settings()["api_base"][0]
        client = openai.OpenAI(
            **client_address(self._config.api_bases[0]),
            api_key=self._api_key,
            max_retries=self._config.max_retries,
            timeout=self._config.timeout,
        )
        try:
            asked: list[tuple[str, int]] = []
            batches = self._known()
            if batches:
                asked = [(request.id, request.repeat) for request in requests]
            else:
                batches = self._send(client, requests, asked)
            responses = self._collect(client, batches)
        except openai.NotFoundError:
            raise UserError(
                f"{where}: the service has no /files and /batches; "
                "without --batch the questions are asked one by one"
            ) from None
        except openai.APIError as error:
            raise UserError(
                f"{where}: the batch fails: {tidy(str(error), self._secrets)}; "
                "the same command goes on from here"
            ) from None
        if responses is None:
            return
        for question in asked:
            request = self._request(*question)
            key = question_id(request)
            if key in responses:
                yield responses.answer(key, request, self._text_completion)
            else:
                yield Answer(request, None, "the batch ended without it; run again to ask for it")
        self._clean()

    def _known(self) -> list[str]:
        """The ids of the batches that an earlier start sent."""
        try:
            found = json.loads(self._state.read_bytes())["batches"]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError):
            raise UserError(
                f"{self._state}: is no list of batches; delete it to send anew"
            ) from None
        return [str(key) for key in found]

    def _beside(self, name: str) -> Path:
        return self._state.with_name(f"{self._state.stem}.{name}.jsonl")

    def _send(
        self, client: "OpenAI", requests: Iterable[Request], asked: list[tuple[str, int]]
    ) -> list[str]:
        batches: list[str] = []
        path = self._beside("requests")
        file, count, size = path.open("wb"), 0, 0

        def send() -> None:
            file.close()
            with path.open("rb") as upload:
                uploaded = client.files.create(file=(path.name, upload), purpose="batch")
            endpoint: Any = "/v1" + (COMPLETIONS if self._text_completion else CHAT)
            batch = client.batches.create(
                input_file_id=uploaded.id, endpoint=endpoint, completion_window="24h"
            )
            batches.append(batch.id)
            write_json(self._state, {"batches": batches})
            self._on_progress(f"{plural(count, 'request')} sent as {batch.id}")

        for request in requests:
            line = _line(request, question_id(request), self._config, self._text_completion)
            data = line.encode("utf-8", "backslashreplace")
            if count and (count == self._most_requests or size + len(data) > MOST_BYTES):
                send()
                file, count, size = path.open("wb"), 0, 0
            file.write(data)
            asked.append((request.id, request.repeat))
            count, size = count + 1, size + len(data)
        if count:
            send()
        file.close()
        return batches

    def _collect(self, client: "OpenAI", batches: Sequence[str]) -> Responses | None:
        """Wait for all batches; None where the user does not."""
        seconds, paths = self._config.sleep_time, []
        for number, key in enumerate(batches):
            while (batch := client.batches.retrieve(key)).status not in _OVER:
                self._on_progress(f"{key}: {batch.status}{_counts(batch)}")
                until = time.monotonic() + seconds
                while time.monotonic() < until:
                    if self._is_stopped:
                        return None
                    time.sleep(min(0.1, seconds))
                seconds = min(seconds * 1.5, _LONGEST_POLL)
            told = [error.message for error in (batch.errors.data or ())] if batch.errors else []
            self._on_progress(f"{key}: {batch.status}{_counts(batch)} {'; '.join(map(str, told))}")
            for kind in ("output", "error"):
                if (found := getattr(batch, f"{kind}_file_id")) is not None:
                    paths.append(self._beside(f"{kind}-{number}"))
                    with client.files.with_streaming_response.content(found) as content:
                        content.stream_to_file(paths[-1])
        return Responses(paths)

    def _clean(self) -> None:
        self._state.unlink(missing_ok=True)
        for path in self._state.parent.glob(f"{self._state.stem}.*.jsonl"):
            path.unlink()


def _counts(batch: "Batch") -> str:
    counts = batch.request_counts
    if counts is None:
        return ""
    return f", {counts.completed} of {counts.total} answered, {counts.failed} failed"
