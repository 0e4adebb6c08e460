"""Print the counts of data/README.md as Markdown tables: `python -m tools.data_counts`."""

from collections import Counter
from collections.abc import Iterable, Mapping

from ragifeval import paths
from ragifeval.benchmark.benchmark import Benchmark, load_benchmark

Table = list[tuple[str, ...]]


def by_category(benchmark: Benchmark) -> Table:
    """Documents and questions of each area."""
    area_of = {s.id.rpartition("-")[0]: s.category or "" for s in benchmark.samples}
    documents = Counter(area_of[key.rpartition("-")[0]] for key in benchmark.documents)
    rows = []
    for category, count in documents.items():
        samples = [s for s in benchmark.samples if s.category == category]
        refused = sum(s.expect.get("refuse") is True for s in samples)
        rows.append((category, count, len(samples) - refused, refused))
    rows.append(("total", *(sum(row[column] for row in rows) for column in (1, 2, 3))))
    return _table(("category", "documents", "to be answered", "to be refused"), rows)


def by_condition(benchmark: Benchmark) -> Table:
    """How many samples carry each condition, and with what parameter."""
    conditions: Counter[str] = Counter()
    entries: Counter[str] = Counter()
    for sample in benchmark.samples:
        for name, parameter in sample.expect.items():
            key = f"{name}: {str(parameter).lower()}" if isinstance(parameter, bool) else name
            conditions[key] += 1
            entries[key] += len(parameter) if isinstance(parameter, list) else 1
    rows = [(key, count, entries[key]) for key, count in conditions.most_common()]
    return _table(("condition", "samples", "entries"), rows)


def by_kind(benchmark: Benchmark) -> Table:
    """How many samples carry each tag; a sample may carry several."""
    kinds = Counter(kind for sample in benchmark.samples for kind in sample.kind)
    return _table(("kind", "samples"), kinds.most_common())


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Table:
    return [head, *(tuple(str(cell) for cell in row) for row in rows)]


def markdown(table: Table) -> str:
    """A table with a rule under its head."""
    head, *rows = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([head, "|" + "---|" * len(table[0]), *rows])


def tables(benchmark: Benchmark) -> Mapping[str, str]:
    """The three tables of the core set in data/README.md."""
    return {"category": markdown(by_category(benchmark)), **tables_of_samples(benchmark)}


def tables_of_samples(benchmark: Benchmark) -> Mapping[str, str]:
    """The two tables that any set has: conditions and kinds."""
    return {"condition": markdown(by_condition(benchmark)), "kind": markdown(by_kind(benchmark))}


if __name__ == "__main__":
    data = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
    print("\n\n".join(tables(data).values()))
