"""python -m ragifeval export."""

import argparse

from ragifeval.cli.settings import settled


def run(options: argparse.Namespace) -> int:
    """Write the folder, and say how it is pushed."""
    from ragifeval.benchmark.benchmark import load_benchmark
    from ragifeval.benchmark.sets import set_name
    from ragifeval.results.export.datasets import write_datasets

    options, _ = settled(options)
    sources = (options.docs_path, options.eval_path)
    benchmark = load_benchmark(*sources)
    write_datasets(benchmark, options.folder, sources, options.overwrite, set_name(*sources))
    samples, documents = len(benchmark.samples), len(benchmark.documents)
    print(f"{options.folder}: {samples} samples, {documents} documents")
    print(f"to push it: hf upload NAME {options.folder} --repo-type dataset")
    return 0
