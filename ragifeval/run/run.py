"""A run: each sample is asked, each answer is scored, and its record is journalled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.benchmark.variants.source import VariantSample, names_of
from ragifeval.generators.base import Answer, Generator, Request
from ragifeval.run.asking import Asking, split_reasoning
from ragifeval.run.journal import Journal, Record
from ragifeval.run.outcome import Outcome, score_names
from ragifeval.run.performance import moment
from ragifeval.run.template import PromptTemplate, ordered_documents
from ragifeval.scoring.rates import observe
from ragifeval.scoring.scorer import Scorer
from ragifeval.scoring.signature import Signature, fingerprint, model_part


@dataclass
class Task:
    """What is asked: which samples, in which words, and how answers are read.

    Attributes:
        samples: the samples of this run, in the order of the data.
        shuffle_seed: None to keep the documents in order.
        matching: the headline rule.
        signature: of the run, for its records.
        reasoning_end: the mark that ends the model's reasoning; None if it has none.
        repeats: how often each question is asked.
        left_out: variant -> sample id -> why it has no form of the sample.
        whole: gives all samples that the log may hold, also those that are not asked now.
    """

    benchmark: Benchmark
    samples: Sequence[Sample]
    template: PromptTemplate
    shuffle_seed: int | None
    matching: str
    signature: Signature
    reasoning_end: str | None = None
    repeats: int = 1
    left_out: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    whole: Callable[[], Sequence[Sample]] | None = None

    def answered_by(
        self, model: str, settings: Mapping[str, Any], reasoning_end: str | None
    ) -> "Task":
        """The task with its model.

        Args:
            model: its name, without the folders of this machine.
            settings: those that answers depend on.
        """
        signature = Signature({**self.signature.parts, "model": model_part(model, settings)})
        return replace(self, signature=signature, reasoning_end=reasoning_end)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {sample.id: place for place, sample in enumerate(names_of(self.samples))}

    def documents(self, sample: Sample) -> list[Document]:
        """The documents of a sample in the order in which the prompt shows them."""
        return ordered_documents(self.benchmark, sample, self.shuffle_seed)

    def find(self, key: str) -> tuple[Sample, Sequence[Document]]:
        """The sample of a request's id, and its documents as the prompt shows them."""
        place = self._places.get(key)
        sample = self.samples[self._places[key.rpartition("#")[0]] if place is None else place]
        return sample, self.documents(sample)

    def request(self, sample: Sample, repeat: int = 1) -> Request:
        """The request that asks a sample's question, again where it is a repeat."""
        key = f"{sample.id}#{repeat}" if repeat > 1 else sample.id
        prompt = self.template.render(sample, self.documents(sample))
        return Request(key, prompt, repeat=repeat)

    def new_outcome(self) -> Outcome:
        """The outcome before the first answer."""
        return Outcome(self.samples, self.matching, self.reasoning_end, self.repeats)


def resume(journal: Journal, outcome: Outcome) -> int:
    """Count the answers that the journal holds.

    Returns:
        How many of them are to other samples; they stay in it, uncounted.
    """
    others = 0
    for record in journal.records():
        place = outcome.places.get(record["id"])
        repeat = record.get("repeat", 1)
        if place is None or repeat > outcome.repeats:
            others += 1
        elif not outcome.is_answered(place, repeat):
            outcome.add(record)
    return others


def missing(task: Task, outcome: Outcome) -> Iterator[Request]:
    """Yield the requests that have no answer yet."""
    for repeat in range(1, task.repeats + 1):
        for place in range(len(task.samples)):
            if not outcome.is_answered(place, repeat):
                yield task.request(task.samples[place], repeat)


def run(
    task: Task,
    generator: Generator,
    scorer: Callable[[], Scorer],
    journal: Journal | None,
    outcome: Outcome,
    log_prompts: bool = False,
) -> None:
    """Answer and score what is still missing.

    Args:
        scorer: gives the scorer; called for the first time when the first answer is there.
        journal: an open one; None to keep none.
        outcome: updated as answers come.
        log_prompts: whether the records hold the prompts.
    """
    signature, model = str(task.signature), task.signature.model

    def read(answer: Answer) -> Record:
        sample, documents = task.find(answer.request.id)
        context = [document.id for document in documents]
        record = make_record(
            sample, context, answer, scorer(), task.matching, task.reasoning_end, signature
        )
        repeat = {} if task.repeats == 1 else {"repeat": answer.request.repeat}
        return record | _asked(answer, model, log_prompts) | repeat

    def status() -> str:
        total = outcome.running_total
        return f"total {total * 100:.1f}" if total is not None else ""

    total = len(task.samples) * task.repeats
    asking = Asking(generator, journal, total=total, unit=" answers", status=status)
    with asking:
        asking.skip(total - outcome.unanswered)
        try:
            for record in asking.ask(missing(task, outcome), read):
                outcome.add(record)
        finally:
            outcome.interrupted = asking.interrupted


def _asked(answer: Answer, model: str | None, log_prompts: bool) -> dict[str, Any]:
    """What a record tells of the asking."""
    prompt = answer.request.prompt
    messages = [asdict(message) for message in prompt.messages]
    return {
        "model": model,
        "asked": moment(answer.seconds),
        "prompt_hash": fingerprint(prompt.text if prompt.text is not None else messages),
        "prompt_chars": len(prompt.text or "") + sum(len(said.content) for said in prompt.messages),
        **({"prompt": prompt.text or messages} if log_prompts else {}),
    }


def make_record(
    sample: Sample,
    context: Sequence[str],
    answer: Answer,
    scorer: Scorer,
    matching: str,
    reasoning_end: str | None,
    signature: str,
) -> dict[str, Any]:
    """The record of an answer, with its scores, and with what groups of questions go by.

    Args:
        context: the ids of the documents in the order in which the model saw them.
        matching: the headline rule.
        reasoning_end: the mark that ends a reasoning; None if the answer holds none.
    """
    names = score_names(matching)
    record: dict[str, Any] = {
        "id": sample.id,
        "question": sample.question,
        "category": sample.category,
        "kind": list(sample.kind),
        "context": list(context),
        "answer": None,
        "scores": None,
        **dict.fromkeys(names.values()),
        "observed": None,
        "finish_reason": answer.finish_reason,
        "usage": answer.usage,
        "seconds": round(answer.seconds, 3),
        "retries": answer.retries,
        "error": answer.error,
        "signature": signature,
    }
    if isinstance(sample, VariantSample):
        record["variant"] = sample.variant
    reasoning = answer.reasoning
    if answer.text is not None:
        text, parted, is_whole = split_reasoning(answer.text, reasoning_end)
        if not is_whole and answer.finish_reason != "length":
            record["finish_reason"] = "reasoning_unfinished"
        scores = scorer.score(sample, context, text)
        record |= {"answer": text, **{name: scores[rule] for rule, name in names.items()}}
        refusal_message = scorer.criteria.refusal_message
        record["observed"] = observe(sample.expect, context, text, refusal_message)
        reasoning = parted or reasoning
    if reasoning:
        record["reasoning"] = reasoning
    return record
