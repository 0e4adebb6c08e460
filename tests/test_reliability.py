"""docs/reliability.md names tests that exist; versions are pinned."""

import re

import pytest

from ragifeval.paths import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:tests/[\w/]*)?test_\w+\.py(?:::\w+)*)`", PAGE)))


def test_tests_are_named() -> None:
    assert len(NAMED) >= 30


@pytest.mark.parametrize("named", NAMED)
def test_a_named_test_exists(named: str) -> None:
    file, *names = named.split("::")
    path = ROOT / (file if file.startswith("tests/") else f"tests/end_to_end/{file}")
    source = path.read_text(encoding="utf-8")
    for name in names:
        assert re.search(rf"^ *(class|def) {name}\b", source, re.MULTILINE), name


def test_every_test_from_end_to_end_is_named() -> None:
    """Those of this page; the others show other things."""
    for name in ("faults", "resume", "interrupt", "disk", "local_side", "secrets", "determinism"):
        assert f"`test_{name}.py" in PAGE


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_versions_are_pinned(file: str) -> None:
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        requirement = line.partition("#")[0].partition(";")[0].strip()
        if requirement and not requirement.startswith("-r "):
            assert re.fullmatch(r"[\w.\[\],-]+==[\w.+!]+", requirement), line
