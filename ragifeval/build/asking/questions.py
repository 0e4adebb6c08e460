"""Questions about chunks with their answers: a pair a prompt, or an exam and then its answers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragifeval.build.asking.stage import Models, Passed, no_value, split_id
from ragifeval.build.plan import BuildPlan
from ragifeval.build.records import Candidate, Chunk, Rejection
from ragifeval.build.replies import Pair, read_answer, read_pair, read_questions
from ragifeval.run.old.asking import Ask, Asked

LONGEST_ANSWER = 500
"""An answer of so many characters is no short fact any more: its question is dropped."""


def ask_questions(models: Models, chunks: Sequence[Chunk]) -> Passed:
    """Ask for questions about each chunk, in the style of the plan, and for their answers."""
    if models.plan.style == "factoid":
        return _factoid(models, chunks)
    return _answer(models, chunks, _exam(models, chunks))


def first_asks(plan: BuildPlan, chunks: Sequence[Chunk]) -> Iterator[Ask]:
    """Yield the first prompt about each chunk."""
    if plan.style == "factoid":
        return (_ask_factoid(plan, chunk, 1, ()) for chunk in chunks)
    return (_ask_exam(plan, chunk) for chunk in chunks)


def _ask_factoid(plan: BuildPlan, chunk: Chunk, number: int, earlier: Sequence[str]) -> Ask:
    values = {"context": chunk.text, "earlier": earlier}
    return Ask(f"{chunk.id}/{number}", plan.templates["factoid"].render(values))


def _ask_exam(plan: BuildPlan, chunk: Chunk) -> Ask:
    values = {"context": chunk.text, "number": plan.questions}
    return Ask(f"{chunk.id}/questions", plan.templates["exam_questions"].render(values))


def _factoid(models: Models, chunks: Sequence[Chunk]) -> Passed:
    """One pair a prompt; the next prompt names the questions that are there already."""
    plan = models.plan
    by_id = {chunk.id: chunk for chunk in chunks}
    asked_of: dict[str, list[str]] = defaultdict(list)
    passed = Passed()

    def take(asked: Asked[Pair]) -> Iterator[Ask]:
        chunk, name = split_id(asked.ask.id)
        if asked.value is None:
            # More prompts about a chunk that brings nothing would bring more of that.
            passed.rejections.append(no_value(chunk, "ask", asked))
            return
        question, answer = asked.value.question, asked.value.answer
        candidate = Candidate(f"{chunk}-q{name}", chunk, question, answer)
        if question in asked_of[chunk]:
            passed.rejections.append(
                Rejection(candidate.id, "ask", "the question was asked before", "", candidate)
            )
        else:
            asked_of[chunk].append(question)
            _keep_short(candidate, "ask", passed)
        if int(name) < plan.questions:
            yield _ask_factoid(plan, by_id[chunk], int(name) + 1, asked_of[chunk])

    total = len(chunks) * plan.questions
    models.ask("ask", first_asks(plan, chunks), read_pair, take, total)
    passed.sort(chunks)
    return passed


def _exam(models: Models, chunks: Sequence[Chunk]) -> Passed:
    """A list of questions a chunk; the candidates have no answers yet."""
    plan = models.plan
    passed = Passed()

    def take(asked: Asked[list[str]]) -> None:
        chunk, _ = split_id(asked.ask.id)
        if asked.value is None:
            passed.rejections.append(no_value(chunk, "ask", asked))
        for number, question in enumerate(asked.value or (), start=1):
            passed.candidates.append(Candidate(f"{chunk}-q{number}", chunk, question, ""))

    def read(reply: str) -> list[str]:
        return read_questions(reply, plan.questions)

    models.ask("ask", first_asks(plan, chunks), read, take, len(chunks))
    passed.sort(chunks)
    return passed


def _answer(models: Models, chunks: Sequence[Chunk], asked_before: Passed) -> Passed:
    """The answer to each question, from its chunk alone."""
    template = models.plan.templates["exam_answer"]
    texts = {chunk.id: chunk.text for chunk in chunks}
    begun = {candidate.id: candidate for candidate in asked_before.candidates}
    passed = Passed(rejections=asked_before.rejections)

    def take(asked: Asked[str | None]) -> None:
        candidate = begun[split_id(asked.ask.id)[0]]
        if asked.error is None and asked.value is None:
            reason = "the text does not answer it"
            passed.rejections.append(Rejection(candidate.id, "answer", reason, "", candidate))
        elif asked.value is None:
            passed.rejections.append(no_value(candidate.id, "answer", asked, candidate))
        else:
            _keep_short(replace(candidate, answer=asked.value), "answer", passed)

    asks = (
        Ask(
            f"{one.id}/answer",
            template.render({"context": texts[one.chunk], "question": one.question}),
        )
        for one in begun.values()
    )
    models.ask("answer", asks, read_answer, take, len(begun))
    passed.sort(chunks)
    return passed


def _keep_short(candidate: Candidate, stage: str, passed: Passed) -> None:
    if len(candidate.answer) < LONGEST_ANSWER:
        passed.candidates.append(candidate)
    else:
        reason = f"the answer has {LONGEST_ANSWER} characters or more"
        passed.rejections.append(Rejection(candidate.id, stage, reason, "", candidate))
