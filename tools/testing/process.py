"""The entry scripts as processes: how they are started, and what they leave behind."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from ragifeval.__main__ import evaluate as main
from ragifeval.paths import ROOT, SAMPLES

KEY = "sk-canary-4f1d0c7b9e2a"


@dataclass(frozen=True)
class Finished:
    """What a process came to."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """Of stderr."""
        return self.err.splitlines()[-1] if self.err else ""


def environment(**variables: str) -> dict[str, str]:
    """The environment without what may change a run: proxies, OpenAI's and Python's settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "PYTHON")) and not name.lower().endswith("_proxy")
    }
    return {**kept, "API_KEY": KEY, **variables}


def start_python(*words: str | Path, cwd: Path, **how: Any) -> "subprocess.Popen[bytes]":
    """Start Python with these words; the options of Popen may be given too."""
    settings = {
        "cwd": cwd,
        "env": environment(),
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **how,
    }
    return subprocess.Popen([sys.executable, *words], **settings)


def start(script: str, *options: str | Path, cwd: Path, **how: Any) -> "subprocess.Popen[bytes]":
    """Start an entry script."""
    return start_python(ROOT / script, *options, cwd=cwd, **how)


def start_command(*words: str | Path, cwd: Path) -> "subprocess.Popen[bytes]":
    """Start a command of `python -m ragifeval`."""
    env = environment(PYTHONPATH=str(ROOT))
    return start_python("-m", "ragifeval", *words, cwd=cwd, env=env)


def finish(process: "subprocess.Popen[bytes]", timeout: float = 120.0) -> Finished:
    """Wait for the end of a process."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"did not end:\n{err.decode(errors='replace')}") from None
    return Finished(process.returncode, (out or b"").decode(), (err or b"").decode())


def evaluate(script: str, *options: str | Path, cwd: Path, **how: Any) -> Finished:
    """Run an entry script to its end."""
    return finish(start(script, *options, cwd=cwd, **how))


def call(
    main: Callable[[list[str]], int], *options: object, cwd: Path, **variables: str
) -> Finished:
    """Run a command in this process, for what needs none of its own.

    Args:
        variables: of the environment, in addition to its own.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, environment(**variables), clear=True),
    ):
        try:
            code = main([str(option) for option in options])
        except SystemExit as done:  # the parser's
            code = int(done.code or 0)
    out.flush()
    err.flush()
    return Finished(code, *(one.buffer.getvalue().decode() for one in (out, err)))  # type: ignore[attr-defined]


_IN_TURN = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from ragifeval.__main__ import main

done = []
for command in json.loads(sys.argv[1]):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(command)
    done.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(done))
"""


def run_in_turn(
    *commands: Sequence[str], cwd: Path, path: Path = ROOT, before: str = ""
) -> list[Finished]:
    """Run commands of `ragifeval` in one new process.

    Args:
        path: a folder in which packages are found, beside the repository.
        before: Python that is run first.
    """
    run = subprocess.run(
        [sys.executable, "-c", before + _IN_TURN, json.dumps(commands)],
        cwd=cwd,
        env=environment(PYTHONPATH=f"{ROOT}:{path}"),
        stdout=subprocess.PIPE,
        check=True,
    )
    return [Finished(*done) for done in json.loads(run.stdout)]


@dataclass(frozen=True)
class Case:
    """A folder with the config of a model and the questions that it is asked."""

    folder: Path
    questions: Sequence[Mapping[str, Any]]

    @property
    def log(self) -> Path:
        return self.folder / "out.jsonl"

    @property
    def options(self) -> list[str]:
        """The command's, the same at each start."""
        return [
            *("--model_config", "config.json", "--eval_path", "samples.jsonl"),
            *("--log_path", "out.jsonl"),
        ]

    def start(self, *more: str | Path, **how: Any) -> "subprocess.Popen[bytes]":
        return start("eval_remote.py", *self.options, *more, cwd=self.folder, **how)

    def run(self, *more: str | Path, **how: Any) -> Finished:
        return finish(self.start(*more, **how))

    def call(self, *more: str | Path) -> Finished:
        """The same in this process."""
        return call(partial(main, "remote"), *self.options, *more, cwd=self.folder)

    def records(self) -> list[dict[str, Any]]:
        return records(self.log)

    def answered(self) -> set[str]:
        """The ids of the whole records with an answer, whatever else stands in the log."""
        found = set()
        for line in self.log.read_bytes().splitlines(keepends=True) if self.log.exists() else ():
            if line.endswith(b"\n") and line.strip():
                record = json.loads(line)
                if record["error"] is None:
                    found.add(record["id"])
        return found

    def summary(self) -> dict[str, Any]:
        text = (self.folder / "out.summary.json").read_text(encoding="utf-8")
        return dict(json.loads(text))

    def written(self) -> str:
        """All that stands in the folder's files."""
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return "\n".join(f"{path.name}\n{path.read_text(errors='replace')}" for path in files)


def make_case(folder: Path, count: int, *urls: str, **config: Any) -> Case:
    """Lay out a folder with so many questions, each of its own wording, for these servers."""
    folder.mkdir(exist_ok=True)
    settings = {"model": "m", "api_base": urls[0] if len(urls) == 1 else list(urls), **config}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    found = questions(count)
    write_records(folder / "samples.jsonl", found)
    return Case(folder, found)


def questions(count: int) -> list[dict[str, Any]]:
    """The questions of data/ in turn, each time with a number that makes them different ones."""
    originals = records(SAMPLES)
    made = []
    for number in range(count):
        question = dict(originals[number % len(originals)])
        question["id"] = f"{question['id']}-{number}"
        question["question"] += f" (nr {number})"
        made.append(question)
    return made


def number_of(prompt: str) -> int:
    """Which of the questions() a prompt asks."""
    return int(prompt.rpartition("(nr ")[2].partition(")")[0])


def answer_to(question: Mapping[str, Any]) -> str:
    """An answer that depends on the question alone: right, half right, a refusal, or nonsense."""
    number = int(question["id"].rpartition("-")[2])
    reference = question["reference"]
    return [
        reference,
        reference[: len(reference) // 2],
        "Nie udało mi się odnaleźć odpowiedzi na pytanie.",
        f"Kosztuje to {number} zł [{number % 4}, 1].",
    ][number * 7 % 11 % 4]


def records(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_bytes().decode().split("\n") if line]


def write_records(path: Path, found: Iterable[Mapping[str, Any]]) -> Path:
    """Write objects as a JSONL file."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in found)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def by_id(found: Sequence[Mapping[str, Any]], *without: str) -> dict[str, dict[str, Any]]:
    """Records by id, without some keys; each id may come once."""
    assert len({record["id"] for record in found}) == len(found)
    return {
        record["id"]: {key: value for key, value in record.items() if key not in without}
        for record in found
    }


def wait_until(is_so: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    """Wait for something that a running process brings about."""
    import time

    deadline = time.monotonic() + 60
    while not is_so():
        assert process.poll() is None, finish(process)
        assert time.monotonic() < deadline, "did not come about within a minute"
        time.sleep(0.01)
