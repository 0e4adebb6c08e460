"""When two questions ask the same."""

SIMILAR_QUESTIONS = 0.7
"""Two questions are near duplicates when this share of their lemmas is common (Jaccard index)."""


def is_repeated(share: float, one: object, other: object) -> bool:
    """Whether two questions by one pattern ask the same.

    Args:
        share: of their lemmas that is common.
        one, other: the entries of `include`; None or empty where a refusal is right.
    """
    return share == 1 or (bool(one) and one == other)
