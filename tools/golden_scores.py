"""Writes tests/data/golden_scores.jsonl: 300 fixed answers, and the scores that they get.

    python -m tools.golden_scores                  after a change that is meant to move scores
    python -m tools.golden_scores --same_version   the same, for a version that nobody has yet

Scores move only with the version: where the file's is that of ragifeval/__init__.py and a score
differs, it is left as it is. Each line holds what its scores depend on besides the code, the lemma
table and the bad words: questions in data/ may change without moving them.
"""

import argparse
import json
import sys
from typing import Any

from ragifeval import __version__, paths
from ragifeval.benchmark.benchmark import Sample
from ragifeval.scoring.scorer import Scorer

GOLDEN = paths.ROOT / "tests" / "data" / "golden_scores.jsonl"


def main() -> int:
    """Write the file; return 1 where a score moved and the version did not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--same_version", action="store_true", help="scores of a version may move")
    options = parser.parse_args()
    scorer = Scorer.load()
    version, golden = read_golden()
    written = [{**entry, "scores": score(scorer, entry)} for entry in golden]
    moved = sum(new != old for new, old in zip(written, golden, strict=True))
    if moved and version == __version__ and not options.same_version:
        print(
            f"{moved} of {len(golden)} scores move: raise the version in ragifeval/__init__.py and "
            "say in CHANGELOG.md which move and why, or --same_version if nobody has this one"
        )
        return 1
    lines = [{"version": __version__}, *written]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    GOLDEN.write_text(text, encoding="utf-8", newline="\n")
    print(f"{GOLDEN.relative_to(paths.ROOT)}: {len(written)} answers, {moved} changed")
    return 0


def read_golden() -> tuple[str, list[dict[str, Any]]]:
    """The version that the scores are of, and the answers with what they depend on."""
    head, *entries = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    return head["version"], entries


def score(scorer: Scorer, entry: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The scores of an answer, by rule."""
    sample = Sample(entry["id"], "?", tuple(entry["context"]), entry["expect"])
    by_rule = scorer.score(sample, sample.context, entry["answer"])
    return {rule: dict(scores) for rule, scores in by_rule.items()}


if __name__ == "__main__":
    sys.exit(main())
