"""eval_remote.py beside lm-evaluation-harness and inspect_ai: same prompts, same server.

    python benchmarks/peers.py [--python PYTHON]

The peers are installed into an environment of their own in the user's cache folder, once; --python
names the interpreter of one that is there. Each reads the prompts ready-made from a file and scores
by a comparison of strings, while eval_remote.py renders its prompts and scores under both rules.
That all three ask the same is checked before anything is timed. Programs take turns; figures are
medians of the wall time of the whole command, and of the part of it from the first question that
reached the server to the last answer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from common import REMOTE, ROOT, Server, run, say_where, write_samples

from ragifeval.integrations.evaluation import prepare
from tools.testing.scripted import write_config

PEERS = ROOT / "benchmarks" / "peers"
THREADS, ROUNDS = 16, 3
OURS = "eval_remote.py"
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "OPENAI_API_KEY": "none",
    "SERVICE_API_KEY": "none",
}


def installed_peers() -> Path:
    """The interpreter of the peers' environment, which is made where there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    home = cache / "ragifeval" / "peers"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    requirements = PEERS / "requirements.txt"
    done = home / "requirements.txt"
    if not done.exists() or done.read_bytes() != requirements.read_bytes():
        print(f"installing the peers into {home}", flush=True)
        venv.create(home, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", "-r", requirements], check=True)
        done.write_bytes(requirements.read_bytes())
    return python


def write_prompts(path: Path, samples: Path) -> Path:
    """Write what eval_remote.py would ask of these samples."""
    evaluation = prepare(eval_path=samples)
    with path.open("w", encoding="utf-8") as file:
        for sample in evaluation.task.samples:
            prompt = evaluation.task.request(sample).prompt
            content = {message.role: message.content for message in prompt.messages}
            refusal = evaluation.scorer.criteria.refusal_message
            row = {"id": sample.id, **content, "refusal": refusal}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def commands(folder: Path, python: Path, server: Server, count: int) -> dict[str, Sequence[str]]:
    """Each program's name -> its command."""
    samples = write_samples(folder / f"samples-{count}.jsonl", count)
    prompts = str(write_prompts(folder / f"prompts-{count}.jsonl", samples))
    config = write_config(folder / "config.json", server.api_base, THREADS)
    url = f"{server.api_base}/chat/completions"
    return {
        OURS: [
            *(*REMOTE, "--model_config", str(config), "--eval_path", str(samples)),
            *("--log_path", str(folder / "log.jsonl"), "--overwrite"),
        ],
        "lm_eval": [
            *(str(python), "-m", "lm_eval", "run", "--model", "local-chat-completions"),
            *("--model_args", f"model=m,base_url={url},num_concurrent={THREADS},max_retries=1"),
            *("--tasks", "prompts", "--include_path", str(PEERS), "--apply_chat_template"),
            *("--metadata", json.dumps({"prompts": prompts})),
            *("--output_path", str(folder / "lm_eval"), "--log_samples"),
        ],
        "inspect_ai": [
            # inspect_ai takes no absolute path.
            *(str(python), "-m", "inspect_ai", "eval", "benchmarks/peers/prompts_inspect.py"),
            *("--model", "openai-api/service/m", "--model-base-url", server.api_base),
            *("--max-connections", str(THREADS), "-T", f"prompts={prompts}"),
            *("--log-dir", str(folder / "inspect"), "--display", "none"),
        ],
    }


def check_prompts(folder: Path, python: Path, count: int) -> None:
    """See to it that all ask the same."""
    digests: dict[str, str] = {}
    with Server("--digest") as server:
        for name, command in commands(folder, python, server, count).items():
            server.reset()
            run(command, ENVIRONMENT)
            stats = server.stats()
            digests[name] = f"{stats['requests']} prompts, {stats['digest']}"
            print(f"{name}: at most {stats['most_at_once']} questions at once")
    if len(set(digests.values())) > 1:
        raise SystemExit(f"the prompts differ: {digests}")
    print(f"all ask the same {next(iter(digests.values()))}\n", flush=True)


def measure(
    commands: Mapping[str, Sequence[str]], server: Server, rounds: int
) -> dict[str, tuple[float, float]]:
    """Each program's name -> the seconds of the whole command, and those of asking."""
    whole: dict[str, list[float]] = {name: [] for name in commands}
    asking: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            server.reset()
            whole[name].append(run(command, ENVIRONMENT).seconds)
            stats = server.stats()
            asking[name].append(stats["last"] - stats["first"])
    return {name: (median(whole[name]), median(asking[name])) for name in commands}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", type=Path, help="where lm_eval and inspect_ai are installed")
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes, for the test, in this environment"
    )
    options = parser.parse_args()
    if options.smoke and not (find_spec("lm_eval") and find_spec("inspect_ai")):
        print("lm_eval and inspect_ai are not installed here")
        return
    say_where()
    python = options.python or (Path(sys.executable) if options.smoke else installed_peers())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_prompts(folder, python, 3 if options.smoke else 100)
        if options.smoke:
            return
        print(f"{THREADS} threads; seconds in all (times {OURS}'s), and of asking:\n")
        for delay in (0.0, 0.05):
            with Server("--delay", str(delay)) as server:
                for count in (100, 1_000):
                    asked = commands(folder, python, server, count)
                    seconds = measure(asked, server, ROUNDS)
                    print(f"{delay * 1e3:.0f} ms, {count:,} questions")
                    for name, (whole, asking) in seconds.items():
                        times = whole / seconds[OURS][0]
                        print(
                            f"    {name:16}{whole:7.2f} ({times:4.1f} x){asking:8.2f}", flush=True
                        )


if __name__ == "__main__":
    main()
