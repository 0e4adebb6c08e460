"""Model configs: every kind of mistake, what is scored and what may be shown."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragifeval import paths
from ragifeval.errors import UserError
from ragifeval.generators.config import (
    BaselineConfig,
    LocalConfig,
    RemoteConfig,
    load_local_config,
    load_remote_config,
)


def write(folder: Path, value: object) -> Path:
    path = folder / "model.json"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path


Load = Callable[..., Any]


def local(folder: Path, **settings: Any) -> LocalConfig:
    config = load_local_config(write(folder, {"model": "speakleash/Bielik", **settings}))
    assert isinstance(config, LocalConfig)
    return config


def remote(folder: Path, **settings: Any) -> RemoteConfig:
    return load_remote_config(write(folder, {"api_base": "http://127.0.0.1:8000/v1", **settings}))


def test_the_configs_that_ship_are_right() -> None:
    assert load_local_config(paths.LOCAL_CONFIG) == BaselineConfig(model="baseline/extractive")
    served = load_remote_config(paths.REMOTE_CONFIG)
    assert (served.model, served.api_base) == (None, "http://127.0.0.1:8000/v1")
    load_local_config(paths.ROOT / "config" / "local.example.json")
    load_remote_config(paths.ROOT / "config" / "remote.example.json")
    vertex = load_remote_config(paths.ROOT / "config" / "vertex.example.json")
    assert vertex.vertex_credentials is not None


def test_allowed(tmp_path: Path) -> None:
    for device_map in ("auto", {"lm_head": "cpu"}, None):
        assert local(tmp_path, device_map=device_map, temperature=0).device_map == device_map
    assert remote(tmp_path, temperature=None, max_retries=0).temperature is None
    bases = ["http://a/v1", "http://b/v1//"]
    assert remote(tmp_path, api_base=bases).api_bases == ["http://a/v1", "http://b/v1"]
    vertex = write(tmp_path, {"vertex_credentials": "key.json", "model": "google/m"})
    assert load_remote_config(vertex).api_bases == []
    path = write(tmp_path, '\ufeff{"model": "baseline/refuse"}\r\n')
    assert load_local_config(path) == BaselineConfig(model="baseline/refuse")


VLLM = {"model": "m", "engine": "vllm"}
TOKENIZE = {"model": "m", "chat_template_kwargs": {"tokenize": True}}
# Config -> what the message must say: the key, and what it may be.
LOCAL_MISTAKES: list[tuple[object, list[str]]] = [
    ({}, ["model: ", "is missing", "directory", "Hugging Face"]),
    ({"model": "m", "temperatur": 1}, ["unknown key 'temperatur'; did you mean 'temperature'?"]),
    ({"model": "m", "api_base": "http://a"}, ["unknown key 'api_base'", "`ragifeval remote` has"]),
    ({"model": "m", "dtype": "float23"}, ["'auto'", 'is "float23"; did you mean \'float32\'?']),
    ({"model": "m", "batch_size": "8"}, ["batch_size: ", "integer", '"8"']),
    ('{"model": "m", "temperature": NaN}', ["temperature: ", "finite"]),
    (TOKENIZE, ["chat_template_kwargs: 'tokenize' is set by this harness"]),
    ({"model": "m", "max_model_len": 9}, ['max_model_len: is for "engine": "vllm" alone']),
    (VLLM | {"device_map": "auto"}, ['device_map: is for "engine": "transformers" alone']),
    ({"model": "baseline/refuse", "seed": 1}, ["unknown key 'seed'", "model", "reasoning_end"]),
    ([], ["one JSON object"]),
    ('{\n"model": "m"\n"seed": 1}', [":3: is not valid JSON"]),
    (r'{"model": "C:\Users\m"}', ["is not valid JSON: Invalid \\escape", "written twice"]),
]  # fmt: skip
REMOTE_MISTAKES: list[tuple[object, list[str]]] = [
    ({}, ["api_base: ", "is missing", "http://"]),
    ({"api_base": "http://"}, ["api_base: ", "URL"]),
    ({"api_base": "http://[::1"}, ["api_base: ", "URL"]),
    ({"api_base": ["http://a", "b"]}, ["api_base: ", "http://", "https://"]),
    ({"api_base": "http://a", "extra_body": {"stream": True}}, ["extra_body: ", "'stream'"]),
    ({"api_base": "http://a", "max_new_tokens": 9}, ["unknown key 'max_new_tokens'", "max_tokens"]),
    ({"api_base": "http://a", "dtype": "auto"}, ["unknown key 'dtype'", "`ragifeval local` has"]),
    ({"vertex_credentials": "key.json"}, ["model: ", "is missing"]),
]  # fmt: skip


def message_of(load: Any, path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("load", "value", "parts"),
    [
        *((load_local_config, *row) for row in LOCAL_MISTAKES),
        *((load_remote_config, *row) for row in REMOTE_MISTAKES),
    ],
)
def test_mistakes(tmp_path: Path, load: Any, value: object, parts: list[str]) -> None:
    message = message_of(load, write(tmp_path, value))
    for part in parts:
        assert part in message


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot be read" in message_of(load_local_config, tmp_path / "missing.json")
    path = tmp_path / "latin2.json"
    path.write_bytes('{"model": "żółć"}'.encode("cp1250"))
    assert "is not UTF-8 text" in message_of(load_local_config, path)


def test_a_mistake_in_a_url_shows_no_password(tmp_path: Path) -> None:
    path = write(tmp_path, {"api_base": "ftp://ania:s3cret@example.org/v1?key=s3cret"})
    assert "s3cret" not in message_of(load_remote_config, path)


# Key -> another value, where the answers depend on it, and so the signature; and where they do not.
# The model stands in the signature by its name.
Changes = dict[str, object]
LOCAL_SCORED: Changes = {
    **{"dtype": "bfloat16", "attn_implementation": "sdpa", "max_new_tokens": 5, "temperature": 0.5},
    **{"seed": 1, "tokenizer": "other", "chat_template_kwargs": {"a": 1}, "engine": "vllm"},
    **{"trust_remote_code": True, "quantization": "awq", "reasoning_end": "</think>"},
    "max_model_len": 4096,
}
LOCAL_OTHER: Changes = {
    **{"model": "other", "price": [0.4, 1.6], "batch_size": 8, "device_map": "auto"},
    **{"tensor_parallel_size": 2, "data_parallel_size": 2, "gpu_memory_utilization": 0.5},
}
REMOTE_SCORED: Changes = {
    **{"max_tokens": 5, "temperature": 0.5, "extra_body": {"top_k": 1}, "reasoning_end": "</t>"}
}
REMOTE_OTHER: Changes = {
    **{"model": "other", "price": [0.4, 1.6], "api_base": "http://other:9/v1", "threads": 9},
    **{"max_retries": 9, "sleep_time": 9, "timeout": 9, "max_faults": 9, "max_response_mb": 9},
    **{"vertex_credentials": "/home/ania/key.json", "vertex_location": "europe-central2"},
}
OF_VLLM = {"max_model_len", "tensor_parallel_size", "data_parallel_size", "gpu_memory_utilization"}
SIDES = [
    (local, LocalConfig, LOCAL_SCORED, LOCAL_OTHER),
    (remote, RemoteConfig, REMOTE_SCORED, REMOTE_OTHER),
]


@pytest.mark.parametrize(("load", "kind", "scored", "others"), SIDES)
def test_what_is_scored(
    tmp_path: Path, load: Load, kind: Any, scored: Changes, others: Changes
) -> None:
    changes = scored | others
    assert set(changes) == set(kind.model_fields)
    for key, value in changes.items():
        config = {"model": "m"} | ({"engine": "vllm"} if key in OF_VLLM else {})
        before = load(tmp_path, **config).scored_settings()
        after = load(tmp_path, **{**config, key: value}).scored_settings()
        assert (before != after) is (key in scored), key


def test_settings_that_came_later_leave_the_signature_as_it_was(tmp_path: Path) -> None:
    """Taken down from the version that had none of them."""
    before = ["attn_implementation", "dtype", "max_new_tokens", "reasoning_end", "seed"]
    before += ["temperature", "tokenizer", "trust_remote_code"]
    assert sorted(local(tmp_path, model="m").scored_settings()) == before


def test_settings_name_no_folder_of_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "bielik"
    folder.mkdir(parents=True)
    config = local(tmp_path, model=str(folder), tokenizer=str(folder))
    for settings in (config.public_settings(), config.scored_settings()):
        assert str(tmp_path) not in json.dumps(settings)
    assert config.public_settings()["tokenizer"] == "bielik"


def test_public_settings_of_an_api_hold_no_credentials(tmp_path: Path) -> None:
    config = remote(
        tmp_path,
        model="google/gemini",
        api_base=["https://ania:s3cret@example.org:8443/v1?key=s3cret#s3cret", "http://b/v1"],
        vertex_credentials="/home/ania/s3cret.json",
        threads=7,
    )
    settings = config.public_settings()
    assert "s3cret" not in json.dumps(settings)
    assert "ania" not in json.dumps(settings)
    assert settings["api_base"] == ["https://example.org:8443/v1", "http://b/v1"]
    assert (settings["model"], settings["threads"]) == ("google/gemini", 7)
