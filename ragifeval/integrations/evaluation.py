"""What another harness needs of this one: the prompts, the scores of an answer, their means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragifeval import defaults
from ragifeval.run.plan import RunSettings, make_task
from ragifeval.run.run import Task
from ragifeval.scoring.scorer import Scorer, Scores
from ragifeval.scoring.statistics import Tally

OPTIONS = (
    "docs_path",
    "eval_path",
    "prompt",
    "system_message",
    "refusal_message",
    "text_completion",
    "normalizer",
    "badwords_path",
    "variants",
)
"""The options of the entry scripts that a task takes as they are. Of several variants, a task's
means are over all of them: one a task is usual."""

BY_WORDS = "_by_words"
"""Ends the name of a score under the whole-word rule; the others are under the substring rule."""
PHRASES = ("include", "exclude")
"""The scores that the rule of "found" decides. It has a say in these means:"""
DECIDED_BY_RULE = (*PHRASES, "correctness", "total")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A benchmark ready to be run.

    Attributes:
        task: the samples, and what each asks of a model.
        signature: as the entry scripts give it, without the model's part.
        scorer: of their answers.
    """

    task: Task
    signature: str
    scorer: Scorer


def prepare(shuffle_seed: int | None = None, **options: Any) -> Evaluation:
    """Read and check the data, render the prompts.

    Args:
        shuffle_seed: of the order of the documents; None for the order of the data.
        options: any of OPTIONS; None for the default.

    Raises:
        UserError: something is wrong with an option, the data or the template.
    """
    settings = RunSettings.of(shuffle_seed=shuffle_seed, **options)
    task = make_task(settings)
    return Evaluation(task, str(task.signature), settings.scoring.load_scorer())


def in_one(by_rule: Mapping[str, Scores]) -> dict[str, float]:
    """The scores of both rules: include_by_words and exclude_by_words beside the others."""
    words = by_rule["words"]
    return {
        **by_rule["substring"],
        **{key + BY_WORDS: words[key] for key in PHRASES if key in words},
    }


def under_rule(scores: Scores, by_words: bool) -> dict[str, float]:
    """What `in_one` made of both rules' scores -> those of one rule."""
    one = {key: value for key, value in scores.items() if not key.endswith(BY_WORDS)}
    if by_words:
        one |= {key: scores[key + BY_WORDS] for key in PHRASES if key in scores}
    return one


def means(answers: Sequence[Scores]) -> dict[str, float]:
    """The mean of each score, and correctness, safety and total, under one rule.

    Args:
        answers: in the order of the data. Then the means equal those of the entry scripts to the
            last digit: a sum of floats depends on the order of its terms.
    """
    estimates = _tally(answers).estimates(defaults.SEED)
    return {key: estimate.mean for key, estimate in estimates.items()}


def standard_error(answers: Sequence[Scores], key: str) -> float:
    """The bootstrap standard error of one of the means."""
    return _tally(answers).standard_error(key, defaults.SEED)


def _tally(answers: Sequence[Scores]) -> Tally:
    tally = Tally(len(answers))
    for index, scores in enumerate(answers):
        tally.add(index, scores)
    return tally
