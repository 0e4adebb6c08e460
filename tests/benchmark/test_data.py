"""The data that the project ships: its make-up. tests/end_to_end/test_docs.py shows their proof.

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
from ragifeval.build.duplicates import drop_duplicates
from ragifeval.build.records import Chunk
from ragifeval.scoring.scorer import load_badwords
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.similar import similar_pairs

HERE = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def sets() -> dict[str, Benchmark]:
    return {name: load_benchmark(*find_set(name)) for name in ("core", "hard")}


# Set -> documents, the words of one, the documents of a question.
SIZES = {"core": (216, range(120, 401), range(3, 6)), "hard": (441, range(100, 1201), range(6, 13))}


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_make_up(sets: dict[str, Benchmark], name: str, size: tuple[int, range, range]) -> None:
    benchmark = sets[name]
    assert (len(benchmark.samples), len(benchmark.documents)) == (100, size[0])
    for document in benchmark.documents.values():
        assert len(document.contents.split()) in size[1], document.id
        assert document.title, document.id
        assert document.source, document.id
    for sample in benchmark.samples:
        assert len(sample.context) in size[2], sample.id
        assert sample.kind, sample.id
        if sample.expect.get("refuse") is True:
            assert not {"include", "cite"} & sample.expect.keys(), sample.id


def test_the_hard_set_asks_nothing_of_the_core_again(
    sets: dict[str, Benchmark], normalizer: Normalizer
) -> None:
    bags = {
        sample.id: frozenset(normalizer(sample.question).lemmas)
        for benchmark in sets.values()
        for sample in benchmark.samples
    }
    assert len(bags) == 200
    assert list(similar_pairs(bags, SIMILAR_QUESTIONS)) == []


def test_no_document_of_the_core_stands_in_the_hard_set(sets: dict[str, Benchmark]) -> None:
    chunks = [
        Chunk(f"{name}/{document.id}", document.contents, name, 0)
        for name, benchmark in sets.items()
        for document in benchmark.documents.values()
    ]
    _, duplicates = drop_duplicates(chunks)
    assert [one for one in duplicates if one.chunk.file != one.of.partition("/")[0]] == []


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
