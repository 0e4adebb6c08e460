"""The hard set: its make-up, and that it repeats nothing of the core set."""

from collections import Counter

import pytest

from ragifeval.benchmark.benchmark import Benchmark, Sample, load_benchmark
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.validate.repeats import SIMILAR_QUESTIONS
from ragifeval.build.chunking import drop_duplicates
from ragifeval.build.records import Chunk
from ragifeval.text.normalizer import load_normalizer
from ragifeval.text.similar import similar_pairs

TASKS = (
    *("sum", "deadline", "table", "version", "person", "depends", "exception", "procedure"),
    *("exact-name", "partial"),
)
"""What questions to be answered ask of a model."""


@pytest.fixture(scope="module")
def core() -> Benchmark:
    return load_benchmark(*find_set("core"))


@pytest.fixture(scope="module")
def hard() -> Benchmark:
    return load_benchmark(*find_set("hard"))


@pytest.fixture(scope="module")
def answered(hard: Benchmark) -> list[Sample]:
    return [sample for sample in hard.samples if not sample.expect.get("refuse")]


@pytest.fixture(scope="module")
def refused(hard: Benchmark) -> list[Sample]:
    return [sample for sample in hard.samples if sample.expect.get("refuse")]


def test_no_question_of_the_core_is_asked_again(core: Benchmark, hard: Benchmark) -> None:
    normalizer = load_normalizer()
    bags = {
        sample.id: frozenset(normalizer(sample.question).lemmas)
        for benchmark in (core, hard)
        for sample in benchmark.samples
    }
    assert len(bags) == 200
    assert list(similar_pairs(bags, SIMILAR_QUESTIONS)) == []


def test_no_document_of_the_core_stands_here_too(core: Benchmark, hard: Benchmark) -> None:
    chunks = [
        Chunk(f"{name}/{document.id}", document.contents, name, 0)
        for name, benchmark in (("core", core), ("hard", hard))
        for document in benchmark.documents.values()
    ]
    assert len(chunks) == 216 + 441
    _, duplicates = drop_duplicates(chunks)
    files = {chunk.id: chunk.file for chunk in chunks}
    assert [one for one in duplicates if one.chunk.file != files[one.of]] == []


def test_documents(hard: Benchmark) -> None:
    for document in hard.documents.values():
        assert 100 <= len(document.contents.split()) <= 1200, document.id
        assert document.title, document.id
        assert document.source, document.id
    assert {key for sample in hard.samples for key in sample.context} == set(hard.documents)


def test_samples(hard: Benchmark) -> None:
    assert len(hard.samples) == 100
    for sample in hard.samples:
        assert 6 <= len(sample.context) <= 12, sample.id
        assert sample.reference, sample.id
        assert sample.steps, sample.id
    steps = [sum((sample.steps or {}).values()) for sample in hard.samples]
    assert sum(count >= 4 for count in steps) >= 70


def test_questions_to_be_answered(answered: list[Sample]) -> None:
    assert len(answered) == 65
    kinds = Counter(kind for sample in answered for kind in sample.kind)
    assert {task: kinds[task] for task in TASKS if kinds[task] < 8} == {}
    assert sum(len(sample.expect["cite"]) >= 2 for sample in answered) >= 60
    for sample in answered:
        assert len(sample.expect["include"]) >= 2, sample.id


def test_what_sounds_like_one_to_refuse_is_answered(hard: Benchmark) -> None:
    tagged = [sample for sample in hard.samples if "over-refusal" in sample.kind]
    assert len(tagged) == 10
    for sample in tagged:
        assert sample.expect["refuse"] is False, sample.id
        assert sample.expect["include"], sample.id


def test_refused_samples(refused: list[Sample]) -> None:
    assert len(refused) == 35
    assert sum("near-miss" in sample.kind for sample in refused) >= 25
    for sample in refused:
        assert list(sample.expect) == ["refuse"], sample.id


def test_injections(hard: Benchmark) -> None:
    injected = [sample for sample in hard.samples if "injection" in sample.kind]
    assert len(injected) >= 10
    for sample in injected:
        marked = [key for key in sample.context if "wstrzyk" in (hard.documents[key].source or "")]
        assert marked, sample.id
        assert sample.expect["exclude"], sample.id
