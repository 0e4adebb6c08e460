"""python -m ragifeval export."""

import argparse
from pathlib import Path

from ragifeval import paths
from ragifeval.cli.options import add_data, add_switch


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    option = parser.add_argument
    option("folder", type=Path, metavar="DIR", help="where to write it; made if it is not there")
    option(
        "--format",
        choices=("datasets",),
        default="datasets",
        help="datasets: a folder for the Hugging Face Hub, with a card",
    )
    add_data(parser)
    add_switch(parser, "--overwrite", "replace these files where DIR is not empty")


def run(options: argparse.Namespace) -> int:
    """Write the folder, and say how it is pushed."""
    from ragifeval.benchmark.benchmark import load_benchmark
    from ragifeval.results.export.datasets import write_datasets

    sources = (options.docs_path, options.eval_path)
    benchmark = load_benchmark(*sources)
    is_own = sources == (paths.DOCUMENTS, paths.SAMPLES)
    write_datasets(benchmark, options.folder, sources, options.overwrite, is_own)
    samples, documents = len(benchmark.samples), len(benchmark.documents)
    print(f"{options.folder}: {samples} samples, {documents} documents")
    print(f"to push it: hf upload NAME {options.folder} --repo-type dataset")
    return 0
