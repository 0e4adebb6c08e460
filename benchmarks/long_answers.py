"""How long it takes to score answers of a megabyte that were made to take long.

python benchmarks/long_answers.py

Each answer is one piece of text again and again, at 250,000, 500,000 and a million characters: the
time must double with the length. CPU seconds, the least of three.
"""

import time

from common import parse_options, say_where

from tools.testing.bad_input import REPEATED, check_answer, repeated


def main() -> None:
    """Print the table, the slowest first."""
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


def seconds(text: str) -> float:
    """CPU seconds to score an answer by both rules."""
    began = time.process_time()
    check_answer(text)
    return time.process_time() - began


if __name__ == "__main__":
    main()
