"""docs/example built by a model whose replies were written by hand: what docs/build.md shows."""

import contextlib
import io
import json
import tempfile
from functools import cache
from pathlib import Path

from ragifeval.__main__ import main
from tools.testing.loopback import Loopback
from tools.testing.scripted import EXAMPLE, EXAMPLE_OPTIONS, ExampleModel, write_config

OUT = "library"
SAMPLE = "oplaty-csv-0001-q2"
REJECTED = ("oplaty-csv-0004-q2", "regulamin-md-0001-q1")


@cache
def build() -> tuple[str, dict[str, str]]:
    """What the command prints on stdout, and the lines of its files by the id they begin with."""
    stdout = io.StringIO()
    with tempfile.TemporaryDirectory() as name, Loopback(ExampleModel()) as server:
        config = write_config(Path(name) / "model.json", server.url, model="scripted")
        options = ["--model_config", str(config), "-o", OUT, "--review"]
        with (
            contextlib.chdir(name),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            main(["build", str(EXAMPLE), *EXAMPLE_OPTIONS, *options])
        lines = {
            json.loads(line)["id"]: line
            for file in ("samples.jsonl", "rejected.jsonl")
            for line in (Path(name) / OUT / file).read_text("utf-8").splitlines()
        }
    return stdout.getvalue(), lines


def table() -> str:
    """What is printed, as a Markdown block of code."""
    return "\n".join(f"    {line}".rstrip() for line in build()[0].rstrip("\n").splitlines())


def sample() -> str:
    """One sample."""
    return (
        f"```json\n{json.dumps(json.loads(build()[1][SAMPLE]), ensure_ascii=False, indent=1)}\n```"
    )


def rejected() -> str:
    """Two rejected questions, by what matters."""
    lines = []
    for key in REJECTED:
        record = json.loads(build()[1][key])
        kept = {name: record[name] for name in ("id", "stage", "reason", "words", "question")}
        lines.append(json.dumps(kept, ensure_ascii=False, indent=1))
    return "```json\n" + "\n".join(lines) + "\n```"
