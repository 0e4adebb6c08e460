"""Ask servers that others wrote, and compare with eval_local.py; `make servers` installs them.

    python -m tools.servers.check ENVIRONMENTS [NAME ...]

ENVIRONMENTS is the folder of the virtual environments vllm, llama and litellm. All servers serve
one model, trained anew; every answer, its end, its counted tokens and its scores must equal those
of eval_local.py, for chat and for text completion. Exit code 1 if any does not.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragifeval.paths import ROOT
from tools.servers.model import save_model

STARTS_WITHIN = 600.0  # seconds
MAX_TOKENS = 48
COMPARED = ("answer", "finish_reason", "usage", "scores", "scores_words")
ALIAS = "tiny"  # what the proxy calls the model
LITELLM = """
model_list:
  - model_name: {alias}
    litellm_params: {{model: "openai/{model}", api_base: "{api_base}", api_key: "-"}}
"""

Records = Mapping[str, Mapping[str, Any]]


def command(name: str, environments: Path, model: Path, port: int) -> Sequence[str]:
    """What starts a server of this name."""
    if name == "transformers":
        program = str(Path(sys.executable).parent / "transformers")
        return [program, "serve", str(model), "--host", "127.0.0.1", "--port", str(port)]
    folder = environments / name / "bin"
    if name == "vllm":
        options = "--dtype float32 --max-model-len 4096 --enforce-eager --host 127.0.0.1 --port"
        return [str(folder / "vllm"), "serve", str(model), *options.split(), str(port)]
    if name == "llama":
        script = ROOT / "tools" / "servers" / "llama_cpp.py"
        return [str(folder / "python"), str(script), str(model), str(port)]
    config = str(model.parent / "litellm.yaml")
    return [str(folder / "litellm"), "--config", config, "--host", "127.0.0.1", "--port", str(port)]


@contextmanager
def serving(name: str, environments: Path, model: Path) -> Iterator[str]:
    """Run a server; give the base of its API.

    Raises:
        SystemExit: it does not start.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    output = model.parent / f"{name}.txt"
    with output.open("wb") as file:
        server = subprocess.Popen(
            command(name, environments, model, port),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1"},
        )
    try:
        deadline = time.monotonic() + STARTS_WITHIN
        while not _answers(f"http://127.0.0.1:{port}/v1/models"):
            if server.poll() is not None or time.monotonic() > deadline:
                said = output.read_text(encoding="utf-8", errors="replace")[-4000:]
                raise SystemExit(f"{name} did not start:\n{said}")
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except (OSError, TimeoutError):
        return False


def records(script: str, config: Mapping[str, Any], completion: bool, folder: Path) -> Records:
    """Evaluate; return the records by the ids of their samples.

    Raises:
        SystemExit: an answer is missing.
    """
    config_path, log = folder / "config.json", folder / "log.jsonl"
    config_path.write_text(json.dumps(config), encoding="utf-8")
    options = ["--model_config", config_path, "--log_path", log, "--overwrite"]
    if completion:
        options += ["--text_completion", "true"]
    done = subprocess.run(
        [sys.executable, ROOT / script, *options], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{script} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    found = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return {record["id"]: record for record in found}


def differences(local: Records, remote: Records) -> list[str]:
    """The samples whose records differ, each with what differs."""
    return [
        f"{key}: {', '.join(field for field in COMPARED if record[field] != remote[key][field])}"
        for key, record in local.items()
        if any(record[field] != remote[key][field] for field in COMPARED)
    ]


def main() -> None:
    """Print a line for each server and mode."""
    names = ["transformers", "litellm", "llama", "vllm"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("environments", type=Path)
    parser.add_argument("names", nargs="*", default=names, metavar="NAME", help=" ".join(names))
    options = parser.parse_args()
    # The model is so small that more threads than one only wait for each other.
    os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1")
    is_equal = True
    with tempfile.TemporaryDirectory() as name:
        folder, model = Path(name), Path(name) / "model"
        save_model(model)
        config = {
            "model": str(model),
            "dtype": "float32",
            "batch_size": 8,
            "temperature": 0,
            "max_new_tokens": MAX_TOKENS,
        }
        local = {mode: records("eval_local.py", config, mode, folder) for mode in (False, True)}

        def compare(server: str, asked: str, api_base: str) -> bool:
            remote = {"model": asked, "api_base": api_base, "max_tokens": MAX_TOKENS, "threads": 4}
            all_equal = True
            for mode, own in local.items():
                found = differences(own, records("eval_remote.py", remote, mode, folder))
                kind = "text completion" if mode else "chat"
                print(f"{server:13} {kind:16} {len(own) - len(found)} of {len(own)} equal")
                print("".join(f"    {line}\n" for line in found), end="", flush=True)
                all_equal &= not found
            return all_equal

        for server in options.names:
            if server != "litellm":
                with serving(server, options.environments, model) as api_base:
                    is_equal &= compare(server, str(model), api_base)
                continue
            with serving("transformers", options.environments, model) as behind:
                settings = LITELLM.format(alias=ALIAS, model=model, api_base=behind)
                (folder / "litellm.yaml").write_text(settings, encoding="utf-8")
                with serving("litellm", options.environments, model) as api_base:
                    is_equal &= compare("litellm", ALIAS, api_base)
    sys.exit(not is_equal)


if __name__ == "__main__":
    main()
