"""What a right answer must contain, as a model proposes it; checked when samples are made."""

from collections.abc import Sequence
from dataclasses import replace

from ragifeval.build.asking.stage import Models, Passed, no_value, split_id
from ragifeval.build.records import Candidate, Chunk
from ragifeval.build.replies import read_phrases
from ragifeval.run.old.asking import Ask, Asked


def propose_phrases(
    models: Models, candidates: Sequence[Candidate], chunks: Sequence[Chunk]
) -> Passed:
    """Ask for the phrases of each question's answer."""
    template = models.plan.templates["phrases"]
    texts = {chunk.id: chunk.text for chunk in chunks}
    by_id = {candidate.id: candidate for candidate in candidates}
    passed = Passed()

    def take(asked: Asked[list[str]]) -> None:
        candidate = by_id[split_id(asked.ask.id)[0]]
        if asked.value is None and asked.reply is not None and candidate.is_phrase:
            passed.candidates.append(candidate)  # its answer may serve
        elif asked.value is None:
            passed.rejections.append(no_value(candidate.id, "phrases", asked, candidate))
        else:
            passed.candidates.append(replace(candidate, phrases=asked.value))

    asks = (
        Ask(
            f"{one.id}/phrases",
            template.render(
                {"context": texts[one.chunk], "question": one.question, "answer": one.answer}
            ),
        )
        for one in candidates
    )
    models.ask("phrases", asks, read_phrases, take, len(candidates))
    passed.sort(chunks)
    return passed
