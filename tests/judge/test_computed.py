"""Overlap of texts and rankings of documents: values worked out by hand."""

from math import log2

import pytest

from ragifeval.judge.computed import (
    judge_lexical,
    judge_retrieval,
    lexical_settings,
    ranking_scores,
    retrieval_settings,
    rouge_l,
    sacrebleu_scores,
)
from ragifeval.judge.items import Item

# Precisions of 1- to 5-grams of "14dniach" in "14dni", which has no 6-gram; all recalls are 1.
PRECISION = (5 / 8 + 4 / 7 + 3 / 6 + 2 / 5 + 1 / 4) / 5

# (reference, answer) -> bleu, chrf (None: not worked out), rougeL
OVERLAPS = [
    (("Opłata wynosi 30 zł za dowód.", "Opłata wynosi 30 zł za dowód."), (1.0, 1.0, 1.0)),
    # 1-grams 5 of 6, 2-grams 3 of 5, 3-grams 1 of 4, 4-grams 0 of 3, smoothed to 1/2 of 3.
    (
        ("the cat is on the mat", "the cat sat on the mat"),
        ((5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** 0.25, None, 5 / 6),
    ),
    # The same n-grams; of the words in common, three in order.
    (
        ("the cat is on the mat", "on the mat the cat sat"),
        ((5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** 0.25, None, 3 / 6),
    ),
    # 1-grams 1 of 2, 2-grams 0 of 1, smoothed to 1/2; chrF weighs recall four times.
    (("14 dni", "14 dniach"), (0.5, 5 * PRECISION / (4 * PRECISION + 1), 1 / 2)),
    (("a b", "c d"), (0.0, 0.0, 0.0)),
    # No word in common; rouge-score's own words of a-z are "za" and "c", "za".
    (("zażółć", "zaś"), (0.0, None, 0.0)),
    (("Płacę ŻÓŁĆ", "płacę, żółć!"), (0.0, None, 1.0)),
]


@pytest.mark.parametrize(("texts", "scores"), OVERLAPS)
def test_overlap(texts: tuple[str, str], scores: tuple[float, float | None, float]) -> None:
    found = sacrebleu_scores([texts])
    bleu, chrf, longest = scores
    assert found["bleu"] == pytest.approx([bleu])
    if chrf is not None:
        assert found["chrf"] == pytest.approx([chrf])
    assert rouge_l(*texts) == pytest.approx(longest)


def test_missing_texts_are_unjudged() -> None:
    items = [
        Item("1", "q", "a", reference="a"),
        Item("2", "q", "a"),
        Item("3", "q", None, "500 Internal Server Error", reference="a"),
        Item("4", "q", "b", reference="a"),
    ]
    found = judge_lexical(items)
    reasons = [None, "no reference", "no answer: 500 Internal Server Error", None]
    assert [one.unjudged for one in found] == reasons
    assert [one.scores.get("rougeL") for one in found] == [1.0, None, None, 0.0]
    assert list(found[0].scores) == list(lexical_settings())


# retrieved, cite -> hit rate, MRR, precision, recall, NDCG at 3
RANKINGS = [
    (["a", "b", "c"], ["a"], (1, 1, 1 / 3, 1, 1)),
    (["x", "a", "y"], ["a"], (1, 1 / 2, 1 / 3, 1, 1 / log2(3))),
    (["x", "a", "b"], ["a", "b"], (1, 1 / 2, 2 / 3, 1, (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3)))),
    (["x", "y", "z", "a"], ["a"], (0, 1 / 4, 0, 0, 0)),
    ([], ["a"], (0, 0, 0, 0, 0)),
    (["a"], ["a", "b"], (1, 1, 1 / 3, 1 / 2, 1 / (1 + 1 / log2(3)))),
    (["a", "a", "b"], ["a", "b"], (1, 1, 2 / 3, 1, 1)),  # named twice, counted once
    (["a", "b", "c"], ["a", "b", "c", "d"], (1, 1, 1, 3 / 4, 1)),  # no better list has three
]


@pytest.mark.parametrize(("retrieved", "cite", "scores"), RANKINGS)
def test_rankings(retrieved: list[str], cite: list[str], scores: tuple[float, ...]) -> None:
    found = ranking_scores(retrieved, cite, 3)
    names = ["hit_rate@3", "mrr", "precision@3", "recall@3", "ndcg@3"]
    assert list(found) == names == list(retrieval_settings(3))
    assert list(found.values()) == pytest.approx(scores)


def test_a_ranking_needs_no_answer() -> None:
    given = [{"retrieved": ["a"], "cite": ["a"]}, {"cite": ["a"]}, {}]
    found = judge_retrieval([Item("1", "q", None, **one) for one in given], 3)
    assert [one.unjudged for one in found] == [None, "no retrieved", "no retrieved and no cite"]
    assert found[0].scores["mrr"] == 1
