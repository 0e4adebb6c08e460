"""How fast the ways to answer are beside each other, on this machine's CPU.

    python benchmarks/local.py [--batch_size 8] [--rounds 3] [--prompts 100] [--threads 1]
                               [--vllm ENVIRONMENT/bin/python] [--ways rolling whole]

Rolling batches, padded batches, transformers' own pipeline in the order of the data, and vLLM,
where it is installed (`make servers` makes an environment); where it is named, `whole`, too:
rolling batches that read what prompts have in common at their head with each prompt. The model is a
random Llama in float32, of 2 layers and width 512 by default. By default prompts have 1,300 to
2,000 tokens, a fifth of them in common, as those of the benchmark; answers have up to 40, the same
ones in each way. Each way runs in a process of its own, and they take turns; the figures are
medians. On a busy machine the CPU seconds of one thread are what to look at.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from common import say_where
from local_model import machine, requests, save_model

from ragifeval.generators.base import Request
from ragifeval.generators.config import LocalConfig

WAYS = ("rolling", "padded", "pipeline", "vllm")
WHOLE = "whole"
ENDS = 60  # each so many-th token ends an answer

Run = Callable[[Sequence[Request]], list[str]]


def prepare(way: str, directory: Path, settings: Mapping[str, Any]) -> Run:
    """Load the model for one way to answer.

    Args:
        settings: keys of the model config.
    """
    config = LocalConfig.model_validate({"model": str(directory), "temperature": 0.0, **settings})
    if way == "pipeline":
        return _with_pipeline(config)
    if way == "vllm":
        from ragifeval.generators.local.vllm_engine import VllmGenerator

        options = {
            "engine": "vllm",
            "gpu_memory_utilization": 0.9 if torch.cuda.is_available() else 0.1,
        }
        generator: Any = VllmGenerator(config.model_copy(update=options), text_completion=True)
    else:
        from ragifeval.generators.local import LocalGenerator

        if way == "padded":
            path = directory / "generation_config.json"
            own = json.loads(path.read_text())
            path.write_text(json.dumps({**own, "use_cache": False}))
        generator = LocalGenerator(config, text_completion=True)
        if way == "padded":
            path.write_text(json.dumps(own))
            generator._loaded.model.generation_config.use_cache = True
        if way == WHOLE:
            generator._batches._read_head = lambda *_: None

    def run(asked: Sequence[Request]) -> list[str]:
        answers = {answer.request.id: answer.text for answer in generator.generate(asked)}
        return [str(answers[request.id]).strip() for request in asked]

    return run


def _with_pipeline(config: LocalConfig) -> Run:
    device = 0 if torch.cuda.is_available() else -1
    pipeline = transformers.pipeline(
        "text-generation", config.model, dtype=config.dtype, device=device
    )

    def run(asked: Sequence[Request]) -> list[str]:
        texts = [str(request.prompt.text) for request in asked]
        options = {"batch_size": config.batch_size, "max_new_tokens": config.max_new_tokens}
        answers = pipeline(texts, **options, do_sample=False, return_full_text=False)
        return [answer[0]["generated_text"].strip() for answer in answers]

    return run


def measure(run: Run, asked: Sequence[Request]) -> dict[str, Any]:
    """Answer, after a few to warm up: seconds, CPU seconds, the answers, GiB of a GPU."""
    run(asked[:2])
    wall, busy = time.perf_counter(), time.process_time()
    answers = run(asked)
    found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - busy}
    peak = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    return {**found, "answers": answers, "gib": peak}


def in_process(python: str, way: str, options: argparse.Namespace, model: str) -> dict[str, Any]:
    """Measure one way in a process of its own.

    Raises:
        SystemExit: it failed; with its last line.
    """
    command = [python, __file__, "--way", way, "--model", model]
    for name in ("batch_size", "prompts", "threads", "answer_tokens", "head"):
        command += [f"--{name}", str(getattr(options, name))]
    command += ["--tokens", *map(str, options.tokens)]
    threads = {"OMP_NUM_THREADS": str(options.threads), "VLLM_CPU_KVCACHE_SPACE": "2"}
    environment = {**os.environ, **threads, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{way}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--tokens", type=int, nargs=2, default=[1300, 2000])
    parser.add_argument("--head", type=int, default=330, help="tokens that prompts have in common")
    parser.add_argument("--answer_tokens", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--vllm", help="the Python of an environment with vLLM")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--ways", nargs="+", choices=(*WAYS, WHOLE), default=WAYS)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if options.way is not None:
        torch.set_num_threads(options.threads)
        settings = {"batch_size": options.batch_size, "max_new_tokens": options.answer_tokens}
        run = prepare(options.way, options.model, {"dtype": "float32", **settings})
        asked = requests(options.prompts, tuple(options.tokens), options.head)
        print(json.dumps(measure(run, asked)))
        return
    say_where()
    print(machine(), flush=True)
    ways = [way for way in options.ways if way != "vllm" or options.vllm]
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as name:
        width, heads = options.width, options.width // 64
        sizes = {"hidden_size": width, "intermediate_size": width * 11 // 4}
        sizes |= {"num_hidden_layers": options.layers, "num_attention_heads": heads}
        save_model(Path(name), ends=ENDS, **sizes)
        for _ in range(options.rounds):
            for way in ways:
                python = options.vllm if way == "vllm" else sys.executable
                found[way].append(in_process(python, way, options, name))
                last = found[way][-1]
                print(f"    {way}: {last['cpu']:.1f} CPU s, {last['wall']:.1f} s", file=sys.stderr)
    answers = found[ways[0]][0]["answers"]
    tokens = sum(len(answer.split()) for answer in answers)
    print(f"{len(answers)} answers of {tokens} tokens, batch size {options.batch_size}")
    medians = {
        way: {key: statistics.median(run[key] for run in runs) for key in ("cpu", "wall")}
        for way, runs in found.items()
    }
    fastest = min(row["cpu"] for row in medians.values())
    for way, row in medians.items():
        same = sum(a == b for a, b in zip(found[way][0]["answers"], answers, strict=True))
        print(
            f"{way:30} {row['cpu']:7.2f} CPU s, {row['wall']:7.2f} s, "
            f"{row['cpu'] / fastest:5.2f} times the fastest, {same} answers the same"
        )
    if "vllm" not in ways:
        print("vLLM: not measured; --vllm names the Python of an environment that has it")


if __name__ == "__main__":
    main()
