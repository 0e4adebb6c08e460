"""Measure the lemma table: time to open, memory, lookups a second.

python benchmarks/lemma_table.py [TABLE]
"""

import os
import random
import sys
import time
from pathlib import Path

from common import resident_megabytes, say_where

from ragifeval.paths import DOCUMENTS, LEMMA_TABLE
from ragifeval.text.lemmas import WORD, LemmaTable

WORDS = 1_000_000
REPEATS = 5


def main() -> None:
    """Print the measurements."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else LEMMA_TABLE
    say_where()
    before = resident_megabytes(os.getpid())[0]
    start = time.perf_counter()
    table = LemmaTable.open(path)
    print(f"open            {(time.perf_counter() - start) * 1000:9.2f} ms")
    print(f"memory, opened  {resident_megabytes(os.getpid())[0] - before:9.1f} MB")
    running_text = [word.lower() for word in WORD.findall(DOCUMENTS.read_text(encoding="utf-8"))]
    print(f"running text    {lookups_a_second(table, running_text):9,.0f} lookups/s")
    print(f"memory, used    {resident_megabytes(os.getpid())[0] - before:9.1f} MB")
    every_form = list(table)
    random.Random(0).shuffle(every_form)
    print(f"random forms    {lookups_a_second(table, every_form):9,.0f} lookups/s")
    print(f"forms           {len(table):9,}")
    print(f"size            {path.stat().st_size / 1e6:9.1f} MB")


def lookups_a_second(table: LemmaTable, words: list[str]) -> float:
    """The best of some runs over a million words, looked up one by one."""
    words = (words * (WORDS // len(words) + 1))[:WORDS]
    lemma = table.lemma
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for word in words:
            lemma(word)
        best = min(best, time.perf_counter() - start)
    return WORDS / best


if __name__ == "__main__":
    main()
