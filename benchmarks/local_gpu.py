"""How fast the ways to answer are on a GPU, with the memory they take.

    python benchmarks/local_gpu.py [--size 1b|3b|8b] [--prompts 100] [--answer_tokens 256]
                                   [--vllm ENVIRONMENT/bin/python]

The ways of local.py in bfloat16, each in a process of its own, all with the same prompts of 300 to
1,500 tokens: the pipeline at batch sizes 1 and 8, padded batches at 8, rolling ones at 1, 8, 64 and
"auto", vLLM as it decides; and `vllm bench throughput` with prompts and answers of their mean
lengths, and how many times its seconds the engine vLLM takes. The model is a Llama with random
weights, by default the largest of these sizes that takes at most a quarter of the memory. Without a
GPU it says so and does nothing; `--size tiny` runs all the same on the CPU, to see that it works:
it measures no GPU.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import transformers
from common import say_where
from local import ENDS, measure, prepare
from local_model import PROMPT_TOKENS, machine, requests, save_model

SIZES: dict[str, dict[str, int]] = {
    "tiny": {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2},
    "1b": {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16},
    "3b": {"hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28},
    "8b": {"hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32},
}
HEADS = {
    "tiny": {"num_attention_heads": 2, "num_key_value_heads": 2},
    "1b": {"num_attention_heads": 32, "num_key_value_heads": 8},
    "3b": {"num_attention_heads": 24, "num_key_value_heads": 8},
    "8b": {"num_attention_heads": 32, "num_key_value_heads": 8},
}
GIGABYTES = {"tiny": 0.0, "1b": 3.0, "3b": 7.0, "8b": 16.0}
# Way, batch size; vLLM decides itself.
RUNS: tuple[tuple[str, int | str], ...] = (
    *(("pipeline", 1), ("pipeline", 8), ("padded", 8), ("rolling", 1), ("rolling", 8)),
    *(("rolling", 64), ("rolling", "auto"), ("vllm", "auto")),
)


def fitting_size() -> str:
    """The largest model whose weights take at most a quarter of the GPU's memory."""
    total = torch.cuda.get_device_properties(0).total_memory / 1e9
    return max((size for size in SIZES if GIGABYTES[size] <= total / 4), key=GIGABYTES.__getitem__)


def vllm_bench(python: str, model: str, prompts: int, tokens: int) -> float:
    """Seconds that `vllm bench throughput` takes for as many prompts and tokens.

    Raises:
        SystemExit: it failed; with its last line.
    """
    command = [str(Path(python).parent / "vllm"), "bench", "throughput", "--model", model]
    command += ["--num-prompts", str(prompts), "--dataset-name", "random", "--dtype", "bfloat16"]
    command += ["--random-input-len", str(sum(PROMPT_TOKENS) // 2)]
    command += ["--random-output-len", str(max(1, tokens // prompts))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rate = re.search(r"([\d.]+) requests/s", done.stdout)
    if rate is None:
        raise SystemExit(f"vllm bench throughput failed: {done.stderr.strip().splitlines()[-1]}")
    return prompts / float(rate[1])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--answer_tokens", type=int, default=256)
    parser.add_argument("--vllm", help="the Python of an environment with vLLM")
    parser.add_argument("--way", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if options.way is not None:
        way, size = options.way
        settings: dict[str, Any] = {"dtype": "bfloat16", "max_new_tokens": options.answer_tokens}
        settings["batch_size"] = size if size == "auto" else int(size)
        run = prepare(way, options.model, settings)
        print(json.dumps(measure(run, requests(options.prompts))))
        return
    has_gpu = torch.cuda.is_available()
    if not has_gpu and options.size != "tiny":
        print("no CUDA device: nothing is measured")
        return
    say_where()
    size = options.size or fitting_size()
    print(f"{machine()}\nLlama {size}, bfloat16, {options.prompts} prompts")
    print("" if has_gpu else "no CUDA device: no GPU is measured, the CPU answers", flush=True)
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name), torch.bfloat16, ends=ENDS, **SIZES[size], **HEADS[size])
        torch.accelerator.empty_cache() if has_gpu else None
        first = 0.0
        for way, batch_size in RUNS:
            python = options.vllm if way == "vllm" else sys.executable
            if python is None:
                print("vllm: not measured; --vllm names the Python of an environment that has it")
                continue
            command = [python, __file__, "--way", way, str(batch_size), "--model", name]
            command += ["--prompts", str(options.prompts)]
            command += ["--answer_tokens", str(options.answer_tokens)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            label = f"{way}, batch size {batch_size}"
            if done.returncode != 0:
                print(f"{label:26} failed: {done.stderr.strip().splitlines()[-1]}", flush=True)
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            # In bfloat16 answers differ, and so do their lengths: a token is a word here.
            tokens = sum(len(answer.split()) + 1 for answer in found["answers"])
            first = first or found["wall"]
            print(
                f"{label:26} {found['wall']:8.1f} s, {tokens / found['wall']:8.0f} tokens/s, "
                f"{found['gib']:6.1f} GiB at most, {first / found['wall']:6.2f} times the first",
                flush=True,
            )
            if way == "vllm":
                seconds = vllm_bench(options.vllm, name, options.prompts, tokens)
                ratio = found["wall"] / seconds
                print(f"vllm bench throughput      {seconds:8.1f} s, the engine {ratio:.2f} times")


if __name__ == "__main__":
    main()
