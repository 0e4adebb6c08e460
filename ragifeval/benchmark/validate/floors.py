"""What answers without understanding get: the floors that a data set must keep low."""

from collections.abc import Callable, Iterator, Mapping

from ragifeval.benchmark.baselines import extract
from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.statistics import Estimate, Tally
from ragifeval.text.normalizer import Normalizer

MOST_FOR_REFUSING = 0.05
"""Always refusing must get less than this of include and of cite. Of exclude it gets all: silence
says nothing wrong."""
MOST_FOR_COPYING = 0.6
"""Copying all documents into the answer must get less than this in total."""

_REFUSING, _COPYING, _CITING = (
    "always refusing",
    "copying all documents",
    "copying and citing them",
)
_EXTRACTIVE, _REFERENCE = "baseline/extractive", "baseline/reference"

Floors = Mapping[str, Mapping[str, Estimate]]


def floors(
    benchmark: Benchmark, scorer: Scorer, normalizer: Normalizer, refusal_message: str
) -> Floors:
    """The estimates of each way to answer, under the substring rule; the gold answers last."""

    def contents(sample: Sample) -> list[str]:
        return [benchmark.documents[key].contents for key in sample.context]

    def cite(sample: Sample) -> str:
        return "\n".join(f"{text} [{n}]" for n, text in enumerate(contents(sample)))

    def extracted(sample: Sample) -> str:
        found = extract(sample.question, contents(sample), normalizer)
        return " ".join(f"{s.text} [{s.document}]" for s in found) or refusal_message

    ways: Mapping[str, Callable[[Sample], str]] = {
        _REFUSING: lambda sample: refusal_message,
        _COPYING: lambda sample: "\n".join(contents(sample)),
        _CITING: cite,
        _EXTRACTIVE: extracted,
        _REFERENCE: lambda sample: sample.reference or "",
    }
    estimates = {}
    for name, answer in ways.items():
        tally = Tally(len(benchmark.samples))
        for index, sample in enumerate(benchmark.samples):
            scores = scorer.score(sample, sample.context, answer(sample))
            tally.add(index, scores["substring"])
        estimates[name] = tally.estimates(seed=0)
    return estimates


def floor_problems(estimates: Floors) -> Iterator[str]:
    """Yield one line for each floor that is too high for the data to tell models apart."""
    for key in ("include", "cite_f1"):
        refusing = estimates[_REFUSING].get(key)
        if refusing is not None and refusing.mean >= MOST_FOR_REFUSING:
            yield f"{_REFUSING} gets {refusing.mean:.0%} of {key}"
    for name in (_COPYING, _CITING):
        if estimates[name]["total"].mean >= MOST_FOR_COPYING:
            yield f"{name} gets {estimates[name]['total'].mean:.0%} in total"
    if not estimates[_REFUSING]["total"].mean < estimates[_EXTRACTIVE]["total"].mean < 1:
        yield f"{_EXTRACTIVE} does not lie between {_REFUSING} and full marks"
