"""The pages say what is so: links, versions, the commands that CI runs, and the tests named."""

import re

import pytest

from ragifeval import __version__
from ragifeval.paths import ROOT

READMES = ("README.md", "README.pl.md")
ALL = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "data" / "README.md"]
)


@pytest.mark.parametrize("page", ALL)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text("utf-8")):
        if "://" not in link:
            assert ((ROOT / page).parent / link).exists(), link


def test_the_readmes_are_two_pages_alike() -> None:
    texts = [(ROOT / page).read_text("utf-8") for page in READMES]
    for text in texts:
        assert len(text.splitlines()) <= 160
        for page in (ROOT / "docs").glob("*.md"):
            assert f"](docs/{page.name})" in text, page.name
    # The same commands, but for the language of the report.
    english, polish = (re.findall(r"^    ragifeval .*$", text, re.MULTILINE) for text in texts)
    assert [line.replace(" --lang en", "") for line in english] == polish


def test_the_version_to_cite_is_the_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_ci_runs_the_two_lines_that_open_the_readmes() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for page in READMES:
        opening = (ROOT / page).read_text("utf-8").splitlines()[2:4]
        for line in opening:
            assert line.strip() in makefile
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    for target in ("baseline", "test", "validate", "lint", "dist"):
        assert f"make {target}" in ci


def test_tests_that_are_named_exist() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    named = set(re.findall(r"`((?:tests/[\w/]*)?test_\w+\.py(?:::\w+)*)`", page))
    assert len(named) >= 20
    for test in named:
        file, *names = test.split("::")
        path = ROOT / (file if file.startswith("tests/") else f"tests/end_to_end/{file}")
        source = path.read_text("utf-8")
        for name in names:
            assert re.search(rf"^ *(class|def) {name}\b", source, re.MULTILINE), test


def test_versions_are_pinned() -> None:
    for file in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / file).read_text("utf-8").splitlines():
            requirement = line.partition("#")[0].partition(";")[0].strip()
            if requirement and not requirement.startswith("-r "):
                assert re.fullmatch(r"[\w.\[\],-]+==[\w.+!]+", requirement), line
