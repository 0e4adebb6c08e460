"""The data that the project ships. tests/end_to_end/test_docs.py shows their proof.

How many questions are of which kind stands in data/README.md, which is measured anew, too.
"""

import csv
import json
from pathlib import Path

from ragifeval import paths
from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.validate.repeats import SIMILAR_QUESTIONS
from ragifeval.scoring.scorer import load_badwords
from ragifeval.text.normalizer import Normalizer
from ragifeval.text.similar import similar_pairs

HERE = Path(__file__).parents[1] / "data"


def test_the_hard_set_asks_nothing_of_the_core_again(normalizer: Normalizer) -> None:
    bags = {
        sample.id: frozenset(normalizer(sample.question).lemmas)
        for name in ("core", "hard")
        for sample in load_benchmark(*find_set(name)).samples
    }
    assert len(bags) == 200
    assert list(similar_pairs(bags, SIMILAR_QUESTIONS)) == []


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
