"""python -m ragifeval score."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ragifeval import defaults, paths
from ragifeval.cli.options import add_normalizer, add_switch, positive
from ragifeval.cli.terminal import say, show
from ragifeval.errors import UserError
from ragifeval.run.progress import Unfailing

if TYPE_CHECKING:
    from ragifeval.results.rescore.log import RescoredLog
    from ragifeval.results.rescore.pool import Chunk, Recipe
    from ragifeval.results.rescore.rescoring import Rescoring, Standard

# Scoring reads some 7 MB a second; from here on it saves more than starting processes takes.
_MANY_BYTES = 8_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog = (
        "Exit codes: 0 every sample has an answer, and every answer a sample; 1 not so, see the "
        "messages; 2 something is wrong with the command, a log or the data."
    )
    option = parser.add_argument
    option(
        "logs",
        nargs="+",
        type=Path,
        metavar="LOG",
        help="a log of this harness or of the published implementation; or answers of any system: "
        "JSONL or CSV with id (or question) and answer",
    )
    option(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="write a new log, and its summary beside it; for several logs a folder for new ones "
        "of the same names",
    )
    add_switch(parser, "--overwrite", "replace what -o names, never what is read")
    option("--docs_path", type=Path, default=paths.DOCUMENTS, help="documents, JSONL")
    option("--eval_path", type=Path, default=paths.SAMPLES, help="samples, JSONL")
    option("--badwords_path", type=Path, default=paths.BADWORDS, help="one word a line")
    add_normalizer(parser, "instead of the lemma table")
    option(
        "--matching",
        choices=("substring", "words"),
        default=defaults.MATCHING,
        help="the rule of the headline; the other stands beside it",
    )
    option("--refusal_message", default=defaults.REFUSAL_MESSAGE, help="what refuses an answer")
    option(
        "--reasoning_end",
        metavar="MARK",
        help='for logs made without it: what stands up to this mark, for example "</think>", is '
        "reasoning and not scored",
    )
    option("--seed", type=int, default=defaults.SEED, help="of the intervals")
    option(
        "--jobs",
        type=positive,
        metavar="N",
        help="how many processes score; without it, all cores for large logs, one for small ones",
    )


def run(options: argparse.Namespace) -> int:
    """Score the logs, print their tables; 1 where answers are missing, or are to no sample."""
    from tqdm import tqdm

    from ragifeval.results.rescore.log import rescored_paths
    from ragifeval.results.rescore.pool import score_chunks

    outputs = rescored_paths(options.logs, options.output, options.overwrite)
    standard, recipe = _standard(options)
    jobs = options.jobs or _jobs(options.logs)
    complete = True
    bar = tqdm(unit=" answers", dynamic_ncols=True, file=Unfailing(sys.stderr))
    with bar, ExitStack() as unfinished:
        chunks = _chunks(options.logs, outputs, standard, unfinished)
        for chunk, results in score_chunks(chunks, recipe, jobs):
            owner = chunk.owner
            for work, scored in zip(chunk.works, results, strict=True):
                owner.log.count(work, scored)
            if owner.output is not None:
                owner.output.write([scored.line for scored in results])
            bar.update(len(results))
            if owner.ends:
                bar.clear()
                complete &= _finish(owner.log, owner.output, standard, options)
    return 0 if complete else 1


def _standard(options: argparse.Namespace) -> "tuple[Standard, Recipe]":
    """What the logs are scored by: read and checked before any of them."""
    from ragifeval.benchmark.benchmark import load_benchmark
    from ragifeval.results.rescore.pool import Recipe
    from ragifeval.results.rescore.rescoring import Standard
    from ragifeval.scoring.scorer import read_badwords
    from ragifeval.scoring.signature import scoring_parts
    from ragifeval.text.normalizer import normalizer_name

    if not options.refusal_message.strip():
        raise UserError("--refusal_message: is empty, and so would stand in every answer")
    if options.reasoning_end == "":
        raise UserError("--reasoning_end: is empty, and so would end before every answer")
    benchmark = load_benchmark(options.docs_path, options.eval_path)
    badwords = read_badwords(options.badwords_path)
    parts = scoring_parts(
        benchmark.fingerprint(),
        normalizer_name(options.normalizer),
        badwords,
        options.matching,
        options.refusal_message,
    )
    return (
        Standard(benchmark, options.matching, options.reasoning_end, parts),
        Recipe(options.normalizer, badwords, options.refusal_message, options.matching),
    )


def _jobs(logs: Sequence[Path]) -> int:
    from ragifeval.results.rescore.pool import cores

    return cores() if sum(log.stat().st_size for log in logs) >= _MANY_BYTES else 1


@dataclass(frozen=True)
class _Owner:
    """Whose chunk it is: a log with its output, and whether the log ends with it."""

    log: "Rescoring"
    output: "RescoredLog | None"
    ends: bool


def _chunks(
    logs: Sequence[Path],
    outputs: Sequence[Path | None],
    standard: "Standard",
    unfinished: ExitStack,
) -> "Iterator[Chunk[_Owner]]":
    """Read the logs one after the other, piece by piece.

    Args:
        unfinished: on leaving, what was not written to its end is discarded.
    """
    from ragifeval.results.rescore.log import RescoredLog
    from ragifeval.results.rescore.pool import CHUNK, Chunk
    from ragifeval.results.rescore.rescoring import Rescoring

    places = {sample.id: index for index, sample in enumerate(standard.benchmark.samples)}
    for path, output_path in zip(logs, outputs, strict=True):
        output = None
        if output_path is not None:
            output = RescoredLog(output_path)
            unfinished.callback(output.discard)
        log = Rescoring(path, standard, places, writes=output is not None)
        works = log.works()
        ends = False
        while not ends:
            piece = list(islice(works, CHUNK))
            ends = len(piece) < CHUNK
            yield Chunk(_Owner(log, output, ends), piece)


def _finish(
    log: "Rescoring",
    output: "RescoredLog | None",
    standard: "Standard",
    options: argparse.Namespace,
) -> bool:
    """Print the table and what is amiss, write the summary; say whether the log is complete."""
    from ragifeval.results.rescore.log import rescored_summary
    from ragifeval.run.summary import score_table

    by_rule = log.estimates(options.seed)
    if output is not None:
        output.finish(rescored_summary(log, by_rule, options.matching, vars(options)))
    missing = [
        sample.id
        for sample, answers in zip(standard.benchmark.samples, log.answered, strict=True)
        if not answers
    ]
    size = len(log.answered)
    name = f"{log.path} ({log.model})" if log.model else str(log.path)
    title = f"{name}: {size - len(missing)} of {size} samples answered"
    show(score_table(title, by_rule, options.matching, str(log.signature)) + "\n")
    for line in _notes(log, missing, standard, options.eval_path):
        say(f"{log.path}: {line}")
    return not missing and not log.unknown


def _notes(
    log: "Rescoring", missing: Sequence[str], standard: "Standard", eval_path: Path
) -> Iterator[str]:
    """Yield what the reader of the table ought to know."""
    from ragifeval.run.asking import REASONING_END

    samples = zip(standard.benchmark.samples, log.answered, strict=True)
    repeated = [sample.id for sample, answers in samples if answers > 1]
    if log.unknown:
        named = _named(log.unknown_named, log.unknown)
        yield f"{log.unknown} answers are to no sample of {eval_path}: {named}"
    if repeated:
        yield (
            f"{len(repeated)} samples are answered more than once, and count with the mean of "
            f"their answers: {_named(repeated)}"
        )
    if missing:
        yield (
            f"{len(missing)} of {len(log.answered)} samples have no answer and are no part of the "
            f"scores: {_named(missing)}"
        )
    reasons = Counter(log.failed[key] for key in missing if key in log.failed)
    for reason, count in reasons.most_common(3):
        yield f"no answer to {count} of them: {reason}"
    if log.truncated:
        yield f"warning: {log.truncated} answers were cut off by their limit of tokens"
    if log.reasoning_unset:
        yield (
            f"warning: {log.reasoning_unset} answers contain {REASONING_END}, and the reasoning "
            f"before it was scored; --reasoning_end {REASONING_END} leaves it out"
        )


def _named(names: Sequence[str], count: int | None = None) -> str:
    """The first few of some names."""
    from ragifeval.results.rescore.rescoring import NAMED

    more = (len(names) if count is None else count) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
