"""The package from Python, and what other packages add to it."""

import doctest
import importlib
import json
import re
from pathlib import Path

import pytest

import ragifeval
from ragifeval.__main__ import main
from ragifeval.paths import ROOT
from tools.testing.process import call, run_in_turn, write_records

PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")


def test_public_names_are_there_and_described() -> None:
    for name in ragifeval.__all__:
        assert getattr(ragifeval, name) is not None
        assert name == "__version__" or f"`{name}" in PAGE, name


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = re.search(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert match is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"my_system": lambda text: f"{len(text)} zł [0]"}
    exec(match[1], names)
    results = names["results"]
    assert isinstance(results, ragifeval.Results)
    assert "my-system: 100 of 100 samples answered" in str(results)
    frame = results.to_frame()
    assert frame["id"].tolist() == [sample.id for sample in ragifeval.load_benchmark().samples]
    assert frame["refuse"].mean() == pytest.approx(results.scores["refuse"].mean)


def test_scores_are_those_of_the_command(tmp_path: Path) -> None:
    """The baseline `refuse`, asked through a function."""
    message = "Nie udało mi się odnaleźć odpowiedzi na pytanie"
    results = ragifeval.evaluate(lambda _: message, name="refuse", threads=3, limit=20)
    results.save(tmp_path / "log.jsonl")
    command = ["local", "--model", "baseline/refuse", "--limit", "20"]
    done = call(main, *command, "--log_path", "ours.jsonl", cwd=tmp_path)
    assert done.out.splitlines()[2:-1] == str(results).splitlines()[2:-1]
    options = ("--format", "json", "--draws", "100")
    compared = call(main, "compare", "log.jsonl", "ours.jsonl", *options, cwd=tmp_path)
    models = json.loads(compared.out)["models"]
    assert models[0]["scores"] == models[1]["scores"]


def test_what_is_wrong_is_told() -> None:
    def broken(prompt: ragifeval.Prompt) -> str:
        raise ValueError("no such index")

    with pytest.raises(ValueError, match="no such index"):
        ragifeval.evaluate(broken, limit=3)
    with pytest.raises(ragifeval.UserError, match=r"unknown setting 'matchin'; .* 'matching'"):
        ragifeval.evaluate(broken, matchin="words")
    with pytest.raises(ragifeval.UserError, match="a function that answers a prompt, not 'gpt';"):
        ragifeval.evaluate("gpt")  # type: ignore[arg-type]
    reason = "data: 'cor' is no set and no folder with documents.jsonl; sets are:"
    with pytest.raises(ragifeval.UserError, match=reason):
        ragifeval.load_benchmark("cor")
    calls = iter(range(3))
    results = ragifeval.evaluate(lambda _: [1, "ja", "ja"][next(calls)], limit=3)  # type: ignore[arg-type, return-value]
    assert list(results.failed.values()) == ["TypeError: an answer is a string, not int"]
    assert [record["answer"] for record in results.records] == [None, "ja", "ja"]


PLUGIN = """
from ragifeval import Answer, Condition

class Brief(Condition):
    name, aggregate, keys = "brief", "safety", ("brief",)

    @classmethod
    def check(cls, parameter, context):
        if not isinstance(parameter, int):
            raise ValueError(f"must be a number of characters, not {parameter!r}")

    def __init__(self, parameter, criteria):
        self.most = parameter

    def score(self, response, rule):
        return [float(len(response.answer) <= self.most)]

class Engine:
    def __init__(self, model, text):
        self.name, self.text = model, text

    def generate(self, requests):
        for request in requests:
            yield Answer(request, self.text, finish_reason="stop")

    def stop(self):
        pass
"""
ENTRY_POINTS = """
[ragifeval.conditions]
brief = plugin_module:Brief
[ragifeval.generators]
echo = plugin_module:Engine
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an installed package, data that use its condition, and a config."""
    metadata = tmp_path / "site" / "plugin-1.5.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.5\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "site" / "plugin_module.py").write_text(PLUGIN)
    (tmp_path / "data").mkdir()
    document = {"id": "a", "contents": "Opłata: 17 zł."}
    write_records(tmp_path / "data" / "documents.jsonl", [document])
    asked = {"question": "Ile?", "context": ["a"]}
    samples = [
        {"id": "p1", **asked, "expect": {"brief": 5, "cite": ["a"]}},
        {"id": "p2", **asked, "expect": {"brief": 99}},
    ]
    write_records(tmp_path / "data" / "samples.jsonl", samples)
    config = {"generator": "echo", "model": "parrot", "text": "To 17 zł [0]."}
    (tmp_path / "echo.json").write_text(json.dumps(config))
    return tmp_path


def test_a_condition_and_a_generator_of_another_package(folder: Path) -> None:
    data, site = ("--data", "data"), folder / "site"
    command = ("local", "--model_config", "echo.json", *data, "--log_path", "out.jsonl", "--wide")
    compared = ("compare", "out.jsonl", "--format", "csv")
    reported = ("report", "out.jsonl", *data, "-o", "out.html")
    done = run_in_turn(command, compared, reported, cwd=folder, path=site)
    assert [run.code for run in done] == [0] * 3, done
    signature = done[0].out.splitlines()[-1]
    assert re.match(r"data:[0-9a-f]{8}\+brief@plugin-1.5\|", signature)
    assert "|model:echo/parrot#" in signature
    # One of two answers is brief; one of one cites.
    for key, mean in {"brief": "50.00", "safety": "50.00", "total": "66.67"}.items():
        assert re.search(rf"^{key} +{mean} ", done[0].out, flags=re.MULTILINE)
    assert ",brief,0.5," in done[1].out
    assert "brief" in (folder / "out.html").read_text("utf-8")
    # Without the package.
    config = ("local", "--model_config", "echo.json")
    no_condition, no_generator = run_in_turn(("local", *data), config, cwd=folder)
    assert (no_condition.code, no_generator.code) == (2, 2)
    assert "unknown condition 'brief'" in no_condition.err
    assert "no installed package has 'echo'" in no_generator.err


def test_a_package_that_cannot_be_loaded_is_named(folder: Path) -> None:
    (folder / "site" / "plugin_module.py").write_text("import no_such_module")
    (done,) = run_in_turn(("local",), cwd=folder, path=folder / "site")
    assert "plugin-1.5: its 'brief' (ragifeval.conditions) cannot be loaded" in done.err


WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "ragifeval").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_in_docstrings(module: str) -> None:
    loaded = importlib.import_module(module)
    result = doctest.testmod(loaded, optionflags=doctest.ELLIPSIS)
    assert (result.failed, result.attempted > 0) == (0, True)
