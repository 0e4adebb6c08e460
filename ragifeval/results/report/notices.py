"""What the reader ought to know before reading the numbers, in sentences."""

from collections.abc import Iterator, Mapping, Sequence

from ragifeval.results.report.results import Results
from ragifeval.results.report.runs import Run, differences

_NAMED = 10


def notices(
    runs: Sequence[Run],
    results: Sequence[Results],
    terms: Mapping[str, str],
    texts: Mapping[str, str],
) -> Iterator[str]:
    """Yield the sentences, those about all runs first.

    Args:
        terms: the parts of a signature that hold for what the page was made with.
        texts: of the language.
    """
    differing = differences(runs)
    if len(runs) > 1 and differing:
        yield texts["notice_differ"].format(parts=", ".join(differing))
    for run, result in zip(runs, results, strict=True):
        parts = run.differences(terms)
        if parts:
            yield texts["notice_conditions"].format(run=run.name, parts=", ".join(parts))
        outcome = result.outcome
        for name, ids, count in (
            ("rescored", result.rescored, len(result.rescored)),
            ("unknown", run.log.unknown_names, run.log.unknown),
            ("repeated", outcome.repeated, len(outcome.repeated)),
        ):
            if count:
                yield texts[f"notice_{name}"].format(
                    run=run.name, count=count, ids=_named(ids, count, texts)
                )
        size = len(outcome.samples)
        if missing := size - outcome.answered:
            yield texts["notice_missing"].format(run=run.name, count=missing, samples=size)


def _named(ids: Sequence[str], count: int, texts: Mapping[str, str]) -> str:
    named = [key if len(key) <= 80 else key[:79] + "…" for key in ids[:_NAMED]]
    if count > _NAMED:
        named.append(texts["more"].format(count=count - _NAMED))
    return ", ".join(named)
