"""Wrong answers made of gold answers: what is made of each, worked out by hand, and what passes."""

from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import main
from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.benchmark.validate.mutations import GoldAnswer
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.scoring.entries import Criteria
from ragifeval.text.normalizer import Normalizer
from tools.testing.process import write_records

CONTENTS = "Za kajaki płaci się 45 zł, za rowery 60 zł, za paczkę 37 zł. Psy szczepi się co rok."
KAYAK = {"say": ["45 zł"], "of": ["kajak*"]}
BICYCLE = {"say": ["60 zł"], "of": ["rower*"]}
VACCINE = {"say": ["@must & szczepi*"], "is": False, "verdict": True, "anti": ["@unneeded"]}

# Made of a gold answer, and not told from it.
PASSES = "Rower kosztuje 60 zł, a kajak nie jest darmowy."
# Gold answer, include, exclude, what is made.
CASES: dict[str, tuple[str, list[Any], list[Any], list[str]]] = {
    "values are exchanged, and each clause is negated": (
        "Kajak kosztuje 45 zł, a rower kosztuje 60 zł [0].",
        [KAYAK, BICYCLE],
        [],
        [
            "Kajak kosztuje 60 zł, a rower kosztuje 45 zł [0].",
            "Kajak nie kosztuje 45 zł, a rower kosztuje 60 zł [0].",
            "Kajak kosztuje 45 zł, a rower nie kosztuje 60 zł [0].",
        ],
    ),
    # The verb stands behind what is said: no clause is negated.
    "a verdict": ("Nie, szczepić nie trzeba.", [VACCINE], [], ["Tak, szczepić nie trzeba."]),
    "a clause that denies": ("Psa nie trzeba szczepić.", [VACCINE], [], ["Psa trzeba szczepić."]),
    "what may never be said, in the words of the documents": (
        "Rower: 60 zł.",
        [BICYCLE],
        [{"never": ["37 zł"], "of": ["paczk*"]}, {"never": ["@must & szczepi*"]}],
        ["Rower: 60 zł.\n\nPaczkę: 37 zł.", "Rower: 60 zł.\n\nTrzeba szczepi."],
    ),
    "a wording that is met by its own denial": (
        "Rower kosztuje 60 zł, a kajak jest darmowy.",
        [{"say": ["darmow*", "nie"], "of": ["kajak*"]}],
        [],
        [PASSES],
    ),
    "entries that must all be said": (
        "Kajak kosztuje 45 zł.",
        [{"all": [KAYAK, {"never": ["60 zł"], "of": ["kajak*"]}]}],
        [],
        ["Kajak nie kosztuje 45 zł.", "Kajak kosztuje 45 zł.\n\nKajak: 60 zł."],
    ),
    "an amount that is not among the only ones": (
        "Kajak kosztuje 45 zł.",
        ["45 zł"],
        [{"only": ["45 zł", "1 060,50 zł"]}],
        ["Kajak kosztuje 45 zł.\n\nDo zapłaty 7777 zł."],
    ),
    "said by two clauses": ("Kajak kosztuje 45 zł, tak: 45 zł za kajak.", [KAYAK], [], []),
    "a gold answer that is wrong by its own entries": ("Rower: 45 zł.", [BICYCLE], [], []),
}


@pytest.fixture(scope="module")
def criteria(normalizer: Normalizer) -> Criteria:
    return Criteria(normalizer, REFUSAL_MESSAGE, frozenset())


@pytest.mark.parametrize(("reference", "include", "exclude", "made"), CASES.values(), ids=CASES)
def test_what_is_made(
    criteria: Criteria,
    reference: str,
    include: list[Any],
    exclude: list[Any],
    made: list[str],
) -> None:
    expect = {"include": include} | ({"exclude": exclude} if exclude else {})
    sample = Sample("p01", "Ile?", ("a",), expect, reference=reference)
    gold = GoldAnswer(sample, [Document("a", CONTENTS)], criteria)
    assert [one.answer for one in gold.mutations()] == made
    assert [answer for answer in made if gold.passes(answer)] == [PASSES] * (PASSES in made)


def test_validate_counts_and_lists_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_records(tmp_path / "documents.jsonl", [{"id": "a", "contents": CONTENTS}])
    sample = {
        "id": "p01",
        "question": "Ile kosztuje?",
        "context": ["a"],
        "expect": {"include": [KAYAK, {"say": ["darmow*", "nie"], "of": ["sauna"]}]},
        "reference": "Kajak kosztuje 45 zł, a sauna jest darmowa.",
    }
    write_records(tmp_path / "samples.jsonl", [sample])
    assert main(["validate", "--data", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    passing = "'Kajak kosztuje 45 zł, a sauna nie jest darmowa.'"
    problem = f"sample 'p01': gets full marks, 'darmow*' denied: {passing}\n"
    assert out.startswith(f"{tmp_path / 'samples.jsonl'}:1: {problem}")
    assert "\nmutations: 2 made, 1 lose a mark; the others: --listing\n" in out
    assert main(["validate", "--data", str(tmp_path), "--listing"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "p01: kajak* meets kajaki",
        "p01: darmow* meets nothing",
        "p01: '60 zł' could be said instead, a: 'za rowery 60 zł'",
        "p01: '37 zł' could be said instead, a: 'za paczkę 37 zł'",
        f"p01: passes: 'darmow*' denied: {passing}",
    ]
