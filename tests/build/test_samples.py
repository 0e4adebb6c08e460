"""Candidates become samples that prove themselves, or are rejected with a reason."""

import json
from collections import Counter
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
from ragifeval.text.normalizer import load_normalizer
from tools.testing.process import write_records


def house_rules() -> tuple[list[Chunk], list[Candidate]]:
    """Rules of a library, a pool, a garden: 40 chunks, each a page of its file, 32 questions."""
    chunks, candidates = [], []
    pages: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    path = Path(__file__).with_name("house_rules.pl.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        file, text = row["file"], row["text"]
        pages[file] += 1
        key = f"{file.split('.')[0]}-{pages[file]:04}"
        chunks.append(Chunk(key, text, file, ends[file], page=pages[file]))
        ends[file] += len(text)
        if "question" in row:
            candidates.append(
                Candidate(f"{key}-1", key, row["question"], row["answer"], phrases=row["phrases"])
            )
    return chunks, candidates


CHUNKS, CANDIDATES = house_rules()
Phrases = Sequence[str | Sequence[str]]


def made(
    candidates: Sequence[Candidate],
    chunks: Sequence[Chunk] = CHUNKS,
    distractors: int = 4,
    refusals: float = 0,
    seed: int = 0,
    drawn: Sequence[str] | None = None,
) -> Built:
    settings = SampleSettings(distractors, refusals, seed, REFUSAL_MESSAGE, "factoid")
    return make_samples(candidates, chunks, load_normalizer(), settings, drawn)


def pages(*texts: str) -> list[Chunk]:
    """Chunks with the ids a, b, c, ..., each a file of its own."""
    return [Chunk("abcdefgh"[n], text, f"{n}.txt", 0) for n, text in enumerate(texts)]


POOL = (
    "Na pływalni Delfin bilet normalny kosztuje 19 zł, a karnet jest ważny kwartał. Kaucja: 130 zł."
)
ANSWER = "Bilet normalny kosztuje 19 zł."


def asked(
    phrases: Phrases = ("19 zł", "bilet normalny"),
    answer: str = ANSWER,
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


# Answer, proposed phrases -> what is included, and how the reason begins for each that is not.
PROPOSED: dict[str, tuple[str, list[Any], list[Any], list[str]]] = {
    "inflected": ("Cena biletu normalnego: 19 zł.", ["bilet normalny"], ["bilet normalny"], []),
    "twice": (ANSWER, ["19 zł", "19 zł."], ["19 zł"], ["'19 zł.' is said by another"]),
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
    "unfit by itself": (
        *("19 zł, a kwartał", ["a", "19", "—", "kwartał"], ["kwartał"]),
        ["'a' is a mere stop word", "'19' is met by a citation", "'—' has no letter or digit"],
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
    # An answer of at most three words serves for itself where no phrase does.
    "a short answer": (" 19 zł. ", [], ["19 zł"], []),
    "a short answer, instead of what is wrong": ("19 zł", ["20 zł"], ["19 zł"], ["'20 zł' does"]),
    "a short answer with a phrase": ("Za 19 zł", ["19 zł"], ["19 zł"], []),
}


@pytest.mark.parametrize(
    ("answer", "phrases", "included", "dropped"), PROPOSED.values(), ids=PROPOSED
)
def test_phrases(answer: str, phrases: Phrases, included: Phrases, dropped: list[str]) -> None:
    built = made([asked(phrases, answer)], pages(POOL))
    assert [phrases_of(sample) for sample in built.samples] == [included]
    for one, start in zip(built.dropped, dropped, strict=True):
        assert one.startswith(start)
    assert built.rejections == []


# Answer, proposed phrases -> stage and reason of the rejection, and how its words begin.
REJECTED: dict[str, tuple[str, list[str], tuple[str, str], str]] = {
    "nothing is proposed": (ANSWER, [], ("phrases", "no phrase is proposed"), ""),
    "nothing passes": (
        *("19 za to wszystko", ["19", "za"], ("phrases", "no proposed phrase passes")),
        "'19' is met by a citation of that number; ",
    ),
    "a short answer that is a mere number": ("19", [], ("phrases", "no phrase is proposed"), ""),
    "a citation": (
        *("19 zł [1, 2].", ["19 zł"], ("samples", "the answer holds a citation mark")),
        "19 zł [1, 2].",
    ),
    "a refusal": (
        *(f"19 zł. {REFUSAL_MESSAGE.upper()}.", ["19 zł"]),
        *(("samples", "the answer holds the refusal message"), "19 zł. "),
    ),
}


@pytest.mark.parametrize(("answer", "phrases", "reason", "words"), REJECTED.values(), ids=REJECTED)
def test_rejected(answer: str, phrases: list[str], reason: tuple[str, str], words: str) -> None:
    candidate = asked(phrases, answer)
    built = made([candidate], pages(POOL))
    assert (built.samples, built.documents) == ([], [])
    (found,) = built.rejections
    assert (found.stage, found.reason) == reason
    assert found.words.startswith(words)
    assert (found.id, found.candidate, found.is_pending) == ("q", candidate, False)


# The chunks besides POOL -> which of them stand beside it, nearest first; and which of them where
# the question is to be refused: those that hold none of "19 zł" and "bilet normalny".
OTHERS: dict[str, tuple[list[str], str, str]] = {
    "all there are": (["Kino gra.", "Ile się płaci za wstęp do kina?"], "cb", "cb"),
    "another right source": (["Normalny bilet: 19 PLN.", "Kino gra."], "c", "c"),
    "a part of the answer": (["Bilet normalny: 8 zł.", "Kino gra."], "bc", "c"),
    "one that cuts a number": (["Opłata: 119 zł.", "Kino gra."], "c", "c"),
}


@pytest.mark.parametrize(("others", "beside", "without"), OTHERS.values(), ids=OTHERS)
def test_context(others: list[str], beside: str, without: str) -> None:
    (sample,) = made([asked()], pages(POOL, *others)).samples
    assert "".join(key for key in sample.context if key != "a") == beside
    assert sample.expect["cite"] == ["a"]
    assert sample.reference == f"{ANSWER} [{sample.context.index('a')}]"
    refused = made([asked()], pages(POOL, *others), refusals=1)
    assert "".join(refused.samples[0].context) == without
    assert "a" not in {document.id for document in refused.documents}


def test_no_context_repeats_the_sentence_that_says_an_entry() -> None:
    sentence, _ = POOL.split(". ")
    assert len(sentence.split()) == 13
    chunks = pages(POOL, f"{sentence}. Kino gra.", f"{sentence} i pół. Kino gra.")
    built = made([asked(["19 zł", "kaucja"], "19 zł i kaucja.")], chunks)
    assert sorted(built.samples[0].context) == ["a", "c"]
    # Where it says no entry, it is but a sentence that two documents share.
    built = made([asked(["kaucja", "130 zł"], "Kaucja: 130 zł.")], chunks)
    assert sorted(built.samples[0].context) == ["a", "b", "c"]


def test_no_context_holds_what_overlaps() -> None:
    """Chunks of one file, in characters 0-100; 80-120, 100-140; and of other rows or files."""
    start = replace(pages(POOL)[0], text=f"{POOL:100}")
    places = [("0.txt", 80, None), ("0.txt", 100, None), ("0.txt", 0, 2), ("1.txt", 0, None)]
    others = [
        Chunk(key, f"{'Kino gra.':40}", file, begin, row=row)
        for key, (file, begin, row) in zip("bcde", places, strict=True)
    ]
    built = made([asked(["19 zł"])], [start, *others])
    assert sorted(built.samples[0].context) == ["a", "c", "d", "e"]


def test_documents_are_the_chunks_in_use() -> None:
    chunks = [
        Chunk("z", "Płaci się za wstęp do kina.", "cennik.csv", 0, "Cennik", row=7),
        Chunk("y", "Kajaki.", "k.txt", 0),
        Chunk("a", POOL, "regulaminy/basen.pdf", 0, page=3),
    ]
    assert made([asked()], chunks, distractors=1).documents == [
        Document("z", "Płaci się za wstęp do kina.", "Cennik", "cennik.csv, row 7"),
        Document("a", POOL, None, "regulaminy/basen.pdf, page 3"),
    ]


def test_the_chunk_stands_anywhere() -> None:
    samples = made(CANDIDATES).samples
    places = [sample.context.index(sample.expect["cite"][0]) for sample in samples]
    assert len(places) == 32
    assert {len(sample.context) for sample in samples} == {5}
    # 6.4 of each are to be expected.
    assert all(2 <= places.count(place) <= 12 for place in range(5))


COPIED = (
    "copying all documents and citing them gets {}% in total, and validate wants less than 60%: "
    "more distractors or refusals lower it"
)
FEWER = "1 with fewer documents than asked for: there were no others"
UNREFUSED = (
    "1 drawn to be refused, but to be answered: every other chunk holds one of their phrases"
)
WHOLE = "1 with the whole short answer for a phrase, as no proposed one passed"
# Candidates, chunks, distractors, share to be refused -> the notes. Of copying, an answer gets
# 1 + 2/(d+2) of 2, a refusal 0 of 1.
NOTES: dict[str, tuple[Sequence[Candidate], Sequence[Chunk], int, float, list[str]]] = {
    "none, 4/7": (CANDIDATES, CHUNKS, 4, 0.25, []),
    "27 * 8/6 of 59": (CANDIDATES, CHUNKS, 4, 5 / 32, [COPIED.format(61)]),
    "26 * 8/6 of 58: 59.8 %": (CANDIDATES, CHUNKS, 4, 6 / 32, []),
    "12/20": (CANDIDATES, CHUNKS, 8, 0, [COPIED.format(60)]),
    "a lone chunk": ([asked()], pages(POOL), 4, 0, [FEWER, COPIED.format(100)]),
    "a whole answer": ([asked([], "19 zł")], pages(POOL), 0, 0, [WHOLE, COPIED.format(100)]),
    "it cannot be refused": (
        *([asked()], pages(POOL, "Opłata: 19 zł."), 1, 1),
        [UNREFUSED, COPIED.format(83)],
    ),
    "no candidates": ([], [], 4, 0, []),
}


@pytest.mark.parametrize(
    ("candidates", "chunks", "count", "share", "notes"), NOTES.values(), ids=NOTES
)
def test_notes(
    candidates: Sequence[Candidate],
    chunks: Sequence[Chunk],
    count: int,
    share: float,
    notes: list[str],
) -> None:
    built = made(candidates, chunks, count, share)
    assert built.notes == notes
    assert len(built.samples) == len(candidates)


@pytest.mark.parametrize(("share", "expected"), [(0.01, 0), (0.02, 1), (0.25, 8)])
def test_the_share_that_is_to_be_refused(share: float, expected: int) -> None:
    """Of 32 questions."""
    samples = made(CANDIDATES, refusals=share).samples
    refused = [sample for sample in samples if sample.kind == ("unanswerable",)]
    assert (len(samples), len(refused)) == (32, expected)
    for sample in refused:
        assert sample.expect == {"refuse": True}
        assert sample.reference == REFUSAL_MESSAGE
        assert len(sample.context) == 5


def test_who_is_refused_can_be_given_and_depends_on_the_seed() -> None:
    """Given as after a review: of the two that were drawn, one is left."""
    first = made(CANDIDATES[:8], refusals=0.25)
    assert len(first.drawn) == 2
    gone = min(first.drawn)
    left = [candidate for candidate in CANDIDATES[:8] if candidate.id != gone]
    again = made(left, refusals=0.25, drawn=[*first.drawn])
    assert again.samples == [sample for sample in first.samples if sample.id != gone]
    assert made(CANDIDATES, refusals=0.25, seed=1).drawn != made(CANDIDATES, refusals=0.25).drawn


def test_a_later_candidate_changes_no_sample_before_it() -> None:
    assert made(CANDIDATES[:10]).samples == made(CANDIDATES).samples[:10]
    # Of those to be refused, one more makes another one of them, and moves no other.
    fewer, whole = made(CANDIDATES[:31], refusals=0.25), made(CANDIDATES, refusals=0.25)
    pairs = zip(fewer.samples, whole.samples, strict=False)
    assert sum(one != other for one, other in pairs) <= 1


# 6 lemmas of "ile płacić się za wstęp na delfin"; two questions that share 6 of 8 and 3 of 10.
ONE, TWO = "Ile płaci się za wstęp na Delfina?", "Ile płaci się teraz za wstęp na Delfina?"
OTHER = "Jaki jest koszt wejścia na Delfina?"


@pytest.mark.parametrize(
    ("questions", "kept"), [((TWO, ONE), "0"), ((ONE, TWO, OTHER), "02"), ((ONE, ONE, ONE), "0")]
)
def test_of_similar_questions_the_first_stays(questions: tuple[str, ...], kept: str) -> None:
    candidates = [asked(["19 zł"], question=q, key=str(n)) for n, q in enumerate(questions)]
    built = made(candidates, pages(POOL))
    assert "".join(sample.id for sample in built.samples) == kept
    assert {one.reason for one in built.rejections} == {"asks nearly the same as another"}


def test_similar_questions_for_other_phrases_stay() -> None:
    other = asked(["130 zł"], "Kaucja to 130 zł.", TWO, "1")
    assert len(made([asked(["19 zł"]), other], pages(POOL)).samples) == 2


@pytest.mark.parametrize(("distractors", "refusals"), [(0, 0.25), (4, 1), (50, 0)])
def test_no_setting_makes_a_sample_with_a_problem(
    tmp_path: Path, distractors: int, refusals: float
) -> None:
    built = made(CANDIDATES, CHUNKS, distractors, refusals)
    assert len(built.samples) == 32
    paths = Paths(tmp_path / "documents.jsonl", tmp_path / "samples.jsonl", BADWORDS)
    write_records(paths.documents, map(asdict, built.documents))
    write_records(paths.samples, map(as_object, built.samples))
    validation = Validation(paths, load_normalizer(), REFUSAL_MESSAGE, is_built=True)
    assert list(validation.problems()) == []
