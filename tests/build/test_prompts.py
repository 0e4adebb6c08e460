"""The prompts of a build: the same set in each language, and replies in their own form are read."""

import re
from pathlib import Path

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.languages import LANGUAGES
from ragifeval.build.replies import (
    Pair,
    read_answer,
    read_pair,
    read_phrases,
    read_questions,
    read_rating,
)
from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE
from ragifeval.errors import UserError
from ragifeval.paths import PROMPT, ROOT
from ragifeval.run.old.replies import Score, Unparsed
from ragifeval.run.template import PromptTemplate, Template

PROMPTS = ROOT / "config" / "build"
VALUES = {
    "context": "<C> & {{ c }}",
    "question": "<Q> & {% q %}?",
    "answer": "<A> & 'a'",
    "audience": "<audience>",
    "number": 7,
    "earlier": ["Earlier one?", "Earlier two?"],
}
GIVEN = {
    "factoid": ("context", "earlier"),
    "exam_questions": ("context", "number"),
    "exam_answer": ("context", "question"),
    "groundedness": ("context", "question"),
    "relevance": ("question", "audience"),
    "standalone": ("question",),
    "additive": ("context", "question", "answer"),
    "phrases": ("context", "question", "answer"),
}
SCALES = {"groundedness": (1, 5), "relevance": (1, 5), "standalone": (1, 5), "additive": (0, 4)}
REPLIES = [
    # language, the question's label, the answer's, the rationale's, the rating's, no answer
    ("pl", "Pytanie o fakt:", "Odpowiedź:", "Uzasadnienie:", "Ocena końcowa:", "BRAK ODPOWIEDZI"),
    ("en", "Factoid question:", "Answer:", "Evaluation:", "Total rating:", "NO ANSWER"),
    ("de", "Faktenfrage:", "Antwort:", "Begründung:", "Gesamtbewertung:", "KEINE ANTWORT"),
    ("es", "Pregunta factual:", "Respuesta:", "Evaluación:", "Puntuación total:", "SIN RESPUESTA"),
]


def template(language: str, name: str) -> Template:
    return Template(PROMPTS / language / f"{name}.jinja")


def rendered(language: str, name: str) -> str:
    return str(template(language, name).render({key: VALUES[key] for key in GIVEN[name]}))


def form(language: str, name: str) -> str:
    """The lines of a prompt in which it shows the form of the reply."""
    return rendered(language, name).rpartition("\n\n")[2]


def test_every_language_has_every_prompt() -> None:
    assert list(LANGUAGES) == ["pl", "en", "de", "es"]
    assert {path.name for path in PROMPTS.iterdir()} == set(LANGUAGES)
    for language in LANGUAGES:
        names = {path.stem for path in (PROMPTS / language).iterdir()}
        assert names == {*GIVEN, "again", "evaluation"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GIVEN)
def test_a_prompt_shows_what_it_is_given_and_needs_it(language: str, name: str) -> None:
    prompt = rendered(language, name)
    for key in GIVEN[name]:
        value = VALUES[key]
        for shown in value if isinstance(value, list) else [str(value)]:
            assert shown in prompt
        others = {other: VALUES[other] for other in GIVEN[name] if other != key}
        with pytest.raises(UserError, match=f"'{key}' is undefined"):
            template(language, name).render(others)
    assert "\n\n\n" not in prompt


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_earlier_questions_none_are_spoken_of(language: str) -> None:
    values = {"context": VALUES["context"], "earlier": []}
    without = str(template(language, "factoid").render(values))
    with_two = rendered(language, "factoid")
    assert "\n\n\n" not in without
    # The paragraph that lists them is all that is missing.
    assert len(with_two.split("\n\n")) == len(without.split("\n\n")) + 1
    assert set(without.split("\n\n")) < set(with_two.split("\n\n"))


@pytest.mark.parametrize(("language", "question", "answer", "reason", "rating", "none"), REPLIES)
def test_a_reply_in_the_form_shown_is_read(
    language: str, question: str, answer: str, reason: str, rating: str, none: str
) -> None:
    shown = form(language, "factoid")
    assert [line.partition(":")[0] for line in shown.splitlines()[1:]] == [
        question.removesuffix(":"),
        answer.removesuffix(":"),
    ]
    assert shown.splitlines()[0].endswith(":::")
    filled = iter(["Ile?", "30 zł"])
    reply = re.sub(r"\(.*\)", lambda _: next(filled), shown)
    assert read_pair(reply) == Pair("Ile?", "30 zł")
    with pytest.raises(Unparsed):
        read_pair(shown)

    for name, (low, high) in SCALES.items():
        shown = form(language, name)
        assert [line.partition(":")[0] + ":" for line in shown.splitlines()] == [reason, rating]
        assert re.findall(r"\d+", shown.splitlines()[1]) == [str(low), str(high)]
        for value in range(low, high + 1):
            filled = iter(["2 of 3 hold.", str(value)])
            reply = re.sub(r"\(.*\)", lambda _: next(filled), shown)  # noqa: B023
            assert read_rating(reply, low, high) == Score(value, "2 of 3 hold.")
        with pytest.raises(Unparsed):
            read_rating(shown, low, high)

    shown = form(language, "phrases")
    assert read_phrases(shown.replace("…", "30 zł", 1)) == ["30 zł"]
    with pytest.raises(Unparsed):
        read_phrases(shown)

    assert form(language, "exam_answer").endswith(answer)
    assert none in rendered(language, "exam_answer")
    assert read_answer(f"{answer} 30 zł") == "30 zł"
    assert read_answer(none) is None
    assert read_questions("1. Ile?\n2. Kto?", 7) == ["Ile?", "Kto?"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_evaluation_prompt_is_the_harness_own(language: str) -> None:
    own = LANGUAGES[language]
    path = PROMPTS / language / "evaluation.jinja"
    prompt = PromptTemplate(path, own.system_message, own.refusal_message).render(
        Sample("1", "Ile?", ("a", "b"), {}), [Document("a", "First."), Document("b", "Second.")]
    )
    text = prompt.messages[1].content
    assert "\n\n[0]\nFirst.\n\n[1]\nSecond.\n\n" in text
    assert "[0, 2]" in text
    assert own.refusal_message in text
    assert "Ile?" in text.splitlines()[-2]
    # Rules and paragraphs as in the harness's own.
    assert len(text.splitlines()) == len(rendered_default(PROMPT).splitlines())


def rendered_default(path: Path) -> str:
    documents = [Document("a", "First."), Document("b", "Second.")]
    return (
        PromptTemplate(path)
        .render(Sample("1", "Ile?", ("a", "b"), {}), documents)
        .messages[1]
        .content
    )


def test_the_polish_evaluation_prompt_is_of_any_domain() -> None:
    source = (PROMPTS / "pl" / "evaluation.jinja").read_bytes()
    harness = PROMPT.read_bytes()
    official = " albo pytanie nie dotyczy spraw urzędowych".encode()
    assert harness.count(official) == 1
    assert source == harness.replace(official, b"")


def test_languages() -> None:
    assert LANGUAGES["pl"].refusal_message == REFUSAL_MESSAGE
    assert LANGUAGES["pl"].system_message == SYSTEM_MESSAGE
    assert [own.normalizer for own in LANGUAGES.values()] == [
        None,
        "blank:en",
        "blank:de",
        "blank:es",
    ]
    for name, own in LANGUAGES.items():
        assert own.name == name
        assert read_answer(own.refusal_message) is None
