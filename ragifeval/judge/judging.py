"""One log judged by all metrics: the loop between reading and the table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ragifeval.generators.base import Generator, Prompt
from ragifeval.judge.chains import Chains, Judgement, Metric
from ragifeval.judge.computed import (
    judge_lexical,
    judge_retrieval,
    lexical_settings,
    retrieval_settings,
)
from ragifeval.judge.embeddings import Measure, load_measures
from ragifeval.judge.faithfulness import Faithfulness
from ragifeval.judge.items import Item
from ragifeval.judge.plan import JudgePlan, with_schema
from ragifeval.run.models import load_any_generator
from ragifeval.run.old.asking import Asker
from ragifeval.run.old.replies import Verdict
from ragifeval.run.old.reply_log import Replies


class Judging:
    """Judges logs by a plan, with one judge that is loaded once.

    Attributes:
        interrupted: whether the user stopped it.
        resumed: how many replies were there already, of the last log.
        torn_lines: how many lines of the last log's replies had been cut off.
    """

    def __init__(self, plan: JudgePlan, structured: bool, language: str, k: int) -> None:
        self._plan = plan
        self._structured = structured
        self._language = language
        self._k = k
        self._generator: Generator | None = None
        self._measures: Sequence[Measure] | None = None
        self.interrupted = False
        self.resumed = self.torn_lines = 0

    def judge(
        self, items: Sequence[Item], replies: Path | None, overwrite: bool
    ) -> list[dict[str, Judgement]]:
        """Judge answers.

        Args:
            replies: the file of replies, which is picked up; None to keep none.
            overwrite: start that file over.

        Returns:
            metric -> judgement, for each answer; without those that an interruption left out.

        Raises:
            UserError: a model that the user named cannot be loaded, or the judge cannot be asked.
        """
        judged: list[dict[str, Judgement]] = [{} for _ in items]
        self.resumed = self.torn_lines = 0
        if self._measures is None:
            self._measures = load_measures(self._plan.models, self._language)
        if self._plan.asking:
            keeping = Replies(replies, self._plan.replies, overwrite) if replies else nullcontext()
            with keeping as file:
                if file is not None:
                    self.torn_lines = file.torn_lines
                for metric in self._plan.asking:
                    if not self.interrupted:
                        self._ask(metric, items, file, judged)
        for name, found in self._computed(items).items():
            for row, judgement in zip(judged, found, strict=True):
                row[name] = judgement
        return [{name: row[name] for name in self._plan.metrics if name in row} for row in judged]

    def _ask(
        self,
        metric: Metric[Any],
        items: Sequence[Item],
        file: Replies | None,
        judged: Sequence[dict[str, Judgement]],
    ) -> None:
        assert self._plan.config is not None
        if self._generator is None:
            self._generator = load_any_generator(self._plan.config)
        held = with_schema(self._plan.config, metric.schema) if self._structured else None
        asker = Asker(
            self._generator,
            file,
            reasoning_end=self._plan.config.reasoning_end,
            again=self._plan.again,
            unit=f" replies on {metric.name}",
        )
        with asker:
            chains = Chains(
                metric, items, asker, load_any_generator(held) if held is not None else None
            )
            for index, judgement in chains.judge():
                judged[index][metric.name] = judgement
        self.resumed += asker.resumed
        self.interrupted |= asker.interrupted

    def _computed(self, items: Sequence[Item]) -> Mapping[str, Sequence[Judgement]]:
        """The metrics that ask no model."""
        judgements: dict[str, Sequence[Judgement]] = {}
        if "lexical" in self._plan.metrics:
            judgements["lexical"] = judge_lexical(items, self._measures or ())
        if "retrieval" in self._plan.metrics:
            judgements["retrieval"] = judge_retrieval(items, self._k)
        return judgements

    def settings(self, threshold: float) -> Mapping[str, Mapping[str, str]]:
        """Metric -> name of a score -> how it is computed, in words."""
        words = {
            "correctness": "from 1 to 5",
            "passing": f"correctness from {threshold:g} on",
            "faithfulness": "supported by a context",
            **dict.fromkeys(("recall", "precision", "f1"), "of claims, as counted by the judge"),
            **dict.fromkeys(
                ("recall_listed", "precision_listed", "f1_listed"),
                "of claims, as listed by the judge",
            ),
        }
        settings: dict[str, Mapping[str, str]] = {}
        for metric in self._plan.asking:
            settings[metric.name] = {name: words[name] for name in metric.scores}
        if "lexical" in self._plan.metrics:
            settings["lexical"] = lexical_settings(self._measures or ())
        if "retrieval" in self._plan.metrics:
            settings["retrieval"] = retrieval_settings(self._k)
        return settings


def prompts_shown(metric: Metric[Any], item: Item) -> Iterator[Prompt]:
    """Yield the prompts that an answer is judged by, as far as they depend on no reply but a NO."""
    steps = metric.steps(item)
    try:
        yield next(steps)
        while metric.name == Faithfulness.name:
            yield steps.send(Verdict(False, ""))
    except StopIteration:
        return
