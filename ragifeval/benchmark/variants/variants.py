"""The registry of variants: what becomes of a question, by name and argument.

    core                    as it is
    changed:SEED            amounts, periods, dates and names are others
    twin                    without the documents that it cites: to be refused
    noise:N                 among N documents
    order:SEED              the documents in another order

They combine: "changed:3+noise:16". A list of them is separated by commas.
"""

import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ragifeval.benchmark.baselines import cite_anew
from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.benchmark.variants.changed import FactError
from ragifeval.benchmark.variants.source import (
    Source,
    VariantName,
    VariantSample,
    VariantSamples,
    leaves,
)
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.scoring.signature import Signature, fingerprint
from ragifeval.statements.wordings import spelled_out

CORE = "core"

_CLASS = re.compile(r"@\w+")


class LeftOut(Exception):
    """Why a variant has no form of a sample.

    Attributes:
        most: how many documents could be shown, where they are too few.
    """

    def __init__(self, reason: str, most: int = 0) -> None:
        super().__init__(reason)
        self.most = most


@dataclass(frozen=True)
class Kind:
    """One kind of variant.

    Attributes:
        make: a sample, the argument, the source -> the sample of the variant; LeftOut is raised for
            a sample that it cannot be made of.
        low, high: of the argument; both 0 for none.
        meaning: of the argument.
    """

    make: Callable[[VariantSample, int, Source], VariantSample]
    low: int = 0
    high: int = 0
    meaning: str = ""


def changed(sample: VariantSample, seed: int, source: Source) -> VariantSample:
    """Exchange the values of the sample's facts in all its world."""
    if not sample.facts:
        raise LeftOut("it has no facts")
    try:
        exchange = source.exchange(sample.origin, seed)
    except FactError as error:
        raise UserError(f"sample {sample.origin!r}: facts: {error}") from None
    names = {
        key: source.documents.add(key, sample.origin, seed)
        for key in sample.context
        if exchange.document(document := source.documents[key]) != document
    }
    new = exchange.sample(sample)
    expect = dict(new.expect)
    if "cite" in expect:
        expect["cite"] = [names.get(key, key) for key in expect["cite"]]
    if entries := list(remembered(sample, new)):
        expect["memory"] = entries
    return replace(
        sample,
        question=new.question,
        reference=new.reference,
        derived=new.derived,
        context=tuple(names.get(key, key) for key in sample.context),
        expect=expect,
        asked=(*sample.asked, *leaves(expect.get("include", ()))),
    )


def remembered(sample: Sample, changed: Sample) -> Iterator[Any]:
    """Yield the wordings of a sample that have changed, as entries of the world they stand in."""
    before, after = (leaves(one.expect.get("include", ())) for one in (sample, changed))
    for old, new in zip(before, after, strict=True):
        is_statement = isinstance(old, Mapping)
        wordings = [entry["say"] if is_statement else entry for entry in (old, new)]
        lists = [[one] if isinstance(one, str) else one for one in wordings]
        if is_statement:
            lists = [list(chain.from_iterable(map(spelled_out, ones))) for ones in lists]
        # A class ("@atonce") is no value: "od razu" stands in right answers, too.
        say = [
            one
            for one, other in zip(*lists, strict=True)
            if one != other and not _CLASS.fullmatch(one)
        ]
        if say and is_statement:
            kept = {key: new[key] for key in ("of", "rivals", "from", "is") if key in new}
            yield {"say": say, **kept}
        elif say:
            yield say


def twin(sample: VariantSample, _: int, source: Source) -> VariantSample:
    """Put other documents in the place of those that answer; a refusal is right then."""
    expect = sample.expect
    if expect.get("refuse") is True:
        raise LeftOut("it is to be refused as it is")
    if not expect.get("cite") or not sample.asked:
        raise LeftOut("it needs cite and include, to know which documents answer")
    others = source.near(sample)
    context = []
    for key in sample.context:
        if key in expect["cite"] or source.meets(sample, key):
            other = next(others, None)
            if other is None:
                raise LeftOut("too few documents say nothing that it asks for")
            context.append(other)
        else:
            context.append(key)
    return replace(
        sample,
        context=tuple(context),
        expect={"refuse": True, "unrefused": {"entries": list(sample.asked), "numbers": []}},
        reference=REFUSAL_MESSAGE,
        derived=None,
    )


def noise(sample: VariantSample, count: int, source: Source) -> VariantSample:
    """Add near documents that answer nothing, in a seeded order."""
    # A twin shows some of them already.
    others = (key for key in source.near(sample) if key not in sample.context)
    context = [*sample.context]
    while len(context) < count:
        key = next(others, None)
        if key is None:
            raise LeftOut(f"only {len(context)} documents can be shown", len(context))
        context.append(key)
    # A string seeds through SHA-512: the same order on every platform and in every process.
    random.Random(f"noise:{count}:{sample.origin}").shuffle(context)
    return _shown(sample, context)


def order(sample: VariantSample, seed: int, source: Source) -> VariantSample:
    """Show the documents in another order."""
    context = [*sample.context]
    if len(context) < 2:
        raise LeftOut("it has one document")
    chance = random.Random(f"order:{seed}:{sample.origin}")
    while tuple(context) == sample.context:
        chance.shuffle(context)
    return _shown(sample, context)


def _shown(sample: VariantSample, context: Sequence[str]) -> VariantSample:
    """The sample with its documents, and others, in another order; the gold answer cites by it."""
    reference = sample.reference
    if reference is not None:
        reference = cite_anew(reference, sample.context, context)
    return replace(sample, context=tuple(context), reference=reference)


_HIGHEST_SEED = 2**31 - 1
# In the order in which they are applied, however they are named.
REGISTRY: Mapping[str, Kind] = {
    "changed": Kind(changed, high=_HIGHEST_SEED, meaning="a seed"),
    "twin": Kind(twin),
    "noise": Kind(noise, low=2, high=1024, meaning="the number of documents"),
    "order": Kind(order, high=_HIGHEST_SEED, meaning="a seed"),
}


@dataclass(frozen=True)
class Variant:
    """Kinds of variants with their arguments, in the order of the registry; none for the core."""

    parts: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        shown = [name + f":{argument}" * bool(REGISTRY[name].high) for name, argument in self.parts]
        return "+".join(shown) or CORE

    @classmethod
    def parse(cls, text: str) -> "Variant":
        """Read "changed:3+noise:16".

        Raises:
            ValueError: what is wrong with it.
        """
        if text == CORE:
            return cls()
        found: dict[str, int] = {}
        for part in text.split("+"):
            name, mark, argument = part.strip().partition(":")
            kind = REGISTRY.get(name)
            if kind is None:
                raise ValueError(f"{part!r} is none of: {CORE}, {', '.join(map(_usage, REGISTRY))}")
            if name in found:
                raise ValueError(f"{text!r} names {name} twice")
            if bool(mark) != bool(kind.high):
                raise ValueError(f"{part!r} must be {_usage(name)}")
            is_number = argument.isascii() and argument.isdigit() and len(argument) < 11
            if mark and not (is_number and kind.low <= int(argument) <= kind.high):
                raise ValueError(f"{part!r}: {kind.meaning} is from {kind.low} to {kind.high}")
            found[name] = int(argument or 0)
        return cls(tuple((name, found[name]) for name in REGISTRY if name in found))

    def make(self, sample: Sample, source: Source) -> VariantSample:
        """The sample of this variant.

        Raises:
            LeftOut: it cannot be made of this sample.
        """
        asked = tuple(leaves(sample.expect.get("include", ())))
        made = VariantSample.of(sample, str(self), asked)
        for name, argument in self.parts:
            made = REGISTRY[name].make(made, argument, source)
        if "unrefused" in made.expect:
            numbers = {**made.expect["unrefused"], "numbers": source.numbers(made)}
            made = replace(made, expect={**made.expect, "unrefused": numbers})
        return replace(made, id=f"{sample.id}@{self}") if self.parts else made


def _usage(name: str) -> str:
    kind = REGISTRY[name]
    return f"{name}:{'N' if kind.low else 'SEED'}" if kind.high else name


def read_variants(text: str) -> tuple[Variant, ...]:
    """Read a list of variants as an option gives it, each once.

    Raises:
        UserError: what is wrong with it.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise UserError("--variants: names no variant")
    try:
        return tuple(dict.fromkeys(map(Variant.parse, parts)))
    except ValueError as error:
        raise UserError(f"--variants: {error}") from None


# The kinds of variants that hints count for.
_ADDING = frozenset({"twin", "noise"})


def signature_parts(variants: Sequence[Variant], benchmark: Benchmark) -> dict[str, str]:
    """The part of a signature that names the variants, with facts and hints where these count.

    Of the core alone, a signature says nothing.
    """
    if tuple(variants) == (Variant(),):
        return {}
    names = ",".join(map(str, variants))
    kinds = {name for variant in variants for name, _ in variant.parts}
    hints = {sample.id: sample.hints for sample in benchmark.samples if sample.hints}
    if hints and not kinds.isdisjoint(_ADDING):
        names += f"#{fingerprint(hints)}"
    if "changed" in kinds:
        facts = {
            sample.id: [fact.model_dump() for fact in sample.facts] for sample in benchmark.samples
        }
        names += f"#{fingerprint(facts)}"
    return {"variants": names}


def part_of_variant(part: str, variant: str) -> str:
    """What that part of a signature says of one of its variants: names, then hints, then facts."""
    names, *fingerprints = part.split("#")
    facts = fingerprints[-1:] if "changed" in names else []
    hints = fingerprints[: len(fingerprints) - len(facts)]
    has_hints = any(kind in variant for kind in _ADDING)
    return "#".join(
        [variant, *(hints if has_hints else []), *(facts if "changed" in variant else [])]
    )


def variants_of(signature: Signature | None) -> tuple[Variant, ...]:
    """The variants that a signature names; the core alone where it names none."""
    part = signature.parts.get("variants", CORE) if signature is not None else CORE
    try:
        return read_variants(part.partition("#")[0])
    except UserError:
        return (Variant(),)


@dataclass(frozen=True)
class Expanded:
    """A benchmark with its variants.

    Attributes:
        benchmark: the samples of all variants, one variant after the other; each is made anew when
            it is asked for.
        left_out: variant -> sample id -> why it has no form of the sample.
        most: the most documents that noise could show with a sample that it leaves out.
    """

    benchmark: Benchmark
    left_out: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    most: int = 0


Steps = Sequence[tuple[Variant, Sample]]


def expand(
    benchmark: Benchmark,
    variants: Sequence[Variant],
    samples: Sequence[Sample] | None = None,
    watched: Callable[[Steps], Iterable[tuple[Variant, Sample]]] = iter,
) -> Expanded:
    """Make the variants of a benchmark; one that asks for the core alone stays as it is.

    Each sample is made now, so that what is wrong shows, and again when it is asked for: between
    the two its name alone is held.

    Args:
        samples: those of its samples that are wanted; None for all.
        watched: yields the steps that it is given, and may show how far they are.

    Raises:
        UserError: the facts of a sample give no values.
    """
    wanted = benchmark.samples if samples is None else samples
    if variants == (Variant(),):
        return Expanded(replace(benchmark, samples=wanted))
    source = Source(benchmark)
    left_out: dict[str, dict[str, str]] = {}
    by_name = {str(variant): variant for variant in variants}
    names: list[VariantName] = []
    most = 0
    for variant, sample in watched(
        [(variant, sample) for variant in variants for sample in wanted]
    ):
        try:
            made = variant.make(sample, source)
        except LeftOut as reason:
            left_out.setdefault(str(variant), {})[sample.id] = str(reason)
            most = max(most, reason.most)
        else:
            names.append(VariantName(made.id, sys.intern(made.variant), sample.id))

    def make(name: VariantName) -> VariantSample:
        return by_name[name.variant].make(source.origins[name.origin], source)

    return Expanded(Benchmark(source.documents, VariantSamples(names, make)), left_out, most)
