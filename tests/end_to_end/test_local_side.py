"""eval_local.py with a model that cannot be loaded: exit 2, one line, nothing left behind."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.end_to_end.process import Finished, evaluate


def edit(path: Path, **changes: object) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    kept = {key: value for key, value in {**content, **changes}.items() if value is not None}
    path.write_text(json.dumps(kept), encoding="utf-8")


def without_chat_template(model: Path) -> None:
    (model / "chat_template.jinja").unlink(missing_ok=True)
    edit(model / "tokenizer_config.json", chat_template=None)


def with_an_escape(model: Path) -> None:
    template = "{{ ''.__class__.__mro__[1].__subclasses__() }}{{ messages[0].content }}"
    (model / "chat_template.jinja").write_text(template, encoding="utf-8")


def with_broken_weights(model: Path) -> None:
    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100_000])


def with_own_code(model: Path) -> None:
    edit(
        model / "config.json",
        model_type="own",
        auto_map={"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"},
    )
    (model / "own.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n", encoding="utf-8"
    )


# What is done to a model's directory -> what the line says.
BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "no chat template": (
        without_chat_template,
        "has no chat template; use --text_completion true, or name a tokenizer with one "
        "(key 'tokenizer')",
    ),
    "a chat template that leaves the sandbox": (
        with_an_escape,
        "cannot be rendered: access to attribute '__class__' of 'str' object is unsafe",
    ),
    "broken safetensors": (with_broken_weights, "cannot be loaded: SafetensorError: "),
    "code of its own": (
        with_own_code,
        "comes with code of its own; if you trust it, set trust_remote_code to true in the model "
        "config",
    ),
}


@pytest.fixture(scope="module")
def runs(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finished]:
    def run(name: str) -> Finished:
        folder = tmp_path_factory.mktemp("broken")
        shutil.copytree(tiny_model, folder / "model")
        BROKEN[name][0](folder / "model")
        (folder / "config.json").write_text('{"model": "./model"}', encoding="utf-8")
        options = ("--model_config", "config.json", "--log_path", "out.jsonl", "--limit", "2")
        finished = evaluate("eval_local.py", *options, cwd=folder)
        assert not (folder / "model" / "ran").exists()
        assert (folder / "out.jsonl").read_bytes() == b""
        return finished

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(BROKEN, pool.map(run, BROKEN), strict=True))


@pytest.mark.parametrize("name", BROKEN)
def test_one_clear_line(runs: dict[str, Finished], name: str) -> None:
    run = runs[name]
    assert (run.code, run.out) == (2, "")
    # Loading weights shows a progress bar before it fails.
    *before, line = run.err.splitlines()
    assert line.startswith("eval_local.py: error: model: ")
    assert BROKEN[name][1] in line
    assert "./model" in line
    assert "Traceback" not in run.err
    assert all("%|" in other for other in before)
