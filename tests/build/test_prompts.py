"""The prompts of a build, the same set in each language, and what is read of replies to them."""

import re
from typing import Any

import pytest
from pydantic import BaseModel

from ragifeval.build.asking import ExamAnswer, Pair, Phrases, Points, Questions, Rating
from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE
from ragifeval.errors import UserError
from ragifeval.languages import LANGUAGES
from ragifeval.paths import BUILD_PROMPTS, PROMPT
from ragifeval.run.structured import Unparsed, read_reply
from ragifeval.run.template import Template

VALUES = {
    "context": "<C> & {{ c }}",
    "question": "<Q> & {% q %}?",
    "answer": "<A> & 'a'",
    "audience": "<audience>",
    "number": 7,
    "earlier": ["Earlier one?", "Earlier two?"],
}
# A prompt -> what it is given, what its reply is read into.
PROMPTS = {
    "factoid": (("context", "earlier"), Pair),
    "exam_questions": (("context", "number"), Questions),
    "exam_answer": (("context", "question"), ExamAnswer),
    "groundedness": (("context", "question"), Rating),
    "relevance": (("question", "audience"), Rating),
    "standalone": (("question",), Rating),
    "additive": (("context", "question", "answer"), Points),
    "phrases": (("context", "question", "answer"), Phrases),
}


def template(language: str, name: str) -> Template:
    return Template(BUILD_PROMPTS / language / f"{name}.jinja")


def test_every_language_has_every_prompt() -> None:
    assert {path.name for path in BUILD_PROMPTS.iterdir()} == set(LANGUAGES)
    for language in LANGUAGES:
        names = {path.stem for path in (BUILD_PROMPTS / language).iterdir()}
        assert names == {*PROMPTS, "again", "evaluation"}
    assert LANGUAGES["pl"].refusal_message == REFUSAL_MESSAGE
    assert LANGUAGES["pl"].system_message == SYSTEM_MESSAGE


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_shows_what_it_is_given_and_the_object_that_is_read(
    language: str, name: str
) -> None:
    needed, model = PROMPTS[name]
    asking, given = template(language, name), {key: VALUES[key] for key in needed}
    prompt = str(asking.render(given))
    for key, value in given.items():
        for shown in value if isinstance(value, list) else [str(value)]:
            assert shown in prompt
        with pytest.raises(UserError, match=f"'{key}' is undefined"):
            asking.render({other: given[other] for other in needed if other != key})
    form = prompt.rpartition("\n\n")[2]
    assert re.findall(r'"(\w+)":', form) == list(model.model_fields)
    with pytest.raises(Unparsed):  # the form alone is not a reply
        read_reply(form, model, asking.labels)
    if "rating" in form:
        assert re.findall(r"\d+", form) == (["0", "4"] if name == "additive" else ["1", "5"])
    if asking.labels:
        lines = (f"**{names[-1]}:** 3" for names in asking.labels.values())
        read = read_reply("\n".join(lines), model, asking.labels)
        assert set(read.model_dump().values()) <= {"3", 3.0}


PAIR = {"question": "Ile?", "answer": "30 zł"}
PHRASES = {"phrases": ["30 zł", "7 dni"]}
# A template, what its reply is read into, the reply -> what is read; None where it is not.
REPLIES: list[tuple[str, type[BaseModel], str, dict[str, Any] | None]] = [
    ("factoid", Pair, '{"question": "Ile?", "answer": " 30 zł\\n"}', PAIR),
    ("factoid", Pair, "Jasne!\n**Odpowiedź:** 30 zł\n**Pytanie:** Ile?", PAIR),
    ("factoid", Pair, '{"question": "Ile?", "answer": 30}', PAIR | {"answer": "30"}),
    ("factoid", Pair, '{"question": "…", "answer": "…"}', None),
    ("factoid", Pair, '{"question": "Ile?", "answer": "30 \\ud83d"}', None),
    ("exam_questions", Questions, '{"questions": [" Ile? "]}', {"questions": ["Ile?"]}),
    ("exam_questions", Questions, '{"questions": []}', None),
    ("exam_questions", Questions, '{"questions": ["Ile?", "…"]}', None),
    ("exam_answer", ExamAnswer, '{"answer": null}', {"answer": None}),
    ("exam_answer", ExamAnswer, '{"answer": ""}', None),
    ("phrases", Phrases, '{"phrases": ["30 zł", "7\\u00a0dni"]}', PHRASES),
    ("relevance", Rating, "Uzasadnienie: x\nOcena końcowa: 4", {"rationale": "x", "rating": 4}),
    ("relevance", Rating, '{"rationale": "Tak.", "rating": 6}', None),
    ("relevance", Rating, '{"rationale": "Tak.", "rating": 0}', None),
    ("relevance", Rating, '{"rationale": "Tak.", "rating": NaN}', None),
    ("additive", Points, '{"rationale": "Źle.", "rating": 0}', {"rationale": "Źle.", "rating": 0}),
    ("additive", Points, '{"rationale": "Tak.", "rating": 5}', None),
]


@pytest.mark.parametrize(("name", "model", "reply", "expected"), REPLIES)
def test_what_is_read_of_a_reply(
    name: str, model: type[BaseModel], reply: str, expected: dict[str, Any] | None
) -> None:
    labels = template("pl", name).labels
    if expected is None:
        with pytest.raises(Unparsed):
            read_reply(reply, model, labels)
    else:
        assert read_reply(reply, model, labels).model_dump() == expected


def test_the_polish_evaluation_prompt_is_of_any_domain() -> None:
    source = (BUILD_PROMPTS / "pl" / "evaluation.jinja").read_bytes()
    harness = PROMPT.read_bytes()
    official = " albo pytanie nie dotyczy spraw urzędowych".encode()
    assert harness.count(official) == 1
    assert source == harness.replace(official, b"")
