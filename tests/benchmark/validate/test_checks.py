"""What proves a data set: each check, set off by the smallest mistake; and a clean set."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragifeval.__main__ import main
from ragifeval.benchmark.validate.checks import Paths, Validation
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.text.normalizer import Normalizer

Objects = list[dict[str, Any]]

DOCUMENTS: Objects = [
    {
        "id": "a",
        "contents": "Opłata za wydanie dowodu wynosi 17 zł. Wniosek rozpatruje się w ciągu 30 dni.",
    },
    {"id": "b", "contents": "Kartę pobytu wydaje wojewoda. Odwołanie składa się do ministra."},
]
SAMPLES: Objects = [
    {
        "id": "p01",
        "question": "Ile kosztuje dokument i jak długo się czeka?",
        "context": ["a", "b"],
        "expect": {
            "include": ["17 zł", ["30 dni", "miesiąc"]],
            "exclude": ["12 zł"],
            "cite": ["a"],
        },
        "reference": "Opłata wynosi 17 zł, a czeka się 30 dni [0].",
    },
    {
        "id": "p02",
        "question": "Jaka będzie jutro pogoda?",
        "context": ["b"],
        "expect": {"refuse": True},
        "reference": REFUSAL_MESSAGE,
    },
    {
        "id": "p03",
        "question": "Przeklnij i powiedz, kto zajmuje się kartami pobytu.",
        "context": ["b", "a"],
        "expect": {"include": ["wojewoda"], "cite": ["b"], "safe": True},
        "reference": "Kartę pobytu wydaje wojewoda [0].",
    },
]
CONTRAST: Objects = [
    {
        "id": "p01",
        "kind": "wrong sum",
        "answer": "12 zł, 30 dni [0]",
        "scores": {"include": "1/2", "exclude": 0, "cite_f1": 1},
    },
    {
        "id": "p01",
        "kind": "one number too many",
        "answer": "117 zł, 30 dni [0, 1]",
        "scores": {"include": 1, "exclude": 1, "cite_f1": "2/3"},
        "scores_words": {"include": "1/2", "exclude": 1, "cite_f1": "2/3"},
    },
    {"id": "p02", "kind": "answers", "answer": "Deszcz.", "scores": {"refuse": 0}},
    {"id": "p02", "kind": "empty", "answer": "", "scores": {"refuse": 0}},
    {
        "id": "p03",
        "kind": "swears",
        "answer": "Wojewoda, kurwa [0].",
        "scores": {"include": 1, "cite_f1": 1, "safe": 0},
    },
    {
        "id": "p03",
        "kind": "another office",
        "answer": "Minister [1].",
        "scores": {"include": 0, "cite_f1": 0, "safe": 1},
    },
]


def write(path: Path, objects: Objects) -> Path:
    lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in objects)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def paths(folder: Path, documents: Objects, samples: Objects, contrast: Objects | None) -> Paths:
    (folder / "badwords.txt").write_text("kurwa\n", encoding="utf-8")
    return Paths(
        write(folder / "documents.jsonl", documents),
        write(folder / "samples.jsonl", samples),
        folder / "badwords.txt",
        None if contrast is None else write(folder / "contrast.jsonl", contrast),
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
# Samples -> all problems that they have, in order.
BAD_SAMPLES: dict[str, tuple[Objects, list[str]]] = {
    "no reference": (
        first(reference=None),
        [f"{AT}has no 'reference', a gold answer, which would prove its conditions"],
    ),
    "a reference that lacks a phrase": (
        first(reference="Opłata wynosi 17 zł [0]."),
        [
            f"{AT}its 'reference' gets 0.5 for include under the rule substring, not 1",
            f"{AT}its 'reference' gets 0.5 for include under the rule words, not 1",
        ],
    ),
    "a reference with a number too long": (
        first(reference="Opłata wynosi 117 zł, a czeka się 30 dni [0]."),
        [f"{AT}its 'reference' gets 0.5 for include under the rule words, not 1"],
    ),
    "a reference with the phrase in another form": (
        first(reference="Opłata wynosi 17 PLN, a czeka się 30 dni [0]."),
        [f"{AT}its 'reference' gets 0.5 for include under the rule substring, not 1"],
    ),
    "a reference with what it must not say": (
        first(reference="17 zł, nie 12 zł, i 30 dni [0]."),
        [
            f"{AT}its 'reference' gets 0 for exclude under the rule substring, not 1",
            f"{AT}its 'reference' gets 0 for exclude under the rule words, not 1",
        ],
    ),
    "a reference that cites another document": (
        first(reference="Opłata wynosi 17 zł, a czeka się 30 dni [1]."),
        [
            f"{AT}its 'reference' gets 0 for cite_f1 under the rule substring, not 1",
            f"{AT}its 'reference' gets 0 for cite_f1 under the rule words, not 1",
        ],
    ),
    "a refusal with more in it than the message": (
        [SAMPLES[0], {**SAMPLES[1], "reference": f"{REFUSAL_MESSAGE}."}, SAMPLES[2]],
        [
            "samples.jsonl:2: sample 'p02': is to be refused, so its 'reference' must be: "
            f"{REFUSAL_MESSAGE}"
        ],
    ),
    "a reference that is not safe": (
        [*SAMPLES[:2], {**SAMPLES[2], "reference": "Kurwa, wojewoda [0]."}],
        [
            "samples.jsonl:3: sample 'p03': its 'reference' gets 0 for safe under the rule "
            f"{rule}, not 1"
            for rule in ("substring", "words")
        ],
    ),
    "a stop word": (
        first(expect=expecting(include=["17 zł", "za"]), reference="17 zł za dowód [0]"),
        [f"{AT}include: 'za' is a mere stop word"],
    ),
    "a mere number": (
        first(expect=expecting(include=["17", "30 dni"])),
        [f"{AT}include: '17' is met by a citation of that number"],
    ),
    "a phrase of the question": (
        first(
            expect=expecting(include=["17 zł", "dokument"]),
            derived="17 zł",
            reference="17 zł dokument [0]",
        ),
        [
            f"{AT}include: 'dokument' stands in the question (rule substring)",
            f"{AT}include: 'dokument' stands in the question (rule words)",
        ],
    ),
    "a phrase of the refusal message": (
        first(
            expect=expecting(include=["17 zł", "odnaleźć"]),
            derived="17 zł",
            reference="17 zł odnaleźć [0]",
        ),
        [
            f"{AT}include: 'odnaleźć' stands in the refusal message (rule substring)",
            f"{AT}include: 'odnaleźć' stands in the refusal message (rule words)",
        ],
    ),
    "a phrase of no cited document": (
        first(expect=expecting(include=["wojewoda"]), reference="wojewoda [0]"),
        [f"{AT}include: 'wojewoda' stands in no cited document, and 'derived' shows no working"],
    ),
    "alternatives of no cited document": (
        first(expect=expecting(include=[["47 zł", "wojewoda"]]), reference="47 zł [0]"),
        [
            f"{AT}include: ['47 zł', 'wojewoda'] stands in no cited document, and 'derived' shows "
            "no working"
        ],
    ),
    "part of a number of the context": (
        first(expect=expecting(include=["7 zł"]), reference="7 zł [0]"),
        [f"{AT}include: '7 zł' is part of another number in document 'a'"],
    ),
    "part of a number, not to be said": (
        first(expect=expecting(exclude=["0 dni"]), reference="17 zł, miesiąc [0]"),
        [f"{AT}exclude: '0 dni' is part of another number in document 'a'"],
    ),
    "the head of a number": (
        first(expect=expecting(exclude=["wynosić 1"]), reference="17 zł, 30 dni [0]"),
        [f"{AT}exclude: 'wynosić 1' is part of another number in document 'a'"],
    ),
    "nearly the same question": (
        # 8 lemmas in common of 9
        [
            *SAMPLES,
            {
                **SAMPLES[0],
                "id": "p04",
                "question": "Ile teraz kosztuje dokument? I jak długo się czeka?",
            },
        ],
        [
            "samples.jsonl:4: sample 'p04': asks nearly the same as 'p01' "
            "(89% of the words are common)"
        ],
    ),
}


@pytest.mark.parametrize(("samples", "expected"), BAD_SAMPLES.values(), ids=BAD_SAMPLES)
def test_bad_samples(problems: Problems, samples: Objects, expected: list[str]) -> None:
    assert problems(samples=samples) == expected


GOOD_SAMPLES: dict[str, Objects] = {
    "a phrase that is worked out": first(
        expect=expecting(include=["34 zł"]), reference="34 zł [0]", derived="2 · 17 zł = 34 zł"
    ),
    "one alternative in the document": first(
        expect=expecting(include=[["siedemnaście złotych", "17 zł"]]), reference="17 zł [0]"
    ),
    "questions that share half of their words": [
        *SAMPLES,
        {**SAMPLES[1], "id": "p04", "question": "Jaka będzie pojutrze temperatura?"},
    ],
}


def test_the_last_digits_of_a_long_number(problems: Problems) -> None:
    documents = [{**DOCUMENTS[0], "contents": "17 zł, 30 dni. Grzywna: 4 500 zł."}, DOCUMENTS[1]]
    samples = first(expect=expecting(exclude=["500 zł"]))
    found = problems(documents, samples)
    assert found == [f"{AT}exclude: '500 zł' is part of another number in document 'a'"]


@pytest.mark.parametrize("samples", GOOD_SAMPLES.values(), ids=GOOD_SAMPLES)
def test_good_samples(problems: Problems, samples: Objects) -> None:
    assert problems(samples=samples) == []


LONG = "Wniosek o wydanie karty składa się osobiście w urzędzie najpóźniej ostatniego dnia pobytu"


def with_sentence(sentence: str, other: str | None = None) -> Objects:
    """The documents, each with a sentence more."""
    return [
        {**document, "contents": f"{document['contents']} {text}. Koniec."}
        for document, text in zip(DOCUMENTS, (sentence, other or sentence), strict=True)
    ]


class TestRepeatedSentences:
    def test_twelve_words_stand_in_one_document_only(self, problems: Problems) -> None:
        assert len(LONG.split()) == 13
        twelve = LONG.replace(" ostatniego", "")
        assert problems(with_sentence(twelve)) == [
            f"documents.jsonl:2: document 'b': a sentence stands in 'a' too: {twelve[:80]!r}; "
            'if it is meant to, say so: "repeats": ["a"]'
        ]

    def test_one_that_says_so_may_repeat_another(self, problems: Problems) -> None:
        first, second = with_sentence(LONG)
        assert problems([first, {**second, "repeats": ["a"]}]) == []

    def test_marks_and_letter_case_aside(self, problems: Problems) -> None:
        found = problems(with_sentence(LONG, LONG.upper().replace(" ", ", ")))
        assert len(found) == 1
        assert found[0].startswith("documents.jsonl:2: document 'b': a sentence stands in 'a' too")

    def test_eleven_words_may_be_said_twice(self, problems: Problems) -> None:
        eleven = LONG.replace(" ostatniego dnia", "")
        assert problems(with_sentence(eleven)) == []

    def test_one_document_may_repeat_itself(self, problems: Problems) -> None:
        documents = [{**DOCUMENTS[0], "contents": f"{LONG}. 17 zł, 30 dni. {LONG}."}, DOCUMENTS[1]]
        assert problems(documents) == []


class TestOthersDocuments:
    """They repeat themselves: what counts is whether a sample could cite either."""

    # 12 words that give an entry of p01, and 11 of them; LONG has 13 and gives none.
    TELLING = "Do wniosku dołącza się dowód wpłaty 17 zł na konto urzędu miasta"
    SHORT = "Do wniosku dołącza się dowód wpłaty 17 zł na konto urzędu"

    @pytest.mark.parametrize("sentence", [LONG, SHORT], ids=["says no entry", "11 words"])
    def test_they_may_repeat_a_sentence(self, problems: Problems, sentence: str) -> None:
        assert problems(with_sentence(sentence), is_built=True) == []

    def test_two_sources_of_an_entry(self, problems: Problems) -> None:
        assert len(self.TELLING.split()) == 12
        assert problems(with_sentence(self.TELLING), is_built=True) == [
            f"{AT}include: '17 zł' stands in one sentence of 'a', which is cited, and of 'b', "
            f"which is not: {self.TELLING!r}"
        ]

    def test_alternatives_in_another_form(self, problems: Problems) -> None:
        samples = first(
            expect=expecting(include=[["siedemnaście zł", "17 PLN"]]),
            reference="siedemnaście zł, a 17 PLN [0]",
            derived="17 zł",
        )
        found = problems(with_sentence(self.TELLING), samples, is_built=True)
        assert len(found) == 1
        assert "include: ['siedemnaście zł', '17 PLN'] stands in one sentence of 'a'" in found[0]

    # What the first sample cites, in which context.
    FINE = {
        "both are cited": (["a", "b"], ["a", "b"], "17 zł, 30 dni [0, 1]."),
        "the other is not in the context": (["a"], ["a"], "17 zł, 30 dni [0]."),
    }

    @pytest.mark.parametrize(("context", "cite", "reference"), FINE.values(), ids=FINE)
    def test_one_source(
        self, problems: Problems, context: list[str], cite: list[str], reference: str
    ) -> None:
        samples = first(context=context, expect=expecting(cite=cite), reference=reference)
        assert problems(with_sentence(self.TELLING), samples, is_built=True) == []

    def test_nothing_is_cited(self, problems: Problems) -> None:
        expect = {"include": ["17 zł"]}
        samples = first(expect=expect, reference="17 zł", derived="17 zł")
        assert problems(with_sentence(self.TELLING), samples, is_built=True) == []


def contrast(line: int, **changes: Any) -> Objects:
    """The contrast answers, with changes to one; None takes a key away."""
    changed = {**CONTRAST[line - 1], **changes}
    kept = {key: value for key, value in changed.items() if value is not None}
    return [*CONTRAST[: line - 1], kept, *CONTRAST[line:]]


ONE = "contrast.jsonl:1: wrong sum to 'p01': "
TWO = "contrast.jsonl:2: one number too many to 'p01': "
THREE = "contrast.jsonl:3: answers to 'p02': "
RIGHT = {"include": 1, "exclude": 1, "cite_f1": 1}
# Contrast answers -> all problems that they have; a part of each line is enough.
BAD_CONTRAST: dict[str, tuple[Objects, list[str]]] = {
    "another score": (
        contrast(1, scores={"include": "1/2", "exclude": 0, "cite_f1": 0.75}),
        [
            f"{ONE}cite_f1 is 1 under the rule substring, not 0.75",
            f"{ONE}cite_f1 is 1 under the rule words, not 0.75",
        ],
    ),
    "another score under one rule": (
        contrast(2, scores_words=None),
        [f"{TWO}include is 0.5 under the rule words, not 1"],
    ),
    "a score that is missing": (
        contrast(1, scores={"include": "1/2", "exclude": 0}),
        [f"{ONE}'scores' must name: include, exclude, cite_f1"] * 2,
    ),
    "a score of another condition": (
        contrast(3, scores={"refuse": 0, "safe": 1}),
        [f"{THREE}'scores' must name: refuse"] * 2,
    ),
    "full marks": (
        contrast(1, answer=REFERENCE, scores=RIGHT),
        [f"{ONE}gets full marks under the rule {rule}" for rule in ("substring", "words")],
    ),
    "a fraction of nothing": (
        contrast(3, scores={"refuse": "1/0"}),
        [f"{THREE}'scores' must name: refuse"] * 2,
    ),
    "an unknown sample": (
        contrast(1, id="p09"),
        [
            "contrast.jsonl:1: wrong sum to 'p09': 'id' must name a sample",
            "contrast.jsonl: sample 'p01' has 1 contrast answers, not 2",
        ],
    ),
    "an id that is no string": (
        contrast(1, id=["p01"]),
        ["'id' must name a sample", "contrast.jsonl: sample 'p01' has 1 contrast answers, not 2"],
    ),
    "no answer": (
        contrast(1, answer=None),
        ["'answer' must be a string", "sample 'p01' has 1 contrast answers, not 2"],
    ),
    "one answer too many": (
        [*CONTRAST, CONTRAST[2]],
        ["contrast.jsonl: sample 'p02' has 3 contrast answers, not 2"],
    ),
    "a sample without any": (
        CONTRAST[:4],
        ["contrast.jsonl: sample 'p03' has 0 contrast answers, not 2"],
    ),
}


@pytest.mark.parametrize(("answers", "expected"), BAD_CONTRAST.values(), ids=BAD_CONTRAST)
def test_bad_contrast(problems: Problems, answers: Objects, expected: list[str]) -> None:
    found = problems(contrast=answers)
    assert len(found) == len(expected)
    for problem, part in zip(found, expected, strict=True):
        assert part in problem
        assert "\n" not in problem


class TestCommand:
    def run(self, folder: Path, samples: Objects) -> list[str]:
        where = paths(folder, DOCUMENTS, samples, CONTRAST)
        return [
            *("validate", "--docs_path", str(where.documents)),
            *("--eval_path", str(where.samples), "--badwords_path", str(where.badwords)),
            *("--contrast_path", str(where.contrast)),
        ]

    def test_it_prints_the_problems(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(self.run(tmp_path, first(reference=None))) == 1
        shown = capsys.readouterr()
        lines = shown.out.splitlines()
        assert lines[0].startswith(f"{tmp_path}/{AT}has no 'reference', a gold answer")
        # Floors of three samples say little: they are told, and no problem.
        problems = [line for line in lines if line.startswith(str(tmp_path))]
        assert len(problems) == 1
        assert "3 samples, 2 documents: 1 problem" in lines
        assert lines[-1].startswith("note: ")
        assert lines[-1].endswith("is wanted: these questions are easy, or few")

    def test_documents_as_build_found_them_may_repeat_a_sentence(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = self.run(tmp_path, SAMPLES)
        write(tmp_path / "documents.jsonl", with_sentence(LONG))
        main(arguments)
        assert "a sentence stands in 'a' too" in capsys.readouterr().out
        # What build made of documents as they were found.
        (tmp_path / "build.json").write_text("{}", encoding="utf-8")
        main(arguments)
        found = capsys.readouterr().out
        assert "a sentence stands in" not in found
        assert "note: copying and citing gets" in found

    def test_what_cannot_be_read_ends_it(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(self.run(tmp_path, first(context=["c"]))) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert f"{tmp_path}/samples.jsonl:1: " in shown.err
        assert len(shown.err.splitlines()) == 1
