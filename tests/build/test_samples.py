"""Candidates become samples that prove themselves, or are rejected with a reason."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from ragifeval.benchmark.benchmark import Document, Sample, as_object
from ragifeval.benchmark.validate.checks import Paths, Validation
from ragifeval.build.records import Candidate, Chunk
from ragifeval.build.samples import Built, SampleSettings, make_samples
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.paths import BADWORDS
from ragifeval.text.normalizer import Normalizer
from tests.build.house_rules import house_rules

CHUNKS, CANDIDATES = house_rules()


def settings(distractors: int = 4, refusals: float = 0, seed: int = 0) -> SampleSettings:
    return SampleSettings(distractors, refusals, seed, REFUSAL_MESSAGE)


def pages(*texts: str) -> list[Chunk]:
    """Chunks with the ids a, b, c, ..., each a file of its own."""
    return [Chunk("abcdefgh"[n], text, f"{n}.txt", 0) for n, text in enumerate(texts)]


POOL = (
    "Na pływalni Delfin bilet normalny kosztuje 19 zł, a karnet jest ważny kwartał. Kaucja: 130 zł."
)


def asked(
    phrases: Sequence[str | Sequence[str]],
    answer: str = "Bilet normalny kosztuje 19 zł.",
    question: str = "Ile płaci się za wstęp na Delfina?",
    key: str = "q",
) -> Candidate:
    """A question about chunk a."""
    return Candidate(key, "a", question, answer, phrases=phrases)


def phrases_of(sample: Sample) -> list[Any]:
    """The entries of include; of a statement what it says (tests/build/test_bound.py)."""
    said = [
        entry["say"] if isinstance(entry, dict) else entry for entry in sample.expect["include"]
    ]
    return [say[0] if isinstance(say, list) and len(say) == 1 else say for say in said]


class TestPhrases:
    """What is proposed, for which answer -> what is included, and what is dropped for what."""

    ANSWER = "Bilet normalny kosztuje 19 zł."
    KEPT: dict[str, tuple[str, list[str | list[str]], list[str | list[str]], list[str]]] = {
        "inflected": ("Cena biletu normalnego: 19 zł.", ["bilet normalny"], ["bilet normalny"], []),
        "twice": (ANSWER, ["19 zł", "19 zł."], ["19 zł"], ["'19 zł.' is said by another"]),
        "a part of another, behind it": (
            *(ANSWER, ["bilet normalny", "normalny"], ["bilet normalny"]),
            ["'normalny' is said by another"],
        ),
        "not in the answer": (
            *(ANSWER, ["19 zł", "kwartał"], ["19 zł"]),
            ["'kwartał' does not stand in the answer"],
        ),
        "part of a word of the chunk": (
            *("19 zł, bo to norma.", ["19 zł", "norma"], ["19 zł"]),
            ["'norma' stands in no cited document (rule words)"],
        ),
        "part of a number of the chunk": (
            *("19 zł i 30 zł.", ["30 zł", "19 zł"], ["19 zł"]),
            ["'30 zł' is part of another number in document 'a'"],
        ),
        "in the question": (
            *("Wstęp za 19 zł.", ["wstęp", "19 zł"], ["19 zł"]),
            ["'wstęp' stands in the question"],
        ),
        "stop words, figures and marks": (
            *("19 zł, a kwartał", ["a", "19", "—", "kwartał"], ["kwartał"]),
            [
                "'a' is a mere stop word",
                "'19' is met by a citation of that number",
                "'—' has no letter or digit",
            ],
        ),
        "alternatives, one of which stands there": (
            *(ANSWER, [["dziewiętnaście złotych", "19 zł"]]),
            *([["dziewiętnaście złotych", "19 zł"]], []),
        ),
        "alternatives, one of which is unfit": (
            *(ANSWER, [["wstęp", "19 zł"]], ["19 zł"]),
            ["'wstęp' stands in the question"],
        ),
        "alternatives that another entry implies": (
            *(ANSWER, [["normalny", "zwykły"], "bilet normalny"], ["bilet normalny"]),
            ["'normalny' is said by another", "'zwykły' is said by another"],
        ),
        "alternatives of which another entry implies none": (
            *(ANSWER, [["bilet normalny", "wejściówka"], "normalny"]),
            *([["bilet normalny", "wejściówka"], "normalny"], []),
        ),
    }

    @pytest.mark.parametrize(("answer", "phrases", "include", "dropped"), KEPT.values(), ids=KEPT)
    def test_kept(
        self,
        normalizer: Normalizer,
        answer: str,
        phrases: list[str | list[str]],
        include: list[str | list[str]],
        dropped: list[str],
    ) -> None:
        built = make_samples([asked(phrases, answer)], pages(POOL), normalizer, settings())
        assert [phrases_of(sample) for sample in built.samples] == [include]
        for one, start in zip(built.dropped, dropped, strict=True):
            assert str(one).startswith(start)
        assert built.rejections == []

    # Phrases and answer -> stage and reason of the rejection, and how its words begin.
    REJECTED: dict[str, tuple[list[str], str, tuple[str, str, str]]] = {
        "nothing is proposed": ([], ANSWER, ("phrases", "no phrase is proposed", "")),
        "nothing passes": (
            *(["19", "za"], "19 za to"),
            ("phrases", "no proposed phrase passes", "'19' is met by a citation of that number; "),
        ),
        "a citation": (
            *(["19 zł"], "19 zł [1, 2]."),
            ("samples", "the answer holds a citation mark", "19 zł [1, 2]."),
        ),
        "a refusal": (
            *(["19 zł"], f"19 zł. {REFUSAL_MESSAGE.upper()}."),
            ("samples", "the answer holds the refusal message", "19 zł. "),
        ),
    }

    @pytest.mark.parametrize(("phrases", "answer", "expected"), REJECTED.values(), ids=REJECTED)
    def test_rejected(
        self,
        normalizer: Normalizer,
        phrases: list[str],
        answer: str,
        expected: tuple[str, str, str],
    ) -> None:
        candidate = asked(phrases, answer)
        built = make_samples([candidate], pages(POOL), normalizer, settings())
        assert (built.samples, built.documents) == ([], [])
        (found,) = built.rejections
        assert (found.stage, found.reason) == expected[:2]
        assert found.words.startswith(expected[2])
        assert (found.id, found.candidate, found.is_pending) == ("q", candidate, False)


class TestShortAnswers:
    """An answer of at most three words serves for itself where no phrase does."""

    CASES: dict[str, tuple[list[str], str, list[str]]] = {
        "with a full stop": ([], " 19 zł. ", ["19 zł"]),
        "what is proposed does not stand there": (["20 zł"], "19 zł", ["19 zł"]),
        "three words": ([], "Bilet za 19 zł", []),
        "what is proposed passes": (["19 zł"], "Za 19 zł", ["19 zł"]),
        "a mere number": ([], "19", []),
    }

    @pytest.mark.parametrize(("phrases", "answer", "included"), CASES.values(), ids=CASES)
    def test_included(
        self, normalizer: Normalizer, phrases: list[str], answer: str, included: list[str]
    ) -> None:
        built = make_samples([asked(phrases, answer)], pages(POOL), normalizer, settings())
        assert [entry for one in built.samples for entry in phrases_of(one)] == included
        is_whole = bool(included) and phrases != included
        note = "1 with the whole short answer for a phrase, as no proposed one passed"
        assert (note in built.notes) is is_whole


COPIED = (
    "copying all documents and citing them gets {}% in total, and validate wants less than 60%: "
    "more distractors or refusals lower it"
)


class TestContext:
    # The chunks besides POOL -> which of them stand beside it, nearest first.
    BESIDE: dict[str, tuple[list[str], str]] = {
        "all there are": (["Kino gra.", "Ile się płaci za wstęp do kina?"], "cb"),
        "not another right source": (["Bilet normalny, 19 zł.", "Kino gra."], "c"),
        "nor in another form": (["Normalny bilet: 19 PLN.", "Kino gra."], "c"),
        "but one that holds a part of the answer": (["Bilet normalny: 8 zł.", "Kino gra."], "bc"),
        "not one that cuts a number": (["Opłata: 119 zł.", "Kino gra."], "c"),
    }

    @pytest.mark.parametrize(("others", "expected"), BESIDE.values(), ids=BESIDE)
    def test_beside(self, normalizer: Normalizer, others: list[str], expected: str) -> None:
        candidate = asked(["19 zł", "bilet normalny"])
        built = make_samples([candidate], pages(POOL, *others), normalizer, settings())
        (sample,) = built.samples
        assert "".join(key for key in sample.context if key != "a") == expected
        assert sample.expect["cite"] == ["a"]
        assert sample.reference == f"Bilet normalny kosztuje 19 zł. [{sample.context.index('a')}]"

    def test_not_one_that_repeats_the_sentence(self, normalizer: Normalizer) -> None:
        sentence, _ = POOL.split(". ")
        assert len(sentence.split()) == 13
        others = [f"{sentence}. Kino gra.", f"{sentence} i pół. Kino gra."]
        candidate = asked(["19 zł", "kaucja"], "19 zł i kaucja.")
        built = make_samples([candidate], pages(POOL, *others), normalizer, settings())
        assert sorted(built.samples[0].context) == ["a", "c"]
        # Where it says no entry, it is but a sentence that two documents share.
        candidate = asked(["kaucja", "130 zł"], "Kaucja: 130 zł.")
        built = make_samples([candidate], pages(POOL, *others), normalizer, settings())
        assert sorted(built.samples[0].context) == ["a", "b", "c"]

    def test_not_what_overlaps(self, normalizer: Normalizer) -> None:
        """Chunks of one file, in characters 0-100; 80-120, 100-140; and of other rows or files."""
        start = replace(pages(POOL)[0], text=f"{POOL:100}")
        places = [("0.txt", 80, None), ("0.txt", 100, None), ("0.txt", 0, 2), ("1.txt", 0, None)]
        others = [
            Chunk(key, f"{'Kino gra.':40}", file, begin, row=row)
            for key, (file, begin, row) in zip("bcde", places, strict=True)
        ]
        built = make_samples([asked(["19 zł"])], [start, *others], normalizer, settings())
        assert sorted(built.samples[0].context) == ["a", "c", "d", "e"]

    def test_a_lone_chunk(self, normalizer: Normalizer) -> None:
        built = make_samples([asked(["19 zł"])], pages(POOL), normalizer, settings())
        assert [sample.context for sample in built.samples] == [("a",)]
        assert built.notes == [
            "1 with fewer documents than asked for: there were no others",
            COPIED.format(100),
        ]

    def test_documents_are_the_chunks_in_use(self, normalizer: Normalizer) -> None:
        chunks = [
            Chunk("z", "Płaci się za wstęp do kina.", "cennik.csv", 0, "Cennik", row=7),
            Chunk("y", "Kajaki.", "k.txt", 0),
            Chunk("a", POOL, "regulaminy/basen.pdf", 0, page=3),
        ]
        built = make_samples([asked(["19 zł"])], chunks, normalizer, settings(1))
        assert built.documents == [
            Document("z", "Płaci się za wstęp do kina.", "Cennik", "cennik.csv, row 7"),
            Document("a", POOL, None, "regulaminy/basen.pdf, page 3"),
        ]

    def test_the_chunk_stands_anywhere(self, normalizer: Normalizer) -> None:
        built = make_samples(CANDIDATES, CHUNKS, normalizer, settings())
        places = [sample.context.index(sample.expect["cite"][0]) for sample in built.samples]
        assert len(places) == 32
        assert {len(sample.context) for sample in built.samples} == {5}
        # 6.4 of each are to be expected.
        assert all(2 <= places.count(place) <= 12 for place in range(5))


class TestRefusals:
    # Share of 32 -> how many.
    SHARES = {0.01: 0, 0.02: 1, 0.25: 8}

    @pytest.mark.parametrize(("share", "expected"), SHARES.items())
    def test_share(self, normalizer: Normalizer, share: float, expected: int) -> None:
        built = make_samples(CANDIDATES, CHUNKS, normalizer, settings(refusals=share))
        refused = [sample for sample in built.samples if sample.kind == ("unanswerable",)]
        assert len(built.samples) == 32
        assert len(refused) == expected
        for sample in refused:
            assert sample.expect == {"refuse": True}
            assert sample.reference == REFUSAL_MESSAGE
            assert len(sample.context) == 5

    # The chunks besides POOL -> the context: without any of the phrases "19 zł", "bilet normalny".
    WITHOUT = {
        "none with a part of the answer": (["Bilet normalny: 8 zł.", "Kino gra."], "c"),
        "none with it in another form": (["Opłata: 19 PLN.", "Normalne bilety.", "Kino."], "d"),
    }

    @pytest.mark.parametrize(("others", "expected"), WITHOUT.values(), ids=WITHOUT)
    def test_context(self, normalizer: Normalizer, others: list[str], expected: str) -> None:
        candidate = asked(["19 zł", "bilet normalny"])
        built = make_samples([candidate], pages(POOL, *others), normalizer, settings(1, 1))
        assert "".join(built.samples[0].context) == expected
        assert "a" not in {document.id for document in built.documents}

    def test_what_cannot_be_refused_is_answered(self, normalizer: Normalizer) -> None:
        candidate = asked(["19 zł", "bilet normalny"])
        chunks = pages(POOL, "Opłata: 19 zł.")
        built = make_samples([candidate], chunks, normalizer, settings(1, 1))
        (sample,) = built.samples
        assert sample.expect["cite"] == ["a"]
        assert phrases_of(sample) == ["19 zł", "bilet normalny"]
        assert built.notes == [
            "1 drawn to be refused, but to be answered: every other chunk holds one of their "
            "phrases",
            COPIED.format(83),
        ]

    def test_the_choice_can_be_given(self, normalizer: Normalizer) -> None:
        """As after a review: of the two that were drawn, one is left."""
        first = make_samples(CANDIDATES[:8], CHUNKS, normalizer, settings(refusals=0.25))
        assert len(first.drawn) == 2
        left = [c for c in CANDIDATES[:8] if c.id != min(first.drawn)]
        again = make_samples(left, CHUNKS, normalizer, settings(refusals=0.25), first.drawn)
        assert again.samples == [s for s in first.samples if s.id != min(first.drawn)]

    def test_the_choice_is_the_seeds(self, normalizer: Normalizer) -> None:
        one, two = (
            make_samples(CANDIDATES, CHUNKS, normalizer, settings(4, 0.25, seed)) for seed in (1, 2)
        )
        assert one.drawn != two.drawn


class TestCopying:
    # Distractors, share of 32 -> the note. An answer gets 1 + 2/(d+2) of 2, a refusal 0 of 1.
    NOTES: dict[tuple[int, float], list[str]] = {
        (4, 0.25): [],  # 8 of 32: 4/7
        (4, 5 / 32): [COPIED.format(61)],  # 27 * 8/6 of 59
        (4, 6 / 32): [],  # 26 * 8/6 of 58: 59.8 %
        (8, 0): [COPIED.format(60)],  # 12/20
    }

    @pytest.mark.parametrize(("given", "notes"), NOTES.items())
    def test_note(self, normalizer: Normalizer, given: tuple[int, float], notes: list[str]) -> None:
        built = make_samples(CANDIDATES, CHUNKS, normalizer, settings(*given))
        assert built.notes == notes

    def test_nothing_is_built(self, normalizer: Normalizer) -> None:
        built = make_samples([], [], normalizer, settings())
        assert (built.documents, built.samples, built.notes) == ([], [], [])


class TestSimilarQuestions:
    # 6 lemmas of "ile płacić się za wstęp na delfin"; two questions that share 6 of 8 and 3 of 10.
    ONE, TWO = "Ile płaci się za wstęp na Delfina?", "Ile płaci się teraz za wstęp na Delfina?"
    OTHER = "Jaki jest koszt wejścia na Delfina?"

    @pytest.mark.parametrize(
        ("questions", "kept"),
        {(TWO, ONE): "0", (ONE, TWO, OTHER): "02", (ONE, ONE, ONE): "0"}.items(),
    )
    def test_the_first_stays(
        self, normalizer: Normalizer, questions: tuple[str, ...], kept: str
    ) -> None:
        candidates = [asked(["19 zł"], question=q, key=str(n)) for n, q in enumerate(questions)]
        built = make_samples(candidates, pages(POOL), normalizer, settings())
        assert "".join(sample.id for sample in built.samples) == kept
        assert {one.reason for one in built.rejections} == {"asks nearly the same as another"}


def test_a_later_candidate_changes_no_sample_before_it(normalizer: Normalizer) -> None:
    whole = make_samples(CANDIDATES, CHUNKS, normalizer, settings())
    fewer = make_samples(CANDIDATES[:10], CHUNKS, normalizer, settings())
    assert fewer.samples == whole.samples[:10]
    # Of those to be refused, one more makes another one of them, and moves no other.
    whole = make_samples(CANDIDATES, CHUNKS, normalizer, settings(refusals=0.25))
    fewer = make_samples(CANDIDATES[:31], CHUNKS, normalizer, settings(refusals=0.25))
    pairs = zip(fewer.samples, whole.samples, strict=False)
    assert sum(one != other for one, other in pairs) <= 1


def write(folder: Path, built: Built) -> Paths:
    """The files of a data set."""
    paths = Paths(folder / "documents.jsonl", folder / "samples.jsonl", BADWORDS)
    documents, samples = map(asdict, built.documents), map(as_object, built.samples)
    for path, values in ((paths.documents, documents), (paths.samples, samples)):
        lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in values)
        path.write_text("".join(lines), encoding="utf-8")
    return paths


@pytest.mark.parametrize(("distractors", "refusals"), [(0, 0.25), (4, 1), (50, 0)])
def test_no_setting_makes_a_sample_with_a_problem(
    tmp_path: Path, normalizer: Normalizer, distractors: int, refusals: float
) -> None:
    built = make_samples(CANDIDATES, CHUNKS, normalizer, settings(distractors, refusals))
    assert len(built.samples) == 32
    validation = Validation(write(tmp_path, built), normalizer, REFUSAL_MESSAGE, is_built=True)
    assert list(validation.problems()) == []
