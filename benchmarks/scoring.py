"""How many answers are scored in a second on one core, in one process.

    python benchmarks/scoring.py

Answers of 200 words, cut from the documents of data/, each with a citation and answering another of
its samples; scored under both rules. The published implementation scores 1,100 such answers a
second and normalizes 260,000 words.
"""

import random
import time
from statistics import median

from common import parse_options, say_where

from ragifeval import defaults, paths
from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.scoring.conditions import Criteria
from ragifeval.scoring.scorer import Scorer, load_badwords
from ragifeval.text.normalizer import load_normalizer

ANSWERS, WORDS, ROUNDS = 10_000, 200, 7
PUBLISHED_ANSWERS, PUBLISHED_WORDS = 1_100, 260_000
LEAST_RATIO = 5


def main() -> None:
    """Print the figures."""
    options = parse_options(__doc__)
    count = 200 if options.smoke else ANSWERS
    say_where()
    benchmark = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
    vocabulary = " ".join(document.contents for document in benchmark.documents.values()).split()
    pick = random.Random(0)
    tasks = []
    for number in range(count):
        start = pick.randrange(len(vocabulary) - WORDS)
        answer = " ".join([*vocabulary[start : start + WORDS], f"[{number % 4}]."])
        tasks.append((benchmark.samples[number % len(benchmark.samples)], answer))
    normalizer = load_normalizer()
    scorer = Scorer(
        Criteria(normalizer, defaults.REFUSAL_MESSAGE, load_badwords(paths.BADWORDS, normalizer))
    )
    scored, normalized = [], []
    for _ in range(2 if options.smoke else ROUNDS):
        began = time.process_time()
        for sample, answer in tasks:
            scorer.score(sample, sample.context, answer)
        scored.append(count / (time.process_time() - began))
        began = time.process_time()
        words = sum(len(normalizer(answer).lemmas) for _, answer in tasks)
        normalized.append(words / (time.process_time() - began))
    print(
        f"answers of {WORDS} words, both rules: {median(scored):9,.0f} a second "
        f"({min(scored):,.0f} - {max(scored):,.0f}), "
        f"{median(scored) / PUBLISHED_ANSWERS:.1f} x the published {PUBLISHED_ANSWERS:,}; "
        f"at least {LEAST_RATIO} x is wanted"
    )
    print(
        f"words normalized:                {median(normalized):9,.0f} a second "
        f"({min(normalized):,.0f} - {max(normalized):,.0f}), "
        f"{median(normalized) / PUBLISHED_WORDS:.1f} x the published {PUBLISHED_WORDS:,}"
    )


if __name__ == "__main__":
    main()
