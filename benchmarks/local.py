"""How fast the local generator is against transformers' own pipeline, on this machine's CPU.

    python benchmarks/local.py [--batch_sizes 1 8] [--rounds 5] [--prompts 100] [--threads N]

The pipeline gets the same prompts, in the order of the data, and the same batch size: what the
published implementation does. The model is a random Llama of 4 layers and width 256 in float32; an
answer ends where its position is a multiple of 64, so that answers have 1 to 64 tokens, the same
ones on both sides. The two take turns, and each ratio is of two runs side by side. On a machine
that is busy with other things, the CPU seconds of one thread (--threads 1) are what to look at.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
import transformers
from common import say_where
from local_model import ANSWER_TOKENS, machine, requests, save_model, set_ends

from ragifeval.generators.base import Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local import LocalGenerator

Run = Callable[[Sequence[Request]], list[str]]


def with_pipeline(directory: Path, batch_size: int) -> Run:
    """The pipeline of transformers."""
    pipeline = transformers.pipeline("text-generation", str(directory), dtype="float32")

    def run(asked: Sequence[Request]) -> list[str]:
        texts = [str(request.prompt.text) for request in asked]
        answers = pipeline(
            texts,
            batch_size=batch_size,
            max_new_tokens=ANSWER_TOKENS,
            do_sample=False,
            return_full_text=False,
        )
        return [answer[0]["generated_text"].strip() for answer in answers]

    return run


def with_generator(directory: Path, batch_size: int) -> Run:
    """The local generator of this harness."""
    config = LocalConfig(
        model=str(directory),
        dtype="float32",
        batch_size=batch_size,
        temperature=0.0,
        max_new_tokens=ANSWER_TOKENS,
    )
    generator = LocalGenerator(config, text_completion=True)

    def run(asked: Sequence[Request]) -> list[str]:
        answers = sorted(generator.generate(asked), key=lambda answer: answer.request.id)
        return [str(answer.text).strip() for answer in answers]

    return run


def measure(directory: Path, batch_size: int, asked: Sequence[Request], rounds: int) -> None:
    """Print the seconds of both, and their ratio."""
    pipeline, generator = (
        with_pipeline(directory, batch_size),
        with_generator(directory, batch_size),
    )
    pipeline(asked[:batch_size]), generator(asked[:batch_size])
    wall, busy, same = [], [], 0
    for _ in range(rounds):
        clocks = [(time.perf_counter(), time.process_time())]
        answers = []
        for run in (pipeline, generator):
            answers.append(run(asked))
            clocks.append((time.perf_counter(), time.process_time()))
        spans = [(b - a, c - b) for a, b, c in zip(*clocks, strict=True)]
        wall.append(spans[0])
        busy.append(spans[1])
        same = sum(a == b for a, b in zip(*answers, strict=True))
    print(f"batch size {batch_size}: {same} of {len(asked)} answers are the same")
    for clock, pairs in (("seconds", wall), ("CPU seconds", busy)):
        ratios = [theirs / ours for theirs, ours in pairs]
        theirs, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(
            f"    {clock:12} pipeline {theirs:6.2f}, generator {ours:6.2f}, "
            f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
            flush=True,
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch_sizes", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    say_where()
    print(machine(), flush=True)
    set_ends()
    asked = requests(options.prompts)
    with tempfile.TemporaryDirectory() as name:
        save_model(
            Path(name),
            hidden_size=256,
            intermediate_size=1024,
            num_hidden_layers=4,
            num_attention_heads=4,
        )
        for batch_size in options.batch_sizes:
            measure(Path(name), batch_size, asked, options.rounds)


if __name__ == "__main__":
    main()
