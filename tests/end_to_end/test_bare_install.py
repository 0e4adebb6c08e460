"""What the bare install brings is enough for all that needs no model, with the same scores."""

import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ragifeval.__main__ import main
from ragifeval.paths import DOCUMENTS, ROOT, SAMPLES
from tools.testing.process import Finished, call, records, run_in_turn, write_records

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# As if nothing else than some distributions were installed.
HIDE = """
import sys
from importlib import metadata

class Hidden:
    def find_spec(self, name, path=None, target=None):
        owners = {o.lower().replace("_", "-") for o in OWNERS.get(name.partition(".")[0], ())}
        if owners and not owners & KEPT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

OWNERS = metadata.packages_distributions()
sys.meta_path.insert(0, Hidden())
"""


def closure(requirements: Iterable[str]) -> set[str]:
    """The distributions that requirements bring."""
    extras: dict[str, set[str]] = {}
    todo = [Requirement(line) for line in requirements]
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in extras and requirement.extras <= extras[name]:
            continue
        asked = extras.setdefault(name, set())
        asked |= requirement.extras
        for line in metadata.distribution(name).requires or ():
            needed = Requirement(line)
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": one}) for one in ("", *asked)):
                todo.append(needed)
    return set(extras)


BARE = closure(PROJECT["dependencies"])


def bare(*commands: str, cwd: Path) -> list[Finished]:
    words = [command.split() for command in commands]
    return run_in_turn(*words, cwd=cwd, before=f"KEPT = {BARE}\n{HIDE}")


def test_the_heavy_ones_are_left_out() -> None:
    assert not BARE & {"torch", "transformers", "spacy", "scipy"}
    # The pinned packages are those of the package and its extra `local`.
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["local"]]
    assert [Requirement(line).name for line in lines if not line.startswith("#")] == [
        Requirement(line).name for line in wanted
    ]


def test_scores_are_the_same_to_the_digit(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "documents.jsonl").symlink_to(DOCUMENTS)
    write_records(tmp_path / "few" / "samples.jsonl", records(SAMPLES)[:3])
    commands = (
        "local --limit 30 --log_path run.jsonl --overwrite",
        "local --normalizer blank:de --limit 20",
        "score run.jsonl --matching words",
        "validate --data few",
        "compare run.jsonl run.jsonl --format json --draws 100",
    )
    for command, without in zip(commands, bare(*commands, cwd=tmp_path), strict=True):
        assert without.code < 2, without.err
        full = call(main, *command.split(), cwd=tmp_path)
        assert (without.code, without.out) == (full.code, full.out)


# Command -> the extra whose absence it names, before anything is asked or written.
MISSING = {
    "local --model_config local.json --log_path out.jsonl": "local",
    "local --model m --model_args engine=vllm": "vllm",
    "remote --model_config vertex.json --log_path out.jsonl": "vertex",
    "local --normalizer pl_core_news_sm": "spacy",
    "judge run.jsonl --metrics lexical": "judge",
    "build docs -o out --model_config local.json": "build",
}


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "local.json").write_text('{"model": "speakleash/Bielik"}')
    (tmp_path / "vertex.json").write_text('{"model": "google/m", "vertex_credentials": "k.json"}')
    before = sorted(tmp_path.iterdir())
    runs = bare(*MISSING, cwd=tmp_path)
    for (command, extra), run in zip(MISSING.items(), runs, strict=True):
        assert run.code == 2, command
        assert run.err.count("\n") == 1
        assert f'pip install "ragifeval[{extra}]"' in run.err
    assert sorted(tmp_path.iterdir()) == before
