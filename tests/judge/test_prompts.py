"""The prompts of the judge: both languages, in the sandbox, and how contexts are split."""

import doctest
from pathlib import Path

import pytest

from ragifeval.errors import UserError
from ragifeval.judge import claims, faithfulness
from ragifeval.judge.faithfulness import split
from ragifeval.judge.plan import PROMPTS
from ragifeval.run.template import Template

VALUES = {
    "question": "<Q> & {{ x }}",
    "reference": "R",
    "answer": "A",
    "context": "C",
    "verdict": "NO",
}
GIVEN = {
    "correctness": ("question", "reference", "answer"),
    "faithfulness": ("answer", "context"),
    "faithfulness_refine": ("answer", "context", "verdict"),
    "claims": ("question", "reference", "answer"),
}


@pytest.mark.parametrize("language", ["pl", "en"])
@pytest.mark.parametrize("name", GIVEN)
def test_a_prompt_shows_what_it_is_given(language: str, name: str) -> None:
    values = {key: VALUES[key] for key in GIVEN[name]}
    prompt = str(Template(PROMPTS / language / f"{name}.jinja").render(values))
    for value in values.values():
        assert value in prompt
    assert "{%" not in prompt


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "{% block user %}{{ nothing }}{% endblock %}",
            "'nothing' is undefined; a template is given: answer",
        ),
        ("{% block user %}", "Unexpected end of template"),
        ("{% block user %}{{ ''.__class__.__mro__ }}{% endblock %}", "is unsafe"),
        ("{% block user %}{% include 'x' %}{% endblock %}", "cannot be rendered"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "claims.jinja"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(UserError) as told:
        Template(path).render({"answer": "A"})
    assert message in str(told.value)
    assert "claims.jinja" in str(told.value)


def test_a_missing_prompt_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"claims\.jinja: cannot be read: No such file"):
        Template(tmp_path / "claims.jinja")


SPLITS = [
    ("short", 10, ["short"]),
    ("", 10, [""]),
    ("a" * 25, 10, ["a" * 10, "a" * 10, "a" * 5]),
    ("Pierwszy akapit.\n\nDrugi akapit.", 20, ["Pierwszy akapit.", "Drugi akapit."]),
    (
        "Zdanie pierwsze. Zdanie drugie. Trzecie.",
        32,
        ["Zdanie pierwsze. Zdanie drugie.", "Trzecie."],
    ),
    ("raz dwa trzy cztery", 9, ["raz dwa", "trzy", "cztery"]),
]


@pytest.mark.parametrize(("text", "window", "parts"), SPLITS)
def test_contexts_are_split_where_it_hurts_least(text: str, window: int, parts: list[str]) -> None:
    assert split(text, window) == parts


def test_no_word_is_lost_in_splitting() -> None:
    text = " ".join(f"słowo{number}." for number in range(500))
    for window in (20, 100, 1000):
        parts = split(text, window)
        assert " ".join(parts).split() == text.split()
        assert max(map(len, parts)) <= window


@pytest.mark.parametrize("module", [claims, faithfulness])
def test_examples(module: object) -> None:
    tested = doctest.testmod(module)  # type: ignore[arg-type]
    assert tested.attempted
    assert not tested.failed
