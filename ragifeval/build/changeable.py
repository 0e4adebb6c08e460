"""The facts of a built sample: amounts, periods and dates that one document of its context states.

They are found in Polish texts alone, and proved: with other values the sample is as sound.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.facts import Fact, read_facts
from ragifeval.benchmark.validate.facts import fact_problems
from ragifeval.benchmark.variants.changed import texts_in
from ragifeval.benchmark.variants.values import Amount, Day, Value, find_values, read_value
from ragifeval.scoring.scorer import Scorer
from ragifeval.statements.quantities import PERIODS

_SEEDS = range(1, 3)
_TIMES = ("0.6", "0.8", "1.2", "1.4", "1.6", "1.8")
_WEEKS = (-3, -2, -1, 1, 2, 3)
_UNITS = frozenset({"złoty", "procent", "euro", *PERIODS})


def with_facts(sample: Sample, documents: Mapping[str, Document], scorer: Scorer) -> Sample:
    """A Polish sample with those of its facts that prove themselves.

    Args:
        documents: those of its context are among them.
    """
    normalizer = scorer.criteria.normalizer
    context = [documents[key] for key in sample.context]
    stated: list[set[Value]] = [
        {mention.value for mention in find_values(document.contents, normalizer)}
        for document in context
    ]
    facts: list[Fact] = []
    for text in dict.fromkeys(texts_in(sample.expect["include"])):
        value = read_value(text, normalizer)
        if value is None or sum(value in values for values in stated) != 1:
            continue
        others = list(map(str, _others(value)))
        if not others or any(fact.value == str(value) for fact in facts):
            continue
        name = f"value_{len(facts) + 1}"
        (fact,) = read_facts([{"name": name, "value": str(value), "others": others}])
        tried = replace(sample, facts=(*facts, fact))
        if not any(fact_problems(tried, context, scorer, _SEEDS)):
            facts.append(fact)
    return replace(sample, facts=tuple(facts))


def _others(value: Value) -> Sequence[Value]:
    """Values as natural as one: as round as it is, days of the same day of the week."""
    if isinstance(value, Day):
        start = date(value.year or 2025, value.month, value.day)
        days = [start + timedelta(weeks=weeks) for weeks in _WEEKS]
        kept = [day for day in days if day.year == start.year]
        return [Day(day.day, day.month, value.year) for day in kept]
    if value.unit not in _UNITS:
        return []
    return [replace(value, number=number) for number in dict.fromkeys(_near(value))]


def _near(value: Amount) -> Iterator[Decimal]:
    exponent = value.number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    step = Decimal(1).scaleb(exponent)
    for times in _TIMES:
        number = (value.number * Decimal(times) / step).quantize(1) * step
        if number > 0 and number != value.number:
            yield number
    for more in (1, 2, 3):
        yield value.number + more * step
