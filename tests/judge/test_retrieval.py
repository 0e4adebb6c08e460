"""A ranking against the documents that hold the answer, by hand."""

from math import log2

import pytest

from ragifeval.judge.items import Item
from ragifeval.judge.retrieval import judge_retrieval, names

pytest.importorskip("ir_measures", reason="ir-measures is not installed")

# retrieved, cite -> hit rate, MRR, precision, recall, NDCG at 3
CASES = [
    (["a", "b", "c"], ["a"], (1, 1, 1 / 3, 1, 1)),
    (["x", "a", "y"], ["a"], (1, 1 / 2, 1 / 3, 1, 1 / log2(3))),
    (["x", "a", "b"], ["a", "b"], (1, 1 / 2, 2 / 3, 1, (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3)))),
    (["x", "y", "z", "a"], ["a"], (0, 1 / 4, 0, 0, 0)),
    (["x", "y", "z"], ["a"], (0, 0, 0, 0, 0)),
    ([], ["a"], (0, 0, 0, 0, 0)),
    (["a"], ["a", "b"], (1, 1, 1 / 3, 1 / 2, 1 / (1 + 1 / log2(3)))),
    (["a", "a", "b"], ["a", "b"], (1, 1, 2 / 3, 1, 1)),  # named twice, counted once
]


@pytest.mark.parametrize(("retrieved", "cite", "scores"), CASES)
def test_by_hand(retrieved: list[str], cite: list[str], scores: tuple[float, ...]) -> None:
    (found,) = judge_retrieval([Item("1", "q", None, retrieved=retrieved, cite=cite)], 3)
    wanted = dict(
        zip(("hit_rate@3", "mrr", "precision@3", "recall@3", "ndcg@3"), scores, strict=True)
    )
    assert found.scores == pytest.approx(wanted)
    assert set(found.scores) == set(names(3))


def test_unjudged_with_the_reason() -> None:
    found = judge_retrieval([Item("1", "q", "a", cite=["a"]), Item("2", "q", "a")], 3)
    assert [one.unjudged for one in found] == ["no retrieved", "no retrieved and no cite"]
