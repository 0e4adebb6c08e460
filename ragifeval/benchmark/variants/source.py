"""What variants are made of: the documents by nearness, what they say, and new values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, overload

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.benchmark.bm25 import Index
from ragifeval.benchmark.variants.changed import Exchange, World
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.scoring.conditions import Include, numbers_of
from ragifeval.scoring.entries import Criteria, Entry, Response
from ragifeval.statements.entries import is_never
from ragifeval.text.matching import RULES
from ragifeval.text.normalizer import Normalizer, load_normalizer
from ragifeval.text.stop_words import stop_words

# Documents kept ready to be looked through, and samples that were made; samples with their facts;
# exchanges of values.
_READY, _WORLDS, _EXCHANGES = 256, 128, 16
# Logarithms differ in their last digits from machine to machine, ranks must not.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class VariantSample(Sample):
    """A sample of a variant.

    Attributes:
        variant: its name, "core" for a sample as the data have it.
        origin: the id of the sample in the data.
        asked: the entries that the data or new values ask for, whatever is expected now: no
            document that is added may meet one.
    """

    variant: str = "core"
    origin: str = ""
    asked: tuple[Any, ...] = ()

    @classmethod
    def of(cls, sample: Sample, variant: str, asked: tuple[Any, ...] = ()) -> "VariantSample":
        """A sample of the data under the name of a variant."""
        values = {field.name: getattr(sample, field.name) for field in fields(Sample)}
        return cls(**values, variant=variant, origin=sample.id, asked=asked)


@dataclass(frozen=True, slots=True)
class VariantName:
    """What tells a sample of a variant: all that is held of it."""

    id: str
    variant: str
    origin: str


class VariantSamples(Sequence[VariantSample]):
    """The samples of variants; each is made when it is asked for.

    Args:
        names: of the samples, in order.
        make: the sample of a name.
    """

    def __init__(
        self, names: Sequence[VariantName], make: Callable[[VariantName], VariantSample]
    ) -> None:
        self.names = names
        self._make = lru_cache(_READY)(make)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> VariantSample: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[VariantSample]: ...
    def __getitem__(self, place: int | slice) -> VariantSample | Sequence[VariantSample]:
        if isinstance(place, slice):
            return VariantSamples(self.names[place], self._make)
        return self._make(self.names[place])


def names_of(samples: Sequence[Sample]) -> Sequence[Sample | VariantName]:
    """What tells the samples; those of variants are not made for it."""
    return samples.names if isinstance(samples, VariantSamples) else samples


class Source:
    """A benchmark ready to make variants of.

    The default normalizer reads it, whatever scores the answers: variants are the same everywhere.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.documents = VariantDocuments(self)
        self.origins = {sample.id: sample for sample in benchmark.samples}
        self.exchange = lru_cache(_EXCHANGES)(self._exchange)
        self._world = lru_cache(_WORLDS)(self._read_world)
        self._response = lru_cache(_READY)(self._read)
        # What near() has found for a sample, which may be made again: nothing else takes as long.
        self._near: dict[tuple[str, str], list[str]] = {}
        # The entries last asked for, made ready.
        self._compiled: tuple[object, Sequence[Entry]] = (None, ())

    @cached_property
    def normalizer(self) -> Normalizer:
        """The lemma table's."""
        return load_normalizer()

    @cached_property
    def _criteria(self) -> Criteria:
        return Criteria(self.normalizer, REFUSAL_MESSAGE, frozenset())

    @cached_property
    def _index(self) -> Index:
        return Index(
            self.normalizer(f"{document.title or ''}\n{document.contents}").lemmas
            for document in self.benchmark.documents.values()
        )

    @cached_property
    def _categories(self) -> Mapping[str | None, frozenset[str]]:
        """Category -> the documents of its samples."""
        keys: dict[str | None, set[str]] = {}
        for sample in self.benchmark.samples:
            keys.setdefault(sample.category, set()).update(sample.context)
        return {category: frozenset(found) for category, found in keys.items()}

    def rank(self, question: str) -> Sequence[str]:
        """The ids of all documents, the nearest first; of equal ones in the order of the data."""
        unasked = stop_words(self.normalizer.language)
        lemmas = dict.fromkeys(self.normalizer(question).lemmas)
        scores = self._index.scores([lemma for lemma in lemmas if lemma not in unasked])
        keys = list(self.benchmark.documents)
        order = sorted(range(len(keys)), key=lambda place: -round(scores[place], _DIGITS))
        return [keys[place] for place in order]

    def near(self, sample: VariantSample) -> Iterator[str]:
        """Yield documents that may be added, those of the sample's category first, nearest first.

        None is of the sample's own context, and none meets an entry. What is to be refused has no
        entries that would tell: it gets documents of other categories alone.
        """
        found = self._near.setdefault((sample.origin, sample.variant), [])
        yield from found
        origin = self.origins[sample.origin]
        same = self._categories[origin.category] if origin.category is not None else frozenset()
        ranked = [key for key in self.rank(origin.question) if key not in origin.context]
        if not sample.asked:
            ranked = [key for key in ranked if key not in same]
        ranked.sort(key=lambda key: key not in same)
        for key in ranked[ranked.index(found[-1]) + 1 if found else 0 :]:
            if not self.meets(sample, key):
                found.append(key)
                yield key

    def meets(self, sample: VariantSample, key: str) -> bool:
        """Whether a document says what an entry asks for, by either rule, or is told to hint."""
        if self.documents.base(key) in sample.hints:
            return True
        if self._compiled[0] is not sample.asked:
            entries = Include(sample.asked, self._criteria).entries if sample.asked else []
            self._compiled = sample.asked, entries
        response = self._response(key)
        return any(
            entry.is_found(response, rule) for entry in self._compiled[1] for rule in RULES.values()
        )

    def _read(self, key: str) -> Response:
        # As the prompt shows it: without its title.
        text = self.documents[key].contents
        return Response(text, self.normalizer, ())

    def numbers(self, sample: Sample) -> list[str]:
        """The numbers in the documents and the question of a sample."""
        question = Response(sample.question, self.normalizer, ())
        readings = [question.reading, *(self._response(key).reading for key in sample.context)]
        return sorted({number for reading in readings for number in numbers_of(reading)})

    def _exchange(self, origin: str, seed: int) -> Exchange:
        return self._world(origin).draw(seed)

    def _read_world(self, origin: str) -> World:
        sample = self.origins[origin]
        documents = [self.benchmark.documents[key] for key in sample.context]
        return World(sample, documents, self.normalizer)


class VariantDocuments(Mapping[str, Document]):
    """The documents of the data, and those with new values, which are made when asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._own: dict[str, tuple[str, str, int]] = {}

    def add(self, key: str, origin: str, seed: int) -> str:
        """The id of a document as the values of a sample's seed make it."""
        name = f"{key}@{origin}@changed:{seed}"
        self._own[name] = (key, origin, seed)
        return name

    def base(self, key: str) -> str:
        """The id in the data of a document, whatever its values are."""
        return self._own[key][0] if key in self._own else key

    def __getitem__(self, key: str) -> Document:
        if key not in self._own:
            return self._source.benchmark.documents[key]
        base, origin, seed = self._own[key]
        document = self._source.benchmark.documents[base]
        return replace(self._source.exchange(origin, seed).document(document), id=key)

    def __iter__(self) -> Iterator[str]:
        yield from self._source.benchmark.documents
        yield from self._own

    def __len__(self) -> int:
        return len(self._source.benchmark.documents) + len(self._own)


def leaves(entries: Sequence[Any]) -> Iterator[Any]:
    """Yield the phrases and statements of entries, without what must never be said."""
    for entry in entries:
        if not isinstance(entry, Mapping):
            yield entry
        elif "any" in entry or "all" in entry:
            yield from leaves(entry.get("any") or entry["all"])
        elif not is_never(entry):
            yield entry
