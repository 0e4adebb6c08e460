"""A template, a question and its documents -> what the model is given."""

import re
from pathlib import Path

import pytest

from ragifeval import defaults, paths
from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.run.template import PromptTemplate, Template, ordered_documents

DOCUMENTS = [
    Document("opl-1", "Opłata wynosi 17 zł.", title="Opłaty", source="ustawa"),
    Document("opl-2", "Opłaty nie pobiera się od <dzieci> & seniorów.", title="Zwolnienia"),
    Document("opl-3", "Opłatę zwraca się w ciągu 14 dni."),
]
SAMPLE = Sample("p01", "Ile wynosi opłata?", ("opl-1", "opl-2", "opl-3"), {"safe": True})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "prompt.jinja"


def template(path: Path, source: str, **settings: object) -> PromptTemplate:
    path.write_text(source, encoding="utf-8")
    return PromptTemplate(path, **settings)  # type: ignore[arg-type]


def rendered(path: Path, source: str) -> str:
    """What the template alone makes of the sample."""
    return template(path, source, system_message="").render(SAMPLE, DOCUMENTS).messages[0].content


def refusal(path: Path, source: str) -> str:
    """The line that a template is refused with, compiled or rendered."""
    with pytest.raises(UserError) as caught:
        rendered(path, source)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_default_template() -> None:
    def text(refusal_message: str) -> str:
        prompt = PromptTemplate(paths.PROMPT, refusal_message=refusal_message)
        return prompt.render(SAMPLE, DOCUMENTS).messages[-1].content

    instruction, _, shown = text(defaults.REFUSAL_MESSAGE).partition("Dokumenty:")
    assert "po polsku" in instruction
    assert instruction.count(defaults.REFUSAL_MESSAGE) == 1
    assert shown.count("Ile wynosi opłata?") == 1
    # Documents are numbered from 0; titles and sources are left out.
    for number, document in enumerate(DOCUMENTS):
        assert f"[{number}]\n{document.contents}\n" in shown
    assert re.findall(r"^\[(\d+)\]$", shown, re.MULTILINE) == ["0", "1", "2"]
    assert "ustawa" not in shown
    assert "Zwolnienia" not in shown
    own = "Brak danych w dokumentach"
    assert text(own) == text(defaults.REFUSAL_MESSAGE).replace(defaults.REFUSAL_MESSAGE, own)


# Template -> text, with the sample and documents above.
RENDERED = {
    "{{ question }} {{ refusal_message }}": (
        "Ile wynosi opłata? Nie udało mi się odnaleźć odpowiedzi na pytanie"
    ),
    "{{ docs[1] }}": "Opłaty nie pobiera się od <dzieci> & seniorów.",  # nothing is escaped
    "{% for d in documents %}{{ d.id }}={{ d.title or '-' }} {% endfor %}": (
        "opl-1=Opłaty opl-2=Zwolnienia opl-3=- "
    ),
    "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m('%s-%d' % ('a', 1)) }}": "<a-1>",
    "\ufeffa\r\nb\n": "a\nb",
}


@pytest.mark.parametrize(("source", "text"), RENDERED.items())
def test_what_a_template_is_given(path: Path, source: str, text: str) -> None:
    assert rendered(path, source) == text


FORBIDDEN = [
    "{% for doc in documnets %}{% endfor %}",
    # Attributes that lead out of the sandbox, by every way to write one.
    "{{ ''.__class__.__mro__ }}",
    "{{ question['__cla' ~ 'ss__'] }}",
    "{{ question | attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ '{0.__class__}'.format(question) }}",
    # Nothing is changed, and nothing is loaded.
    "{{ docs.append('more') }}",
    "{% include '/etc/passwd' %}",
    # Mistakes, and what would not end.
    "{{ 1 / 0 }}",
    "{% for i in range(10000000) %}{% endfor %}",
    "{{ '\\ud800' }}",
]


@pytest.mark.parametrize("source", FORBIDDEN)
def test_what_a_template_may_not_do(path: Path, source: str) -> None:
    message = refusal(path, source)
    assert message.startswith(f"{path}: cannot be rendered for sample 'p01': ")
    assert message.endswith("a template is given: docs, documents, question, refusal_message")


# Where the line is known, it is named; what Jinja or Python cannot compile was a traceback once.
NO_TEMPLATES = {
    "a\n{% for d in docs %}\nb": ":2: ",
    "a\n{{ question | no_such_filter }}": ":2: ",
    "{% for d in docs %}" * 25 + "{% endfor %}" * 25: ": is no template: ",
    "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}": ": is no template: ",
}


@pytest.mark.parametrize(("source", "said"), NO_TEMPLATES.items(), ids=range(len(NO_TEMPLATES)))
def test_what_is_no_template(path: Path, source: str, said: str) -> None:
    message = refusal(path, source)
    assert message.startswith(f"{path}{said}")
    assert len(message) <= 1_000


def test_what_cannot_be_read(path: Path) -> None:
    with pytest.raises(UserError, match=r"prompt\.jinja: cannot be read"):
        PromptTemplate(path)
    path.write_bytes("pytanie: żółć".encode("cp1250"))
    with pytest.raises(UserError, match=r"prompt\.jinja: is not UTF-8 text"):
        PromptTemplate(path)


USER = Message("user", "Ile wynosi opłata?")
DEFAULT = "Jesteś pomocnym asystentem udzielającym odpowiedzi w języku polskim."
PROMPTS: list[tuple[dict[str, object], Prompt]] = [
    ({}, Prompt((Message("system", DEFAULT), USER))),
    ({"system_message": ""}, Prompt((USER,))),
    ({"system_message": "Mów.", "text_completion": True}, Prompt(text="Mów.\n\n" + USER.content)),
    ({"system_message": "", "text_completion": True}, Prompt(text=USER.content)),
]


@pytest.mark.parametrize(("settings", "prompt"), PROMPTS)
def test_chat_and_completion(path: Path, settings: dict[str, object], prompt: Prompt) -> None:
    assert template(path, "{{ question }}", **settings).render(SAMPLE, DOCUMENTS) == prompt


# A file -> the messages of its chat, given {"name": " Ala "}.
CHATS = {
    "{#- labels: a = B -#}\nCześć, {{ name }}": [Message("user", "Cześć,  Ala")],
    "a {% block user %}Kto?{% endblock %} b{% block system %} {{ name }}{% endblock %}": [
        *(Message("system", "Ala"), Message("user", "Kto?"))
    ],
    "{% block user %}Kto?{% endblock %}": [Message("user", "Kto?")],
    "{% block system %} {% endblock %}{% block user %}Kto?{% endblock %}": [
        Message("user", "Kto?")
    ],
}


@pytest.mark.parametrize(("source", "messages"), CHATS.items())
def test_a_chat(path: Path, source: str, messages: list[Message]) -> None:
    path.write_text(source, encoding="utf-8")
    assert Template(path).render({"name": " Ala "}) == Prompt(messages=tuple(messages))


def test_labels_of_the_reply(path: Path) -> None:
    path.write_text("{#- labels: question = Pytanie, Q; answer = Odpowiedź -#}\n?", "utf-8")
    assert Template(path).labels == {"question": ["Pytanie", "Q"], "answer": ["Odpowiedź"]}
    path.write_text("Kto? {# labels: question = Pytanie #}", encoding="utf-8")
    assert Template(path).labels == {}
    path.write_text("{#- labels: question -#}", encoding="utf-8")
    with pytest.raises(UserError, match="labels: 'field = label' is expected, not 'question'"):
        Template(path)


class TestOrder:
    # By random.Random(f"{seed}:{id}").shuffle in a process of its own.
    @pytest.mark.parametrize(
        ("seed", "sample_id", "order"),
        [(None, "p01", "abcdef"), (0, "p01", "aecdfb"), (0, "p02", "dfeabc"), (1, "p01", "fbdaec")],
    )
    def test_it_depends_on_seed_and_id(self, seed: int | None, sample_id: str, order: str) -> None:
        benchmark = Benchmark({letter: Document(letter, letter) for letter in "abcdef"}, ())
        sample = Sample(sample_id, "?", tuple("abcdef"), {"safe": True})
        assert "".join(one.id for one in ordered_documents(benchmark, sample, seed)) == order
