"""`ragifeval export --format results`: what is published of logs, read by those it is for."""

import json
from pathlib import Path
from uuid import UUID

import jsonschema
import pytest
from huggingface_hub import parse_eval_result_entries

from ragifeval.__main__ import evaluate, main
from ragifeval.paths import ROOT


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("published")
    logs = []
    for name in ("extractive", "refuse"):
        config = top / f"{name}.json"
        config.write_text(json.dumps({"model": f"baseline/{name}"}))
        logs.append(str(top / f"{name}.jsonl"))
        options = ["--model_config", str(config), "--log_path", logs[-1], "--limit", "30"]
        assert evaluate("local", options) == 0
    out = ["export", str(top / "site"), "--format", "results", "--dataset", "own/rag-ifeval"]
    assert main([*out, "--logs", *logs]) == 0
    assert main([*out, "--logs", *logs]) == 2  # it is not empty
    return top / "site"


def test_the_hub_reads_its_results(folder: Path) -> None:
    results = json.loads((folder / "results.json").read_text("utf-8"))
    for model in results["models"]:
        path = folder / "eval_results" / f"{model['name']}.yaml"
        entries = parse_eval_result_entries(json.loads(path.read_text("utf-8")))
        found = {entry.task_id: entry.value for entry in entries}
        assert found == {
            name: pytest.approx(model["scores"][name]["mean"] * 100, abs=0.005)
            for name in ("total", "correctness", "safety")
        }
        assert {entry.dataset_id for entry in entries} == {"own/rag-ifeval"}


def test_every_eval_ever_takes_them(folder: Path) -> None:
    """Each lies where its datastore keeps it: DEVELOPER/MODEL/UUID.json."""
    schema = json.loads((ROOT / "tests/data/every_eval_ever.schema.json").read_text("utf-8"))
    top = folder / "every_eval_ever/data/rag-ifeval/baseline"
    paths = sorted((folder / "every_eval_ever").rglob("*.json"))
    assert [path.parent for path in paths] == [top / "extractive", top / "refuse"]
    for path in paths:
        assert UUID(path.stem).version == 4
        told = json.loads(path.read_text("utf-8"))
        jsonschema.validate(told, schema)
        assert told["schema_version"] == schema["version"]
        lower = {
            r["evaluation_name"]
            for r in told["evaluation_results"]
            if r["metric_config"]["lower_is_better"]
        }
        assert "false_refusal" in lower
        assert not {"total", "right"} & lower
        assert all(0 <= r["score_details"]["score"] <= 1 for r in told["evaluation_results"])


def test_the_page_and_its_badge(folder: Path) -> None:
    assert 'class="leaderboard"' in (folder / "index.html").read_text("utf-8")
    badge = json.loads((folder / "badge.json").read_text("utf-8"))
    assert badge["label"] == "RAG-IFEval: baseline/extractive"
