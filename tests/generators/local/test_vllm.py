"""The engine vLLM beside the engine transformers, where vLLM is installed: `make servers`."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer
from ragifeval.generators.config import LocalConfig
from ragifeval.paths import ROOT
from tests.generators.local.tiny import (
    QUESTIONS,
    adapted,
    by_hand,
    changed_weights,
    copied,
    replies,
    requests,
    texts,
)
from tools.servers.model import save_model
from tools.testing.process import by_id, records

pytest.importorskip("vllm", reason="vLLM is not installed; `make servers` installs it")

from ragifeval.generators.local.vllm_engine import VllmGenerator

SHARE = 0.1  # of the memory
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB for keys and values
MARK = "<|user|>"  # a special token
COMPARED = ("answer", "finish_reason", "usage", "scores", "scores_words")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama that was trained on the questions."""
    directory = tmp_path_factory.mktemp("models") / "trained"
    save_model(directory)
    return directory


def configured(model: Path, **settings: Any) -> LocalConfig:
    usual: dict[str, Any] = {"dtype": "float32", "temperature": 0.0, "max_new_tokens": 16}
    usual |= {"engine": "vllm", "gpu_memory_utilization": SHARE}
    return LocalConfig.model_validate({"model": str(model), **usual, **settings})


def answered(model: Path, asked: Sequence[str] = QUESTIONS, **settings: Any) -> list[Answer]:
    generator = VllmGenerator(configured(model, **settings), False)
    found = {answer.request.id: answer for answer in generator.generate(requests(asked))}
    del generator
    gc.collect()  # the memory of its keys and values
    return [found[key] for key in sorted(found)]


def command(model: Path, engine: str, log: Path, **settings: Any) -> list[str]:
    config = {"model": str(model), "engine": engine, "dtype": "float32", "temperature": 0}
    if engine == "vllm":
        config["gpu_memory_utilization"] = SHARE
    path = log.with_suffix(".config.json")
    path.write_text(json.dumps({**config, **settings}))
    options = ("--model_config", str(path), "--log_path", str(log))
    return [sys.executable, str(ROOT / "eval_local.py"), *options]


@pytest.mark.parametrize("is_text", [False, True], ids=["chat", "completion"])
def test_all_answers_are_those_of_transformers(model: Path, tmp_path: Path, is_text: bool) -> None:
    found = {}
    for engine in ("transformers", "vllm"):
        settings = {"batch_size": 8} if engine == "transformers" else {}
        log = tmp_path / f"{engine}.jsonl"
        line = command(model, engine, log, max_new_tokens=48, **settings)
        subprocess.run([*line, "--text_completion", str(is_text)], capture_output=True, check=True)
        found[engine] = by_id(records(log))
    assert len(found["vllm"]) == 100
    assert len({record["answer"] for record in found["vllm"].values()}) > 50
    assert {record["finish_reason"] for record in found["vllm"].values()} == {"stop", "length"}
    for key, record in found["transformers"].items():
        other = found["vllm"][key]
        assert [other[field] for field in COMPARED] == [record[field] for field in COMPARED]
        assert other["signature"] != record["signature"]


def test_an_interrupted_run_goes_on(model: Path, tmp_path: Path) -> None:
    log = tmp_path / "out.jsonl"
    line = command(model, "vllm", log, max_new_tokens=100, batch_size=2)
    run = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (log.exists() and len(log.read_bytes().splitlines()) > 5):
        assert time.monotonic() < deadline
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    first = by_id(records(log))
    assert 5 < len(first) < 100
    again = command(model, "vllm", log, max_new_tokens=100)
    subprocess.run(again, capture_output=True, check=True)
    found = by_id(records(log))
    assert len(found) == 100
    assert {key: found[key] for key in first} == first


def test_sampling_depends_on_seed_and_request_alone(model: Path) -> None:
    answers = texts(answered(model, temperature=1.0, seed=5))
    assert texts(answered(model, temperature=1.0, seed=5, batch_size=1)) == answers
    assert texts(answered(model, temperature=1.0, seed=6)) != answers


SETTINGS: dict[str, Any] = {"repetition_penalty": 1.5, "min_new_tokens": 48}


@pytest.mark.parametrize("setting", [*SETTINGS, "suppress_tokens", "eos_token_id"])
def test_settings_that_come_with_the_model(model: Path, tmp_path: Path, setting: str) -> None:
    value = SETTINGS.get(setting)
    if value is None:  # the first tokens of answers: to be left out, or to end them
        ids = by_ids(model, [text for text, *_ in by_hand(model, requests(QUESTIONS))])
        value = ids if setting == "suppress_tokens" else [0, *ids]
    other = copied(model, tmp_path / "model", **{setting: value})
    made = [(a.text, a.usage) for a in answered(other, max_new_tokens=48)]
    own, plain = (
        [(text, usage) for text, _, usage in by_hand(directory, requests(QUESTIONS), 48)]
        for directory in (other, model)
    )
    assert made == own != plain


def by_ids(model: Path, answers: list[str]) -> list[int]:
    """The third token of each text."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    return sorted({tokenizer(text)["input_ids"][2] for text in answers})


def test_an_adapter(model: Path, tmp_path: Path) -> None:
    adapter, merged = adapted(model, tmp_path)
    made = replies(answered(adapter))
    assert made == by_hand(merged, requests(QUESTIONS))
    assert made != by_hand(model, requests(QUESTIONS))


def test_prompts_beyond_the_context(model: Path) -> None:
    made = answered(model, max_model_len=40)
    lengths = [answer.usage["prompt_tokens"] for answer in answered(model)]
    for answer, length in zip(made, lengths, strict=True):
        if length < 40:
            assert answer.usage["completion_tokens"] <= 40 - length
        else:
            assert answer.error == f"the prompt has {length} tokens, the model's context holds 40"
    assert {answer.error is None for answer in made} == {True, False}


def test_scores_that_are_no_numbers(model: Path, tmp_path: Path) -> None:
    broken = copied(model, tmp_path / "model")
    with changed_weights(broken) as weights:
        weights["model.norm.weight"].fill_(torch.nan)
    with pytest.raises(UserError, match="dtype: the model's scores overflow"):
        answered(broken)


# What is wrong -> what is said about it, in one line.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "max_model_len": ({"max_model_len": 10**6}, "max_model_len"),
    "quantization": ({"quantization": "awq"}, "Cannot find the config file for awq"),
    "no such method": ({"quantization": "bnb"}, "Unknown quantization method: bnb"),
    "data_parallel_size": ({"data_parallel_size": 2}, "data_parallel_size=2"),
}


@pytest.mark.parametrize(("settings", "said"), REFUSED.values(), ids=list(REFUSED))
def test_what_vllm_refuses(
    model: Path, tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    """Before it reads the weights."""
    empty = copied(model, tmp_path / "model")
    (empty / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(UserError, match=said) as caught:
        VllmGenerator(configured(empty, **settings), False)
    assert "\n" not in str(caught.value)
    assert "safetensors" not in str(caught.value)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU has the kernel")
def test_fp8_without_a_kernel(model: Path, tmp_path: Path) -> None:
    test_what_vllm_refuses(model, tmp_path, {"quantization": "fp8"}, "^quantization: .* no kernel")


def test_settings_that_vllm_does_not_know(model: Path, tmp_path: Path) -> None:
    other = copied(model, tmp_path / "model", no_repeat_ngram_size=3)
    with pytest.raises(UserError, match=r'sets no_repeat_ngram_size, .* engine to "transformers"'):
        VllmGenerator(configured(other), False)


def test_no_report_is_sent() -> None:
    assert os.environ["VLLM_NO_USAGE_STATS"] == "1"
