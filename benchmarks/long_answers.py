"""How long it takes to score answers of a megabyte that were made to take long.

python benchmarks/long_answers.py

First, one piece of text again and again, at 250,000, 500,000 and a million characters: the time
must double with the length. CPU seconds, the least of three.
Then, for each sample of data/ and data/hard/, the words of its own statements again and again, a
million characters: all words or six of them, in one clause or with commas between. The slowest.
"""

import gc
import re
import time
from collections.abc import Iterator

from common import DATA, parse_options, say_where

from ragifeval.benchmark.benchmark import Sample, load_benchmark
from ragifeval.scoring.scorer import Scorer
from ragifeval.statements.entries import statements_in
from tools.testing.bad_input import REPEATED, check_answer, repeated

SHOWN = 5


def main() -> None:
    """Print the tables, the slowest first."""
    options = parse_options(__doc__)
    say_where()
    sizes = (2_500, 5_000, 10_000) if options.smoke else (250_000, 500_000, 1_000_000)
    check_answer("")  # loads the lemma table
    rows = {}
    for name in REPEATED:
        texts = [repeated(name, size) for size in sizes]
        rows[name] = [min(seconds(text) for _ in range(3)) for text in texts]
    print("".join([f"{'':<30}", *(f"{size:>12,}" for size in sizes), f"{'growth':>9}"]))
    for name, times in sorted(rows.items(), key=lambda row: -row[1][-1]):
        growth = times[-1] / max(times[0], 1e-9)
        print("".join([f"{name:<30}", *(f"{each:>11.3f}s" for each in times), f"{growth:>8.1f}x"]))
    timed = sorted(own_words(sizes[-1]), reverse=True)
    print(f"\nof {len(timed)} answers of a sample's own words, {sizes[-1]:,} characters each:")
    for took, name in timed[:SHOWN]:
        print(f"{name:<42}{took:>11.3f}s")


def seconds(text: str) -> float:
    """CPU seconds to score an answer by both rules."""
    began = time.process_time()
    check_answer(text)
    return time.process_time() - began


def own_words(size: int) -> Iterator[tuple[float, str]]:
    """CPU seconds and a name for each answer that repeats the words of its sample's statements."""
    scorer = Scorer.load()
    for folder in (DATA, DATA / "hard"):
        for sample in load_benchmark(folder / "documents.jsonl", folder / "samples.jsonl").samples:
            spoken = words_of(sample)
            if not spoken:
                continue
            scorer.score(sample, sample.context, "")  # compiles them
            gc.collect()
            for some, words in (("all words", spoken), ("six words", spoken[:6])):
                for sign, joint in (("", " "), (", commas", ", ")):
                    piece = joint.join(words) + joint
                    text = (piece * (size // len(piece) + 1))[:size]
                    began = time.process_time()
                    scorer.score(sample, sample.context, text)
                    yield time.process_time() - began, f"{sample.id}, {some}{sign}"


def words_of(sample: Sample) -> list[str]:
    """The words of a sample's statements, classes by their names, each once."""
    return list(
        dict.fromkeys(
            word
            for name in ("include", "exclude")
            for said in statements_in(sample.expect.get(name, ()))
            for wording in (*said.say, *said.of, *said.rivals, *said.anti, *said.start, *said.but)
            for word in re.findall(r"\w+", wording)
        )
    )


if __name__ == "__main__":
    main()
