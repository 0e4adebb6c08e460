"""Ask servers that others wrote, and compare with eval_local.py; `make servers` installs them.

    python -m tools.servers.check ENVIRONMENTS [NAME ...]

ENVIRONMENTS is the folder of the virtual environments vllm, llama and litellm. All servers serve
one model, trained anew; every answer, its end, its counted tokens and its scores must equal those
of eval_local.py, for chat and for text completion. "batch" has `vllm run-batch` answer a file of
requests. Exit code 1 if any answer differs.
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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ragifeval.paths import ROOT
from tools.servers.model import save_model

STARTS_WITHIN = 600.0  # seconds
MAX_TOKENS = 48
COMPARED = ("answer", "finish_reason", "usage", "scores", "scores_words")
VLLM_OPTIONS = ["--dtype", "float32", "--max-model-len", "4096", "--enforce-eager"]
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
        options = ["--host", "127.0.0.1", "--port", str(port)]
        return [str(folder / "vllm"), "serve", str(model), *VLLM_OPTIONS, *options]
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
    output, cache = model.parent / f"{name}.txt", model.parent / "hub"
    cache.mkdir(exist_ok=True)  # transformers lists what lies there, or fails
    with output.open("wb") as file:
        server = subprocess.Popen(
            command(name, environments, model, port),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HF_HUB_CACHE": str(cache)},
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
    _run([sys.executable, ROOT / script, *options])
    return _read(log)


def batch_records(config: Mapping[str, Any], environments: Path, folder: Path) -> Records:
    """Write the requests into a file, have `vllm run-batch` answer it, score its output.

    Raises:
        SystemExit: an answer is missing.
    """
    config_path, log = folder / "batch.json", folder / "batch.jsonl"
    asked, answered = folder / "asked.jsonl", folder / "answered.jsonl"
    config_path.write_text(json.dumps(config), encoding="utf-8")
    ragifeval = [sys.executable, "-m", "ragifeval"]
    _run([*ragifeval, "remote", "--model_config", config_path, "--batch_file", asked])
    files = ["-i", asked, "-o", answered, "--model", config["model"]]
    _run([environments / "vllm" / "bin" / "vllm", "run-batch", *files, *VLLM_OPTIONS])
    _run([*ragifeval, "score", "--batch_file", asked, "--batch_output", answered, "-o", log])
    return _read(log)


def _run(line: Sequence[str | Path]) -> None:
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{line[:3]} ended with {done.returncode}:\n{done.stderr[-4000:]}")


def _read(log: Path) -> Records:
    found = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return {record["id"]: record for record in found}


def _as_transformers_tells(records: Records) -> Records:
    """What `transformers serve` makes of the ends: it calls all of the greatest length cut off."""
    return {
        key: {**record, "finish_reason": "length"}
        if record["usage"]["completion_tokens"] == MAX_TOKENS
        else record
        for key, record in records.items()
    }


def differences(local: Records, remote: Records) -> list[str]:
    """The samples whose records differ, each with what differs."""
    return [
        f"{key}: {', '.join(field for field in COMPARED if record[field] != remote[key][field])}"
        for key, record in local.items()
        if any(record[field] != remote[key][field] for field in COMPARED)
    ]


def answered(
    server: str, environments: Path, model: Path, folder: Path
) -> Iterator[tuple[bool, Records]]:
    """The records of chat, then of text completion (True)."""
    remote: dict[str, Any] = {"model": str(model), "max_tokens": MAX_TOKENS, "threads": 4}
    if server == "batch":  # `vllm run-batch` knows no completions
        remote["api_base"] = "http://127.0.0.1:9/v1"  # nobody is asked
        yield False, batch_records(remote, environments, folder)
        return
    with ExitStack() as stack:
        if server == "litellm":
            behind = stack.enter_context(serving("transformers", environments, model))
            settings = LITELLM.format(alias=ALIAS, model=model, api_base=behind)
            (folder / "litellm.yaml").write_text(settings, encoding="utf-8")
            remote["model"] = ALIAS
        remote["api_base"] = stack.enter_context(serving(server, environments, model))
        for completion in (False, True):
            yield completion, records("eval_remote.py", remote, completion, folder)


def main() -> None:
    """Print a line for each server and mode."""
    names = ["transformers", "litellm", "llama", "vllm", "batch"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("environments", type=Path)
    parser.add_argument("names", nargs="*", default=names, metavar="NAME", help=" ".join(names))
    options = parser.parse_args()
    # The model is so small that more threads than one only wait for each other.
    os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1", VLLM_CPU_KVCACHE_SPACE="1")
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
        for server in options.names:
            for completion, remote in answered(server, options.environments, model, folder):
                own = local[completion]
                if server in ("transformers", "litellm"):
                    own = _as_transformers_tells(own)
                found = differences(own, remote)
                kind = "text completion" if completion else "chat"
                print(f"{server:13} {kind:16} {len(own) - len(found)} of {len(own)} equal")
                print("".join(f"    {line}\n" for line in found), end="", flush=True)
                is_equal &= not found
    sys.exit(not is_equal)


if __name__ == "__main__":
    main()
