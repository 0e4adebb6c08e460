"""What a judge says of an answer, read from any log, and where the rules say otherwise."""

from collections.abc import Mapping
from typing import Any

import pytest

from ragifeval.results.report.opinions import find_differences, find_opinions

OPINIONS: list[tuple[Any, list[dict[str, Any]]]] = [
    ({"correctness": {"reason": " Zgodna. "}}, [{"metric": "correctness", "reason": "Zgodna."}]),
    (
        {"claims": {"unjudged": "no reference", "replies": ["x"]}},
        [{"metric": "claims", "unjudged": "no reference"}],
    ),
    (
        {"claims": {"common_claims": ["a"], "reference_claims": [], "disagreements": ["d"]}},
        [{"metric": "claims", "doubts": ["d"], "claims": [("reference", []), ("common", ["a"])]}],
    ),
    ({"lexical": {}, "retrieval": {"replies": []}, "faithfulness": {"reason": ""}}, []),
    (
        {"correctness": "4", "claims": {"common_claims": "a", "reason": 5}},
        [{"metric": "claims", "reason": "5"}],
    ),
    (None, []),
]


@pytest.mark.parametrize(("judgements", "opinions"), OPINIONS)
def test_what_a_log_says(judgements: Any, opinions: list[dict[str, Any]]) -> None:
    assert list(find_opinions({"judgements": judgements})) == opinions


DIFFERENCES: list[tuple[dict[str, float], dict[str, float | None], list[str]]] = [
    ({"passing": 1}, {"include": 1, "exclude": 1, "cite_f1": None}, []),
    ({"passing": 1}, {"include": 0.5, "exclude": 1}, ["passing"]),
    ({"passing": 0}, {"include": 1}, ["passing"]),
    ({"passing": 0}, {"include": 1, "cite_f1": 0}, []),
    ({"faithfulness": 1}, {"cite_f1": 0.5}, ["faithfulness"]),
    ({"faithfulness": 0}, {"cite_f1": 0}, []),
    ({"faithfulness": 1, "passing": 1}, {"cite_f1": 0.0}, ["passing", "faithfulness"]),
]


@pytest.mark.parametrize(("judged", "scores", "names"), DIFFERENCES)
def test_where_the_rules_say_otherwise(
    judged: dict[str, float], scores: Mapping[str, float | None], names: list[str]
) -> None:
    assert list(find_differences(judged, scores)) == names
