"""Twins that a person should look at: what a program cannot prove of them."""

from collections.abc import Iterator

from ragifeval.benchmark.benchmark import Benchmark
from ragifeval.benchmark.variants.source import Source
from ragifeval.benchmark.variants.variants import LeftOut, Variant

TWIN = Variant((("twin", 0),))


def doubtful_twins(benchmark: Benchmark) -> Iterator[str]:
    """Yield the questions without a twin, and the documents that may answer a part of one.

    Of a twin's documents no one meets an entry. One that is nearer to the question than a document
    that the question cites may still say something of what is asked.
    """
    source = Source(benchmark)
    for sample in benchmark.samples:
        try:
            twin = TWIN.make(sample, source)
        except LeftOut as reason:
            if sample.expect.get("refuse") is not True:
                yield f"{sample.id}: has no twin: {reason}"
            continue
        ranked = list(source.rank(sample.question))
        last = max(map(ranked.index, sample.expect["cite"]))
        near = [key for key in twin.context if ranked.index(key) < last]
        added = [key for key in near if key not in sample.context]
        if added:
            yield f"{twin.id}: nearer to the question than one it cites: {', '.join(added)}"
