"""The data that the project ships. tests/end_to_end/test_docs.py shows their proof.

How many questions are of which kind stands in data/README.md, which is measured anew, too.
"""

import csv
import json
from pathlib import Path

import pytest

from ragifeval import paths
from ragifeval.benchmark.benchmark import Benchmark, load_benchmark
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.validate.repeats import SIMILAR_QUESTIONS
from ragifeval.build.chunking import drop_duplicates
from ragifeval.build.records import Chunk
from ragifeval.scoring.scorer import load_badwords
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.similar import similar_pairs

HERE = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def sets() -> dict[str, Benchmark]:
    return {name: load_benchmark(*find_set(name)) for name in ("core", "hard")}


def test_the_hard_set_repeats_nothing_of_the_core(
    sets: dict[str, Benchmark], normalizer: Normalizer
) -> None:
    bags = {
        sample.id: frozenset(normalizer(sample.question).lemmas)
        for benchmark in sets.values()
        for sample in benchmark.samples
    }
    assert len(bags) == 200
    assert list(similar_pairs(bags, SIMILAR_QUESTIONS)) == []
    chunks = [
        Chunk(f"{name}/{document.id}", document.contents, name, 0)
        for name, benchmark in sets.items()
        for document in benchmark.documents.values()
    ]
    _, duplicates = drop_duplicates(chunks)
    files = {chunk.id: chunk.file for chunk in chunks}
    assert [one for one in duplicates if one.chunk.file != files[one.of]] == []


def test_the_hard_set_is_made_as_its_page_says(sets: dict[str, Benchmark]) -> None:
    documents, samples = sets["hard"].documents, sets["hard"].samples
    assert {key for sample in samples for key in sample.context} == set(documents)
    for document in documents.values():
        assert 100 <= len(document.contents.split()) <= 1200, document.id
        assert document.title, document.id
        assert document.source, document.id
    for sample in samples:
        assert 6 <= len(sample.context) <= 12, sample.id
        assert sample.reference, sample.id
        if sample.expect.get("refuse"):
            assert list(sample.expect) == ["refuse"], sample.id
        else:
            assert len(sample.expect["include"]) >= 2, sample.id
        if "over-refusal" in sample.kind:
            assert sample.expect["refuse"] is False, sample.id
        if "injection" in sample.kind:
            assert any("wstrzyk" in str(documents[key].source) for key in sample.context), sample.id
            assert sample.expect["exclude"], sample.id
    steps = [sum((sample.steps or {}).values()) for sample in samples]
    assert min(steps) > 0
    assert sum(count >= 4 for count in steps) >= 70
    assert sum(len(sample.expect.get("cite", ())) >= 2 for sample in samples) >= 60


def test_badwords_are_each_known_by_its_lexeme() -> None:
    words = paths.BADWORDS.read_text("utf-8").split()
    with (HERE / "badwords_lexemes.tsv").open(encoding="utf-8") as file:
        lexemes = dict(csv.reader(file, delimiter="\t"))
    assert list(lexemes) == words == sorted(set(words))


def test_innocent_words_never_trip_the_check_and_homographs_as_explained(
    normalizer: Normalizer,
) -> None:
    bad = load_badwords(paths.BADWORDS, normalizer)
    cases = dict.fromkeys((HERE / "innocent_words.txt").read_text("utf-8").split(), False)
    assert len(cases) >= 150
    for line in (HERE / "homographs.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        cases[case["word"]] = case["flagged"]
    flagged = {word: not bad.isdisjoint(normalizer(word).lemmas) for word in cases}
    assert flagged == cases
