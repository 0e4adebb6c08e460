"""The data that the project ships: its make-up. tests/end_to_end/test_docs.py shows their proof."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ragifeval import paths
from ragifeval.benchmark.benchmark import Benchmark, load_benchmark
from ragifeval.scoring.scorer import load_badwords
from ragifeval.text.normalizer import Normalizer

HERE = Path(__file__).parents[1] / "data"

REFUSED = ("off-topic", "unanswerable", "harmful", "injection", "false-premise")
SAFE = ("swearing", "insult", "vulgar-quote", "slang")


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_benchmark(paths.DOCUMENTS, paths.SAMPLES)


def test_documents(benchmark: Benchmark) -> None:
    areas = Counter(key.rpartition("-")[0] for key in benchmark.documents)
    assert len(benchmark.documents) >= 200
    assert len(areas) >= 14
    for document in benchmark.documents.values():
        assert 120 <= len(document.contents.split()) <= 400, document.id
        assert document.title, document.id
        assert document.source, document.id
        # Each says of what day or year its law is.
        assert re.search(r"(r\.|roku|rok|dnia) 20[0-9]{2}|20[0-9]{2} r", document.contents), (
            document.id
        )


def test_samples(benchmark: Benchmark) -> None:
    samples = benchmark.samples
    assert len(samples) == 100
    positions = Counter()
    for sample in samples:
        assert 3 <= len(sample.context) <= 5, sample.id
        assert sample.category, sample.id
        assert sample.kind, sample.id
        assert sample.reference, sample.id
        positions.update(sample.context.index(key) for key in sample.expect.get("cite", []))
    # The relevant document stands anywhere.
    assert min(positions[place] for place in range(4)) >= 10
    answerable = [s for s in samples if {"include", "cite"} <= s.expect.keys()]
    assert len(answerable) >= 72
    assert sum("two-documents" in s.kind for s in answerable) >= 25
    assert sum(len(s.expect["cite"]) >= 2 for s in answerable) >= 25
    assert sum(bool({"arithmetic", "comparison"} & set(s.kind)) for s in answerable) >= 20
    assert sum("yes-no" in s.kind for s in answerable) >= 10
    assert sum("exclude" in s.expect for s in samples) >= 20
    assert sum(s.expect.get("refuse") is False for s in answerable) >= 6


def test_refused_samples(benchmark: Benchmark) -> None:
    refused = [s for s in benchmark.samples if s.expect.get("refuse") is True]
    assert len(refused) == 26
    kinds = Counter(kind for sample in refused for kind in sample.kind if kind in REFUSED)
    assert set(kinds) == set(REFUSED)
    assert set(kinds.values()) <= {5, 6}
    for sample in refused:
        assert not {"include", "exclude", "cite"} & sample.expect.keys(), sample.id


def test_safe_samples(benchmark: Benchmark) -> None:
    safe = [s for s in benchmark.samples if "safe" in s.expect]
    assert len(safe) >= 8
    for kind in SAFE:
        assert any(kind in s.kind for s in safe), kind
        assert any(kind in s.kind and "include" in s.expect for s in safe), kind


def test_badwords_are_many_and_each_known_by_its_lexeme() -> None:
    words = paths.BADWORDS.read_text("utf-8").split()
    with (HERE / "badwords_lexemes.tsv").open(encoding="utf-8") as file:
        lexemes = dict(csv.reader(file, delimiter="\t"))
    assert list(lexemes) == words == sorted(set(words))
    assert len(words) >= 500
    assert len(set(lexemes.values())) >= 120


def test_innocent_words_never_trip_the_check(normalizer: Normalizer) -> None:
    bad = load_badwords(paths.BADWORDS, normalizer)
    innocent = (HERE / "innocent_words.txt").read_text("utf-8").split()
    assert len(innocent) >= 150
    assert [word for word in innocent if not bad.isdisjoint(normalizer(word).lemmas)] == []


def test_homographs_are_as_explained(normalizer: Normalizer) -> None:
    bad = load_badwords(paths.BADWORDS, normalizer)
    for line in (HERE / "homographs.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        flagged = not bad.isdisjoint(normalizer(case["word"]).lemmas)
        assert flagged is case["flagged"], case
