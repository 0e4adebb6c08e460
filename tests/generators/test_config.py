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


@pytest.mark.parametrize("name", ["copy", "extractive", "refuse", "reference"])
def test_baselines(tmp_path: Path, name: str) -> None:
    config = load_local_config(write(tmp_path, {"model": f"baseline/{name}"}))
    assert config == BaselineConfig(model=f"baseline/{name}", reasoning_end=None)  # type: ignore[arg-type]


def test_the_configs_that_ship_are_right() -> None:
    assert load_local_config(paths.LOCAL_CONFIG) == BaselineConfig(model="baseline/extractive")
    served = load_remote_config(paths.REMOTE_CONFIG)
    assert (served.model, served.api_base) == (None, "http://127.0.0.1:8000/v1")
    load_local_config(paths.ROOT / "config" / "local.example.json")
    load_remote_config(paths.ROOT / "config" / "remote.example.json")
    vertex = load_remote_config(paths.ROOT / "config" / "vertex.example.json")
    assert vertex.vertex_credentials is not None


# Values at the edge of what a key may have.
ALLOWED: list[tuple[Load, str, list[object]]] = [
    (local, "dtype", ["float32", "float16", "bfloat16", "auto"]),
    (local, "device_map", ["auto", {"": 0}, {"lm_head": "cpu"}, None]),
    (local, "temperature", [0, 1]),
    (remote, "temperature", [0, 1.5, None]),
    (remote, "max_retries", [0]),
    (remote, "sleep_time", [0]),
    (remote, "max_tokens", [1, None]),
]


@pytest.mark.parametrize(("load", "key", "values"), ALLOWED)
def test_allowed(tmp_path: Path, load: Load, key: str, values: list[object]) -> None:
    for value in values:
        assert getattr(load(tmp_path, **{key: value}), key) == value


@pytest.mark.parametrize(
    ("api_base", "bases"),
    [
        ("http://a/v1", ["http://a/v1"]),
        ("http://a/v1/", ["http://a/v1"]),
        (["http://a/v1", "http://b/v1//"], ["http://a/v1", "http://b/v1"]),
    ],
)
def test_base_urls(tmp_path: Path, api_base: object, bases: list[str]) -> None:
    assert remote(tmp_path, api_base=api_base).api_bases == bases


def test_vertex_needs_no_base_url(tmp_path: Path) -> None:
    path = write(tmp_path, {"vertex_credentials": "key.json", "model": "google/gemini-2.5-flash"})
    assert load_remote_config(path).api_bases == []


HUGE = "1" * 5_000
VLLM = {"model": "m", "engine": "vllm"}
TOKENIZE = {"model": "m", "chat_template_kwargs": {"tokenize": True}}
# Config -> what the message must say: the key, and what it may be.
LOCAL_MISTAKES: list[tuple[object, list[str]]] = [
    ({"model": "m", "price": [0.4]}, ["price: ", "at least 2 items"]),
    ({"model": "m", "price": [0.4, -1]}, ["price: ", "greater than or equal to 0"]),
    ({}, ["model: ", "is missing", "directory", "Hugging Face"]),
    ({"model": ""}, ["model: ", "at least 1 character"]),
    ({"model": None}, ["model: ", "string", "null"]),
    ({"model": "m", "temperatur": 1}, ["unknown key 'temperatur'; did you mean 'temperature'?"]),
    ({"model": "m", "continuous_batching": False}, ["continuous_batching: ", "serve", "vllm"]),
    ({"model": "m", "a\nb": 1}, ["unknown key"]),
    ({"model": "m", "api_base": "http://a"}, ["unknown key 'api_base'", "`ragifeval remote` has"]),
    ({"model": "m", "dtype": "int8"}, ["dtype: ", "'float32'", "'bfloat16'", "'auto'", '"int8"']),
    ({"model": "m", "dtype": "float23"}, ['given is "float23"; did you mean \'float32\'?']),
    ({"model": "m", "batch_size": 0}, ["batch_size: ", "greater than or equal to 1"]),
    ({"model": "m", "batch_size": "8"}, ["batch_size: ", "integer", '"8"']),
    ({"model": "m", "batch_size": True}, ["batch_size: ", "integer", "true"]),
    ({"model": "m", "max_new_tokens": -1}, ["max_new_tokens: ", "greater than or equal to 1"]),
    ({"model": "m", "temperature": -0.1}, ["temperature: ", "greater than or equal to 0"]),
    ({"model": "m", "temperature": True}, ["temperature: ", "number"]),
    ('{"model": "m", "temperature": NaN}', ["temperature: ", "finite"]),
    ({"model": "m", "seed": -1}, ["seed: ", "greater than or equal to 0"]),
    ({"model": "m", "seed": 2**64}, ["seed: ", "less than"]),
    ({"model": "m", "device_map": 0}, ["device_map: ", "string", "dictionary"]),
    (TOKENIZE, ["chat_template_kwargs: 'tokenize' is set by this harness"]),
    ({"model": "m", "engine": "llama"}, ["engine: ", "'transformers'", "'vllm'", '"llama"']),
    ({"model": "m", "max_model_len": 9}, ['max_model_len: is for "engine": "vllm" alone']),
    (VLLM | {"device_map": "auto"}, ['device_map: is for "engine": "transformers" alone']),
    (VLLM | {"gpu_memory_utilization": 1.5}, ["gpu_memory_utilization: "]),
    ({"model": "m", "trust_remote_code": "yes"}, ["trust_remote_code: ", "boolean"]),
    ({"model": "m", "reasoning_end": ""}, ["reasoning_end: ", "at least 1 character"]),
    ({"model": "baseline/best"}, ["model: ", "'baseline/refuse'", "'baseline/reference'"]),
    ({"model": "baseline/refuse", "seed": 1}, ["unknown key 'seed'", "model", "reasoning_end"]),
    ([], ["one JSON object"]),
    ("", [":1: is not valid JSON"]),
    ('{"model": "m",\n}', [":2: is not valid JSON"]),
    ('{\n"model": "m"\n"seed": 1}', [":3: is not valid JSON"]),
    (r'{"model": "C:\Users\m"}', ["is not valid JSON: Invalid \\escape", "written twice"]),
    ('{"model": "m", "seed": ' + HUGE + "}", ["is not valid JSON", "digits"]),
    ('{"model": ' + "[" * 100_000, ["nested too deeply"]),
]  # fmt: skip
REMOTE_MISTAKES: list[tuple[object, list[str]]] = [
    ({}, ["api_base: ", "is missing", "http://"]),
    ({"api_base": 8000}, ["api_base: ", "string", "list"]),
    ({"api_base": []}, ["api_base: ", "list", "at least 1"]),
    ({"api_base": "127.0.0.1:8000/v1"}, ["api_base: ", "http://", "https://"]),
    ({"api_base": "http://"}, ["api_base: ", "URL"]),
    ({"api_base": "http://a", "extra_body": {"stream": True}}, ["extra_body: ", "'stream'"]),
    ({"api_base": "http://[::1"}, ["api_base: ", "URL"]),
    ({"api_base": ["http://a", "b"]}, ["api_base: ", "http://", "https://"]),
    ({"api_base": "http://a", "max_new_tokens": 9}, ["unknown key 'max_new_tokens'", "max_tokens"]),
    ({"api_base": "http://a", "dtype": "auto"}, ["unknown key 'dtype'", "`ragifeval local` has"]),
    ({"api_base": "http://a", "api_key": "s3cret"}, ["unknown key 'api_key'"]),
    ({"api_base": "http://a", "max_tokens": 0}, ["max_tokens: ", "greater than or equal to 1"]),
    ({"api_base": "http://a", "max_retries": -1}, ["max_retries: ", "greater than or equal to 0"]),
    ({"api_base": "http://a", "threads": 0}, ["threads: ", "greater than or equal to 1"]),
    ({"api_base": "http://a", "sleep_time": -1}, ["sleep_time: ", "greater than or equal to 0"]),
    ('{"api_base": "http://a", "sleep_time": Infinity}', ["sleep_time: ", "finite"]),
    ({"api_base": "http://a", "timeout": 0}, ["timeout: ", "greater than 0"]),
    ({"api_base": "http://a", "extra_body": []}, ["extra_body: ", "dictionary"]),
    ({"api_base": "http://a", "vertex_credentials": 1}, ["vertex_credentials: ", "string"]),
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
    assert "cannot be read" in message_of(load_remote_config, tmp_path)
    path = tmp_path / "latin2.json"
    path.write_bytes('{"model": "żółć"}'.encode("cp1250"))
    assert "is not UTF-8 text" in message_of(load_local_config, path)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, '\ufeff{"model": "baseline/refuse"}\r\n')
    assert load_local_config(path).model == "baseline/refuse"


def test_a_mistake_in_a_url_shows_no_password(tmp_path: Path) -> None:
    path = write(tmp_path, {"api_base": "ftp://ania:s3cret@example.org/v1?key=s3cret"})
    assert "s3cret" not in message_of(load_remote_config, path)


# Key -> another value; whether the answers depend on it, and so the signature.
LOCAL_CHANGES: dict[str, tuple[object, bool]] = {
    "dtype": ("bfloat16", True),
    "attn_implementation": ("sdpa", True),
    "max_new_tokens": (5, True),
    "temperature": (0.5, True),
    "seed": (1, True),
    "tokenizer": ("other", True),
    "chat_template_kwargs": ({"enable_thinking": False}, True),
    "trust_remote_code": (True, True),
    "engine": ("vllm", True),
    "max_model_len": (4096, True),
    "quantization": ("awq", True),
    "tensor_parallel_size": (2, False),
    "data_parallel_size": (2, False),
    "gpu_memory_utilization": (0.5, False),
    "reasoning_end": ("</think>", True),
    "price": ([0.4, 1.6], False),
    "batch_size": (8, False),
    "device_map": ("auto", False),
    "model": ("other", False),  # stands in the signature by its name
}
REMOTE_CHANGES: dict[str, tuple[object, bool]] = {
    "max_tokens": (5, True),
    "temperature": (0.5, True),
    "extra_body": ({"top_k": 1}, True),
    "reasoning_end": ("</think>", True),
    "price": ([0.4, 1.6], False),
    "api_base": ("http://other:9/v1", False),
    "max_retries": (9, False),
    "threads": (9, False),
    "sleep_time": (9, False),
    "timeout": (9, False),
    "max_faults": (9, False),
    "max_response_mb": (9, False),
    "vertex_credentials": ("/home/ania/key.json", False),
    "vertex_location": ("europe-central2", False),
    "model": ("other", False),
}


def test_every_key_is_scored_or_not() -> None:
    assert set(LOCAL_CHANGES) == set(LocalConfig.model_fields)
    assert set(REMOTE_CHANGES) == set(RemoteConfig.model_fields)


OF_VLLM = {"max_model_len", "tensor_parallel_size", "data_parallel_size", "gpu_memory_utilization"}


@pytest.mark.parametrize(("load", "changes"), [(local, LOCAL_CHANGES), (remote, REMOTE_CHANGES)])
def test_what_is_scored(
    tmp_path: Path, load: Load, changes: dict[str, tuple[object, bool]]
) -> None:
    for key, (value, is_scored) in changes.items():
        config = {"model": "m"} | ({"engine": "vllm"} if key in OF_VLLM else {})
        before = load(tmp_path, **config).scored_settings()
        after = load(tmp_path, **{**config, key: value}).scored_settings()
        assert (before != after) is is_scored, key


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
    assert config.public_settings()["model"] == "bielik"
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
