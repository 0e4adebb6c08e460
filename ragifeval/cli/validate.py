"""python -m ragifeval validate."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragifeval import paths
from ragifeval.cli.settings import scoring_settings, settled
from ragifeval.tables import Grid, plural

if TYPE_CHECKING:
    from ragifeval.benchmark.validate.checks import Validation
    from ragifeval.scoring.statistics import Estimate

BUILD = "build.json"
"""What `build` leaves beside the data that it makes."""

_SHOWN = ("include", "exclude", "cite_f1", "refuse", "safe", "correctness", "safety", "total")


def run(options: argparse.Namespace) -> int:
    """Print what is wrong, and the floors; 1 if anything is wrong."""
    options, _ = settled(options)
    if options.answers is not None:
        return _measure(options)
    if options.twins:
        return _list_twins(options)
    if options.listing:
        return _list_statements(options)
    from ragifeval.benchmark.validate.floors import FEW, floor_problems, floors

    data = _load(options)
    estimates = floors(data.benchmark, data.scorer)
    problems, too_high = list(data.problems()), list(floor_problems(estimates))
    samples, documents = len(data.benchmark.samples), len(data.benchmark.documents)
    are_notes = data.is_built or samples < FEW
    if not are_notes:
        problems += too_high
    for problem in problems:
        print(problem)
    print(_table(estimates))
    print()
    passed = [passes for _, _, passes in data.mutations]
    if passed:
        lost = passed.count(False)
        others = "" if lost == len(passed) else "; the others: --listing"
        print(f"mutations: {len(passed)} made, {lost} lose a mark{others}")
    if twins := data.twins.made:
        proved, doubtful = twins - len(data.twins.answering), len(data.twins.doubtful)
        others = f"; to look at: {doubtful}, --twins" if doubtful else ""
        print(f"twins: {twins} made, {proved} without a document that answers{others}")
    read = f"{plural(samples, 'sample')}, {plural(documents, 'document')}"
    print(f"{read}: {plural(len(problems), 'problem')}")
    for floor in too_high if are_notes else []:
        print(f"note: {floor}: these questions are easy, or few")
    for twin in data.answering_twins() if data.is_built else []:
        print(f"note: {twin}")
    return 1 if problems else 0


def _load(options: argparse.Namespace) -> "Validation":
    """The data with what checks need."""
    from ragifeval.benchmark.validate.checks import Paths, Validation
    from ragifeval.text.normalizer import load_normalizer

    contrast = options.contrast_path
    if contrast is None and options.eval_path == paths.SAMPLES:
        contrast = paths.CONTRAST
    files = Paths(options.docs_path, options.eval_path, options.badwords_path, contrast)
    normalizer = load_normalizer(options.normalizer)
    # Of documents as they are found, less can be asked than of those that are written for it.
    is_built = options.docs_path.with_name(BUILD).is_file()
    return Validation(files, normalizer, options.refusal_message, is_built)


def _list_statements(options: argparse.Namespace) -> int:
    """Print what an author of statements should look at."""
    from ragifeval.benchmark.validate.listing import list_statements

    for line in list_statements(_load(options)):
        print(line)
    return 0


def _list_twins(options: argparse.Namespace) -> int:
    """Print the twins that a person should look at."""
    doubtful = _load(options).twins.doubtful
    for line in doubtful:
        print(line)
    print(f"{len(doubtful)} to look at")
    return 0


def _measure(options: argparse.Namespace) -> int:
    """Print how far the entries agree with labelled answers; 1 if one of these is misjudged."""
    from ragifeval.benchmark.benchmark import load_benchmark
    from ragifeval.benchmark.validate.labelled import measure_agreement, read_labelled

    benchmark = load_benchmark(options.docs_path, options.eval_path)
    samples = {sample.id: sample for sample in benchmark.samples}
    answers = read_labelled(options.answers, samples)
    criteria = scoring_settings(options).load_criteria()
    agreement = measure_agreement(answers, samples, criteria, options.matching)
    for answer, faults in agreement.misjudged:
        verdict = "right, marks lost" if answer.is_right else "wrong, full marks"
        print(f"{answer.where}: {answer.id}: {verdict}", *faults, sep="\n    ")
    kinds = dict.fromkeys(kind for kind, _ in sorted(agreement.counts))
    rows = [
        [kind or "all", *(_rate(agreement.counts.get((kind, right))) for right in (True, False))]
        for kind in kinds
    ]
    header = ["kind", "right, full marks", "wrong, not full marks"]
    print(Grid(f"include and exclude, rule {options.matching}", header, rows).text())
    return 1 if agreement.misjudged else 0


def _rate(counts: tuple[int, int] | None) -> str:
    """How many of how many, and the rate in per cent."""
    if counts is None:
        return "-"
    agreed, total = counts
    return f"{agreed}/{total} = {agreed / total:.1%}"


def _table(floors: "Mapping[str, Mapping[str, Estimate]]") -> str:
    """What answers without understanding get, in per cent under the substring rule."""
    names = [name.removeprefix("baseline/") for name in floors]
    width = max(map(len, names))
    lines = [" " * width + "".join(f" {key:>5}" for key in _SHOWN)]
    for name, estimates in zip(names, floors.values(), strict=True):
        cells = (
            (f"{estimates[key].mean * 100:.1f}" if key in estimates else "-").rjust(
                max(len(key), len("100.0")) + 1
            )
            for key in _SHOWN
        )
        lines.append(name.ljust(width) + "".join(cells))
    return "\n".join(lines)
