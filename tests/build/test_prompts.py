"""The prompts of a build: the same set in each language, and replies in their own form are read."""

import re
from pathlib import Path

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.asking import ExamAnswer, Pair, Phrases, Points, Questions, Rating
from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE
from ragifeval.errors import UserError
from ragifeval.languages import LANGUAGES
from ragifeval.paths import BUILD_PROMPTS, PROMPT
from ragifeval.run.structured import Unparsed, read_reply
from ragifeval.run.template import PromptTemplate, Template

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
MODELS = {
    "factoid": Pair,
    "exam_questions": Questions,
    "exam_answer": ExamAnswer,
    "groundedness": Rating,
    "relevance": Rating,
    "standalone": Rating,
    "additive": Points,
    "phrases": Phrases,
}


def template(language: str, name: str) -> Template:
    return Template(BUILD_PROMPTS / language / f"{name}.jinja")


def rendered(language: str, name: str) -> str:
    return str(template(language, name).render({key: VALUES[key] for key in GIVEN[name]}))


def form(language: str, name: str) -> str:
    """The lines of a prompt in which it shows the form of the reply."""
    return rendered(language, name).rpartition("\n\n")[2]


def test_every_language_has_every_prompt() -> None:
    assert list(LANGUAGES) == ["pl", "en", "de", "es"]
    assert {path.name for path in BUILD_PROMPTS.iterdir()} == set(LANGUAGES)
    for language in LANGUAGES:
        names = {path.stem for path in (BUILD_PROMPTS / language).iterdir()}
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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GIVEN)
def test_a_prompt_shows_the_object_that_is_read(language: str, name: str) -> None:
    shown, model = form(language, name), MODELS[name]
    assert re.findall(r'"(\w+)":', shown) == list(model.model_fields)
    with pytest.raises(Unparsed):  # the form alone is not a reply
        read_reply(shown, model, template(language, name).labels)
    if name == "additive":
        assert re.findall(r"\d+", shown) == ["0", "4"]
    elif "rating" in shown:
        assert re.findall(r"\d+", shown) == ["1", "5"]
    if name == "exam_answer":
        assert " null" in rendered(language, name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_in_the_language_of_the_prompt(language: str) -> None:
    for name in ("factoid", "groundedness", "additive"):
        labels = template(language, name).labels
        assert list(labels) == list(MODELS[name].model_fields)
        lines = (f"**{names[-1]}:** 3" for names in labels.values())
        read = read_reply("\n".join(lines), MODELS[name], labels)
        assert set(read.model_dump().values()) <= {"3", 3.0}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_evaluation_prompt_is_the_harness_own(language: str) -> None:
    own = LANGUAGES[language]
    path = BUILD_PROMPTS / language / "evaluation.jinja"
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
    source = (BUILD_PROMPTS / "pl" / "evaluation.jinja").read_bytes()
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
