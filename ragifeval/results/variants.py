"""The variants that stored answers are to, found in their logs."""

from collections.abc import Sequence
from pathlib import Path

from ragifeval.benchmark.benchmark import Benchmark
from ragifeval.benchmark.variants.variants import (
    Variant,
    expand,
    read_variants,
    signature_parts,
    variants_of,
)
from ragifeval.errors import UserError
from ragifeval.results.answers import read_answers
from ragifeval.run.progress import watched


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
        first = next((stored.signature for stored in read_answers(log) if stored.signature), None)
        variants = variants_of(first)
        part = first.parts.get("variants", "") if first is not None else ""
        known = signature_parts(variants, benchmark).get("variants", "")
        if "#" in part and part.partition("#")[2] != known.partition("#")[2]:
            raise UserError(f"{log}: its answers are to other facts than those of the data")
        found |= dict.fromkeys(variants)
    return expand(benchmark, tuple(found) or (Variant(),), watched=watched).benchmark
