"""The sets and variants that the answers of logs are to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.benchmark.variants.source import VariantSample
from ragifeval.benchmark.variants.variants import (
    Variant,
    expand,
    read_variants,
    signature_parts,
    variants_of,
)
from ragifeval.errors import UserError
from ragifeval.results.answers import read_answers
from ragifeval.results.signatures import model_name
from ragifeval.run.outcome import variant_of
from ragifeval.run.progress import watched
from ragifeval.scoring.signature import Signature


def by_set(paths: Sequence[Path]) -> Mapping[str, Sequence[Path]]:
    """The logs of each set of ours, the first one's first; those of other data are with these.

    So logs of different data of a user's own are told apart by their signatures, and refused.

    Raises:
        UserError: a log cannot be read.
    """
    sets: dict[str, list[Path]] = {}
    for path in paths if len(paths) > 1 else ():
        signature = _first_signature(path)
        name = signature.data_name if signature is not None else None
        sets.setdefault(name or next(iter(sets), ""), []).append(path)
    if "" in sets and len(sets) > 1:
        unnamed, following = sets.pop(""), next(iter(sets.values()))
        following[:0] = unnamed
    return sets or {"": paths}


def by_model(sets: Mapping[str, Sequence[Path]]) -> Sequence[Sequence[Path]]:
    """The logs of each model: one of each set, in the order of the sets.

    Of several logs of a model and a set, the first goes with the first of the next set.
    """
    models: dict[tuple[str, int], list[Path]] = {}
    for paths in sets.values():
        seen: dict[str, int] = {}
        for path in paths:
            name = model_name(_first_signature(path)) or path.stem
            seen[name] = seen.get(name, 0) + 1
            models.setdefault((name, seen[name]), []).append(path)
    return list(models.values())


def _first_signature(path: Path) -> Signature | None:
    return next((stored.signature for stored in read_answers(path) if stored.signature), None)


def with_variants(benchmark: Benchmark, logs: Sequence[Path], named: str | None) -> Benchmark:
    """The benchmark with the variants that the answers of logs are to.

    Args:
        named: the variants as an option names them; None for those that the logs' signatures name.

    Raises:
        UserError: a log cannot be read, an option names no variant, or the facts are others than
            those that the model was asked by.
    """
    if named is not None:
        return expand(benchmark, read_variants(named), watched=watched).benchmark
    found: dict[Variant, None] = {}
    for log in logs:
        first = _first_signature(log)
        variants = variants_of(first)
        part = first.parts.get("variants", "") if first is not None else ""
        known = signature_parts(variants, benchmark).get("variants", "")
        if "#" in part and part.partition("#")[2] != known.partition("#")[2]:
            raise UserError(f"{log}: its answers are to other facts than those of the data")
        found |= dict.fromkeys(variants)
    return expand(benchmark, tuple(found) or (Variant(),), watched=watched).benchmark


def joined(sets: Mapping[str, Benchmark]) -> Benchmark:
    """Several sets as one, in which those behind the first are variants: "urzad-hard twin"."""
    (_, first), *others = sets.items()
    samples = [
        *first.samples,
        *(_named(sample, name) for name, one in others for sample in one.samples),
    ]
    documents = {key: one.documents[key] for one in sets.values() for key in one.documents}
    return Benchmark(documents, samples)


def _named(sample: Sample, name: str) -> VariantSample:
    variant = f"{name} {variant_of(sample)}"
    if isinstance(sample, VariantSample):
        return replace(sample, variant=variant)
    return VariantSample.of(sample, variant)
