"""How much faster two processes under torchrun are than one, and that the scores are the same.

    python benchmarks/devices.py [--limit 100]

A random Llama of 4 layers and width 256 on the CPU, one thread a process, answers of 64 tokens to
questions of data/. Seconds are of the whole command; what it takes to start is told as well.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from common import ROOT, Run, run, say_where
from local_model import save_model

ANSWER_TOKENS = 64
# As long as the real prompt, in words that the model's tokenizer knows.
PROMPT = """{% for doc in docs %}{% for word in doc.split() -%}
t{{ (loop.index * (word | length)) % 3000 + 1 }} {% endfor %}{% endfor %}"""


def evaluate(folder: Path, processes: int, limit: int) -> tuple[Run, dict[str, object], str]:
    """Run eval_local.py; return its times, each sample's scores, and the table's signature."""
    start = [sys.executable]
    if processes > 1:
        torchrun = Path(sys.executable).with_name("torchrun")
        start = [str(torchrun), "--standalone", "--nproc_per_node", str(processes)]
    log = folder / f"{processes}.jsonl"
    options = ["--model_config", folder / "model.json", "--text_completion", "--log_path", log]
    options += ["--prompt", folder / "prompt.jinja", "--system_message", ""]
    command = [*start, str(ROOT / "eval_local.py"), *map(str, options), "--limit", str(limit)]
    took = run(command, {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"})
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    scores = {record["id"]: [record["answer"], record["scores"]] for record in records}
    return took, scores, records[0]["signature"]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, default=100, help="questions")
    options = parser.parse_args()
    say_where()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_model(
            folder / "model",
            hidden_size=256,
            intermediate_size=1024,
            num_hidden_layers=4,
            num_attention_heads=4,
        )
        config = {"model": str(folder / "model"), "dtype": "float32", "temperature": 0}
        config |= {"batch_size": 4, "max_new_tokens": ANSWER_TOKENS}
        (folder / "model.json").write_text(json.dumps(config), encoding="utf-8")
        (folder / "prompt.jinja").write_text(PROMPT, encoding="utf-8")
        start, _, _ = evaluate(folder, 1, 1)
        (folder / "1.jsonl").unlink()
        alone, scores, signature = evaluate(folder, 1, options.limit)
        together, shared, other = evaluate(folder, 2, options.limit)
    same = scores == shared and signature == other
    print(f"start, and one question: {start.seconds:.1f} s")
    print(f"{options.limit} questions, 1 process:   {alone.seconds:.1f} s")
    print(f"{options.limit} questions, 2 processes: {together.seconds:.1f} s")
    print(
        f"the same answers, scores and signature: {'yes' if same else 'no'}; ratio of the commands "
        f"{alone.seconds / together.seconds:.2f}"
    )


if __name__ == "__main__":
    main()
