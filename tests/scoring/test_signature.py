"""The signature: one line that two runs share exactly when their scores may be compared."""

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from ragifeval import __version__, paths
from ragifeval.__main__ import evaluate as main
from ragifeval.scoring.signature import Signature, fingerprint, model_part
from tools.testing.process import call

PARTS = {"data": "0e90c35d", "shuffle": "no", "model": "org/model:v2#1234abcd"}
LINE = "data:0e90c35d|shuffle:no|model:org/model:v2#1234abcd"


def test_the_line_and_back() -> None:
    assert str(Signature(PARTS)) == LINE
    assert Signature.parse(LINE) == Signature(PARTS)


# Changes to PARTS -> the parts in which the signatures differ.
DIFFERENCES: list[tuple[dict[str, str], list[str]]] = [
    ({"shuffle": "seed0"}, ["shuffle"]),
    ({"data": "x", "model": "y"}, ["data", "model"]),
    ({"new": "part"}, ["new"]),
    # What the data are called and their version say nothing that the fingerprint does not.
    ({"data": "urzad-1.0-0e90c35d"}, []),
    ({"data": "urzad-1.0-1e90c35d"}, ["data"]),
    ({"data": "0e90c35d+brief@my-package-1.0"}, ["data"]),
]


@pytest.mark.parametrize(("changes", "parts"), DIFFERENCES)
def test_differences(changes: dict[str, str], parts: list[str]) -> None:
    one, other = Signature(PARTS), Signature(PARTS | changes)
    assert list(one.differences(other)) == parts
    assert list(other.differences(one)) == parts


@pytest.mark.parametrize(
    ("data", "name"),
    [("urzad-hard-1.0-0e90c35d+a@b-1.0", "urzad-hard"), ("0e90c35d+a@b-1.0-0e90c35d", None)],
)
def test_what_data_are_called(data: str, name: str | None) -> None:
    signature, unnamed = (
        Signature({"data": one}) for one in (data, data.removeprefix("urzad-hard-1.0-"))
    )
    assert (signature.data_name, unnamed.data_name) == (name, None)
    assert signature.comparable == unnamed.parts
    assert signature.folded == unnamed.folded


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
    assert model_part("a\r\n| b", settings) == f"a / b#{fingerprint(settings)}"


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
    assert (parts["matching"], parts["mode"], parts["version"]) == (
        "substring",
        "chat",
        __version__,
    )
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
    assert signature().differences(signature("--prompt", prompt)) == ["prompt"]
    assert signature().differences(signature("--docs_path", documents)) == ["data"]
    assert signature().differences(signature("--badwords_path", badwords)) == ["badwords"]


def test_where_files_lie_and_how_they_are_written_changes_nothing(tmp_path: Path) -> None:
    def backwards(text: str) -> str:
        return "".join(f"{line}\n\n" for line in reversed(text.splitlines()))

    prompt = tmp_path / "crlf.jinja"
    prompt.write_bytes(paths.PROMPT.read_bytes().replace(b"\n", b"\r\n"))
    moved = signature(
        *("--docs_path", copied(paths.DOCUMENTS, tmp_path, backwards)),
        *("--eval_path", copied(paths.SAMPLES, tmp_path, lambda text: text + "\n")),
        *("--badwords_path", copied(paths.BADWORDS, tmp_path, backwards)),
        *("--model_config", config(tmp_path, model="baseline/extractive")),
        *("--prompt", prompt),
    )
    own = signature()
    assert moved.differences(own) == []
    # Of files elsewhere nobody knows what they are called.
    assert moved.parts["data"] == own.comparable["data"]


def test_the_model_is_a_part_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "bielik"
    folder.mkdir(parents=True)
    base = signature("--model_config", config(tmp_path, model=str(folder)))
    assert base.parts["model"].startswith("bielik#")
    assert str(tmp_path) not in str(base)
    other = signature("--model_config", config(tmp_path, model=str(folder), temperature=0))
    assert base.differences(other) == ["model"]
