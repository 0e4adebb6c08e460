"""docs/reliability.md names tests that exist; versions are pinned."""

import re

from ragifeval.paths import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_named_tests_exist() -> None:
    named = set(re.findall(r"`((?:tests/[\w/]*)?test_\w+\.py(?:::\w+)*)`", PAGE))
    assert len(named) >= 20
    for test in named:
        file, *names = test.split("::")
        path = ROOT / (file if file.startswith("tests/") else f"tests/end_to_end/{file}")
        source = path.read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"^ *(class|def) {name}\b", source, re.MULTILINE), test


def test_versions_are_pinned() -> None:
    for file in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
            requirement = line.partition("#")[0].partition(";")[0].strip()
            if requirement and not requirement.startswith("-r "):
                assert re.fullmatch(r"[\w.\[\],-]+==[\w.+!]+", requirement), line
