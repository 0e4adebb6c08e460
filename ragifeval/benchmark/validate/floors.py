"""What answers without understanding get: the floors that a data set must keep low."""

from collections.abc import Iterator, Mapping, Sequence

from ragifeval.benchmark.baselines import BASELINES, Baseline, Resources, refuse
from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.statistics import Estimate, Tally

MOST_FOR_REFUSING = 0.05
"""Always refusing must get less than this of include and of cite. Of exclude it gets all: silence
says nothing wrong."""
MOST_FOR_COPYING = 0.6
"""Copying documents, or sentences of them, into the answer must get less than this in total."""


def _copy(sample: Sample, documents: Sequence[Document], resources: Resources) -> str:
    return "\n".join(document.contents for document in documents)


def _refer(sample: Sample, documents: Sequence[Document], resources: Resources) -> str:
    return sample.reference or ""


_REFUSING, _REFERENCE = "always refusing", "baseline/reference"
_WAYS: Mapping[str, Baseline] = {
    _REFUSING: refuse,
    "copying documents": _copy,
    "copying and citing": BASELINES["baseline/copy"],
    "baseline/extractive": BASELINES["baseline/extractive"],
    _REFERENCE: _refer,
}

FEW = 20
"""Of fewer samples floors say little: they are told, and no problem."""

Floors = Mapping[str, Mapping[str, Estimate]]


def floors(benchmark: Benchmark, scorer: Scorer) -> Floors:
    """The estimates of each way to answer, under the substring rule; the gold answers last."""
    criteria = scorer.criteria
    resources = Resources(criteria.refusal_message, lambda: criteria.normalizer)
    estimates = {}
    for name, answer in _WAYS.items():
        tally = Tally(len(benchmark.samples))
        for index, sample in enumerate(benchmark.samples):
            documents = [benchmark.documents[key] for key in sample.context]
            text = answer(sample, documents, resources)
            tally.add(index, scorer.score(sample, sample.context, text)["substring"])
        estimates[name] = tally.estimates(seed=0)
    return estimates


def floor_problems(estimates: Floors) -> Iterator[str]:
    """Yield one line for each floor that is too high for the data to tell models apart."""
    for key in ("include", "cite_f1"):
        refusing = estimates[_REFUSING].get(key)
        if refusing is not None and refusing.mean >= MOST_FOR_REFUSING:
            yield (
                f"{_REFUSING} gets {refusing.mean:.0%} of {key}, where less than "
                f"{MOST_FOR_REFUSING:.0%} is wanted"
            )
    for name, found in estimates.items():
        total = found["total"].mean
        if name not in (_REFUSING, _REFERENCE) and total >= MOST_FOR_COPYING:
            wanted = f"less than {MOST_FOR_COPYING:.0%} is wanted"
            yield f"{name} gets {total:.0%} in total, where {wanted}"
