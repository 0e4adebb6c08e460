"""The baselines: hand-made documents, and the answer that each gives."""

from collections.abc import Callable, Sequence

import pytest

from ragifeval.benchmark.baselines import BASELINES, Resources, Sentence, extract
from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.errors import UserError
from ragifeval.generators.base import Prompt, Request
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


# Question -> the sentence that answers it, with the document it stands in; or a refusal, where the
# documents do not speak of it.
BEST = {
    "Kto zajmuje się wydawaniem praw jazdy?": "Prawo jazdy wydaje starosta. [2]",
    "W jakim urzędzie składa się wnioski?": "Wniosek o dowód składa się w urzędzie gminy. [0]",
    "Czyje jest konto, na które wpłaca się opłaty?": "- Opłatę wpłaca się na konto wojewody. [1]",
    "Jak upiec sernik?": REFUSAL_MESSAGE,
    "Kto to?": REFUSAL_MESSAGE,  # stop words alone
}


@pytest.mark.parametrize(("question", "best"), BEST.items())
def test_the_best_sentence_comes_first(answer: Answering, question: str, best: str) -> None:
    found = answer("baseline/extractive", asked(question))
    assert found.startswith(best)
    assert (found == REFUSAL_MESSAGE) is (best == REFUSAL_MESSAGE)


LONG = "Łodzie, jachty, skutery wodne, tratwy i kajaki opisuje osobna ustawa o żegludze."
# Question, documents of a sentence, and their order.
RANKED: list[tuple[str, list[str], list[int]]] = [
    # A rare word counts more than a common one.
    (
        "Czy gmina rejestruje łodzie?",
        ["Gmina prowadzi ewidencję.", "Gmina wydaje zgodę.", "Starosta rejestruje łodzie."],
        [2, 0, 1],
    ),
    # A short sentence comes before a long one; of two that are equal, the first.
    ("A łodzie?", [LONG, "Łodzie rejestruje starosta."], [1, 0]),
    ("Starosta?", ["Tak mówi starosta."] * 2, [0, 1]),
    ("Starosta?", ["***"], []),
    ("Starosta?", [], []),
    ("Urząd?", ["Urząd wydaje ok. 5 kopii"], [0]),
]


@pytest.mark.parametrize(("question", "contents", "documents"), RANKED)
def test_sentences_are_ranked(
    normalizer: Normalizer, question: str, contents: list[str], documents: list[int]
) -> None:
    found = extract(question, contents, normalizer)
    assert found == [Sentence(contents[document], document) for document in documents]


def test_refusing_in_the_words_of_the_run_without_lemmas() -> None:
    resources = Resources("Brak danych", lambda: pytest.fail("a refusal needs no lemmas"))
    assert BASELINES["baseline/refuse"](*asked("Ile?"), resources) == "Brak danych"


# The order shown of a, b, c; the gold answer; the same as it must read then.
RENUMBERED = [
    ("abc", "17 zł [0], a senior 5 zł [1, 2].", "17 zł [0], a senior 5 zł [1, 2]."),
    ("cba", "17 zł [0][1] i [2,0]", "17 zł [2][1] i [0,2]"),
    ("cab", "[ 0 ,1 ] [[2]] [01] [99, 0]", "[ 1 ,2 ] [[0]] [2] [99, 1]"),
    # Only citations are numbers of documents.
    ("cab", "0 z 1 [art. 1] (2) [ust. 0, 1] [²] [1-2]", "0 z 1 [art. 1] (2) [ust. 0, 1] [²] [1-2]"),
]


@pytest.mark.parametrize(("shown", "reference", "text"), RENUMBERED)
def test_a_reference_is_cited_as_shown(
    answer: Answering, shown: str, reference: str, text: str
) -> None:
    assert answer("baseline/reference", asked("Ile?", shown, reference)) == text


def test_a_sample_without_a_reference(answer: Answering) -> None:
    with pytest.raises(UserError, match="'p7' has no 'reference' in the data"):
        answer("baseline/reference", asked("Ile?"))


def test_one_answer_a_request_in_order_until_it_is_stopped(normalizer: Normalizer) -> None:
    resources = Resources(REFUSAL_MESSAGE, lambda: normalizer)
    generator = BaselineGenerator(
        "baseline/extractive", lambda key: asked("Kto wydaje prawo jazdy?", key), resources
    )
    answers = generator.generate(Request(key, Prompt(text="?")) for key in ("abc", "cab", "acb"))
    assert next(answers).text == "Prawo jazdy wydaje starosta. [2]"  # cited as shown
    second = next(answers)
    assert (second.text, second.finish_reason) == ("Prawo jazdy wydaje starosta. [0]", "stop")
    generator.stop()
    assert list(answers) == []
