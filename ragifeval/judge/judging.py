"""Logs judged by all metrics of a plan."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragifeval.generators.base import Generator, Prompt
from ragifeval.judge.chains import judge_chains
from ragifeval.judge.computed import (
    judge_lexical,
    judge_retrieval,
    lexical_settings,
    retrieval_settings,
)
from ragifeval.judge.embeddings import Measure, load_measures
from ragifeval.judge.items import Item, Judgement
from ragifeval.judge.metrics import Faithfulness, Metric, Support
from ragifeval.run.asking import Asking
from ragifeval.run.journal import Journal
from ragifeval.run.models import AnyConfig, load_any_generator
from ragifeval.run.structured import StructuredAsking, check_reply
from ragifeval.scoring.signature import Signature

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles


@dataclass(frozen=True)
class JudgePlan:
    """A judging whose options, config and prompts are right.

    Attributes:
        metrics: the names of those asked for, in the order of METRICS.
        asking: those of them that ask a model.
        config: of the judge; None where no metric asks one.
        again: what it is told when its reply could not be read.
        models: those that lexical scores load: option -> folder, or name on the Hub.
        language: of the prompts and the texts.
        use_schema: whether the service is asked to hold the judge to a JSON schema.
        k: how many retrieved documents are looked at.
        replies: the signature of the model's replies, whatever is made of them.
        signature: of the judged log.
        files: of a batch, which answer in the judge's place.
    """

    metrics: Sequence[str]
    asking: Sequence[Metric[Any]]
    config: AnyConfig | None
    again: str | None
    models: Mapping[str, str]
    language: str
    use_schema: bool
    k: int
    replies: Signature
    signature: Signature
    files: "BatchFiles | None" = None

    @property
    def judge(self) -> str:
        """The judge's name."""
        return self.config.display_name if self.config is not None else "no model"


class Judging:
    """Judges logs by a plan, with models that are loaded once.

    Attributes:
        interrupted: whether the user stopped it.
        resumed: how many replies were there already, of the last log.
        torn_lines: how many lines of the last log's replies had been cut off.

    Raises:
        UserError: a model that computes lexical scores cannot be loaded.
    """

    def __init__(self, plan: JudgePlan) -> None:
        self._plan = plan
        self._generator: Generator | None = None
        self._measures: Sequence[Measure] = load_measures(plan.models, plan.language)
        self.interrupted = False
        self.resumed = self.torn_lines = 0

    def judge(
        self, items: Sequence[Item], replies: Path | None, overwrite: bool
    ) -> list[dict[str, Judgement]]:
        """Judge answers.

        Args:
            replies: the journal of replies, which is picked up; None to keep none.
            overwrite: start that journal over.

        Returns:
            metric -> judgement, for each answer; without those that an interruption left out.

        Raises:
            UserError: the judge cannot be asked, or the journal cannot be used.
        """
        judged: list[dict[str, Judgement]] = [{} for _ in items]
        self.resumed = self.torn_lines = 0
        if self._plan.asking:
            keeping = (
                Journal(replies, self._plan.replies, overwrite, check=check_reply, hint="-o")
                if replies
                else nullcontext()
            )
            with keeping as journal:
                if journal is not None:
                    self.torn_lines = journal.torn_lines
                for metric in self._plan.asking:
                    if not self.interrupted:
                        self._ask(metric, items, journal, judged)
        computed: dict[str, Sequence[Judgement]] = {}
        if "lexical" in self._plan.metrics:
            computed["lexical"] = judge_lexical(items, self._measures)
        if "retrieval" in self._plan.metrics:
            computed["retrieval"] = judge_retrieval(items, self._plan.k)
        for name, judgements in computed.items():
            for row, judgement in zip(judged, judgements, strict=True):
                row[name] = judgement
        return [{name: row[name] for name in self._plan.metrics if name in row} for row in judged]

    def _ask(
        self,
        metric: Metric[Any],
        items: Sequence[Item],
        journal: Journal | None,
        judged: Sequence[dict[str, Judgement]],
    ) -> None:
        config = self._plan.config
        assert config is not None
        if self._generator is None:
            self._generator = load_any_generator(config, files=self._plan.files)
        with Asking(
            self._generator, journal, total=None, unit=f" replies on {metric.name}"
        ) as loop:
            asking = StructuredAsking(
                loop,
                metric.reply,
                labels=metric.labels,
                again=self._plan.again,
                use_schema=self._plan.use_schema,
                reasoning_end=config.reasoning_end,
            )
            for index, judgement in judge_chains(metric, items, asking):
                judged[index][metric.name] = judgement
        self.resumed += asking.resumed
        self.interrupted |= loop.interrupted

    @property
    def settings(self) -> Mapping[str, Mapping[str, str]]:
        """Metric -> name of a score -> how it is computed, in words."""
        settings: dict[str, Mapping[str, str]] = {
            metric.name: metric.scores for metric in self._plan.asking
        }
        if "lexical" in self._plan.metrics:
            settings["lexical"] = lexical_settings(self._measures)
        if "retrieval" in self._plan.metrics:
            settings["retrieval"] = retrieval_settings(self._plan.k)
        return settings


def prompts_shown(metric: Metric[Any], item: Item) -> Iterator[Prompt]:
    """Yield the prompts that an answer is judged by, as if no context supported it."""
    steps = metric.steps(item)
    try:
        yield next(steps)
        while metric.name == Faithfulness.name:
            yield steps.send(Support(reason="", supported=False))
    except StopIteration:
        return
