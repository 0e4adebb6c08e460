"""The baselines: hand-made documents, and the answer that each gives."""

from collections.abc import Callable, Sequence

import pytest

from ragifeval.benchmark.baselines import BASELINES, Resources, Sentence, extract
from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Prompt, Request
from ragifeval.generators.baseline import BaselineGenerator
from ragifeval.text.normalizer import Normalizer

TEXTS = {
    "a": "Dowód osobisty jest ważny dziesięć lat. Wniosek o dowód składa się w urzędzie gminy.",
    "b": "Paszport dziecka traci ważność po pięciu latach.\n- Opłatę wpłaca się na konto wojewody.",
    "c": "Prawo jazdy wydaje starosta. Kurs obejmuje trzydzieści godzin.",
}
Question = tuple[Sample, Sequence[Document]]


def asked(question: str, shown: str = "abc", reference: str | None = None) -> Question:
    sample = Sample("p7", question, tuple("abc"), {"safe": True}, reference=reference)
    return sample, [Document(key, TEXTS[key]) for key in shown]


Answering = Callable[[str, Question], str]


@pytest.fixture
def answer(normalizer: Normalizer) -> Answering:
    resources = Resources(REFUSAL_MESSAGE, lambda: normalizer)
    return lambda name, question: BASELINES[name](*question, resources)


STAROSTA = "Prawo jazdy wydaje starosta. [2]"
# Question -> the sentence that answers it, with the document it stands in; or a refusal, where the
# documents do not speak of it.
BEST = {
    "Kto wydaje prawo jazdy?": STAROSTA,
    # In other forms of the same words.
    "Kto zajmuje się wydawaniem praw jazdy?": STAROSTA,
    "Ile godzin obejmują kursy?": "Kurs obejmuje trzydzieści godzin. [2]",
    "W jakim urzędzie składa się wnioski?": "Wniosek o dowód składa się w urzędzie gminy. [0]",
    "Czyje jest konto, na które wpłaca się opłaty?": "- Opłatę wpłaca się na konto wojewody. [1]",
    "Jak upiec sernik?": REFUSAL_MESSAGE,
    "Kto to?": REFUSAL_MESSAGE,  # stop words alone
    "?!": REFUSAL_MESSAGE,
}


@pytest.mark.parametrize(("question", "best"), BEST.items())
def test_the_best_sentence_comes_first(answer: Answering, question: str, best: str) -> None:
    found = answer("baseline/extractive", asked(question))
    assert found.startswith(best)
    assert (found == REFUSAL_MESSAGE) is (best == REFUSAL_MESSAGE)


def test_documents_are_cited_as_shown(answer: Answering) -> None:
    for shown, number in (("cab", "0"), ("acb", "1")):
        found = answer("baseline/extractive", asked("Kto wydaje prawo jazdy?", shown))
        assert found == f"Prawo jazdy wydaje starosta. [{number}]"


LONG = "Łodzie, jachty, skutery wodne, tratwy i kajaki opisuje osobna ustawa o żegludze."
# Question, documents, and the documents of the sentences in their order.
RANKED = [
    # A rare word counts more than a common one.
    (
        "Czy gmina rejestruje łodzie?",
        ["Gmina prowadzi ewidencję.", "Gmina wydaje zgodę.", "Starosta rejestruje łodzie."],
        [2, 0, 1],
    ),
    # A short sentence comes before a long one; of two that are equal, the first.
    ("A łodzie?", [LONG, "Łodzie rejestruje starosta."], [1, 0]),
    ("Starosta?", ["Tak mówi starosta."] * 2, [0, 1]),
    *(("Kto wydaje prawo jazdy?", contents, []) for contents in ([], ["***"], ["…", "—"], ["?"])),
]


@pytest.mark.parametrize(("question", "contents", "documents"), RANKED)
def test_sentences_are_ranked(
    normalizer: Normalizer, question: str, contents: Sequence[str], documents: list[int]
) -> None:
    found = extract(question, contents, normalizer)
    assert found == [Sentence(contents[document], document) for document in documents]


# Text -> its sentences, each of which has the word that is asked for.
SENTENCES = {
    "Urząd A. Urząd B! Urząd C?": ["Urząd A.", "Urząd B!", "Urząd C?"],
    "Urząd wydaje ok. 5 kopii": ["Urząd wydaje ok. 5 kopii"],
    "Urząd,\nurząd": ["Urząd,", "urząd"],
}


@pytest.mark.parametrize(("text", "sentences"), SENTENCES.items())
def test_sentences(normalizer: Normalizer, text: str, sentences: list[str]) -> None:
    found = extract("Urząd?", [text], normalizer)
    assert sorted(sentence.text for sentence in found) == sorted(sentences)


def test_refusing_in_the_words_of_the_run() -> None:
    def no_normalizer() -> Normalizer:
        raise AssertionError("a refusal needs no lemmas")

    resources = Resources("Brak danych", no_normalizer)
    assert BASELINES["baseline/refuse"](*asked("Ile?"), resources) == "Brak danych"


# The order shown of a, b, c; the gold answer; the same as it must read then.
RENUMBERED = [
    ("abc", "17 zł [0], a senior 5 zł [1, 2].", "17 zł [0], a senior 5 zł [1, 2]."),
    ("cab", "17 zł [0], a senior 5 zł [1, 2].", "17 zł [1], a senior 5 zł [2, 0]."),
    ("cba", "17 zł [0][1] i [2,0]", "17 zł [2][1] i [0,2]"),
    ("cab", "[ 0 ,1 ] [[2]] [01]", "[ 1 ,2 ] [[0]] [2]"),
    # Only citations are numbers of documents.
    ("cab", "0 z 1 [art. 1] (2) [ust. 0, 1] {2}", "0 z 1 [art. 1] (2) [ust. 0, 1] {2}"),
    ("cab", "W 2024 [0]: 1 rok [zob. 2] [²] [1-2]", "W 2024 [1]: 1 rok [zob. 2] [²] [1-2]"),
    ("cab", "[3] i [99, 0]", "[3] i [99, 1]"),
]


@pytest.mark.parametrize(("shown", "reference", "text"), RENUMBERED)
def test_a_reference_is_cited_as_shown(
    answer: Answering, shown: str, reference: str, text: str
) -> None:
    assert answer("baseline/reference", asked("Ile?", shown, reference)) == text


def test_a_sample_without_a_reference(answer: Answering) -> None:
    with pytest.raises(UserError, match="'p7' has no 'reference' in the data"):
        answer("baseline/reference", asked("Ile?"))


def generator(normalizer: Normalizer) -> BaselineGenerator:
    def find(key: str) -> Question:
        return asked("Kto wydaje prawo jazdy?", key)

    resources = Resources(REFUSAL_MESSAGE, lambda: normalizer)
    return BaselineGenerator("baseline/extractive", find, resources)


def test_one_answer_a_request_in_order(normalizer: Normalizer) -> None:
    requests = [Request(shown, Prompt(text="?")) for shown in ("abc", "cab", "acb")]
    answers = list(generator(normalizer).generate(requests))
    assert [answer.request for answer in answers] == requests
    assert [answer.text for answer in answers] == [
        f"Prawo jazdy wydaje starosta. [{place}]" for place in (2, 0, 1)
    ]
    assert {(answer.error, answer.finish_reason) for answer in answers} == {(None, "stop")}


def test_it_stops_when_told(normalizer: Normalizer) -> None:
    stopped = generator(normalizer)
    answers: list[Answer] = []
    for answer in stopped.generate(Request("abc", Prompt(text="?")) for _ in range(5)):
        answers.append(answer)
        if len(answers) == 2:
            stopped.stop()
    assert len(answers) == 2
