"""The loop: requests -> generator -> scores -> log, one answer at a time, in whatever order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.generators.base import Answer, Generator, Request
from ragifeval.run.asking import REASONING_END, split_reasoning
from ragifeval.run.old.log import Log, Record
from ragifeval.run.template import PromptTemplate, ordered_documents
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.statistics import Tally
from ragifeval.text.matching import RULES, other_rule


@dataclass
class Task:
    """What is asked: which samples, in which words, and how answers are read.

    Attributes:
        samples: the samples of this run, in the order of the data.
        shuffle_seed: None to keep the documents in order.
        matching: the headline rule.
        reasoning_end: the mark that ends the model's reasoning; None if it has none.
        signature: of the run, for its records.
    """

    benchmark: Benchmark
    samples: Sequence[Sample]
    template: PromptTemplate
    shuffle_seed: int | None
    matching: str
    reasoning_end: str | None
    signature: str

    @cached_property
    def places(self) -> Mapping[str, int]:
        """A sample's id -> its place in the run, from 0."""
        return {sample.id: index for index, sample in enumerate(self.samples)}

    def documents(self, sample: Sample) -> list[Document]:
        """The documents of a sample in the order in which the prompt shows them."""
        return ordered_documents(self.benchmark, sample, self.shuffle_seed)

    def find(self, key: str) -> tuple[Sample, Sequence[Document]]:
        """The sample of an id, and its documents as the prompt shows them."""
        sample = self.samples[self.places[key]]
        return sample, self.documents(sample)

    def request(self, sample: Sample) -> Request:
        """What a sample asks of a model."""
        return Request(sample.id, self.template.render(sample, self.documents(sample)))


@dataclass
class Outcome:
    """What a run came to.

    Attributes:
        tallies: the rule's name -> its scores.
        answered: places (in the run's samples) of the samples with an answer.
        failed: sample id -> why no answer came.
        truncated: how many answers were cut off by their limit of tokens.
        reasoning_unset: how many answers hold the end of a reasoning that the config does not name.
        interrupted: whether the user stopped the run.
    """

    tallies: Mapping[str, Tally]
    answered: set[int] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    truncated: int = 0
    reasoning_unset: int = 0
    interrupted: bool = False


def new_outcome(size: int) -> Outcome:
    """The outcome of a run of `size` samples before its first answer."""
    return Outcome({rule: Tally(size) for rule in RULES})


def resume(task: Task, log: Log, outcome: Outcome) -> None:
    """Take over the answers that the log holds; those to other samples stay in it, uncounted."""
    for record in log.resume():
        index = task.places.get(record["id"])
        if index is not None and index not in outcome.answered:
            _count(task, outcome, index, record)


def run(
    task: Task,
    generator: Generator,
    scorer: Callable[[], Scorer],
    log: Log | None,
    outcome: Outcome,
    on_answer: Callable[[Outcome], None],
) -> None:
    """Answer and score what is still missing.

    Args:
        scorer: gives the scorer; called for the first time when the first answer is there.
        log: None to keep no log.
        outcome: updated as answers come. Once it says `interrupted`, nothing more is asked.
        on_answer: called after each answer, for the progress bar.
    """

    def missing() -> Iterator[Request]:
        for index in range(len(task.samples)):
            if index not in outcome.answered:
                if outcome.interrupted:
                    return
                yield task.request(task.samples[index])

    for answer in generator.generate(missing()):
        record = _record(task, scorer(), answer)
        if log is not None:
            log.append(record)
        _count(task, outcome, task.places[answer.request.id], record)
        on_answer(outcome)


def _record(task: Task, scorer: Scorer, answer: Answer) -> Record:
    sample, documents = task.find(answer.request.id)
    record: dict[str, Any] = {
        "id": sample.id,
        "question": sample.question,
        "context": [document.id for document in documents],
        "answer": None,
        "scores": None,
        f"scores_{other_rule(task.matching)}": None,
        "finish_reason": answer.finish_reason,
        "usage": answer.usage,
        "seconds": round(answer.seconds, 3),
        "error": answer.error,
        "signature": task.signature,
    }
    if answer.text is None:
        return record
    text, reasoning, ended = split_reasoning(answer.text, task.reasoning_end)
    if not ended and answer.finish_reason != "length":
        record["finish_reason"] = "reasoning_unfinished"
    scores = scorer.score(sample, record["context"], text)
    record["answer"] = text
    record["scores"] = scores[task.matching]
    record[f"scores_{other_rule(task.matching)}"] = scores[other_rule(task.matching)]
    if reasoning or answer.reasoning:
        record["reasoning"] = reasoning or answer.reasoning
    return record


def _count(task: Task, outcome: Outcome, index: int, record: Record) -> None:
    if record["error"] is not None:
        outcome.failed[record["id"]] = record["error"]
        return
    outcome.answered.add(index)
    outcome.truncated += record["finish_reason"] in ("length", "reasoning_unfinished")
    if task.reasoning_end is None:
        outcome.reasoning_unset += REASONING_END in record["answer"]
    for rule, tally in outcome.tallies.items():
        tally.add(index, record["scores" if rule == task.matching else f"scores_{rule}"])
