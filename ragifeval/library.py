"""The benchmark from Python: any system that answers prompts is evaluated in a few lines.

import ragifeval

results = ragifeval.evaluate(lambda prompt: my_system(str(prompt)), name="my-system")
print(results)
results.save("my-system.jsonl")
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragifeval import defaults
from ragifeval.benchmark import benchmark
from ragifeval.benchmark.benchmark import Benchmark, Sample
from ragifeval.benchmark.sets import find_set
from ragifeval.errors import UserError
from ragifeval.files import check_output, is_log, is_summary, write_json, written_beside
from ragifeval.generators.base import Prompt
from ragifeval.generators.function import FunctionGenerator
from ragifeval.results.outputs import summary_path
from ragifeval.run.journal import Record
from ragifeval.run.outcome import Outcome
from ragifeval.run.plan import RunSettings, make_task
from ragifeval.run.run import run
from ragifeval.run.summary import summary, table
from ragifeval.scoring.signature import Signature
from ragifeval.scoring.statistics import Estimate

if TYPE_CHECKING:
    from pandas import DataFrame


def load_benchmark(data: str | Path = "core") -> Benchmark:
    """Read a set of questions with its documents.

    Args:
        data: the name of a set, or a folder with documents.jsonl and samples.jsonl.

    Raises:
        UserError: with file, line and reason, for the first thing that is wrong.
    """
    return benchmark.load_benchmark(*find_set(data))


def evaluate(
    answer: Callable[[Prompt], str],
    data: str | Path = "core",
    *,
    name: str | None = None,
    threads: int = 1,
    reasoning_end: str | None = None,
    **settings: Any,
) -> "Results":
    """Let a system answer the questions, and score its answers. Ctrl-C keeps what is answered.

    Args:
        answer: a prompt -> the answer. `str(prompt)` is its text, `prompt.messages` are those of a
            chat. What it raises is the reason why the sample has no answer, and no score.
        data: the name of a set, or a folder with documents.jsonl and samples.jsonl.
        name: of the system, for table and signature; that of the function without it.
        threads: how many calls are made at once.
        reasoning_end: the mark up to which an answer is reasoning and not scored, "</think>".
        settings: of RunSettings and ScoringSettings, for example limit=10, matching="words".

    Raises:
        UserError: something is wrong with a setting or the data.
        Exception: what `answer` raised, if there is no answer at all.
    """
    if not callable(answer):
        raise UserError(
            f"evaluate: takes a function that answers a prompt, not {answer!r:.60}; "
            "`ragifeval local` and `ragifeval remote` take a model's name"
        )
    chosen = RunSettings.of(data, **settings)
    name = name or str(getattr(answer, "__name__", type(answer).__name__)).strip("<>")
    task = make_task(chosen).answered_by(name, {}, reasoning_end)
    generator = FunctionGenerator(name, answer, threads)
    outcome = _KeptRecords(task.samples, task.matching, reasoning_end, task.repeats)
    scorer = chosen.scoring.load_scorer()
    run(task, generator, lambda: scorer, None, outcome)
    if not outcome.answered and generator.first_error is not None:
        raise generator.first_error
    records = sorted(outcome.records, key=lambda record: outcome.places[record["id"]])
    options = asdict(chosen)
    scoring = options.pop("scoring")
    return Results(name, records, outcome, task.signature, options | scoring)


class _KeptRecords(Outcome):
    """An outcome that keeps the records that it counts."""

    def __init__(
        self, samples: Sequence[Sample], matching: str, reasoning_end: str | None, repeats: int
    ) -> None:
        super().__init__(samples, matching, reasoning_end, repeats)
        self.records: list[Record] = []

    def add(self, record: Record) -> None:
        super().add(record)
        self.records.append(record)


class Results:
    """What an evaluation came to; printed, it is the table of `ragifeval local`.

    Attributes:
        name: of the system.
        records: those of the log, in the order of the data.
        signature: two results may be compared exactly when all its parts but `model` are equal.
        scores: name of a score, `total` and the like among them -> mean, interval and count, under
            the headline rule.
        failed: sample id -> why it has no answer.
    """

    def __init__(
        self,
        name: str,
        records: Sequence[Record],
        outcome: Outcome,
        signature: Signature,
        options: Mapping[str, object],
    ) -> None:
        self.name = name
        self.records = records
        self.signature = signature
        self.failed: Mapping[str, str] = outcome.failed
        self._outcome, self._options = outcome, options
        self._estimates = outcome.estimates(defaults.SEED)
        self.scores: Mapping[str, Estimate] = self._estimates[outcome.matching]

    def __str__(self) -> str:
        return table(self._outcome, self._estimates, self.name, self.signature)

    def to_frame(self) -> "DataFrame":
        """One row a sample: the record, with a column for each score. Needs pandas."""
        import pandas as pd

        rows = [
            {key: value for key, value in record.items() if not key.startswith("scores")}
            | dict(record["scores"] or {})
            for record in self.records
        ]
        return pd.DataFrame(rows)

    def save(self, log: str | Path) -> None:
        """Write the log and its summary, for `ragifeval compare` and `report`.

        Raises:
            UserError: the file cannot be written, or is none of this harness's own.
        """
        path = Path(log)
        check_output(path, is_log, [], "log")
        check_output(summary_path(path), is_summary, [], "log")
        with written_beside(path) as file:
            for record in self.records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        write_json(
            summary_path(path),
            summary(self._outcome, self._estimates, self.signature, self._options),
        )
