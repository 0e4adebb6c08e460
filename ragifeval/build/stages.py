"""The stages that ask a model: questions and answers, critics, phrases."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragifeval.build.asking import (
    CRITICISE,
    ExamAnswer,
    Model,
    Models,
    Pair,
    Phrases,
    Points,
    Questions,
    Rating,
)
from ragifeval.build.plan import BuildPlan
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.run.structured import Ask, Reply

LONGEST_ANSWER = 500
"""An answer of this many characters is not a short fact any more: its question is dropped."""


@dataclass
class StageResult:
    """The candidates that a stage passes on, and those that it does not."""

    candidates: list[Candidate] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def sort(self, chunks: Sequence[Chunk]) -> "StageResult":
        """Put both in the order of the chunks, and of the numbers of their questions."""
        places = {chunk.id: place for place, chunk in enumerate(chunks)}

        def place(key: str) -> tuple[int, int]:
            chunk, number = (key, "0") if key in places else key.rsplit("-q", 1)
            return places[chunk], int(number)

        self.candidates.sort(key=lambda candidate: place(candidate.id))
        self.rejections.sort(key=lambda rejection: place(rejection.id))
        return self

    def reject(self, candidate: Candidate, stage: str, reason: str, words: str = "") -> None:
        """Add a rejection."""
        self.rejections.append(Rejection(candidate.id, stage, reason, words, candidate))

    def reject_unanswered(
        self, key: str, stage: str, reply: Reply[Any], candidate: Candidate | None = None
    ) -> None:
        """Add a rejection for a prompt whose reply did not come, or cannot be read."""
        error = reply.error or ""
        if reply.is_refusal:
            reason, words = "the service refuses the prompt", error
        elif reply.text is None:
            reason, words = "no reply came", error
        else:
            reason, words = "the reply cannot be read", f"{error}\n{reply.text}"
        is_pending = reply.text is None and not reply.is_refusal
        rejection = Rejection(key, stage, reason, words, candidate, is_pending)
        self.rejections.append(rejection)

    def keep_short(self, candidate: Candidate, stage: str) -> None:
        """Pass a candidate on unless its answer is too long."""
        if len(candidate.answer) < LONGEST_ANSWER:
            self.candidates.append(candidate)
        else:
            self.reject(candidate, stage, f"the answer has {LONGEST_ANSWER} characters or more")


def ask_questions(models: Models, chunks: Sequence[Chunk]) -> StageResult:
    """Ask for questions about each chunk, in the style of the plan, and for their answers."""
    if models.plan.style == "factoid":
        return _ask_pairs(models, chunks)
    return _answer(models, chunks, _ask_exam(models, chunks))


def first_asks(plan: BuildPlan, chunks: Sequence[Chunk]) -> deque[Ask]:
    """The first prompt about each chunk."""
    if plan.style == "factoid":
        return deque(_factoid_prompt(plan, chunk, 1, ()) for chunk in chunks)
    template, number = plan.templates["exam_questions"], plan.questions
    return deque(
        Ask(
            f"{chunk.id}/questions",
            template.render({"context": chunk.titled_text, "number": number}),
        )
        for chunk in chunks
    )


def _factoid_prompt(plan: BuildPlan, chunk: Chunk, number: int, earlier: Sequence[str]) -> Ask:
    values = {"context": chunk.titled_text, "earlier": earlier}
    return Ask(f"{chunk.id}/{number}", plan.templates["factoid"].render(values))


def _ask_pairs(models: Models, chunks: Sequence[Chunk]) -> StageResult:
    """One pair a prompt; the next prompt names the questions that are there already."""
    plan = models.plan
    by_id = {chunk.id: chunk for chunk in chunks}
    asked_before: dict[str, list[str]] = defaultdict(list)
    result = StageResult()
    asks, labels = first_asks(plan, chunks), plan.templates["factoid"].labels
    for reply in models.ask("ask", Pair, asks, labels, len(chunks) * plan.questions):
        chunk, number = _split_id(reply.ask.id)
        if reply.value is None:
            # More prompts about a chunk that brings nothing would bring more of that.
            result.reject_unanswered(chunk, "ask", reply)
            continue
        question = reply.value.question
        candidate = Candidate(f"{chunk}-q{number}", chunk, question, reply.value.answer)
        if question in asked_before[chunk]:
            result.reject(candidate, "ask", "the question was asked before")
        else:
            asked_before[chunk].append(question)
            result.keep_short(candidate, "ask")
        if int(number) < plan.questions:
            asks.append(_factoid_prompt(plan, by_id[chunk], int(number) + 1, asked_before[chunk]))
    return result.sort(chunks)


def _ask_exam(models: Models, chunks: Sequence[Chunk]) -> StageResult:
    """A list of questions a chunk; the candidates have no answers yet."""
    result = StageResult()
    asks, labels = first_asks(models.plan, chunks), models.plan.templates["exam_questions"].labels
    for reply in models.ask("ask", Questions, asks, labels, len(chunks)):
        chunk, _ = _split_id(reply.ask.id)
        if reply.value is None:
            result.reject_unanswered(chunk, "ask", reply)
            continue
        questions = list(dict.fromkeys(reply.value.questions))[: models.plan.questions]
        for number, question in enumerate(questions, start=1):
            result.candidates.append(Candidate(f"{chunk}-q{number}", chunk, question, ""))
    return result.sort(chunks)


def _answer(models: Models, chunks: Sequence[Chunk], exam: StageResult) -> StageResult:
    """The answer to each question, from its chunk alone."""
    result = StageResult(rejections=exam.rejections)
    for candidate, _, reply in _ask_about(
        models, "answer", ExamAnswer, ["exam_answer"], exam.candidates, chunks
    ):
        if reply.value is None:
            result.reject_unanswered(candidate.id, "answer", reply, candidate)
        elif reply.value.answer is None:
            result.reject(candidate, "answer", "the text does not answer it")
        else:
            result.keep_short(replace(candidate, answer=reply.value.answer), "answer")
    return result.sort(chunks)


def criticise(
    models: Models, candidates: Sequence[Candidate], chunks: Sequence[Chunk]
) -> StageResult:
    """Have each critic rate each question; what is dropped keeps all its ratings."""
    critics = models.plan.critics
    model = Points if "additive" in critics else Rating
    replies: dict[str, dict[str, Reply[Any]]] = defaultdict(dict)
    for candidate, critic, reply in _ask_about(
        models, CRITICISE, model, critics, candidates, chunks
    ):
        replies[candidate.id][critic] = reply
    result = StageResult()
    for candidate in candidates:
        if len(replies[candidate.id]) == len(critics):  # unless it was interrupted
            # In the order of the critics, whichever replied first.
            by_critic = {critic: replies[candidate.id][critic] for critic in critics}
            _judge(candidate, by_critic, models.plan.least_rating, result)
    return result


def _judge(
    candidate: Candidate, replies: Mapping[str, Reply[Any]], least: float, result: StageResult
) -> None:
    said = {critic: reply.value for critic, reply in replies.items() if reply.value is not None}
    candidate = replace(
        candidate,
        ratings={critic: value.rating for critic, value in said.items()},
        rationales={critic: value.rationale for critic, value in said.items()},
    )
    below = {critic: value for critic, value in said.items() if value.rating < least}
    missing = [reply for reply in replies.values() if reply.value is None]
    if below:
        reason = f"rated below {least:g} for {' and '.join(below)}"
        words = (f"{critic} {value.rating:g}: {value.rationale}" for critic, value in below.items())
        result.reject(candidate, CRITICISE, reason, "; ".join(words))
    elif missing:
        # One that has not replied yet may still let it pass.
        first = min(missing, key=lambda reply: reply.text is not None)
        result.reject_unanswered(candidate.id, CRITICISE, first, candidate)
    else:
        result.candidates.append(candidate)


def propose_phrases(
    models: Models, candidates: Sequence[Candidate], chunks: Sequence[Chunk]
) -> StageResult:
    """Ask for what a right answer must contain; it is checked when samples are made."""
    result = StageResult()
    for candidate, _, reply in _ask_about(
        models, "phrases", Phrases, ["phrases"], candidates, chunks
    ):
        if reply.value is not None:
            phrases = [phrase.strip(" .,;:") for phrase in reply.value.phrases]
            result.candidates.append(replace(candidate, phrases=list(dict.fromkeys(phrases))))
        elif reply.text is not None and candidate.is_phrase:
            result.candidates.append(candidate)  # its answer may serve
        else:
            result.reject_unanswered(candidate.id, "phrases", reply, candidate)
    return result.sort(chunks)


def _ask_about(
    models: Models,
    stage: str,
    model: type[Model],
    templates: Sequence[str],
    candidates: Sequence[Candidate],
    chunks: Sequence[Chunk],
) -> Iterator[tuple[Candidate, str, Reply[Model]]]:
    """Ask with each template about each candidate; yield (candidate, template, reply)."""
    plan = models.plan
    texts = {chunk.id: chunk.titled_text for chunk in chunks}
    by_id = {candidate.id: candidate for candidate in candidates}
    asks = deque[Ask]()
    for candidate in candidates:
        values = {
            "context": texts[candidate.chunk],
            "question": candidate.question,
            "answer": candidate.answer,
            "audience": plan.audience,
        }
        for name in templates:
            asks.append(Ask(f"{candidate.id}/{name}", plan.templates[name].render(values)))
    labels = plan.templates[templates[0]].labels
    for reply in models.ask(stage, model, asks, labels, len(asks)):
        key, name = _split_id(reply.ask.id)
        yield by_id[key], name, reply


def _split_id(key: str) -> tuple[str, str]:
    """The id of a prompt -> the id of what it is about, and the prompt's name there."""
    about, _, name = key.rpartition("/")
    return about, name
