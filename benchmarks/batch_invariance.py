"""How often greedy answers change with the batch size.

    python benchmarks/batch_invariance.py [--batch_sizes 2 8 24] [--dtypes float32 bfloat16]

24 prompts of 100 to 300 random tokens, answers of 32 tokens, by a Llama with random weights of 2
layers and width 1024 (8 heads, 4 of keys and values). Each answer is compared with the one of batch
size 1: in batches that are padded on the left, as transformers' pipeline makes them, and in those
of this harness, which reads each prompt alone and only generates side by side. Runs on the GPU, if
there is one.
"""

import argparse
import tempfile
import time
from pathlib import Path

import transformers
from common import say_where
from local_model import machine, requests, save_model

from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local.batches import Batches, PaddedBatches, TokenizedPrompt
from ragifeval.generators.local.loading import LoadedModel, load_tokenizer
from ragifeval.generators.local.rolling import RollingBatch

PROMPT_TOKENS, ANSWER_TOKENS = (100, 300), 32
WAYS = {"padded batches": PaddedBatches, "this harness": RollingBatch}


def answers(batches: Batches, prompts: list[TokenizedPrompt]) -> list[list[int]]:
    """The tokens of each answer, in the order of the requests."""
    done = sorted(batches.complete(prompts), key=lambda done: done.prompt.request.id)
    return [row.tokens for row in done]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch_sizes", type=int, nargs="+", default=[2, 4, 8, 24])
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16", "float16"])
    parser.add_argument("--prompts", type=int, default=24)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    say_where()
    print(f"{machine()}\n")
    print(f"answers of {options.prompts} that differ from those of batch size 1, at batch size")
    print(" " * 24 + "".join(f" {size:4}" for size in options.batch_sizes))
    with tempfile.TemporaryDirectory() as name:
        save_model(
            Path(name),
            hidden_size=1024,
            intermediate_size=2816,
            num_hidden_layers=2,
            num_attention_heads=8,
            num_key_value_heads=4,
        )
        for dtype in options.dtypes:
            config = LocalConfig(
                model=name, dtype=dtype, temperature=0.0, max_new_tokens=ANSWER_TOKENS
            )
            tokenizer = load_tokenizer(config)
            loaded = LoadedModel(config, tokenizer)
            prompts = [
                TokenizedPrompt(request, tokenizer(request.prompt.text)["input_ids"], ANSWER_TOKENS)
                for request in requests(options.prompts, PROMPT_TOKENS)
            ]
            prompts.sort(key=lambda prompt: len(prompt.ids), reverse=True)
            for way, kind in WAYS.items():
                start = time.perf_counter()
                expected = answers(kind(loaded, 1), prompts)
                cells = ""
                for size in options.batch_sizes:
                    given = answers(kind(loaded, size), prompts)
                    changed = sum(a != b for a, b in zip(given, expected, strict=True))
                    cells += f" {changed:4}"
                seconds = time.perf_counter() - start
                print(f"{dtype:8}  {way:14}{cells}   ({seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
