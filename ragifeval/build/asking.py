"""The models of a build, and what their replies are read into."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ragifeval.build.folder import BuildFolder
from ragifeval.build.plan import BuildPlan
from ragifeval.generators.base import Generator
from ragifeval.run.asking import Asking
from ragifeval.run.journal import Journal
from ragifeval.run.models import load_any_generator
from ragifeval.run.structured import Ask, Reply, StructuredAsking, check_reply
from ragifeval.tables import plural

CRITICISE = "criticise"
"""The stage that asks the critic, where that is another model."""


def _check_text(text: str) -> str:
    if not any(map(str.isalnum, text)):
        raise ValueError("is empty, or what the prompt shows in its place")
    return text


def _fold(text: str) -> str:
    return " ".join(text.split())


Text = Annotated[str, AfterValidator(_check_text)]
Line = Annotated[Text, AfterValidator(_fold)]


class _Reply(BaseModel):
    model_config = ConfigDict(
        frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True, allow_inf_nan=False
    )


class Pair(_Reply):
    """A question and its answer."""

    question: Line
    answer: Text


class Questions(_Reply):
    """The questions of an exam."""

    questions: Annotated[Sequence[Line], Field(min_length=1)]


class ExamAnswer(_Reply):
    """The answer to one of them; None where the text does not hold it."""

    answer: Text | None


class Phrases(_Reply):
    """What a right answer must contain; none where there is no such thing."""

    phrases: Sequence[Line]


class Rating(_Reply):
    """What one of the separate critics says."""

    rationale: str
    rating: Annotated[float, Field(ge=1, le=5)]


class Points(_Reply):
    """What the additive critic says."""

    rationale: str
    rating: Annotated[float, Field(ge=0, le=4)]


Model = TypeVar("Model", bound=BaseModel)


class Models:
    """The models of a build, each loaded once, and only if there is something to ask.

    Attributes:
        plan: of the build.
        interrupted: whether the user stopped it: what a stage returned is incomplete then.
    """

    def __init__(self, plan: BuildPlan, folder: BuildFolder) -> None:
        self.plan = plan
        self.interrupted = False
        self._folder = folder
        self._generators: dict[bool, Generator] = {}
        self._resumed: dict[str, int] = {}
        self._torn: list[Path] = []
        self._without_schema = False

    def notes(self) -> Iterator[str]:
        """Yield what a user should know of the replies, a line each."""
        for stage, count in self._resumed.items():
            if count:
                yield f"{stage}: {plural(count, 'reply was', 'replies were')} already there"
        for path in self._torn:
            yield f"{path}: the last line was cut off and is dropped"
        if self._without_schema:
            yield "the service fails under a JSON schema, so replies were asked for without one"
        if self.interrupted:
            yield "interrupted: the same command goes on from here"

    def ask(
        self,
        stage: str,
        model: type[Model],
        asks: deque[Ask],
        labels: Mapping[str, Sequence[str]],
        total: int,
    ) -> Iterator[Reply[Model]]:
        """Put prompts to a model; yield the reply to each, in any order.

        Args:
            stage: names the journal of replies.
            model: what replies are read into.
            asks: the caller may add to it while replies are taken.
            labels: field of the model -> what may stand before it in a reply that is not JSON.
            total: how many prompts there will be.
        """
        if self.interrupted or not asks:
            return
        is_critic = stage == CRITICISE and self.plan.critic is not None
        config = self.plan.critic if is_critic else self.plan.config
        assert config is not None, "a dry run asks nothing"
        signature = self.plan.replies_signature(config)
        path = self._folder.replies(stage, signature)
        with Journal(path, signature, check=check_reply, hint="-o") as journal:
            if journal.torn_lines:
                self._torn.append(path)
            if is_critic not in self._generators:
                self._generators[is_critic] = load_any_generator(config, files=self.plan.files)
            generator = self._generators[is_critic]
            with Asking(generator, journal, total=total, unit=f" replies ({stage})") as asking:
                structured = StructuredAsking(
                    asking,
                    model,
                    labels=labels,
                    again=self.plan.again,
                    use_schema=True,
                    reasoning_end=config.reasoning_end,
                    must_be_whole=True,
                )
                while asks and not asking.interrupted:
                    yield from structured.ask(_drain(asks))
        self._resumed[stage] = structured.resumed
        self._without_schema |= structured.gave_up_schema
        self.interrupted |= asking.interrupted


def _drain(asks: deque[Ask]) -> Iterator[Ask]:
    while asks:
        yield asks.popleft()
