"""Looks for input that breaks the contract: python benchmarks/fuzz.py [--minutes 10] [--seed 0].

Takes the targets of tools/testing/bad_input.py in turn, with new examples each time, and prints
what each target found, reduced to its smallest form. What is found becomes a test. Needs
hypothesis.
"""

import argparse
import collections
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.testing.bad_input import TARGETS

# Examples of one target before the next one's turn.
TURN = 500


def main() -> int:
    """Fuzz; return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--target", choices=TARGETS, help="only this one")
    options = parser.parse_args()
    names = [options.target] if options.target else list(TARGETS)
    tried: collections.Counter[str] = collections.Counter()
    broken: set[str] = set()
    began, number = time.monotonic(), options.seed
    while time.monotonic() - began < options.minutes * 60 and len(broken) < len(names):
        for name in names:
            if name not in broken:
                tried[name] += TURN
                found = fuzz(name, number)
                if found:
                    broken.add(name)
                    print(f"=== {name}, --seed {number}\n{found}", flush=True)
        number += 1
    minutes = (time.monotonic() - began) / 60
    print(
        f"{sum(tried.values())} examples in {minutes:.1f} minutes, "
        f"seeds {options.seed} to {number - 1}"
    )
    for name in names:
        print(f"{tried[name]:>9}  {name}{'  BROKEN' if name in broken else ''}")
    return 1 if broken else 0


def fuzz(name: str, number: int) -> str:
    """One round of a target; return the traceback of what it found, with the smallest example."""
    inputs, check = TARGETS[name]

    @seed(number)
    @settings(
        max_examples=TURN,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
    )
    @given(inputs)
    def run(value: Any) -> None:
        check(value)

    try:
        run()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a find
        lines = traceback.format_exception(error)
        notes = "\n".join(getattr(error, "__notes__", []))
        return f"{notes[:2_000]}\n{''.join(line[:1_000] for line in lines[-4:])}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
