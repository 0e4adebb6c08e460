"""Facts of a sample, proved: with new values the gold answer is right, the original's is not."""

from collections.abc import Iterator, Mapping, Sequence

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.variants.changed import FactError, World
from ragifeval.benchmark.variants.formulas import FormulaError, evaluate
from ragifeval.benchmark.variants.variants import remembered
from ragifeval.scoring.conditions import Memory, counted
from ragifeval.scoring.entries import Response
from ragifeval.scoring.scorer import Scorer
from ragifeval.text.matching import find_words

SEEDS = range(1, 21)
"""The seeds of `changed` that are tried."""


def fact_problems(
    sample: Sample, documents: Sequence[Document], scorer: Scorer, seeds: Sequence[int] = SEEDS
) -> Iterator[str]:
    """Yield what is wrong with the facts of a sample, each thing once.

    Args:
        documents: of its context.
        seeds: that are tried.
    """
    found: dict[str, int] = {}
    try:
        world = World(sample, documents, scorer.criteria.normalizer)
        for seed in seeds:
            for problem in _draw_problems(world, sample, documents, scorer, seed):
                found.setdefault(problem, seed)
    except FactError as error:
        yield f"facts: {error}"
    for problem, seed in found.items():
        yield f"facts: changed:{seed}: {problem}"


def _draw_problems(
    world: World, sample: Sample, documents: Sequence[Document], scorer: Scorer, seed: int
) -> Iterator[str]:
    exchange = world.draw(seed)
    changed = exchange.sample(sample)
    for name, value in exchange.values.items():
        if value == world.originals[name]:
            yield f"{name} is {value} as before"
    yield from (f"'derived': {problem}" for problem in _wrong_workings(changed, scorer))
    for document in documents:
        for old in world.left(exchange.document(document).contents):
            yield f"{old!r} is left in document {document.id!r}"
    for old in world.left(changed.reference or ""):
        yield f"{old!r} is left in the gold answer"
    if changed.reference is None or sample.reference is None:
        return
    for rule, scores in counted_scores(changed, changed.reference, scorer).items():
        for key, score in scores.items():
            if score != 1:
                yield f"the new gold answer gets {score:.4g} for {key} under the rule {rule}"
    gold = changed.reference
    response = Response(gold, scorer.criteria.normalizer, changed.context)
    for entry in Memory(list(remembered(sample, changed)), scorer.criteria).entries:
        if entry.is_found(response, find_words):
            yield f"the new gold answer says what was right before: {', '.join(entry.wordings)}"
    for rule, scores in counted_scores(changed, sample.reference, scorer).items():
        if all(score == 1 for score in scores.values()):
            yield f"the original's gold answer gets full marks under the rule {rule}"


def counted_scores(
    sample: Sample, answer: str, scorer: Scorer
) -> Mapping[str, Mapping[str, float]]:
    """The counted scores of an answer: rule -> key -> score."""
    keys = counted()
    return {
        rule: {key: value for key, value in scores.items() if key in keys}
        for rule, scores in scorer.score(sample, sample.context, answer).items()
    }


def _wrong_workings(sample: Sample, scorer: Scorer) -> Iterator[str]:
    """The equations of `derived` that are not true; what is no equation is passed over."""
    for equation in (sample.derived or "").split(";"):
        values = []
        for side in equation.split("="):
            try:
                values.append(evaluate(side, {}, scorer.criteria.normalizer))
            except FormulaError:
                break
        else:
            if any(value != values[0] for value in values):
                yield f"{equation.strip()!r} is not true"
