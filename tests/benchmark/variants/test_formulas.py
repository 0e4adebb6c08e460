"""Formulas of facts: values worked out by hand."""

import pytest

from ragifeval.benchmark.variants.formulas import FormulaError, evaluate
from ragifeval.benchmark.variants.values import Value, read_value
from ragifeval.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def values(normalizer: Normalizer) -> dict[str, Value]:
    stated = {
        "fee": "45 zł",
        "day": "30 kwietnia 2025",
        "birth": "5 maja",
        "term": "14 dni",
        "age": "13 lat",
        "stay": "26 miesięcy",
    }
    return {name: value for name, text in stated.items() if (value := read_value(text, normalizer))}


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("fee + 62 zł", "107 zł"),
        ("fee / 15 zł", "3"),
        ("(100 zł + 50 zł) × 1,23 + 5 zł", "189,50 zł"),
        ("2% × 18 500 zł", "370 zł"),
        ("round(0,5% * 18 513 zł)", "93 zł"),
        ("ceil(31 zł / 2, 10)", "20 zł"),
        ("max(fee, 50 zł, 20 zł)", "50 zł"),
        ("day + term", "14 maja 2025"),
        ("31 stycznia 2025 + 1 miesiąc", "28 lutego 2025"),
        ("birth + 21 dni", "26 maja"),
        ("birth - day", "5 dni"),
        ("1 rok + 6 miesięcy", "1,5 roku"),
        ("stay >= 2 lata", "True"),
        ("age < 12 lat or fee == 45 zł", "True"),
        ("30 zł if age < 12 lat else 140 zł", "140 zł"),
    ],
)
def test_evaluate(
    normalizer: Normalizer, values: dict[str, Value], formula: str, expected: str
) -> None:
    assert str(evaluate(formula, values, normalizer)) == expected


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("fee + age", "13 lat is not counted in złoty"),
        ("price * 2", "'price' is no fact"),
        ("__import__('os')", "has more than names"),
        ("fee / 0", "cannot be computed"),
        ("day * 2", "multiplies"),
        ("(fee < 3 zł) + 1", "counts with a comparison"),
        ("fee +", "is no formula"),
    ],
)
def test_refused(
    normalizer: Normalizer, values: dict[str, Value], formula: str, reason: str
) -> None:
    with pytest.raises(FormulaError, match=reason.replace("*", r"\*")):
        evaluate(formula, values, normalizer)
