"""Continuous batching: the same greedy answers, and a refusal where they would not be."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from ragifeval.errors import UserError
from ragifeval.generators.local import LocalGenerator
from tests.generators.test_local import (
    QUESTIONS,
    answered,
    configured,
    copied,
    requests,
    texts,
)


@pytest.fixture
def plain_model(tiny_model: Path, tmp_path: Path) -> Path:
    """The tiny model without the one setting of its that continuous batching does not heed."""
    return copied(tiny_model, tmp_path / "plain", min_new_tokens=None)


def continuous(model: Path, **settings: Any) -> Any:
    return configured(model, continuous_batching=True, **settings)


@pytest.mark.parametrize("text_completion", [False, True], ids=["chat", "completion"])
def test_greedy_answers_are_the_same(plain_model: Path, text_completion: bool) -> None:
    asked = requests(QUESTIONS, text_completion)
    expected = answered(configured(plain_model), asked, text_completion)
    answers = answered(continuous(plain_model), asked, text_completion)
    for one, other in zip(answers, expected, strict=True):
        assert (one.text, one.finish_reason) == (other.text, other.finish_reason)
        assert (one.usage, one.error) == (other.usage, None)
        assert one.seconds > 0


def test_suppressed_tokens_stay_suppressed(plain_model: Path, tmp_path: Path) -> None:
    published = copied(plain_model, tmp_path / "published", suppress_tokens=list(range(2, 300)))
    asked = requests(QUESTIONS)
    expected = texts(answered(configured(published), asked))
    assert texts(answered(continuous(published), asked)) == expected
    assert expected != texts(answered(configured(plain_model), asked))


def test_the_context_ends_an_answer(plain_model: Path, tmp_path: Path) -> None:
    config = json.loads((plain_model / "config.json").read_text())
    config["max_position_embeddings"] = 50
    (plain_model / "config.json").write_text(json.dumps(config))
    asked = requests(QUESTIONS)
    expected = answered(configured(plain_model), asked)
    answers = answered(continuous(plain_model), asked)
    assert [(a.text, a.error, a.finish_reason) for a in answers] == [
        (a.text, a.error, a.finish_reason) for a in expected
    ]
    assert any(answer.error for answer in answers)


def test_stop_ends_the_run_after_what_is_under_way(plain_model: Path) -> None:
    before = threading.active_count()
    asked = requests(QUESTIONS * 4)
    generator = LocalGenerator(continuous(plain_model), False)
    answers = generator.generate(asked)
    first = next(answers)
    generator.stop()
    assert 0 < len([first, *answers]) <= 9
    assert threading.active_count() == before


def test_nothing_goes_on_behind_a_run_that_is_broken_off(plain_model: Path) -> None:
    before = threading.active_count()
    answers = LocalGenerator(continuous(plain_model), False).generate(requests(QUESTIONS * 4))
    next(answers)
    answers.close()
    assert threading.active_count() == before


def test_no_requests(plain_model: Path) -> None:
    assert list(LocalGenerator(continuous(plain_model), False).generate([])) == []


@pytest.mark.parametrize(
    ("published", "settings", "reason"),
    [
        ({}, {"temperature": 0.7}, 'draws the tokens .*; set "temperature": 0, or leave it off'),
        ({"repetition_penalty": 1.1}, {}, "does not heed repetition_penalty"),
        ({"min_new_tokens": 1}, {}, "does not heed min_new_tokens"),
        ({"stop_strings": ["x"]}, {}, "does not heed stop_strings"),
        ({}, {"device_map": {"": "disk"}}, "needs a model that is whole on one device"),
    ],
)
def test_what_it_cannot_do_is_refused(
    plain_model: Path,
    tmp_path: Path,
    published: dict[str, Any],
    settings: dict[str, Any],
    reason: str,
) -> None:
    model = copied(plain_model, tmp_path / "published", **published)
    with pytest.raises(UserError, match=f"^continuous_batching: {reason}"):
        LocalGenerator(continuous(model, **settings), False)


def test_settings_that_change_nothing_are_no_reason_to_refuse(
    plain_model: Path, tmp_path: Path
) -> None:
    model = copied(plain_model, tmp_path / "published", repetition_penalty=1.0, min_new_tokens=0)
    LocalGenerator(continuous(model), False)


def test_a_model_of_another_kind(tmp_path: Path, tiny_model: Path) -> None:
    from tests.generators.test_local_rolling import mamba

    model = tmp_path / "mamba"
    shutil.copytree(tiny_model, model)
    mamba().save_pretrained(model)
    generator = LocalGenerator(continuous(model), False)
    with pytest.raises(UserError, match=r"^continuous_batching: not with this model: "):
        list(generator.generate(requests(QUESTIONS)))
