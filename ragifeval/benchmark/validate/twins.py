"""Twins of a data set: whether one of them answers, and those that a person should look at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragifeval.benchmark.benchmark import Benchmark
from ragifeval.benchmark.variants.source import Source, VariantSample
from ragifeval.benchmark.variants.variants import LeftOut, Variant
from ragifeval.scoring.conditions import Include
from ragifeval.scoring.entries import Criteria, Entry, Response
from ragifeval.text.matching import RULES

TWIN = Variant((("twin", 0),))


@dataclass(frozen=True)
class Twins:
    """What is found out of the twins of a data set.

    Attributes:
        made: how many there are.
        answering: sample id -> which documents of its twin say what is asked.
        doubtful: the questions without a twin, and the twins that may tell a part of an answer.
    """

    made: int
    answering: Mapping[str, Sequence[str]]
    doubtful: Sequence[str]


def examine_twins(benchmark: Benchmark, criteria: Criteria) -> Twins:
    """Make the twins and read them.

    Args:
        criteria: by which answers are scored. Documents are chosen by those of the lemma table.
    """
    source = Source(benchmark)
    made, answering, doubtful = 0, {}, []
    for sample in benchmark.samples:
        try:
            twin = TWIN.make(sample, source)
        except LeftOut as reason:
            if sample.expect.get("refuse") is not True:
                doubtful.append(f"{sample.id}: has no twin: {reason}")
            continue
        made += 1
        entries = Include(twin.asked, criteria).entries
        texts = [benchmark.documents[key].contents for key in twin.context]
        said = [list(_said(text, entries, criteria)) for text in texts]
        if found := [key for key, some in zip(twin.context, said, strict=True) if some]:
            answering[sample.id] = found
        doubtful += [f"{twin.id}: {doubt}" for doubt in _doubts(twin, source)]
        if not found and (together := list(_said("\n\n".join(texts), entries, criteria))):
            doubtful.append(f"{twin.id}: its documents in one text say: {'; '.join(together)}")
    return Twins(made, answering, doubtful)


def _doubts(twin: VariantSample, source: Source) -> Iterator[str]:
    """A document that is nearer to the question than one that it cites may tell of it, too."""
    ranked = list(source.rank(twin.question))
    origin = source.origins[twin.origin]
    last = max(map(ranked.index, origin.expect["cite"]))
    near = [key for key in twin.context if ranked.index(key) < last]
    if added := [key for key in near if key not in origin.context]:
        yield f"nearer to the question than one it cites: {', '.join(added)}"


def _said(text: str, entries: Sequence[Entry], criteria: Criteria) -> Iterator[str]:
    """The first wording of each entry that a text meets, under either rule."""
    response = Response(text, criteria.normalizer, ())
    for entry in entries:
        if any(entry.is_found(response, rule) for rule in RULES.values()):
            yield entry.wordings[0]
