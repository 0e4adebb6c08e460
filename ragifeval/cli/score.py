"""python -m ragifeval score."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TextIO

from ragifeval.benchmark.benchmark import Benchmark, load_benchmark
from ragifeval.benchmark.sets import data_part
from ragifeval.cli import evaluate
from ragifeval.cli.batch import run_of_batch
from ragifeval.cli.options import inputs
from ragifeval.cli.settings import scoring_settings, settled
from ragifeval.cli.terminal import say, show
from ragifeval.errors import UserError
from ragifeval.files import (
    check_output,
    is_log,
    is_summary,
    locked,
    write_json,
    written_beside,
)
from ragifeval.results.outputs import output_paths, prices_of, summary_path
from ragifeval.results.rescoring import Rescored, Standard, check_logs, rescore
from ragifeval.results.sets import with_variants
from ragifeval.run.asking import REASONING_END
from ragifeval.run.journal import Record
from ragifeval.run.performance import sentence
from ragifeval.run.summary import doubts, group_table, summary, table
from ragifeval.scoring.scorer import ScoringSettings
from ragifeval.scoring.signature import Signature
from ragifeval.tables import plural

_NAMED = 5


def run(options: argparse.Namespace) -> int:
    """Score the logs, print their tables; 1 where answers are missing, or are to no sample."""
    if options.batch_output:
        return evaluate.run(*run_of_batch(options))
    if not options.logs:
        raise UserError("name a log, or --batch_output")
    check_logs(options.logs)
    if options.reasoning_end == "":
        raise UserError("--reasoning_end: is empty, and so would end before every answer")
    outputs = output_paths(options.logs, options.output, summary_path)
    jobs, told = [], list[list[str]]()
    for log, output in zip(options.logs, outputs, strict=True):
        chosen, said = settled(options, log)
        if output is not None:
            for new, is_own in ((output, is_log), (summary_path(output), is_summary)):
                check_output(new, is_own, inputs(chosen))
                if new.exists() and not options.overwrite:
                    raise UserError(f"-o: {new} exists; name another one, or --overwrite it")
        scoring = scoring_settings(chosen)
        told.append(said)
        jobs.append((log, output, chosen, (chosen.docs_path, chosen.eval_path, scoring)))
    basis_of = cache(partial(_basis, reasoning_end=options.reasoning_end))
    for *_, basis in jobs:  # what is wrong with any is found before the first is scored
        basis_of(*basis)
    for line in chain.from_iterable(told):
        say(line)
    is_complete = True
    for log, output, chosen, basis in jobs:
        benchmark, standard = basis_of(*basis)
        samples = with_variants(benchmark, [log], options.variants).samples
        rescored = _score(log, output, replace(standard, samples=samples), chosen)
        is_complete &= rescored.outcome.status == "complete" and not rescored.log.unknown
    return 0 if is_complete else 1


def _basis(
    docs_path: Path, eval_path: Path, scoring: ScoringSettings, reasoning_end: str | None
) -> tuple[Benchmark, Standard]:
    """What logs are scored by: read and checked before any of them."""
    benchmark = load_benchmark(docs_path, eval_path)
    parts = scoring.signature_parts(data_part(benchmark, docs_path, eval_path))
    return benchmark, Standard(
        benchmark.samples, scoring.load_scorer(), scoring.matching, reasoning_end, parts
    )


def _score(
    path: Path, output: Path | None, standard: Standard, options: argparse.Namespace
) -> Rescored:
    """Score one log: print the table and what is doubtful, write the new log and its summary."""
    with ExitStack() as resources:
        file: TextIO | None = None
        if output is not None:
            resources.enter_context(locked(output, only_if_in_use=True))
            file = resources.enter_context(written_beside(output))

        def write(record: Record) -> None:
            if file is not None:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")

        rescored = rescore(path, standard, write)
        outcome = rescored.outcome
        if not (outcome.answered or outcome.failed):
            if not (unknown := rescored.log.unknown):
                raise UserError(f"{path}: holds no answers")
            raise UserError(
                f"{path}: holds answers to another set than {options.eval_path} "
                f"({_named(rescored.log.unknown_names, unknown)}); name theirs with --data"
            )
    by_rule = outcome.estimates(options.seed)
    seed = options.seed
    shown = table(outcome, by_rule, rescored.name, rescored.signature, seed, wide=options.wide)
    show(shown + "\n")
    if options.by is not None:
        show(group_table(outcome, options.by, seed, wide=options.wide) + "\n")
    (price,) = prices_of([path], options.price and [options.price])
    if took := sentence(outcome.performance.figures(price)):
        say(f"{path}: {took}")
    for line in _notes(rescored, options.eval_path, standard.parts):
        say(f"{path}: {line}")
    if output is not None:
        content = summary(
            outcome,
            by_rule,
            rescored.signature,
            vars(options),
            price,
            repeated=len(outcome.repeated),
            unknown=rescored.log.unknown,
            source=path.name,
        )
        write_json(summary_path(output), content)
    return rescored


def _notes(rescored: Rescored, eval_path: Path, parts: Mapping[str, str]) -> Iterator[str]:
    """Yield what the reader of the table should know.

    Args:
        parts: of the signature that the scoring decides.
    """
    log, outcome = rescored.log, rescored.outcome
    new = Signature(parts).comparable
    old = [one.comparable for one in log.signatures.values() if one is not None]
    changed = [name for name in new if any(one.get(name) != new[name] for one in old)]
    if changed:
        yield f"note: scored by another {', '.join(changed)} than in the run"
    if log.unknown:
        names = _named(log.unknown_names, log.unknown)
        told = plural(log.unknown, "answer is", "answers are")
        yield f"{told} to no sample of {eval_path}: {names}"
    if repeated := outcome.repeated:
        yield (
            f"{plural(len(repeated), 'sample is', 'samples are')} answered more than once, and the "
            f"mean of the answers counts: {_named(repeated, len(repeated))}"
        )
    if missing := [sample.id for sample in outcome.missing]:
        yield (
            f"{len(missing)} of {len(outcome.samples)} samples have no answer and are no part of "
            f"the scores: {_named(missing, len(missing))}"
        )
    for reason, count in Counter(outcome.failed.values()).most_common(3):
        yield f"no answer to {count} of them: {reason}"
    yield from doubts(outcome, f"--reasoning_end {REASONING_END} leaves it out")


def _named(names: Sequence[str], count: int) -> str:
    """The first few of some names."""
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
