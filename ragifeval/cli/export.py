"""python -m ragifeval export."""

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ragifeval.cli.settings import settled
from ragifeval.errors import UserError
from ragifeval.files import written_beside
from ragifeval.tables import plural


def run(options: argparse.Namespace) -> int:
    """Write the folder, and say how it is pushed."""
    if options.format == "results":
        return _results(options)
    if options.logs:
        raise UserError("--logs: are for --format results")
    from ragifeval.benchmark.benchmark import load_benchmark
    from ragifeval.benchmark.sets import SETS, find_set
    from ragifeval.benchmark.variants.variants import Variant, read_variants
    from ragifeval.results.export.datasets import ONLY, Split, variant_split, write_datasets

    if options.data is options.docs_path is options.eval_path is None:
        files = {name: find_set(name) for name in SETS}
    else:
        options, _ = settled(options)
        files = {ONLY: (options.docs_path, options.eval_path)}
    splits = [Split.of(name, load_benchmark(*paths), *paths) for name, paths in files.items()]
    variants = () if options.variants is None else read_variants(options.variants)
    if made := [variant for variant in variants if variant != Variant()]:
        splits.append(variant_split(splits, made))
    write_datasets(splits, options.folder, options.overwrite)
    for split in splits:
        samples = plural(len(split.benchmark.samples), "sample")
        documents = plural(len(split.benchmark.documents), "document")
        print(f"{options.folder}: {split.name}: {samples}, {documents}")
    print(f"to push it: hf upload NAME {options.folder} --repo-type dataset")
    return 0


def _results(options: argparse.Namespace) -> int:
    """Write a folder with the report, the data behind it, and what others read."""
    from ragifeval.cli import compare, report
    from ragifeval.cli.arguments import add_compare_options, add_report_options
    from ragifeval.results.export.publish import files
    from ragifeval.results.sets import by_set

    if not options.logs:
        raise UserError("--logs: is missing; it names the logs whose results are written")
    if len(sets := by_set(options.logs)) > 1:
        raise UserError(f"--logs: are of several sets: {', '.join(sets)}; write a folder for each")
    folder: Path = options.folder
    if folder.exists() and not options.overwrite and any(folder.iterdir()):
        raise UserError(f"{folder}: is not empty; name another folder, or --overwrite")
    comparison = compare.compared(
        "core", options.logs, _parsed(add_compare_options, options.logs, "--top=0")
    )
    folder.mkdir(parents=True, exist_ok=True)
    page = ("-o", folder / "index.html", "--lang", "en")
    report.run(_parsed(add_report_options, options.logs, *page))
    for name, text in files(comparison, datetime.now(UTC), options.dataset):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path) as file:
            file.write(text)
    models, samples = len(comparison.models), comparison.samples
    print(f"{folder}: {plural(models, 'model')}, {plural(samples, 'sample')}")
    print("GitHub Pages serves it as it is")
    if options.dataset is not None:
        print("eval_results/**/*.yaml go into .eval_results/ of a model's repository")
    return 0


def _parsed(
    add_options: Callable[[argparse.ArgumentParser], None], logs: Sequence[Path], *more: str | Path
) -> argparse.Namespace:
    """The options of another command on these logs."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args([str(word) for word in (*logs, *more)])
