"""Runs and the benchmark -> what the page shows, and the numbers of its headline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.results.answers import StoredAnswer
from ragifeval.results.report.losses import find_losses
from ragifeval.results.report.marks import find_marks
from ragifeval.results.report.opinions import find_differences, find_opinions
from ragifeval.results.report.results import Results
from ragifeval.results.report.runs import Run
from ragifeval.results.report.segments import cut
from ragifeval.results.report.shown import (
    Index,
    Interned,
    Question,
    Shown,
    ShownAnswer,
    ShownDocument,
    ShownMark,
    View,
)
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.conditions import REGISTRY, Condition, Criteria, Response, counted
from ragifeval.scoring.scorer import Scorer
from ragifeval.text.matching import Text, other_rule


@dataclass(frozen=True)
class Standard:
    """What answers are scored and shown by.

    Attributes:
        criteria: of the conditions.
        matching: the headline rule.
        chat, completion: the template of the prompt, in either mode.
    """

    criteria: Criteria
    matching: str
    chat: PromptTemplate
    completion: PromptTemplate


def collect(
    runs: Sequence[Run], benchmark: Benchmark, standard: Standard
) -> tuple[Shown, Sequence[Results]]:
    """Score and mark all answers.

    Returns:
        (what is shown of each question that a log has, the numbers of each run).

    Raises:
        UserError: the template of the prompt cannot be rendered.
    """
    collector = _Collector(runs, benchmark, standard)
    for sample in benchmark.samples:
        if any(sample.id in run.answers for run in runs):
            collector.add(sample)
    return collector.shown, collector.results


class _Collector:
    """Collects question by question."""

    def __init__(self, runs: Sequence[Run], benchmark: Benchmark, standard: Standard) -> None:
        self._runs = runs
        self._benchmark = benchmark
        self._standard = standard
        self._scorer = Scorer(standard.criteria)
        self._other = other_rule(standard.matching)
        keys = [key for condition in REGISTRY.values() for key in condition.keys]
        categories = dict.fromkeys(sample.category for sample in benchmark.samples)
        self.shown = Shown(
            runs=[run.name for run in runs],
            matching=standard.matching,
            keys=keys,
            counted=[place for place, key in enumerate(keys) if key in counted()],
            categories=[category for category in categories if category is not None],
        )
        self.results = [Results(benchmark.samples, standard.matching) for _ in runs]
        self._intern = Interned(self.shown.strings)
        self._documents: dict[str, Index] = {}

    def add(self, sample: Sample) -> None:
        """Take in one sample with the answers of every run."""
        shown = self.shown
        conditions = {
            name: REGISTRY[name].of(sample.expect, self._standard.criteria)
            for name in sample.expect
        }
        views: dict[tuple[tuple[str, ...], bool], Index] = {}
        answers: list[list[ShownAnswer]] = []
        for run, results in zip(self._runs, self.results, strict=True):
            answers.append([])
            for stored in run.answers.get(sample.id, ()):
                context = stored.context or sample.context
                view = views.setdefault((context, run.is_completion), len(views))
                answers[-1].append(self._answer(stored, view, sample, conditions, results))
        scored = {condition.keys[0] for condition in conditions.values()}
        shown.questions.append(
            Question(
                id=sample.id,
                text=self._intern(sample.question),
                category=None
                if sample.category is None
                else shown.categories.index(sample.category),
                kind=sample.kind,
                reference=sample.reference,
                conditions=[index for index in shown.counted if shown.keys[index] in scored],
                expected=[self._document(key) for key in sample.expect.get("cite", ())],
                views=[self._view(sample, *view) for view in views],
                answers=answers,
            )
        )

    def _answer(
        self,
        stored: StoredAnswer,
        view: Index,
        sample: Sample,
        conditions: Mapping[str, Condition],
        results: Results,
    ) -> ShownAnswer:
        record = stored.record
        finish, error = _text(stored.finish_reason), stored.error
        judged = [(name, round(value, 4)) for name, value in stored.judged.items()]
        opinions = list(find_opinions(record))
        if stored.text is None:
            results.add(sample, stored, None)
            return ShownAnswer(
                view, None, finish=finish, error=error, judged=judged, opinions=opinions
            )
        standard = self._standard
        context = stored.context or sample.context
        scores = self._scorer.score(sample, context, stored.text)
        results.add(sample, stored, scores)
        response = Response(stored.text, Text(standard.criteria.normalizer(stored.text)), context)
        marks = find_marks(conditions, response, standard.criteria, standard.matching)
        headline, others = (
            [None if key not in scores[rule] else round(scores[rule][key], 4) for key in self._keys]
            for rule in (standard.matching, self._other)
        )
        return ShownAnswer(
            view=view,
            segments=list(cut(stored.text, marks)) or [("", ())],
            marks=[ShownMark(mark.kind, mark.verdict, mark.about, mark.rule) for mark in marks],
            losses=list(find_losses(conditions, response, marks, scores[standard.matching])),
            scores=headline,
            others=others if others != headline else (),
            cited=sorted({context.index(m.about) for m in marks if m.kind == "cite" and m.about}),
            reasoning=_text(stored.reasoning),
            tokens=stored.tokens if any(count is not None for count in stored.tokens) else (),
            seconds=stored.seconds,
            finish=finish,
            error=error,
            judged=judged,
            opinions=opinions,
            differs=find_differences(dict(judged), scores[standard.matching]),
        )

    @property
    def _keys(self) -> Sequence[str]:
        return self.shown.keys

    def _view(self, sample: Sample, context: Sequence[str], is_completion: bool) -> View:
        documents = [self._benchmark.documents[key] for key in context]
        template = self._standard.completion if is_completion else self._standard.chat
        prompt = template.render(sample, documents)
        messages: list[tuple[str, str]] = [(said.role, said.content) for said in prompt.messages]
        if prompt.text is not None:
            messages.append(("text", prompt.text))
        known = [*(document.contents for document in documents), sample.question]
        return View(
            context=[self._document(key) for key in context],
            prompt=[(role, self._intern.in_pieces(text, known)) for role, text in messages],
        )

    def _document(self, key: str) -> Index:
        index = self._documents.setdefault(key, len(self.shown.documents))
        if index == len(self.shown.documents):
            document = self._benchmark.documents[key]
            self.shown.documents.append(
                ShownDocument(key, self._intern(document.contents), document.title, document.source)
            )
        return index


def _text(value: object) -> str | None:
    """What a log says, whatever type it has there; None where it says nothing."""
    return str(value) if value else None
