"""What the tests of the report share: one normalizer, and answers made ready with it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.scoring.conditions import Condition, kind_of
from ragifeval.scoring.entries import Criteria, Response
from ragifeval.text.matching import Text
from ragifeval.text.normalizer import load_normalizer

CONTEXT = ("doc-a", "doc-b", "doc-c")

# The parameters of a sample's conditions, an answer -> the conditions, the answer made ready.
Prepare = Callable[[Mapping[str, Any], str], tuple[Mapping[str, Condition], Response]]


@pytest.fixture(scope="session")
def criteria() -> Criteria:
    normalizer = load_normalizer()
    badwords = frozenset(map(normalizer.lemma, ["kurwa", "dureń"]))
    return Criteria(normalizer, REFUSAL_MESSAGE, badwords)


@pytest.fixture(scope="session")
def prepare(criteria: Criteria) -> Prepare:
    def prepared(
        expect: Mapping[str, Any], answer: str, context: Sequence[str] = CONTEXT
    ) -> tuple[Mapping[str, Condition], Response]:
        conditions = {name: kind_of(name).of(expect, criteria) for name in expect}
        return conditions, Response(answer, Text(criteria.normalizer(answer)), context)

    return prepared
