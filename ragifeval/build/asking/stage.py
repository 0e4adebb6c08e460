"""A stage of a build that asks a model: its prompts, its file of replies, what it passes on.

Each stage goes through all that the one before it left, with as many requests in flight as the
model's config allows, keeps every reply in a file as it comes, and on another start asks only for
what is missing. What it passes on is in the order of the chunks, whatever the order of the replies.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ragifeval.build.folder import BuildFolder
from ragifeval.build.plan import BuildPlan
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.generators.base import Generator
from ragifeval.run.any_model import load_any_generator
from ragifeval.run.old.asking import Ask, Asked, Asker
from ragifeval.run.old.reply_log import Replies

UNREAD = "the reply cannot be read"
NO_REPLY = "no reply came"
REFUSED = "the service refuses the prompt"

Value = TypeVar("Value")


@dataclass
class Passed:
    """What a stage passes on, and what it does not."""

    candidates: list[Candidate] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def sort(self, chunks: Sequence[Chunk]) -> None:
        """Put both in the order of the chunks, and of the numbers of their questions."""
        places = {chunk.id: place for place, chunk in enumerate(chunks)}

        def place(key: str) -> tuple[int, int]:
            chunk, number = (key, "0") if key in places else key.rsplit("-q", 1)
            return places[chunk], int(number)

        self.candidates.sort(key=lambda candidate: place(candidate.id))
        self.rejections.sort(key=lambda rejection: place(rejection.id))


class Models:
    """The models of a build, each loaded once, and only if there is something to ask.

    Attributes:
        plan: of the build.
        interrupted: whether the user stopped it: what a stage returned is incomplete then.
        resumed: stage -> how many replies were there already.
    """

    def __init__(self, plan: BuildPlan, folder: BuildFolder) -> None:
        self.plan = plan
        self._folder = folder
        self._generators: dict[bool, Generator] = {}
        self.interrupted = False
        self.resumed: dict[str, int] = {}
        self._torn: list[Path] = []

    def notes(self) -> Iterator[str]:
        """Yield what a user should know of the replies that were kept, a line each."""
        for stage, count in self.resumed.items():
            if count:
                yield f"{stage}: {count} replies were already there"
        for path in self._torn:
            yield f"{path}: the last line was cut off and is dropped"
        if self.interrupted:
            yield "interrupted: the same command goes on from here"

    def ask(
        self,
        stage: str,
        asks: Iterable[Ask],
        parse: Callable[[str], Value],
        take: Callable[[Asked[Value]], Iterable[Ask] | None],
        total: int,
        by_critic: bool = False,
    ) -> None:
        """Put prompts to a model.

        Args:
            stage: names the file of replies.
            parse: reads a reply, or raises Unparsed.
            take: is given what came of each prompt, in any order; returns prompts to be put next.
            total: how many there will be.
            by_critic: ask the critic, where it is another model.
        """
        if self.interrupted or not total:
            return
        following: deque[Ask] = deque()
        waiting = iter(asks)

        def next_asks() -> Iterator[Ask]:
            while True:
                ask = following.popleft() if following else next(waiting, None)
                if ask is None:
                    return
                yield ask

        is_critic = by_critic and self.plan.critic is not None
        config = self.plan.critic if is_critic else self.plan.config
        assert config is not None, "a dry run asks nothing"
        signature = self.plan.replies_signature(config)
        with Replies(self._folder.replies(stage, signature), signature) as file:
            if file.torn_lines:
                self._torn.append(file.path)
            if is_critic not in self._generators:
                self._generators[is_critic] = load_any_generator(config)
            asker = Asker(
                self._generators[is_critic],
                file,
                reasoning_end=config.reasoning_end,
                again=self.plan.again,
                whole=True,
                total=total,
                unit=f" replies ({stage})",
            )
            with asker:
                while not asker.interrupted:
                    for asked in asker.ask(next_asks(), parse):
                        following.extend(take(asked) or ())
                    if not following:
                        break
        self.resumed[stage] = asker.resumed
        self.interrupted |= asker.interrupted


def split_id(key: str) -> tuple[str, str]:
    """The id of a prompt -> the id of what it is about, and the prompt's name there."""
    of, _, name = key.rpartition("/")
    return of, name


def no_value(
    key: str, stage: str, asked: Asked[Any], candidate: Candidate | None = None
) -> Rejection:
    """What becomes of a question or chunk whose prompt brought nothing."""
    error = asked.error or ""
    if asked.refused:
        return Rejection(key, stage, REFUSED, error, candidate)
    if asked.reply is None:
        return Rejection(key, stage, NO_REPLY, error, candidate, is_pending=True)
    return Rejection(key, stage, UNREAD, f"{error}\n{asked.reply}", candidate)
