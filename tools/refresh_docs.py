"""Put the figures that are measured on the data into the pages that state them.

    python -m tools.refresh_docs

rewrites what stands between `<!-- NAME -->` and `<!-- /NAME -->` in PAGES: scores, counts, and the
reference of options and config keys. A test fails while it would change something.
"""

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from ragifeval import paths
from ragifeval.__main__ import evaluate, main
from ragifeval.benchmark.baselines import Resources
from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.validate.labelled import (
    Agreement,
    LabelledAnswer,
    measure_agreement,
    read_labelled,
)
from ragifeval.defaults import MATCHING, REFUSAL_MESSAGE, SEED
from ragifeval.generators.baseline import BaselineGenerator
from ragifeval.run.by_variant import VariantScores, scores_by_variant
from ragifeval.run.plan import RunSettings, make_task
from ragifeval.run.run import run
from ragifeval.scoring.scorer import Scorer
from ragifeval.text.matching import RULES, Text
from ragifeval.text.normalizer import load_normalizer
from tools import build_example, reference
from tools.data_counts import markdown, tables, tables_of_samples

PAGES = (
    *("README.md", "README.pl.md", "data/README.md", "docs/build.md", "docs/models.md"),
    *("docs/options.md", "docs/reading-the-numbers.md", "docs/results.md", "docs/variants.md"),
)


def _printed(command: Callable[[], int]) -> str:
    """What a command prints on stdout, as a Markdown block of code."""
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
        if code := command():
            raise RuntimeError(f"a command failed: exit {code}; {stdout.getvalue()}")
    lines = stdout.getvalue().strip("\n").splitlines()
    return "\n".join(f"    {line}".rstrip() for line in lines)


def baseline() -> str:
    """The table of `python eval_local.py`."""
    return _printed(partial(evaluate, "local", []))


def floors() -> str:
    """What `python -m ragifeval validate` prints."""
    return _printed(partial(main, ["validate"]))


def matching() -> str:
    """Precision and recall of both rules on the reader's judgments."""
    path = paths.ROOT / "tests" / "data" / "matching.jsonl"
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    normalizer = load_normalizer()
    stated = sum(case["found"] for case in cases)
    rows = []
    for name, rule in RULES.items():
        found = [
            case
            for case in cases
            if rule(Text(normalizer(case["phrase"])), Text(normalizer(case["answer"])))
        ]
        right = sum(case["found"] for case in found)
        rows.append((f"`{name}`", f"{right / len(found):.3f}", f"{right / stated:.3f}"))
    return markdown([(f"{len(cases)} pairs", "precision", "recall"), *rows])


def comparison() -> str:
    """The comparison of two baselines, as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        logs = []
        for name in ("extractive", "refuse"):
            config, log = Path(folder, f"{name}.json"), Path(folder, f"{name}.jsonl")
            config.write_text(json.dumps({"model": f"baseline/{name}"}))
            arguments = ["--model_config", str(config), "--log_path", str(log)]
            _printed(partial(evaluate, "local", arguments))
            logs.append(str(log))
        output = Path(folder, "comparison.md")
        options = ["--format", "markdown", "--top", "3", "-o", str(output)]
        _printed(partial(main, ["compare", *logs, *options]))
        return output.read_text("utf-8").strip()


@cache
def _scores_of_baselines() -> Mapping[str, Sequence[VariantScores]]:
    """What baselines get in each variant."""
    chosen = RunSettings.of(variants="core,twin,noise:16,order:1,changed:1")
    task, scorer = make_task(chosen), chosen.scoring.load_scorer()
    resources = Resources(REFUSAL_MESSAGE, lambda: scorer.criteria.normalizer)
    found = {}
    for name in ("refuse", "extractive", "copy"):
        outcome = task.new_outcome()
        generator = BaselineGenerator(f"baseline/{name}", task.find, resources)
        run(task, generator, lambda: scorer, None, outcome)
        found[name] = list(scores_by_variant(outcome, SEED))
    return found


def variants() -> str:
    """What baselines get in each variant."""
    columns, rows = ["variant", "answers"], dict[str, list[str]]()
    for name, scores in _scores_of_baselines().items():
        columns += [f"`{name}`", "invented", "partial"]
        for one in scores:
            row = rows.setdefault(one.name, [f"`{one.name}`", str(one.answered)])
            row += [_percent(one, key) for key in ("total", "invented", "partial")]
    return markdown([tuple(columns), *map(tuple, rows.values())])


def floors_of_variants() -> str:
    """Correctness and safety of baselines in each variant."""
    rows = [
        (
            f"`{name}`",
            *(
                f"{_percent(one, 'correctness') or '-'} / {_percent(one, 'safety') or '-'}"
                for one in scores
            ),
        )
        for name, scores in _scores_of_baselines().items()
    ]
    names = [f"`{one.name}`" for one in next(iter(_scores_of_baselines().values()))]
    return markdown([("correctness / safety", *names), *rows])


def _percent(one: VariantScores, key: str) -> str:
    return f"{one.scores[key].mean * 100:.1f}" if key in one.scores else ""


def _agreements() -> Mapping[tuple[str, str], Agreement]:
    """How the verdicts agree with the labels: (file of labelled answers, half) -> that."""
    criteria = Scorer.load().criteria
    found = {}
    for file, data in (("blind", "core"), ("blind_again", "core"), ("blind_hard", "hard")):
        path = paths.ROOT / "tests" / "data" / f"{file}.jsonl"
        samples = {sample.id: sample for sample in load_benchmark(*find_set(data)).samples}
        halves: dict[str, list[LabelledAnswer]] = {}
        lines = map(json.loads, path.read_text("utf-8").splitlines())
        for line, answer in zip(lines, read_labelled(path, samples), strict=True):
            halves.setdefault(line["half"], []).append(answer)
        for half, answers in halves.items():
            found[file, half] = measure_agreement(answers, samples, criteria, MATCHING)
    return found


def trust() -> str:
    """How many labelled answers get the verdict that their labels say, by half and by kind."""
    agreements = _agreements()
    counts: dict[str, dict[tuple[str, bool], list[int]]] = {}
    for (_, half), agreement in agreements.items():
        for key, (agreed, total) in agreement.counts.items():
            sums = counts.setdefault(half, {}).setdefault(key, [0, 0])
            sums[:] = sums[0] + agreed, sums[1] + total
    columns = "right, full marks", "wrong or incomplete, not full marks"
    halves = [("answers", "half", *columns)] + [
        (f"{file}.jsonl", half, *(_share(one.counts.get(("", right))) for right in (True, False)))
        for (file, half), one in agreements.items()
    ]
    kinds = [("kind, half `test`", *columns)] + [
        (kind, *(_share(counts["test"].get((kind, right))) for right in (True, False)))
        for kind in sorted({kind for kind, _ in counts["test"]} - {""})
    ]
    invented = _share(counts["dev"].get(("invented-duty", False)))
    seen = f"Of `invented-duty` in the half `dev`: {invented}."
    return "\n\n".join([markdown(halves), markdown(kinds), seen])


def _share(counts: Sequence[int] | None) -> str:
    """How many of how many, in per cent."""
    return f"{counts[0] / counts[1]:.1%} of {counts[1]}" if counts else ""


def counts() -> str:
    """The make-up of the data."""
    return "\n\n".join(tables(load_benchmark(paths.DOCUMENTS, paths.SAMPLES)).values())


def counts_hard() -> str:
    """The make-up of the hard set."""
    return "\n\n".join(tables_of_samples(load_benchmark(*find_set("hard"))).values())


BLOCKS: Mapping[str, Callable[[], str]] = {
    "baseline": cache(baseline),
    "floors": cache(floors),
    "matching": cache(matching),
    "compare": cache(comparison),
    "counts": cache(counts),
    "counts_hard": cache(counts_hard),
    "variants": variants,
    "floors_of_variants": floors_of_variants,
    "trust": cache(trust),
    "options": reference.options,
    "keys_local": reference.local_keys,
    "keys_remote": reference.remote_keys,
    "build": build_example.table,
    "build_sample": build_example.sample,
    "build_rejected": build_example.rejected,
}


def refreshed(page: str) -> str:
    """The text of a page with its figures as they are measured now."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- {name} -->\n\n{BLOCKS[name]()}\n\n<!-- /{name} -->"

    text = (paths.ROOT / page).read_text("utf-8")
    return re.sub(r"<!-- (\w+) -->.*?<!-- /\1 -->", block, text, flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        text = refreshed(page)
        changed = text != (paths.ROOT / page).read_text("utf-8")
        (paths.ROOT / page).write_text(text, "utf-8")
        print(f"{page}: {'changed' if changed else 'is true'}")
