"""The benchmark as a task of inspect_ai.

    inspect eval ragifeval/integrations/inspect.py --model openai-api/SERVICE/MODEL

How the model generates is the user's choice alone: the task sets no temperature and no limit.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import cast

# inspect reads this file by its path; its script does not look for packages where it is started.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState, generate

from ragifeval import __version__, paths
from ragifeval.benchmark.benchmark import Sample
from ragifeval.integrations import evaluation
from ragifeval.run.outcome import variant_of
from ragifeval.scoring.scorer import Scorer as AnswerScorer
from ragifeval.scoring.scorer import Scores, ScoringSettings
from ragifeval.scoring.statistics import AGGREGATES


@task
def rag_ifeval(
    docs_path: str | None = None,
    eval_path: str | None = None,
    prompt: str | None = None,
    system_message: str | None = None,
    refusal_message: str | None = None,
    shuffle_seed: int | None = None,
    normalizer: str | None = None,
    badwords_path: str | None = None,
    variants: str | None = None,
) -> Task:
    """RAG-IFEval: the generator of a Polish RAG system.

    The arguments are the options of eval_remote.py. Paths are absolute: inspect_ai changes the
    folder.

    Args:
        shuffle_seed: shows the documents of each question in a random order, with this seed.
    """
    prepared = evaluation.prepare(
        shuffle_seed,
        docs_path=docs_path,
        eval_path=eval_path,
        prompt=prompt,
        system_message=system_message,
        refusal_message=refusal_message,
        normalizer=normalizer,
        badwords_path=badwords_path,
        variants=variants,
    )
    return Task(
        dataset=MemoryDataset(
            [_sample(place, prepared) for place in range(len(prepared.task.samples))], "rag_ifeval"
        ),
        solver=generate(),
        scorer=conditions(normalizer, badwords_path),
        version=__version__,
        metadata={"signature": prepared.signature},
    )


def _sample(place: int, prepared: evaluation.Evaluation) -> InspectSample:
    task, sample = prepared.task, prepared.task.samples[place]
    prompt = task.request(sample).prompt
    roles = {"system": ChatMessageSystem, "user": ChatMessageUser}
    messages: list[ChatMessage] = [
        roles[message.role](content=message.content) for message in prompt.messages
    ]
    return InspectSample(
        id=sample.id,
        input=messages,
        target=sample.reference or "",
        # All that scoring needs, so that a log is scored again without the data.
        metadata={
            "place": place,
            "category": sample.category,
            "variant": variant_of(sample),
            "question": sample.question,
            "context": [document.id for document in task.documents(sample)],
            "expect": dict(sample.expect),
            "refusal_message": prepared.scorer.criteria.refusal_message,
        },
    )


def _means(scores: Sequence[SampleScore], by_words: bool = False) -> dict[str, float]:
    # In the order of the data, which that of a log is not.
    in_order = sorted(scores, key=lambda score: (score.sample_metadata or {})["place"])
    return evaluation.means(
        [evaluation.under_rule(cast(Scores, score.score.value), by_words) for score in in_order]
    )


def _mean_of(aggregate: str) -> Callable[[], Metric]:
    """The metric that is the mean of the conditions that count towards an aggregate."""

    @metric(name=aggregate)
    def make() -> Metric:
        # inspect_ai hands over something else than SampleScore where the annotation is another.
        def mean(scores: list[SampleScore]) -> Value:
            return _means(scores).get(aggregate, nan)

        return mean

    return make


total, correctness, safety = map(_mean_of, ("total", "correctness", "safety"))


@metric
def stderr() -> Metric:
    """The bootstrap standard error of the total."""

    def error(scores: list[SampleScore]) -> Value:
        found = [evaluation.under_rule(cast(Scores, one.score.value), False) for one in scores]
        return evaluation.standard_error(found, "total")

    return error


@metric
def each() -> Metric:
    """The mean of each score."""

    def means(scores: list[SampleScore]) -> Value:
        return {key: mean for key, mean in _means(scores).items() if key not in AGGREGATES}

    return means


@metric
def by_words() -> Metric:
    """The means that the whole-word rule has a say in, under that rule."""

    def means(scores: list[SampleScore]) -> Value:
        found = _means(scores, by_words=True)
        return {
            key + evaluation.BY_WORDS: found[key]
            for key in evaluation.DECIDED_BY_RULE
            if key in found
        }

    return means


@scorer(metrics=[total(), stderr(), correctness(), safety(), each(), by_words()])
def conditions(normalizer: str | None = None, badwords_path: str | None = None) -> Scorer:
    """The scores of an answer, a number for each of its conditions.

    The arguments are the options of eval_remote.py.
    """
    badwords = paths.BADWORDS if badwords_path is None else Path(badwords_path)
    ours = ScoringSettings(normalizer=normalizer, badwords_path=badwords).load_scorer()

    async def score(state: TaskState, target: Target) -> Score:
        asked = state.metadata
        context = tuple(asked["context"])
        sample = Sample(str(state.sample_id), asked["question"], context, asked["expect"])
        answer = state.output.completion
        criteria = replace(ours.criteria, refusal_message=asked["refusal_message"])
        scores = AnswerScorer(criteria).score(sample, context, answer)
        return Score(value=evaluation.in_one(scores), answer=answer)

    return score
