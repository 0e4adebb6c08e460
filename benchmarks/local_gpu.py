"""How fast the local generator is on a GPU: pipeline, batch sizes, "auto".

    python benchmarks/local_gpu.py [--size 1b|3b|8b] [--prompts 200] [--answer_tokens 256]

A Llama with random weights in bfloat16, by default the largest of these sizes that takes at most a
quarter of the memory; prompts of 300 to 1,500 tokens in random order, answers of 1 to 256. Each way
to answer runs in a process of its own, all with the same prompts. Without a GPU it says so and does
nothing; `--size tiny` runs all the same, to see that it works.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import transformers
from common import say_where
from local_model import machine, requests, save_model, set_ends

from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local import LocalGenerator

SIZES: dict[str, dict[str, int]] = {
    "tiny": {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2},
    "1b": {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16},
    "3b": {"hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28},
    "8b": {"hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32},
}
HEADS = {
    "tiny": {"num_attention_heads": 4, "num_key_value_heads": 2},
    "1b": {"num_attention_heads": 32, "num_key_value_heads": 8},
    "3b": {"num_attention_heads": 24, "num_key_value_heads": 8},
    "8b": {"num_attention_heads": 32, "num_key_value_heads": 8},
}
GIGABYTES = {"tiny": 0.0, "1b": 3.0, "3b": 7.0, "8b": 16.0}
# How to answer: None is transformers' pipeline, the others are keys of the model config.
WAYS: dict[str, tuple[int, dict[str, Any] | None]] = {
    "pipeline, batch size 1": (1, None),
    "pipeline, batch size 8": (8, None),
    "batch size 1": (1, {"batch_size": 1}),
    "batch size 8": (8, {"batch_size": 8}),
    "batch size 64": (64, {"batch_size": 64}),
    'batch size "auto"': (0, {"batch_size": "auto"}),
}


def measure(way: str, directory: Path, prompts: int, answer_tokens: int) -> dict[str, float]:
    """Answer all prompts in one way, after a few to warm up."""
    set_ends(answer_tokens)
    asked = requests(prompts)
    batch_size, settings = WAYS[way]
    if settings is None:
        device = 0 if torch.cuda.is_available() else -1
        pipeline = transformers.pipeline(
            "text-generation", str(directory), dtype="bfloat16", device=device
        )

        def run(count: int) -> list[str]:
            texts = [str(request.prompt.text) for request in asked[:count]]
            options = {"batch_size": batch_size, "max_new_tokens": answer_tokens}
            found = pipeline(texts, **options, do_sample=False, return_full_text=False)
            return [answer[0]["generated_text"] for answer in found]

    else:
        config = LocalConfig(
            model=str(directory),
            dtype="bfloat16",
            temperature=0.0,
            max_new_tokens=answer_tokens,
            **settings,
        )
        generator = LocalGenerator(config, text_completion=True)

        def run(count: int) -> list[str]:
            return [str(answer.text) for answer in generator.generate(asked[:count])]

    run(min(8, prompts))
    start = time.perf_counter()
    answers = run(prompts)
    seconds = time.perf_counter() - start
    tokens = sum(len(answer.split()) + 1 for answer in answers)
    peak = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    return {"seconds": seconds, "tokens": tokens, "gib": peak}


def fitting_size() -> str:
    """The largest model whose weights take at most a quarter of the GPU's memory."""
    total = torch.cuda.get_device_properties(0).total_memory / 1e9
    return max((size for size in SIZES if GIGABYTES[size] <= total / 4), key=GIGABYTES.__getitem__)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--answer_tokens", type=int, default=256)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if options.way is not None:
        found = measure(options.way, options.model, options.prompts, options.answer_tokens)
        print(json.dumps(found))
        return
    if not torch.cuda.is_available() and options.size != "tiny":
        print("no CUDA device: nothing is measured")
        return
    say_where()
    size = options.size or fitting_size()
    print(f"{machine()}\nLlama {size}, bfloat16, {options.prompts} prompts", flush=True)
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name), torch.bfloat16, **SIZES[size], **HEADS[size])
        torch.accelerator.empty_cache() if torch.cuda.is_available() else None
        first = None
        for way in WAYS:
            command = [sys.executable, __file__, "--way", way, "--model", name]
            command += ["--prompts", str(options.prompts)]
            command += ["--answer_tokens", str(options.answer_tokens)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(f"{way:24} failed: {done.stderr.strip().splitlines()[-1]}", flush=True)
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            first = first or found["seconds"]
            print(
                f"{way:24} {found['seconds']:8.1f} s, {found['tokens'] / found['seconds']:8.0f} "
                f"tokens/s, {found['gib']:6.1f} GiB at most, {first / found['seconds']:6.2f} "
                "times the first line",
                flush=True,
            )


if __name__ == "__main__":
    main()
