"""Logs of several sets of questions, to be shown side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.benchmark.variants.source import VariantSample
from ragifeval.results.answers import read_answers
from ragifeval.results.signatures import model_name
from ragifeval.run.outcome import variant_of
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
    return next((stored.signature for stored in read_answers(path)), None)


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
    values = {field.name: getattr(sample, field.name) for field in fields(Sample)}
    return VariantSample(**values, variant=variant, origin=sample.id)
