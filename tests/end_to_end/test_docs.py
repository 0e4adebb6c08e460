"""The figures of the pages are measured anew, and every command is run in the order of the page.

Models and services stand in for those that are named; what cannot be run here is parsed, and named.
"""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragifeval.__main__ import command_parser, main
from ragifeval.benchmark.sets import find_set
from ragifeval.benchmark.validate import checks
from ragifeval.defaults import REFUSAL_MESSAGE
from ragifeval.paths import BADWORDS, ROOT, SAMPLES
from ragifeval.text.normalizer import Normalizer
from tools.refresh_docs import PAGES as FIGURES
from tools.refresh_docs import refreshed
from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import call, records
from tools.testing.scripted import EXAMPLE

# README.pl.md has the commands of README.md (tests/test_readme.py).
PAGES = [
    "README.md",
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]

# Other programs: CI installs, benchmarks and integrations have tests of their own, servers none.
OTHERS = ("pip ", "python ", "lm_eval ", "inspect ", "vllm ", "pytest", "make ")
# Needs what is not there: responses of an engine, a pipeline, weights, a package, a finished build;
# or takes long: tests/results/test_export.py makes these variants of a few questions.
ONLY_PARSED = re.compile(
    "export DIR --variants|--batch|pl_core_news_sm|"
    "--bertscore_model|engine.json|--review|--apply|--data library|library/"
)


def commands(page: str) -> Iterator[str]:
    """The lines that are typed, indented as code."""
    text = (ROOT / page).read_text("utf-8").replace("\\\n", " ")
    for line in re.findall(
        r"^ {4,6}((?:[A-Z_]+=\S+ )?[a-z_]+ .*|pytest)$", text, flags=re.MULTILINE
    ):
        line = re.sub(r"^([A-Z_]+=\S+ )", "", line).partition("  #")[0].strip()
        program = line.partition(" ")[0]
        if program == "ragifeval" or line.startswith(OTHERS):
            yield line


def test_there_are_commands() -> None:
    assert sum(line.startswith("ragifeval ") for page in PAGES for line in commands(page)) > 40


def answer(request: Call) -> Response:
    if request.path.endswith("/models"):
        return Response(json.dumps({"object": "list", "data": [{"id": "m"}]}).encode())
    return chat("Nie udało mi się odnaleźć odpowiedzi na pytanie.")


LOGS = ("bielik", "extractive", "gpt", "log", "main", "model", "new", "out", "refuse", "run")


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, answers and documents under the names that the pages use."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "baseline.json").write_text('{"model": "baseline/extractive"}')
    run = ("local", "--model", "baseline/reference", "--log_path", "LOG", "--limit", "3")
    assert call(main, *run, cwd=folder).code == 0
    for name in LOGS:
        shutil.copy(folder / "LOG", folder / f"{name}.jsonl")
        shutil.copy(folder / "LOG.summary.json", folder / f"{name}.summary.json")
    lines = [f"{sample['id']},To 17 zł [0]." for sample in records(SAMPLES)]
    for name in ("system.csv", "answers.csv"):
        (folder / name).write_text("\n".join(["id,answer", *lines]), encoding="utf-8")
    (folder / "DOCS").symlink_to(EXAMPLE)
    (folder / "docs").symlink_to(ROOT / "docs")
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page(page: str, laid_out: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(laid_out, tmp_path / "page", symlinks=True)
    with Loopback(answer) as server:
        config = json.dumps({"model": "m", "api_base": server.url})
        for name in ("model", "judge", "remote"):
            (folder / f"{name}.json").write_text(config)
        for line in commands(page):
            if line.startswith("ragifeval "):
                run(line, folder, server.url)
            elif program := re.match(r"python ((?:benchmarks|tools)/\S+\.py|eval_\w+\.py)", line):
                assert (ROOT / program[1]).is_file(), line


def run(line: str, folder: Path, url: str) -> None:
    """Run a command that a page shows, on few questions, and with a stand-in for its model."""
    words = shlex.split(line)[1:]
    command_parser().parse_args(words)
    if ONLY_PARSED.search(line):
        return
    command = words[0]
    line = line.replace("https://api.openai.com/v1", url)
    if command == "local":
        line = re.sub(r"--model speakleash\S+( --model_args \S+)?|--model_config \S+", "", line)
    if command in ("local", "remote"):
        line += " --limit 3 --overwrite"
    if command == "remote" and "api_base" not in line and "--model_config" not in line:
        line += f" --model_args api_base={url}"
    if command in ("build", "judge") or "vertex_credentials" in line:
        line += " --dry_run"
    elif command in ("score", "export"):
        line += " --overwrite"
    done = call(main, *shlex.split(line)[1:], cwd=folder)
    # 1: questions that these few answers leave out, or a floor that they do not reach.
    expected = (0, 1) if command == "score" or "--fail" in line else (0,)
    assert done.code in expected, (line, done.err)


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of the 20 draws of each sample's facts; `make validate` proves all of them."""
    monkeypatch.setattr(checks, "SEEDS", range(1, 4))


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("page", FIGURES)
def test_figures_and_options_are_true(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert text == refreshed(page), "run: python -m tools.refresh_docs"


@pytest.mark.usefixtures("few_draws")
def test_the_hard_set_is_proved(normalizer: Normalizer) -> None:
    """docs/reading-the-numbers.md shows the same of the core set."""
    files = checks.Paths(*find_set("hard"), BADWORDS)
    data = checks.Validation(files, normalizer, REFUSAL_MESSAGE)
    assert (len(data.benchmark.samples), len(data.benchmark.documents)) == (100, 441)
    assert list(data.problems()) == []
