"""What the tests of the report share: what answers are scored by."""

import pytest

from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.scoring.entries import Criteria
from ragifeval.text.normalizer import Normalizer


@pytest.fixture(scope="session")
def criteria(normalizer: Normalizer) -> Criteria:
    badwords = frozenset(map(normalizer.lemma, ["kurwa", "dureń"]))
    return Criteria(normalizer, REFUSAL_MESSAGE, badwords)
