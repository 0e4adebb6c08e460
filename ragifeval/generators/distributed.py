"""One run in several processes, started by torchrun: each has the model and answers its share.

The first process holds the log, shows the progress and prints; the others answer what it hands out.
They talk through the store that torchrun itself keeps (torch.distributed.TCPStore), not through
collectives: nobody waits there for one that has died, and torchrun ends them all when one dies.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist
import transformers
from accelerate import PartialState  # type: ignore[import-untyped]

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Generator, Request

_POLL_SECONDS = 0.05


class Team:
    """The processes of a run, and the messages between them."""

    def __init__(self) -> None:
        host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        # Public, but not typed as such.
        store = dist.TCPStore(host, port, is_master=False)  # type: ignore[attr-defined]
        self._store = dist.PrefixStore(f"ragifeval/{attempt}", store)  # type: ignore[attr-defined]
        self.rank, self.size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        # Of each process, how many messages it has sent, or how many of it are received.
        self._counts = [0] * self.size

    def tell(self, name: str, value: object = True) -> None:
        """Leave a message for all."""
        self._store.set(name, json.dumps(value))

    def is_told(self, name: str) -> bool:
        """Whether there is a message of that name."""
        return bool(self._store.check([name]))

    def wait(self, name: str) -> Any:
        """Wait for a message, and read it; None where the run ends without it."""
        while not self.is_told(name):
            if self.is_told("end"):
                return None
            time.sleep(_POLL_SECONDS)
        return json.loads(self._store.get(name))

    def send(self, message: object) -> None:
        """Send a message to the first process, which gets them in order."""
        self.tell(f"{self.rank}/{self._counts[self.rank]}", message)
        self._counts[self.rank] += 1

    def receive(self, rank: int) -> Iterator[Any]:
        """Yield what a process has sent since the last time, without waiting."""
        while self.is_told(key := f"{rank}/{self._counts[rank]}"):
            yield json.loads(self._store.get(key))
            self._store.delete_key(key)
            self._counts[rank] += 1


Load = Callable[[], Generator]
Prepared = tuple[Load, Callable[[str], Request]]


def run_shared(run: Callable[[], int], prepare: Callable[[], Prepared | None]) -> int:
    """Be one of the processes; return the exit code.

    Args:
        run: what the first process does; its answers come from a DistributedGenerator.
        prepare: gives the others what loads the model, and what makes the request of a sample's
            id; None if this run has no need of them.
    """
    team = Team()
    try:
        if team.rank > 0:
            _assist(team, prepare)
            return 0
        try:
            return run()
        finally:
            team.tell("end")
    finally:
        # torch warns of groups that are left over.
        if dist.is_initialized():
            dist.destroy_process_group()


class DistributedGenerator:
    """The generator of the first process: it answers its share, and yields everybody's answers.

    Args:
        load: loads the model, in this process.
    """

    def __init__(self, load: Load) -> None:
        self._team = Team()
        self._team.tell("load")  # the others load theirs at the same time
        self._own = _load_here(load)
        self._working = set(range(1, self._team.size))

    @property
    def name(self) -> str:
        """The model's name."""
        return self._own.name

    def stop(self) -> None:
        """Have every process end with what is under way."""
        self._team.tell("stop")
        self._own.stop()

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, each process its share."""
        asked = {request.id: request for request in requests}
        # Dealt out like cards, the longest first: so all have about as much to do.
        ordered = sorted(asked, key=lambda key: len(str(asked[key].prompt)), reverse=True)
        size = self._team.size
        dealt = [key for rank in range(size) for key in ordered[rank::size]]
        self._team.tell("ids", dealt)
        for answer in self._own.generate([asked[key] for key in _share(dealt)]):
            yield answer
            yield from self._received(asked)
        while self._working:
            yield from self._received(asked)
            time.sleep(_POLL_SECONDS)

    def _received(self, asked: Mapping[str, Request]) -> Iterator[Answer]:
        for rank in sorted(self._working):
            for message in self._team.receive(rank):
                if message is None:
                    self._working.remove(rank)
                elif "failure" in message:
                    raise UserError(f"process {rank} of {self._team.size}: {message['failure']}")
                else:
                    yield Answer(asked[message.pop("id")], **message)


def _assist(team: Team, prepare: Callable[[], Prepared | None]) -> None:
    """Answer a share for the first process, and print nothing.

    What is wrong is left to the first process to say, which finds it too or is told: torchrun would
    end it as soon as this one failed.
    """
    try:
        prepared = prepare()
        if prepared is None or not team.wait("load"):
            return
        load, request = prepared
        disable_progress_bar: Callable[[], None] = transformers.logging.disable_progress_bar
        disable_progress_bar()
        generator = _load_here(load)
        signal.signal(signal.SIGINT, lambda *_: generator.stop())
        ids = team.wait("ids") or []
        for answer in generator.generate(request(key) for key in _share(ids)):
            team.send(_message(answer))
            if team.is_told("end"):
                return
            if team.is_told("stop"):
                generator.stop()
        team.send(None)
    except UserError as error:
        team.send({"failure": str(error)})
        team.wait("end")
    except SystemExit as done:  # the parser's: --help, or a wrong option
        if done.code:
            team.wait("end")


def _load_here(load: Load) -> Generator:
    """Load the model onto the device that is this process's own."""
    PartialState(cpu=not torch.accelerator.is_available())
    return load()


def _share(ids: Sequence[str]) -> Sequence[str]:
    """This process's part."""
    with PartialState().split_between_processes(list(ids)) as share:
        return list(share)


def _message(answer: Answer) -> Mapping[str, Any]:
    return {
        "id": answer.request.id,
        "text": answer.text,
        "error": answer.error,
        "finish_reason": answer.finish_reason,
        "usage": answer.usage,
        "seconds": answer.seconds,
        "reasoning": answer.reasoning,
    }
