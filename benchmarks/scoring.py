"""How many answers are scored in a second on one core, in one process.

    python benchmarks/scoring.py

Answers of 200 words, cut from the documents of data/, each with a citation and answering another of
its samples; scored under both rules, by the statements of data/samples.jsonl and by the phrases
that the golden answers of tests/data/ hold; then the labelled answers, some 50 words each and to
the point. The published implementation scores 1,100 answers of 200 words a second and normalizes
260,000 words.
CPU seconds; the kinds take turns, so that what else the machine does slows all alike.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from common import ROOT, parse_options, say_where

from ragifeval import defaults, paths
from ragifeval.benchmark.benchmark import Sample, load_benchmark
from ragifeval.jsonl import read_json_objects
from ragifeval.scoring.entries import Criteria
from ragifeval.scoring.scorer import Scorer, load_badwords
from ragifeval.text.normalizer import load_normalizer

GOLDEN = ROOT / "tests" / "data" / "golden_scores.jsonl"
LABELLED = ROOT / "tests" / "data" / "blind.jsonl"
ANSWERS, WORDS, ROUNDS = 10_000, 200, 5
PUBLISHED_ANSWERS, PUBLISHED_WORDS = 1_100, 260_000
LEAST_RATIO, LEAST_BY_STATEMENTS = 5, 3_000

Task = tuple[Sample, str]


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    count = 200 if options.smoke else ANSWERS
    say_where()
    benchmark = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
    by_phrases = {
        value["id"]: value["expect"] for _, value in read_json_objects(GOLDEN) if "id" in value
    }
    phrased = [
        replace(sample, expect=by_phrases.get(sample.id, sample.expect))
        for sample in benchmark.samples
    ]
    vocabulary = " ".join(document.contents for document in benchmark.documents.values()).split()
    pick = random.Random(0)
    answers = []
    for number in range(count):
        start = pick.randrange(len(vocabulary) - WORDS)
        answers.append(" ".join([*vocabulary[start : start + WORDS], f"[{number % 4}]."]))
    labelled = [value for _, value in read_json_objects(LABELLED)]
    kinds: Mapping[str, Sequence[Task]] = {
        "phrases, 200 words": answered(phrased, answers),
        "statements, 200 words": answered(benchmark.samples, answers),
        "phrases, labelled": to_their_questions(phrased, labelled),
        "statements, labelled": to_their_questions(benchmark.samples, labelled),
    }
    normalizer = load_normalizer()
    badwords = load_badwords(paths.BADWORDS, normalizer)
    scorers = {
        kind: Scorer(Criteria(normalizer, defaults.REFUSAL_MESSAGE, badwords)) for kind in kinds
    }
    scored: dict[str, list[float]] = {kind: [] for kind in kinds}
    normalized = []
    for _ in range(2 if options.smoke else ROUNDS):
        for kind, tasks in kinds.items():
            began = time.process_time()
            for sample, answer in tasks:
                scorers[kind].score(sample, sample.context, answer)
            scored[kind].append(len(tasks) / (time.process_time() - began))
        began = time.process_time()
        words = sum(len(normalizer(answer).lemmas) for answer in answers)
        normalized.append(words / (time.process_time() - began))
    for kind, rates in scored.items():
        spread = f"({min(rates):,.0f} - {max(rates):,.0f})"
        print(f"{kind + ':':<24}{median(rates):9,.0f} a second {spread}")
    phrases, statements = (max(scored[f"{kind}, 200 words"]) for kind in ("phrases", "statements"))
    print(
        f"phrases {phrases / PUBLISHED_ANSWERS:.1f} x the published {PUBLISHED_ANSWERS:,}, wanted "
        f"are {LEAST_RATIO} x; statements {statements / phrases:.2f} x the phrases, wanted are "
        f"{LEAST_BY_STATEMENTS:,} a second"
    )
    print(
        f"words normalized:       {median(normalized):9,.0f} a second "
        f"({min(normalized):,.0f} - {max(normalized):,.0f}), "
        f"{median(normalized) / PUBLISHED_WORDS:.1f} x the published {PUBLISHED_WORDS:,}"
    )


def answered(samples: Sequence[Sample], answers: Sequence[str]) -> list[Task]:
    """Each answer with the next sample in turn."""
    return [(samples[number % len(samples)], answer) for number, answer in enumerate(answers)]


def to_their_questions(
    samples: Sequence[Sample], labelled: Sequence[Mapping[str, str]]
) -> list[Task]:
    """Labelled answers with the samples that they answer."""
    by_id = {sample.id: sample for sample in samples}
    return [(by_id[value["id"]], value["answer"]) for value in labelled]


if __name__ == "__main__":
    main()
