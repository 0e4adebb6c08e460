"""The scores of 300 fixed answers: they move with the version, and with nothing else."""

from ragifeval import __version__
from ragifeval.paths import ROOT
from ragifeval.scoring.scorer import Scorer
from tools.golden_scores import read_golden, score

VERSION, GOLDEN = read_golden()

REMEDY = (
    "If the change is meant, raise the version in ragifeval/__init__.py, say in CHANGELOG.md which "
    "scores move and why, and run: python -m tools.golden_scores"
)


def test_no_score_moves() -> None:
    scorer = Scorer.load()
    found = [(entry["id"], score(scorer, entry), entry["scores"]) for entry in GOLDEN]
    moved = [f"{key}: is {new}, was {old}" for key, new, old in found if new != old]
    assert len(GOLDEN) == 300
    told = "\n".join([f"{len(moved)} golden answers get other scores:", *moved[:10], REMEDY])
    assert not moved, told


def test_the_scores_are_those_of_this_version() -> None:
    assert __version__ == VERSION, REMEDY
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {__version__}" in changes
