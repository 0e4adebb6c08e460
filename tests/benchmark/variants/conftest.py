"""What the tests of variants share."""

import pytest

from ragifeval.text.normalizer import Normalizer, load_normalizer


@pytest.fixture(scope="session")
def normalizer() -> Normalizer:
    return load_normalizer()
