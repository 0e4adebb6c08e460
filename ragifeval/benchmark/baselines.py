"""Answers without a neural network: the floor and the ceiling that every table of models needs."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.bm25 import Index
from ragifeval.errors import UserError
from ragifeval.scoring.conditions import CITATION, CITED_NUMBER
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.stop_words import stop_words


@dataclass(frozen=True, slots=True)
class Resources:
    """What baselines answer with.

    Attributes:
        refusal_message: what a refusal says.
        normalizer: gives the lemmas that the extractive baseline compares; called when needed.
    """

    refusal_message: str
    normalizer: Callable[[], Normalizer]


Baseline = Callable[[Sample, Sequence[Document], Resources], str]
"""A sample, its documents in the order in which they are shown, resources -> the answer."""


def refuse(sample: Sample, documents: Sequence[Document], resources: Resources) -> str:
    """The refusal message, whatever is asked."""
    return resources.refusal_message


def reference(sample: Sample, documents: Sequence[Document], resources: Resources) -> str:
    """The gold answer, its citations changed to the order in which the documents are shown.

    Raises:
        UserError: the sample has none.
    """
    if sample.reference is None:
        raise UserError(f"baseline/reference: sample {sample.id!r} has no 'reference' in the data")
    return cite_anew(sample.reference, sample.context, [document.id for document in documents])


def cite_anew(answer: str, context: Sequence[str], shown: Sequence[str]) -> str:
    """An answer whose citations go by one order of documents, with those of another order.

    Args:
        context: the ids of the documents that the answer goes by.
        shown: the ids of these documents, and of others, in the other order.
    """

    def place(number: re.Match[str]) -> str:
        cited = int(number[0])
        return str(shown.index(context[cited])) if cited < len(context) else number[0]

    return CITATION.sub(lambda brackets: CITED_NUMBER.sub(place, brackets[0]), answer)


def copy(sample: Sample, documents: Sequence[Document], resources: Resources) -> str:
    """All documents, each with its citation."""
    return "\n".join(f"{document.contents} [{n}]" for n, document in enumerate(documents))


def extractive(sample: Sample, documents: Sequence[Document], resources: Resources) -> str:
    """The sentences that best match the question, each with its citation, or a refusal."""
    contents = [document.contents for document in documents]
    sentences = extract(sample.question, contents, resources.normalizer())
    if not sentences:
        return resources.refusal_message
    return " ".join(f"{sentence.text} [{sentence.document}]" for sentence in sentences)


BASELINES: Mapping[str, Baseline] = {
    "baseline/copy": copy,
    "baseline/extractive": extractive,
    "baseline/refuse": refuse,
    "baseline/reference": reference,
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a document, with the document's position in the context."""

    text: str
    document: int


_SENTENCES = 3
# The least share of the question's weight (inverse document frequency) that the best sentence
# carries.
_THRESHOLD = 0.1
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+(?=[^\W\d_a-ząćęłńóśźż])|\n+")


def extract(question: str, contents: Sequence[str], normalizer: Normalizer) -> list[Sentence]:
    """The sentences of the documents that best match a question, by BM25 over lemmas.

    Args:
        contents: the documents, in the order in which they are cited.

    Returns:
        At most three sentences, best first; none if even the best has little in common with the
        question.
    """
    unasked = stop_words(normalizer.language)
    sentences = [
        Sentence(text.strip(), position)
        for position, content in enumerate(contents)
        for text in _SENTENCE_END.split(content)
        if text.strip()
    ]
    texts = [normalizer(sentence.text).lemmas for sentence in sentences]
    if not texts:
        return []
    index, asked = Index(texts), normalizer(question)
    # Sorted: the sum of floats depends on the order, the order of a set on the process.
    query = sorted(
        {
            lemma
            for word, lemma in zip(asked.words, asked.lemmas, strict=True)
            if word not in unasked and lemma not in unasked
        }
    )
    scores = index.scores(query)
    ranked = sorted(range(len(texts)), key=lambda place: -scores[place])[:_SENTENCES]
    carried = sum(index.weight(lemma) for lemma in query if lemma in texts[ranked[0]])
    if not query or carried < _THRESHOLD * sum(map(index.weight, query)):
        return []
    return [sentences[place] for place in ranked if scores[place] > 0]
