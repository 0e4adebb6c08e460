"""The pages for readers say what is so: figures, options, keys, and the commands that CI runs."""

import re

import pytest

from ragifeval.__main__ import script_parser
from ragifeval.generators.config import LocalConfig, RemoteConfig
from ragifeval.paths import ROOT
from tools.refresh_docs import PAGES, refreshed

READMES = ("README.md", "README.pl.md")


@pytest.mark.parametrize("page", PAGES)
def test_figures_are_those_measured(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert text == refreshed(page), "run: python -m tools.refresh_docs"


@pytest.mark.parametrize("page", READMES)
def test_every_option_is_listed(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for kind in ("local", "remote"):
        for action in script_parser(kind)._actions:
            assert f"`{action.option_strings[-1]}" in text, action.option_strings


@pytest.mark.parametrize("page", READMES)
@pytest.mark.parametrize("config", [LocalConfig, RemoteConfig])
def test_every_config_key_is_listed_with_its_default(
    page: str, config: type[LocalConfig] | type[RemoteConfig]
) -> None:
    tables = re.split(r"\n### ", (ROOT / page).read_text("utf-8"))
    titles = {LocalConfig: ("local", "lokalnego"), RemoteConfig: ("remote", "zdalnego")}[config]
    table = next(part for part in tables if any(title in part.split("\n")[0] for title in titles))
    for key, field in config.model_fields.items():
        row = re.search(rf"^\| `{key}` \| (.*?) \|", table, flags=re.MULTILINE)
        assert row is not None, key
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            assert f"`{field.default:g}`" == row[1], key


def test_ci_runs_the_two_lines_that_open_the_readmes() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for page in READMES:
        opening = (ROOT / page).read_text("utf-8").splitlines()[2:4]
        assert len(opening) == 2
        for line in opening:
            assert line.strip() in makefile
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert [target for target in ("baseline", "test", "lint") if f"make {target}" in ci] == [
        "baseline",
        "test",
        "lint",
    ]
