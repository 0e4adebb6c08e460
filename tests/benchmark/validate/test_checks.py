"""What proves a data set: each check, set off by the smallest mistake; and a clean set."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import main
from ragifeval.benchmark.validate.checks import Paths, Validation
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.text.normalizer import Normalizer
from tools.testing.process import write_records

Objects = list[dict[str, Any]]

DOCUMENTS: Objects = [
    {
        "id": "a",
        "contents": "Opłata za wydanie dowodu wynosi 17 zł. Wniosek rozpatruje się w ciągu 30 dni. "
        "Grzywna: 4 500 zł.",
    },
    {"id": "b", "contents": "Kartę pobytu wydaje wojewoda. Odwołanie składa się do ministra."},
]
INCLUDE = ["17 zł", ["30 dni", "miesiąc"]]
SAMPLES: Objects = [
    {
        **{"id": "p01", "question": "Ile kosztuje dokument i jak długo się czeka?"},
        "context": ["a", "b"],
        "expect": {"include": INCLUDE, "exclude": ["12 zł"], "cite": ["a"]},
        "reference": "Opłata wynosi 17 zł, a czeka się 30 dni [0].",
    },
    {
        **{"id": "p02", "question": "Jaka będzie jutro pogoda?", "context": ["b"]},
        **{"expect": {"refuse": True}, "reference": REFUSAL_MESSAGE},
    },
]
CONTRAST: Objects = [
    {
        **{"id": "p01", "kind": "wrong sum", "answer": "12 zł, 30 dni [0]"},
        "scores": {"include": "1/2", "exclude": 0, "cite_f1": 1},
    },
    {
        **{"id": "p01", "kind": "one number too many", "answer": "117 zł, 30 dni [0, 1]"},
        "scores": {"include": 1, "exclude": 1, "cite_f1": "2/3"},
        "scores_words": {"include": "1/2", "exclude": 1, "cite_f1": "2/3"},
    },
    {"id": "p02", "kind": "answers", "answer": "Deszcz.", "scores": {"refuse": 0}},
    {"id": "p02", "kind": "empty", "answer": "", "scores": {"refuse": 0}},
]


def paths(folder: Path, documents: Objects, samples: Objects, contrast: Objects | None) -> Paths:
    (folder / "badwords.txt").write_text("kurwa\n", encoding="utf-8")
    return Paths(
        write_records(folder / "documents.jsonl", documents),
        write_records(folder / "samples.jsonl", samples),
        folder / "badwords.txt",
        None if contrast is None else write_records(folder / "contrast.jsonl", contrast),
    )


Problems = Callable[..., list[str]]


@pytest.fixture
def problems(tmp_path: Path, normalizer: Normalizer) -> Problems:
    """The problems of a data set, without the folder they are found in."""

    def of(
        documents: Objects = DOCUMENTS,
        samples: Objects = SAMPLES,
        contrast: Objects | None = None,
        is_built: bool = False,
    ) -> list[str]:
        where = paths(tmp_path, documents, samples, contrast)
        found = Validation(where, normalizer, REFUSAL_MESSAGE, is_built).problems()
        return [problem.removeprefix(f"{tmp_path}/") for problem in found]

    return of


def first(**changes: Any) -> Objects:
    """The samples, with changes to the first."""
    return [{**SAMPLES[0], **changes}, *SAMPLES[1:]]


def expecting(**conditions: Any) -> dict[str, Any]:
    return {**SAMPLES[0]["expect"], **conditions}


def test_a_clean_set(problems: Problems) -> None:
    assert problems() == []
    assert problems(contrast=CONTRAST) == []


REFERENCE = SAMPLES[0]["reference"]
AT = "samples.jsonl:1: sample 'p01': "
BOTH = ("substring", "words")
# The gold answer of the first sample -> the condition that it fails, its score, by which rules.
BAD_REFERENCES: dict[str, tuple[str, str, Sequence[str]]] = {
    "Opłata wynosi 17 zł [0].": ("include", "0.5", BOTH),
    "Opłata wynosi 117 zł, a czeka się 30 dni [0].": ("include", "0.5", BOTH[1:]),
    "Opłata wynosi 17 PLN, a czeka się 30 dni [0].": ("include", "0.5", BOTH[:1]),
    "17 zł, nie 12 zł, i 30 dni [0].": ("exclude", "0", BOTH),
    "Opłata wynosi 17 zł, a czeka się 30 dni [1].": ("cite_f1", "0", BOTH),
}


@pytest.mark.parametrize(("reference", "failed"), BAD_REFERENCES.items())
def test_bad_references(
    problems: Problems, reference: str, failed: tuple[str, str, Sequence[str]]
) -> None:
    key, score, rules = failed
    assert problems(samples=first(reference=reference)) == [
        f"{AT}its 'reference' gets {score} for {key} under the rule {rule}, not 1" for rule in rules
    ]


# Condition, phrase -> what is wrong with it.
FLAWS: list[tuple[str, str, list[str]]] = [
    ("include", "34 zł", []),
    ("include", "za darmo", []),
    ("include", "za", ["is a mere stop word"]),
    ("include", "17", ["is met by a citation of that number"]),
    ("include", "siedemnaście", ["is met by a citation of that number"]),
    ("include", "dokument", [f"stands in the question (rule {rule})" for rule in BOTH]),
    ("include", "odnaleźć", [f"stands in the refusal message (rule {rule})" for rule in BOTH]),
    ("include", "7 zł", ["is part of another number in document 'a'"]),
    ("exclude", "0 dni", ["is part of another number in document 'a'"]),
    ("exclude", "500 zł", ["is part of another number in document 'a'"]),
    ("exclude", "wynosić 1", ["is part of another number in document 'a'"]),
]


@pytest.mark.parametrize(("condition", "phrase", "flaws"), FLAWS)
def test_phrases(problems: Problems, condition: str, phrase: str, flaws: list[str]) -> None:
    samples = first(
        expect=expecting(**{condition: [phrase]}),
        reference=f"{phrase} [0]" if condition == "include" else "17 zł, miesiąc [0]",
        derived="2 · 17 zł = 34 zł",
    )
    assert problems(samples=samples) == [f"{AT}{condition}: {phrase!r} {flaw}" for flaw in flaws]


# Samples -> the beginnings of all problems that they have.
OTHERS: dict[str, tuple[Objects, list[str]]] = {
    "a refusal with more in it than the message": (
        [SAMPLES[0], {**SAMPLES[1], "reference": f"{REFUSAL_MESSAGE}."}],
        ["samples.jsonl:2: sample 'p02': is to be refused, so its 'reference' must be: "],
    ),
    "alternatives of no cited document": (
        first(expect=expecting(include=[["47 zł", "wojewoda"]]), reference="47 zł [0]"),
        [f"{AT}include: ['47 zł', 'wojewoda'] stands in no cited document, and 'derived' shows no"],
    ),
    "one alternative of a cited document": (
        first(expect=expecting(include=[["siedemnaście zł", "17 zł"]]), reference="17 zł [0]"),
        [],
    ),
    "nearly the same question": (
        [*SAMPLES, {**SAMPLES[1], "id": "p04", "question": "Jaka dziś będzie jutro pogoda?"}],
        ["samples.jsonl:3: sample 'p04': asks nearly the same as 'p02' (80% of the words are"],
    ),
}


@pytest.mark.parametrize(("samples", "expected"), OTHERS.values(), ids=OTHERS)
def test_samples(problems: Problems, samples: Objects, expected: list[str]) -> None:
    found = problems(samples=samples)
    assert [one[: len(part)] for one, part in zip(found, expected, strict=True)] == expected


LONG = "Wniosek o wydanie karty składa się osobiście w urzędzie najpóźniej ostatniego dnia pobytu"


def with_sentence(sentence: str, other: str | None = None) -> Objects:
    """The documents, each with a sentence more."""
    return [
        {**document, "contents": f"{document['contents']} {text}. Koniec."}
        for document, text in zip(DOCUMENTS, (sentence, other or sentence), strict=True)
    ]


def test_twelve_words_stand_in_one_document_only(problems: Problems) -> None:
    assert len(LONG.split()) == 13
    twelve = LONG.replace(" ostatniego", "")
    # Marks and letter case aside.
    documents = with_sentence(twelve, twelve.upper().replace(" ", ", "))
    (found,) = problems(documents)
    assert found.startswith("documents.jsonl:2: document 'b': a sentence stands in 'a' too: 'W")
    assert found.endswith('if it is meant to, say so: "repeats": ["a"]')
    assert problems([documents[0], {**documents[1], "repeats": ["a"]}]) == []
    assert problems(with_sentence(twelve.replace(" dnia", ""))) == []
    # One document may repeat itself.
    itself = {**DOCUMENTS[0], "contents": f"{LONG}. 17 zł, 30 dni. {LONG}."}
    assert problems([itself, DOCUMENTS[1]]) == []


# 12 words that give an entry of p01; LONG gives none.
TELLING = "Do wniosku dołącza się dowód wpłaty 17 zł na konto urzędu miasta"
CITED = "stands in one sentence of 'a', which is cited, and of 'b', which is not"
# Sentence, changes to the first sample -> what is said of its entry.
SOURCES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "two": (TELLING, {}, [f"{AT}include: '17 zł' {CITED}: {TELLING!r}"]),
    "two of an alternative in another form": (
        TELLING,
        {
            "expect": expecting(include=[["12 zł", "17 PLN"]], exclude=["8 zł"]),
            "derived": "17",
            "reference": "12 zł, 17 PLN [0]",
        },
        [f"{AT}include: ['12 zł', '17 PLN'] {CITED}: {TELLING!r}"],
    ),
    "says no entry": (LONG, {}, []),
    "both are cited": (
        TELLING,
        {"expect": expecting(cite=["a", "b"]), "reference": "17 zł, 30 dni [0, 1]."},
        [],
    ),
    "the other is not in the context": (TELLING, {"context": ["a"]}, []),
}


@pytest.mark.parametrize(("sentence", "changes", "expected"), SOURCES.values(), ids=SOURCES)
def test_sources_in_documents_of_others(
    problems: Problems, sentence: str, changes: dict[str, Any], expected: list[str]
) -> None:
    """They repeat themselves: what counts is whether a sample could cite either."""
    assert problems(with_sentence(sentence), first(**changes), is_built=True) == expected


def contrast(line: int, **changes: Any) -> Objects:
    """The contrast answers, with changes to one."""
    return [*CONTRAST[: line - 1], {**CONTRAST[line - 1], **changes}, *CONTRAST[line:]]


ONE = "contrast.jsonl:1: wrong sum to 'p01': "
RIGHT = {"include": 1, "exclude": 1, "cite_f1": 1}
# Contrast answers -> all problems that they have; a part of each line is enough.
BAD_CONTRAST: dict[str, tuple[Objects, list[str]]] = {
    "another score": (
        contrast(1, scores={"include": "1/2", "exclude": 0, "cite_f1": 0.75}),
        [f"{ONE}cite_f1 is 1 under the rule {rule}, not 0.75" for rule in BOTH],
    ),
    "a score that is missing": (
        contrast(1, scores={"include": "1/2", "exclude": 0}),
        [f"{ONE}'scores' must name: include, exclude, cite_f1"] * 2,
    ),
    "a fraction of nothing": (
        contrast(1, scores={**RIGHT, "include": "1/0"}),
        [f"{ONE}'scores' must name: include, exclude, cite_f1"] * 2,
    ),
    "full marks": (
        contrast(1, answer=REFERENCE, scores=RIGHT),
        [f"{ONE}gets full marks under the rule {rule}" for rule in BOTH],
    ),
    "an unknown sample": (
        contrast(1, id="p09"),
        ["to 'p09': 'id' must name a sample", "sample 'p01' has 1 contrast answers, not 2"],
    ),
}


@pytest.mark.parametrize(("answers", "expected"), BAD_CONTRAST.values(), ids=BAD_CONTRAST)
def test_bad_contrast(problems: Problems, answers: Objects, expected: list[str]) -> None:
    found = problems(contrast=answers)
    assert [part in one for one, part in zip(found, expected, strict=True)] == [True] * len(found)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = paths(tmp_path, DOCUMENTS, first(reference=None), CONTRAST)
    command = [
        *("validate", "--docs_path", str(where.documents), "--eval_path", str(where.samples)),
        *("--badwords_path", str(where.badwords), "--contrast_path", str(where.contrast)),
    ]
    assert main(command) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{tmp_path}/{AT}has no 'reference', a gold answer")
    # Floors of two samples say little: they are told, and no problem.
    assert "2 samples, 2 documents: 1 problem" in lines
    assert lines[-1].startswith("note: ")
    assert lines[-1].endswith("is wanted: these questions are easy, or few")
