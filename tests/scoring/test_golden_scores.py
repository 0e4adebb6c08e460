"""The scores of 300 fixed answers: they move with the version, and with nothing else."""

from collections import Counter

import pytest

from ragifeval import __version__
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.paths import BADWORDS, ROOT
from ragifeval.scoring.conditions import REGISTRY
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer, load_badwords
from ragifeval.text.normalizer import load_normalizer
from tools.golden_scores import COUNT, read_golden, score

VERSION, GOLDEN = read_golden()

REMEDY = (
    "If the change is meant, raise the version in ragifeval/__init__.py, say in CHANGELOG.md which "
    "scores move and why, and run: python -m tools.golden_scores"
)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    normalizer = load_normalizer()
    return Scorer(Criteria(normalizer, REFUSAL_MESSAGE, load_badwords(BADWORDS, normalizer)))


def test_no_score_moves(scorer: Scorer) -> None:
    moved = [entry for entry in GOLDEN if score(scorer, entry) != entry["scores"]]
    told = [
        f"{entry['id']} ({entry['kind']}): {key} by {rule} is {new.get(key)}, was {old.get(key)}"
        for entry in moved
        for rule, new in score(scorer, entry).items()
        for old in [entry["scores"][rule]]
        for key in sorted({*new, *old})
        if new.get(key) != old.get(key)
    ]
    listed = "\n".join(told[:10])
    assert not moved, (
        f"{len(moved)} of {COUNT} golden answers get other scores:\n{listed}\n{REMEDY}"
    )


def test_the_scores_are_those_of_this_version() -> None:
    assert __version__ == VERSION, REMEDY
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {__version__}" in changes


def test_the_answers_are_of_every_nature() -> None:
    assert len(GOLDEN) == COUNT
    assert min(Counter(entry["kind"] for entry in GOLDEN).values()) >= 12
    # Every condition is met and missed, under either rule, and the two rules differ.
    for rule in ("substring", "words"):
        for condition in REGISTRY.values():
            values = {
                entry["scores"][rule][condition.keys[0]]
                for entry in GOLDEN
                if condition.name in entry["expect"]
            }
            assert {0.0, 1.0} <= values, (rule, condition.name)
    differ = [entry for entry in GOLDEN if entry["scores"]["substring"] != entry["scores"]["words"]]
    assert len(differ) >= 10
