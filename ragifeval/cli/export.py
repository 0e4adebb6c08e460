"""python -m ragifeval export."""

import argparse

from ragifeval import paths


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
