"""Overlap of words: values by hand; test_finqabench.py has those that others have published."""

import pytest

from ragifeval.judge.items import Item
from ragifeval.judge.lexical import bleu, judge_lexical, rouge, settings

pytest.importorskip("nltk", reason="nltk is not installed")
pytest.importorskip("rouge_score", reason="rouge-score is not installed")

# (reference, answer) -> bleu, rouge1, rougeL
BY_HAND = [
    (("Opłata wynosi 30 zł za dowód.", "Opłata wynosi 30 zł za dowód."), (1.0, 1.0, 1.0)),
    # 1-grams 5 of 6, 2-grams 3 of 5, 3-grams 1 of 4, 4-grams 0 of 3, which method 1 makes 0.1 of 3.
    (
        ("the cat is on the mat", "the cat sat on the mat"),
        ((5 / 6 * 3 / 5 * 1 / 4 * 0.1 / 3) ** 0.25, 5 / 6, 5 / 6),
    ),
    # "on the mat the cat sat": all words but one, of which three in order.
    (
        ("the cat is on the mat", "on the mat the cat sat"),
        ((5 / 6 * 3 / 5 * 1 / 4 * 0.1 / 3) ** 0.25, 5 / 6, 3 / 6),
    ),
    (("a b", "c d"), (0.0, 0.0, 0.0)),
    (("a b", ""), (0.0, 0.0, 0.0)),
    # Stems: "fees", "fee"; a word of white space is not one of rouge-score.
    (("The fees rose.", "the fee rose"), (0.0, 1.0, 1.0)),
]


@pytest.mark.parametrize(("texts", "scores"), BY_HAND)
def test_by_hand(texts: tuple[str, str], scores: tuple[float, float, float]) -> None:
    found = {**bleu([texts]), **rouge([texts])}
    values = [found[name][0] for name in ("bleu", "rouge1", "rougeL")]
    assert values == pytest.approx(scores)


def test_polish_letters_part_words_in_rouge_score_alone() -> None:
    """Of "zażółć" and "zaś", rouge-score sees the same "za", a reader nothing in common."""
    found = rouge([("zażółć", "zaś")])
    assert found["rouge1"][0] > 0
    assert found["rouge1_unicode"][0] == 0
    assert rouge([("Płacę ŻÓŁĆ", "płacę, żółć!")])["rougeL_unicode"][0] == 1


def test_missing_texts_are_unjudged() -> None:
    items = [
        Item("1", "q", "a", reference="a"),
        Item("2", "q", "a"),
        Item("3", "q", None, "500 Internal Server Error", reference="a"),
        Item("4", "q", "b", reference="a"),
    ]
    found = judge_lexical(items)
    assert [one.unjudged for one in found] == [
        None,
        "no reference",
        "no answer: 500 Internal Server Error",
        None,
    ]
    assert [one.scores.get("rouge1") for one in found] == [1.0, None, None, 0.0]


def test_every_score_tells_how_it_was_computed() -> None:
    found = judge_lexical([Item("1", "q", "a", reference="a")])
    assert list(found[0].scores) == list(settings())
    assert "method1" in settings()["bleu"]
    assert "stemmer" in settings()["rouge1"]
