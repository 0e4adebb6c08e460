"""The signature: one line that two runs share exactly when their scores may be compared."""

import json
import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragifeval import __version__, paths
from ragifeval.__main__ import evaluate as main
from ragifeval.scoring.signature import Signature, fingerprint, model_part
from tools.testing.process import call

PARTS = {"data": "0e90c35d", "shuffle": "no", "model": "org/model:v2#1234abcd"}
LINE = "data:0e90c35d|shuffle:no|model:org/model:v2#1234abcd"


def test_the_line_and_back() -> None:
    assert str(Signature(PARTS)) == LINE
    assert Signature.parse(LINE) == Signature(PARTS)


@given(
    st.dictionaries(
        st.text("abcdefgh", min_size=1),
        st.text(st.characters(exclude_characters="|")),
        min_size=1,
    )
)
def test_every_line_can_be_read_back(parts: dict[str, str]) -> None:
    assert Signature.parse(str(Signature(parts))).parts == parts


# Changes to PARTS -> the parts in which the signatures differ.
DIFFERENCES: list[tuple[dict[str, str], list[str]]] = [
    ({}, []),
    ({"shuffle": "seed0"}, ["shuffle"]),
    ({"data": "x", "model": "y"}, ["data", "model"]),
    ({"new": "part"}, ["new"]),
    # What the data are called and their version say nothing that the fingerprint does not.
    ({"data": "urzad-1.0-0e90c35d"}, []),
    ({"data": "urzad-hard-12.1-0e90c35d"}, []),
    ({"data": "urzad-1.0-1e90c35d"}, ["data"]),
    ({"data": "0e90c35d+brief@my-package-1.0"}, ["data"]),
]


@pytest.mark.parametrize(("changes", "parts"), DIFFERENCES)
def test_differences(changes: dict[str, str], parts: list[str]) -> None:
    one, other = Signature(PARTS), Signature(PARTS | changes)
    assert list(one.differences(other)) == parts
    assert list(other.differences(one)) == parts


@pytest.mark.parametrize(
    ("data", "name", "comparable"),
    [
        ("0e90c35d", None, "0e90c35d"),
        ("urzad-1.0-0e90c35d", "urzad", "0e90c35d"),
        ("urzad-hard-1.0-0e90c35d+brief@a-1.0", "urzad-hard", "0e90c35d+brief@a-1.0"),
        ("0e90c35d+brief@a-1.0-0e90c35d", None, "0e90c35d+brief@a-1.0-0e90c35d"),
        ("unknown", None, "unknown"),
    ],
)
def test_data_with_and_without_a_name(data: str, name: str | None, comparable: str) -> None:
    signature = Signature(PARTS | {"data": data})
    assert signature.data_name == name
    assert signature.comparable == PARTS | {"data": comparable}
    assert signature.folded == Signature(PARTS | {"data": comparable}).folded


def test_a_fingerprint_stands_for_the_value() -> None:
    value = {"a": [1, "ż"], "b": None}
    assert fingerprint(value) == fingerprint({"b": None, "a": [1, "ż"]})
    assert fingerprint(value) != fingerprint({"a": ["ż", 1], "b": None})
    # By the shell: printf %s '{"a": [1, "\u017c"], "b": null}' | sha256sum
    assert fingerprint(value) == "3cd7cc4a"


def test_the_model() -> None:
    settings = {"temperature": 0.0}
    name, mark, digest = model_part("org/model", settings).partition("#")
    assert (name, mark, digest) == ("org/model", "#", fingerprint(settings))
    # One line, whose parts are told apart by "|".
    for odd in ("a|b", "a\nb", "a\r\n| b"):
        part = model_part(odd, settings)
        assert "|" not in part
        assert len(part.splitlines()) == 1


# The signature of a run, as eval_local.py states it; --dry_run prints it last.


@cache
def signature(*options: str | Path) -> Signature:
    done = call(partial(main, "local"), *options, "--limit", "1", "--dry_run", cwd=paths.ROOT)
    assert done.code == 0, done.err
    return Signature.parse(done.out.splitlines()[-1])


def copied(path: Path, folder: Path, change: Callable[[str], str]) -> Path:
    """A file of the harness with a change."""
    copy = folder / path.name
    copy.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return copy


def config(folder: Path, **settings: Any) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def test_its_parts_and_their_defaults() -> None:
    parts = signature().parts
    assert list(parts) == [
        *("data", "prompt", "normalizer", "badwords", "matching", "shuffle"),
        *("refusal", "system", "mode", "version", "model"),
    ]
    assert {key: parts[key] for key in list(parts)[4:10]} == {
        "matching": "substring",
        "shuffle": "no",
        "refusal": "default",
        "system": "default",
        "mode": "chat",
        "version": __version__,
    }
    assert parts["model"].startswith("baseline/extractive#")
    assert len(str(signature())) < 250


SHUFFLED = ("--shuffle_context",)
# Options, others, and the part that says that their answers or scores may differ.
CHANGES: list[tuple[tuple[str, ...], tuple[str, ...], str]] = [
    ((), ("--matching", "words"), "matching"),
    ((), SHUFFLED, "shuffle"),
    (SHUFFLED, (*SHUFFLED, "--seed", "1"), "shuffle"),
    ((), ("--refusal_message", "Nie wiem"), "refusal"),
    (("--refusal_message", "Brak"), ("--refusal_message", "Nie wiem"), "refusal"),
    ((), ("--system_message", ""), "system"),
    (("--system_message", ""), ("--system_message", "Bądź miły."), "system"),
    ((), ("--text_completion",), "mode"),
]


@pytest.mark.parametrize(("one", "other", "part"), CHANGES)
def test_an_option_changes_its_part_alone(
    one: tuple[str, ...], other: tuple[str, ...], part: str
) -> None:
    assert signature(*one).differences(signature(*other)) == [part]


def test_a_changed_file_changes_its_part_alone(tmp_path: Path) -> None:
    prompt = copied(paths.PROMPT, tmp_path, lambda text: text.replace("Pytanie:", "PYTANIE:"))
    documents = copied(paths.DOCUMENTS, tmp_path, lambda text: text.replace("wniosek", "podanie"))
    badwords = copied(paths.BADWORDS, tmp_path, lambda text: text + "urzędas\n")
    unlike = [
        signature().differences(signature(option, path))
        for option, path in (
            ("--prompt", prompt),
            ("--docs_path", documents),
            ("--badwords_path", badwords),
        )
    ]
    assert unlike == [["prompt"], ["data"], ["badwords"]]


def test_where_files_lie_and_how_they_are_written_changes_nothing(tmp_path: Path) -> None:
    def crlf(text: str) -> str:
        return text.replace("\n", "\r\n")

    def backwards(text: str) -> str:
        return "".join(f"{line}\n\n" for line in reversed(text.splitlines()))

    options = {
        "--docs_path": copied(paths.DOCUMENTS, tmp_path, backwards),
        "--eval_path": copied(paths.SAMPLES, tmp_path, lambda text: text + "\n"),
        "--badwords_path": copied(paths.BADWORDS, tmp_path, backwards),
        "--model_config": config(tmp_path, model="baseline/extractive"),
    }
    options["--prompt"] = tmp_path / "crlf.jinja"
    options["--prompt"].write_bytes(crlf(paths.PROMPT.read_text(encoding="utf-8")).encode())
    arguments = [str(item) for pair in options.items() for item in pair]
    moved, own = signature(*arguments), signature()
    assert moved.differences(own) == []
    # Of files elsewhere nobody knows what they are called.
    assert moved.parts["data"] == own.comparable["data"]


def test_the_model_is_a_part_of_its_own(tmp_path: Path) -> None:
    base = signature("--model_config", config(tmp_path, model="org/a"))
    for settings, parts in (
        ({"model": "org/b"}, ["model"]),
        ({"model": "org/a", "temperature": 0}, ["model"]),
        ({"model": "org/a", "reasoning_end": "</think>"}, ["model"]),
        ({"model": "org/a", "batch_size": 8, "device_map": "cpu"}, []),
    ):
        other = signature("--model_config", config(tmp_path, **settings))
        assert base.differences(other) == parts


def test_it_holds_no_path_of_this_machine(tmp_path: Path) -> None:
    lines = []
    for home in ("ania", "jan"):
        model = tmp_path / home / "bielik"
        model.mkdir(parents=True)
        shutil.copy(paths.PROMPT, tmp_path / home)
        path = config(tmp_path, model=str(model), tokenizer=str(model))
        own = signature("--model_config", path, "--prompt", tmp_path / home / "prompt.jinja")
        lines.append(str(own))
    assert lines[0] == lines[1]
    assert "model:bielik#" in lines[0]
    assert "/" not in lines[0]
