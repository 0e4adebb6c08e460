"""What critics say of questions: three that rate apart, or one that adds points."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ragifeval.build.asking.stage import Models, Passed, no_value, split_id
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.build.replies import read_rating
from ragifeval.run.old.asking import Ask, Asked
from ragifeval.run.old.replies import Score


def criticise(models: Models, candidates: Sequence[Candidate], chunks: Sequence[Chunk]) -> Passed:
    """Have each critic rate each question; what is dropped keeps all its ratings."""
    plan = models.plan
    texts = {chunk.id: chunk.text for chunk in chunks}
    low, high = next(iter(plan.critics.values()))
    said: dict[str, dict[str, Asked[Score]]] = defaultdict(dict)

    def asks() -> Iterator[Ask]:
        for one in candidates:
            values = {
                "context": texts[one.chunk],
                "question": one.question,
                "answer": one.answer,
                "audience": plan.audience,
            }
            for critic in plan.critics:
                yield Ask(f"{one.id}/{critic}", plan.templates[critic].render(values))

    def take(asked: Asked[Score]) -> None:
        key, critic = split_id(asked.ask.id)
        said[key][critic] = asked

    total = len(candidates) * len(plan.critics)
    models.ask("criticise", asks(), lambda reply: read_rating(reply, low, high), take, total, True)
    passed = Passed()
    for one in candidates:
        if len(said[one.id]) == len(plan.critics):  # unless it was interrupted
            # In the order of the critics, whichever replied first.
            _judge(one, {critic: said[one.id][critic] for critic in plan.critics}, models, passed)
    return passed


def _judge(
    candidate: Candidate, said: Mapping[str, Asked[Score]], models: Models, passed: Passed
) -> None:
    scores = {name: asked.value for name, asked in said.items() if asked.value is not None}
    candidate = replace(
        candidate,
        ratings={name: score.value for name, score in scores.items()},
        rationales={name: score.reason for name, score in scores.items()},
    )
    least = models.plan.least_rating
    below = {name: score for name, score in scores.items() if score.value < least}
    missing = [asked for asked in said.values() if asked.value is None]
    if below:
        reason = f"rated below {least:g} for {' and '.join(below)}"
        words = "; ".join(
            f"{name} {score.value:g}: {score.reason}" for name, score in below.items()
        )
        passed.rejections.append(Rejection(candidate.id, "criticise", reason, words, candidate))
    elif missing:
        # One that has not replied yet may still let it pass.
        first = min(missing, key=lambda asked: asked.reply is not None)
        passed.rejections.append(no_value(candidate.id, "criticise", first, candidate))
    else:
        passed.candidates.append(candidate)
