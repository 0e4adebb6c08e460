"""Answers without a neural network: the floor and the ceiling that every table of models needs."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragifeval.benchmark.validate.entries import stop_words
from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.text.normalizer import Normalizer


class BaselineGenerator:
    """Answers each request at once with a function of it.

    Args:
        name: "baseline/extractive", "baseline/refuse" or "baseline/reference".
        refusal_message: what a refusal says.
        normalizer: gives the lemmas that the extractive baseline compares; called when first
            needed.
    """

    def __init__(
        self, name: str, refusal_message: str, normalizer: Callable[[], Normalizer]
    ) -> None:
        self.name = name
        self._refusal_message = refusal_message
        self._normalizer = normalizer
        self._stopped = False

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, in order."""
        answer = {
            "baseline/extractive": self._extract,
            "baseline/refuse": self._refuse,
            "baseline/reference": self._reference,
        }[self.name]
        for request in requests:
            yield Answer(request, answer(request), finish_reason="stop")
            if self._stopped:
                return

    def stop(self) -> None:
        """Answer nothing more."""
        self._stopped = True

    def _refuse(self, request: Request) -> str:
        return self._refusal_message

    def _reference(self, request: Request) -> str:
        if request.sample.reference is None:
            raise UserError(
                f"baseline/reference: sample {request.sample.id!r} has no 'reference' in the data"
            )
        return _renumbered(request.sample.reference, request)

    def _extract(self, request: Request) -> str:
        contents = [document.contents for document in request.documents]
        found = extract(request.sample.question, contents, self._normalizer())
        if not found:
            return self._refusal_message
        return " ".join(f"{sentence.text} [{sentence.document}]" for sentence in found)


_CITATIONS = re.compile(r"\[[0-9, \u00a0]*\]")
_NUMBER = re.compile(r"[0-9]+")


def _renumbered(reference: str, request: Request) -> str:
    """A gold answer with its citations changed to the order in which the documents are shown."""
    shown = [document.id for document in request.documents]
    context = request.sample.context

    def place(number: re.Match[str]) -> str:
        cited = int(number[0])
        return str(shown.index(context[cited])) if cited < len(context) else number[0]

    return _CITATIONS.sub(lambda brackets: _NUMBER.sub(place, brackets[0]), reference)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a document, with the document's position in the context."""

    text: str
    document: int


# BM25's customary parameters (Robertson and Zaragoza 2009).
_K1, _B = 1.5, 0.75
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
    bags = [Counter(normalizer(sentence.text).lemmas) for sentence in sentences]
    if not bags:
        return []
    asked = normalizer(question)
    query = {
        lemma
        for word, lemma in zip(asked.words, asked.lemmas, strict=True)
        if word not in unasked and lemma not in unasked
    }
    average = sum(bag.total() for bag in bags) / len(bags) or 1
    weights = {}
    for lemma in query:
        having = sum(lemma in bag for bag in bags)
        weights[lemma] = math.log(1 + (len(bags) - having + 0.5) / (having + 0.5))

    def score(bag: Counter[str]) -> float:
        length = _K1 * (1 - _B + _B * bag.total() / average)
        # Sorted: the sum of floats depends on the order, the order of a set on the process.
        return sum(
            weights[lemma] * bag[lemma] * (_K1 + 1) / (bag[lemma] + length)
            for lemma in sorted(query)
            if lemma in bag
        )

    scores = [score(bag) for bag in bags]
    ranked = sorted(range(len(bags)), key=lambda index: (-scores[index], index))[:_SENTENCES]
    carried = sum(weights[lemma] for lemma in sorted(query) if lemma in bags[ranked[0]])
    if not query or carried < _THRESHOLD * sum(weights[lemma] for lemma in sorted(query)):
        return []
    return [sentences[index] for index in ranked if scores[index] > 0]
