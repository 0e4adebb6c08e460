"""What the measuring programs share: the machine, the server, the data, a timed command."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
DATA = ROOT / "data"
REMOTE = [sys.executable, str(ROOT / "eval_remote.py")]


def parse_options(doc: str | None, **counts: int) -> argparse.Namespace:
    """The options of a program: --smoke, and counts by name with their defaults."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, for the test")
    for name, default in counts.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def say_where() -> None:
    """Print the command, the date and the machine."""
    program = Path(sys.argv[0]).resolve()
    shown = program.relative_to(ROOT) if program.is_relative_to(ROOT) else program.name
    print(f"python {' '.join([str(shown), *sys.argv[1:]])}, {date.today()}")
    print(
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}\n",
        flush=True,
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


class Server:
    """benchmarks/server.py as a process, for the length of a `with`.

    Args:
        options: of its command line.

    Attributes:
        api_base: what a config calls so.
    """

    def __init__(self, *options: str) -> None:
        self._command = [sys.executable, str(ROOT / "benchmarks" / "server.py"), *options]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._url = self._process.stdout.readline().strip()
        self.port = int(self._url.rpartition(":")[2])
        self.api_base = f"{self._url}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def reset(self) -> None:
        """Forget what was seen."""
        self._get("/reset")

    def stats(self) -> dict[str, Any]:
        """What was seen since the last reset: server.Service.stats()."""
        return self._get("/stats")

    def _get(self, path: str) -> dict[str, Any]:
        with urllib.request.urlopen(self._url + path, timeout=60) as response:
            return json.load(response)


@dataclass(frozen=True)
class Run:
    """One command: seconds of wall and CPU time, and the most megabytes it held."""

    seconds: float
    cpu: float
    megabytes: float


def run(command: Sequence[str], env: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end.

    Raises:
        SystemExit: it failed; what it said last is told.
    """
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\nended with {process.returncode}:\n{said[-4000:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def write_samples(path: Path, count: int) -> Path:
    """Write so many samples: those of data/ again and again, each with an id of its own."""
    samples = [
        json.loads(line)
        for line in (DATA / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            sample = dict(samples[number % len(samples)])
            sample["id"] += f"-{number // len(samples)}"
            file.write(json.dumps(sample, ensure_ascii=False) + "\n")
    return path


def resident_megabytes(pid: int, peak: float = 0.0) -> tuple[float, float]:
    """What a process holds now, and the most it ever did; (0, `peak`) when it is gone."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    lines = (line.partition(":") for line in status.splitlines())
    values = {key: value.split() for key, _, value in lines}
    if "VmRSS" not in values:
        return 0.0, peak
    return int(values["VmRSS"][0]) / 1024, int(values["VmHWM"][0]) / 1024
