"""Runs and the benchmark -> what the page shows below its headline, as plain data.

It becomes JSON inside the page, where JavaScript makes elements of it. Long texts that recur (a
document, the head of a prompt) stand once among `strings`, and are referred to by their place, as
are `marks`, most of which recur from answer to answer.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tqdm import tqdm

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.benchmark.variants.variants import CORE
from ragifeval.results.answers import StoredAnswer
from ragifeval.results.report.losses import find_losses
from ragifeval.results.report.marks import Mark, cut, find_marks
from ragifeval.results.report.opinions import find_differences, find_opinions
from ragifeval.results.report.runs import Run
from ragifeval.results.rescoring import rescored_record
from ragifeval.results.single_page import lean
from ragifeval.run.by_variant import origin_of
from ragifeval.run.outcome import variant_of
from ragifeval.run.progress import Unfailing
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.conditions import MADE_BY_VARIANTS, REGISTRY, Condition, counted, kind_of
from ragifeval.scoring.entries import Criteria, Response
from ragifeval.scoring.scorer import Scorer
from ragifeval.text.matching import other_rule


@dataclass(frozen=True)
class Basis:
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


@dataclass
class Content:
    """All that the page shows below its headline.

    Attributes:
        runs: their names.
        keys: of the scores.
        counted: those of them that count towards the total, by place.
        documents: id, text (a string's place), title, source.
        questions: id, text (a string's place), category (its place), kind, variant, reference;
            conditions (places of keys), expected (places of documents to be cited); views: the
            ways in which it was put to models, each with context (places of documents) and prompt
            (role, text in pieces); answers of each run, as `_Collector.answer` makes them.
    """

    runs: Sequence[str]
    matching: str
    keys: Sequence[str]
    counted: Sequence[int]
    categories: Sequence[str]
    documents: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)


def collect(runs: Sequence[Run], benchmark: Benchmark, basis: Basis) -> Content:
    """Score, count and mark the answers to each question that a log has.

    Raises:
        UserError: the template of the prompt cannot be rendered.
    """
    collector = _Collector(runs, benchmark, basis)
    # The variants of a question stand together.
    origins = {key: place for place, key in enumerate(map(origin_of, benchmark.samples))}
    samples = sorted(benchmark.samples, key=lambda sample: origins[origin_of(sample)])
    bar = tqdm(samples, unit=" questions", dynamic_ncols=True, file=Unfailing(sys.stderr))
    for sample in bar:
        if any(sample.id in run.answers for run in runs):
            collector.add(sample)
    return collector.content


# What the page tells of a mark.
_SHOWN = ("kind", "verdict", "about", "rule", "reason")


class _Collector:
    """Collects question by question."""

    def __init__(self, runs: Sequence[Run], benchmark: Benchmark, basis: Basis) -> None:
        self._runs = runs
        self._benchmark = benchmark
        self._basis = basis
        self._scorer = Scorer(basis.criteria)
        conditions = [*REGISTRY.values()]
        stated = {name for sample in benchmark.samples for name in sample.expect}
        conditions += [made for name, made in MADE_BY_VARIANTS.items() if name in stated]
        keys = [key for condition in conditions for key in condition.keys]
        categories = dict.fromkeys(sample.category for sample in benchmark.samples)
        self.content = Content(
            runs=[run.name for run in runs],
            matching=basis.matching,
            keys=keys,
            counted=[place for place, key in enumerate(keys) if key in counted()],
            categories=[category for category in categories if category is not None],
        )
        self._intern = Interned(self.content.strings)
        self._documents: dict[str, int] = {}
        self._marks: dict[Mark, int] = {}

    def add(self, sample: Sample) -> None:
        """Take in one sample with the answers of every run."""
        content = self.content
        conditions = {
            name: kind_of(name).of(sample.expect, self._basis.criteria) for name in sample.expect
        }
        views: dict[tuple[tuple[str, ...], bool], int] = {}
        answers: list[list[dict[str, Any]]] = []
        for run in self._runs:
            answers.append([])
            for stored in run.answers.get(sample.id, ()):
                context = stored.context or sample.context
                view = views.setdefault((context, run.is_completion), len(views))
                answers[-1].append({"view": view, **self.answer(run, stored, sample, conditions)})
        scored = {condition.keys[0] for condition in conditions.values()}
        category = sample.category
        content.questions.append(
            lean(
                id=sample.id,
                text=self._intern(sample.question),
                category=None if category is None else content.categories.index(category),
                kind=sample.kind,
                variant=None if (variant := variant_of(sample)) == CORE else variant,
                reference=sample.reference,
                conditions=[place for place in content.counted if content.keys[place] in scored],
                expected=[self._document(key) for key in sample.expect.get("cite", ())],
                views=[self._view(sample, *view) for view in views],
                answers=answers,
            )
        )

    def answer(
        self,
        run: Run,
        stored: StoredAnswer,
        sample: Sample,
        conditions: Mapping[str, Condition],
    ) -> dict[str, Any]:
        """Count one answer of a run; return what is shown of it.

        Returns:
            segments: the answer, cut where marks begin and end; missing where there is no answer.
            marks (places), losses: what was found in it, and why it lost points.
            scores, others: under the headline rule and, if they differ, under the other one, in
            the order of the keys. cited: positions in the context. tokens: of prompt and answer.
            judged: (name, value) of each judged score; opinions: what is behind them; differs:
            those that the rules do not bear out. What is empty or None is left out.
        """
        basis, text = self._basis, stored.text
        record = rescored_record(sample, stored, self._scorer, basis.matching)
        run.add(sample, stored, record)
        judged = [(name, round(value, 4)) for name, value in stored.judged.items()]
        told = {
            "finish": _text(stored.finish_reason),
            "error": stored.error,
            "judged": judged,
            "opinions": list(find_opinions(stored.record)),
        }
        if text is None:
            return lean(**told)
        context = stored.context or sample.context
        scores = record["scores"]
        response = Response(text, basis.criteria.normalizer, context)
        marks = find_marks(conditions, response, basis.criteria, basis.matching)
        losses = find_losses(conditions, response, marks, scores)
        headline, others = (
            [None if key not in found else round(found[key], 4) for key in self.content.keys]
            for found in (scores, record[f"scores_{other_rule(basis.matching)}"])
        )
        return lean(
            segments=list(cut(text, marks)) or [("", ())],
            marks=[self._mark(mark) for mark in marks],
            losses=[lean(**asdict(loss)) for loss in losses],
            scores=headline,
            others=others if others != headline else (),
            cited=sorted({context.index(m.about) for m in marks if m.kind == "cite" and m.about}),
            reasoning=_text(stored.reasoning),
            tokens=stored.tokens if any(count is not None for count in stored.tokens) else (),
            seconds=stored.seconds,
            **told,
            differs=find_differences(dict(judged), scores),
        )

    def _view(self, sample: Sample, context: Sequence[str], is_completion: bool) -> dict[str, Any]:
        documents = [self._benchmark.documents[key] for key in context]
        template = self._basis.completion if is_completion else self._basis.chat
        prompt = template.render(sample, documents)
        messages: list[tuple[str, str]] = [(said.role, said.content) for said in prompt.messages]
        if prompt.text is not None:
            messages.append(("text", prompt.text))
        known = [*(document.contents for document in documents), sample.question]
        return lean(
            context=[self._document(key) for key in context],
            prompt=[(role, self._intern.in_pieces(text, known)) for role, text in messages],
        )

    def _mark(self, mark: Mark) -> int:
        known = self.content.marks
        place = self._marks.setdefault(replace(mark, start=0, end=0, entry=None), len(known))
        if place == len(known):
            shown = asdict(mark)
            known.append(lean(**{key: shown[key] for key in _SHOWN}))
        return place

    def _document(self, key: str) -> int:
        documents = self.content.documents
        place = self._documents.setdefault(key, len(documents))
        if place == len(documents):
            document = self._benchmark.documents[key]
            text = self._intern(document.contents)
            documents.append(lean(id=key, text=text, title=document.title, source=document.source))
        return place


def _text(value: object) -> str | None:
    """What a log says, whatever type it has there; None where it says nothing."""
    return str(value) if value else None


class Interned:
    """Texts that are kept once each.

    Args:
        strings: where they are kept.
    """

    def __init__(self, strings: list[str]) -> None:
        self._strings = strings
        self._places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """The place of a text, which is kept if it was not yet."""
        place = self._places.setdefault(text, len(self._strings))
        if place == len(self._strings):
            self._strings.append(text)
        return place

    def in_pieces(self, text: str, known: Sequence[str]) -> list[int]:
        """A text as pieces of which the known ones (those that stand in it) are shared."""
        found = sorted(
            (start, -len(part), part) for part in known if (start := text.find(part)) >= 0
        )
        pieces = []
        done = 0
        for start, length, part in found:
            if start >= done:
                pieces += [text[done:start], part]
                done = start - length
        return [self(piece) for piece in [*pieces, text[done:]] if piece]
