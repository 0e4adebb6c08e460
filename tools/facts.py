"""Check facts before they are in the data: `python -m tools.facts FILE... --data hard --seed 1`.

A FILE has parts of samples, one a line: {"id": ..., "facts": [...]}, or {"id": ..., "expect": ...};
they replace those of the set. Printed are what `validate` says of the facts and, for a
seed, the new values, question and gold answer with each passage of a document that changes.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.benchmark.facts import read_facts
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.validate.facts import fact_problems
from ragifeval.benchmark.variants.changed import FactError, World
from ragifeval.jsonl import read_json_objects
from ragifeval.scoring.scorer import Scorer


def main(arguments: Sequence[str] | None = None) -> int:
    """Print problems and one draw of each sample; 1 if there are problems."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--data", default="core", help="the set: core, hard, or a folder")
    parser.add_argument("--ids", help="only these samples, separated by commas")
    parser.add_argument("--seed", type=int, help="show the values of this seed")
    options = parser.parse_args(arguments)
    benchmark = load_benchmark(*find_set(options.data))
    samples = {sample.id: sample for sample in benchmark.samples}
    for path in options.files:
        for line, value in read_json_objects(path):
            key = value.pop("id")
            try:
                if "facts" in value:
                    value["facts"] = read_facts(value["facts"])
                samples[key] = replace(samples[key], **value)
            except ValueError as error:
                print(f"{path}:{line}: {error}")
                return 1

    scorer = Scorer.load()
    wanted = options.ids.split(",") if options.ids else samples
    count = 0
    for sample in (samples[key] for key in wanted):
        if not sample.facts:
            continue
        documents = [benchmark.documents[key] for key in sample.context]
        for problem in fact_problems(sample, documents, scorer):
            print(f"{sample.id}: {problem}")
            count += 1
        if options.seed is None:
            continue
        try:
            exchange = World(sample, documents, scorer.criteria.normalizer).draw(options.seed)
        except FactError:
            continue
        changed = exchange.sample(sample)
        print(f"{sample.id}: {', '.join(f'{k} = {v}' for k, v in exchange.values.items())}")
        print(f"    {changed.question}\n    {changed.reference}\n    {changed.expect}")
        for document in documents:
            for passage in _passages(document.contents, exchange.document(document).contents):
                print(f"    {document.id}: {passage}")
    print(f"{count} problems")
    return 1 if count else 0


def _passages(old: str, new: str) -> Iterator[str]:
    """The words that differ, with three on each side."""
    one, other = old.split(), new.split()
    for tag, first, last, start, end in SequenceMatcher(None, one, other, False).get_opcodes():
        if tag != "equal":
            near = " ".join(one[max(0, first - 3) : last + 3])
            yield f"{near} -> {' '.join(other[max(0, start - 3) : end + 3])}"


if __name__ == "__main__":
    sys.exit(main())
