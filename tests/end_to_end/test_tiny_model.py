"""eval_local.py with a small language model, alone and in batches."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from ragifeval.__main__ import evaluate as main
from tools.testing.process import call, records

SAMPLES = 6
call_local = partial(call, partial(main, "local"))


def test_the_batch_changes_no_greedy_answer_in_float32(tiny_model: Path, tmp_path: Path) -> None:
    settings = {"model": str(tiny_model), "dtype": "float32", "temperature": 0, "max_new_tokens": 8}
    by_size: list[list[dict[str, Any]]] = []
    for batch_size in (1, 8):
        config, log = tmp_path / f"{batch_size}.json", tmp_path / f"{batch_size}.jsonl"
        config.write_text(json.dumps({**settings, "batch_size": batch_size}))
        options = ("--model_config", config, "--log_path", log, "--limit", str(SAMPLES))
        run = call_local(*options, "--shuffle_context", "--seed", "7", cwd=tmp_path)
        assert run.code == 0, run.err
        assert run.out.startswith(f"tiny-llama: {SAMPLES} of {SAMPLES} samples answered\n")
        found = sorted(records(log), key=lambda record: str(record["id"]))
        by_size.append([{**record, "seconds": 0, "asked": ""} for record in found])
    assert by_size[0] == by_size[1]
    assert len({record["answer"] for record in by_size[0]}) > SAMPLES // 2
    assert all(record["usage"]["prompt_tokens"] > 500 for record in by_size[0])


def test_code_that_comes_with_a_model_does_not_run(tiny_model: Path, tmp_path: Path) -> None:
    """Nothing is left behind but an empty log, and the one line says what to do."""
    model = tmp_path / "model"
    model.mkdir()
    classes = {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}
    (model / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": classes}))
    (model / "own.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    config = {"model": "./model", "tokenizer": str(tiny_model)}
    (tmp_path / "config.json").write_text(json.dumps(config))
    options = ("--model_config", "config.json", "--log_path", "out.jsonl", "--limit", "2")
    run = call_local(*options, cwd=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert run.err.splitlines()[-1].startswith("eval_local.py: error: model: './model' comes with")
    assert "Traceback" not in run.err
    assert (tmp_path / "out.jsonl").read_bytes() == b""
    assert not list(tmp_path.rglob("ran"))
