"""Model configs: JSON files that say which model to ask, and how."""

import json
import math
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ragifeval.errors import UserError
from ragifeval.signature import directory_fingerprint

Name = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]


class ModelConfig(BaseModel, ABC):
    """What every config may hold.

    Attributes:
        reasoning_end: the mark that ends the model's reasoning, for example "</think>": what
            stands up to it is kept in the log and not scored.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    # Keys that change how fast an answer comes, or from where, but not what it says.
    UNSCORED: ClassVar[frozenset[str]] = frozenset()

    reasoning_end: Name | None = None

    @property
    @abstractmethod
    def display_name(self) -> str:
        """The model's name for tables and signatures: no folder of this machine."""

    def scored_settings(self) -> dict[str, Any]:
        """The settings that answers depend on, without the model's name: part of the signature."""
        return self.model_dump(exclude={"model", *self.UNSCORED})

    def public_settings(self) -> dict[str, Any]:
        """The settings that may be shown: no credentials, no file of this machine."""
        return self.model_dump()


class BaselineConfig(ModelConfig):
    """A built-in baseline: no neural network, no further settings."""

    model: Literal["baseline/extractive", "baseline/refuse", "baseline/reference"]

    @property
    def display_name(self) -> str:
        return self.model


class LocalConfig(ModelConfig):
    """A model of Hugging Face transformers.

    Attributes:
        model: the path of a model directory, or an id on the Hugging Face Hub.
        dtype: the format of the weights; "auto" for that of the checkpoint.
        batch_size: how many questions are answered at once; "auto" for as many as the memory holds
            (on a CPU, 8).
        continuous_batching: whether to generate by transformers' own continuous batching; only with
            temperature 0, and without batch_size.
        attn_implementation: for example "sdpa" or "flash_attention_2"; None leaves it to
            transformers.
        max_new_tokens: the most tokens of an answer.
        temperature: 0 is greedy; above 0 samples with `seed`.
        seed: of the sampling; each sample draws from a stream of its own, whatever the batch.
        device_map: as in transformers; None for the first accelerator, or the CPU without one.
        tokenizer: a path or id, where it is not the model's own.
        trust_remote_code: whether code that comes with the model may run.
    """

    UNSCORED = frozenset({"batch_size", "continuous_batching", "device_map"})

    model: Name = Field(description="a model directory, or an id on the Hugging Face Hub")
    dtype: Literal["float32", "float16", "bfloat16", "auto"] = "float16"
    batch_size: Count | Literal["auto"] = 1
    continuous_batching: bool = False
    attn_implementation: Name | None = None
    max_new_tokens: Count = 4096
    temperature: Annotated[float, Field(ge=0)] = 0.01
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    device_map: Name | dict[str, int | str] | None = None
    tokenizer: Name | None = None
    trust_remote_code: bool = False

    @property
    def display_name(self) -> str:
        return str(_without_folders(self.model))

    def scored_settings(self) -> dict[str, Any]:
        """The settings that answers depend on; of directories, what is in them."""
        settings = super().scored_settings()
        for key, path in (("weights", self.model), ("tokenizer", self.tokenizer)):
            if path is not None and Path(path).is_dir():
                settings[key] = directory_fingerprint(Path(path))
        return settings

    def public_settings(self) -> dict[str, Any]:
        """The settings that may be shown; of directories, their names alone."""
        names = {"model": self.model, "tokenizer": self.tokenizer}
        return super().public_settings() | {
            key: _without_folders(value) for key, value in names.items()
        }


# Fields of a request without which its answer could not be read, or would answer something else.
_OWNED = frozenset({"model", "messages", "prompt", "stream", "n"})


class RemoteConfig(ModelConfig):
    """A model behind an OpenAI-compatible API, or on Vertex AI.

    Attributes:
        model: its name in the API; None takes the one model that the server lists.
        api_base: the base of the endpoint's URL, or a list of such: replicas of one model.
        max_tokens: the most tokens of an answer; None leaves it to the service.
        temperature: of the sampling; None sends neither temperature nor top_p, for services that
            refuse them.
        max_retries: how often a question is asked again after a fault of the service. Going on to
            the next replica after a dead one does not count.
        threads: how many questions are in flight at once.
        sleep_time: seconds to wait before asking again, unless the service says how long; it is
            heeded up to `timeout`.
        timeout: the most seconds one question may take, from sending it to the last byte.
        extra_body: more fields of the request's body, for example {"max_completion_tokens": 4096}
            for OpenAI's reasoning models, which refuse max_tokens.
        vertex_credentials: the path of a service account's key file; for models on Vertex AI.
        vertex_location: the region of Vertex AI.
    """

    UNSCORED = frozenset(
        {
            "api_base",
            "max_retries",
            "threads",
            "sleep_time",
            "timeout",
            "vertex_credentials",
            "vertex_location",
        }
    )

    model: Name | None = None
    api_base: Name | Annotated[list[Name], Field(min_length=1)] | None = None
    max_tokens: Count | None = None
    temperature: Annotated[float, Field(ge=0)] | None = 0.0
    max_retries: Annotated[int, Field(ge=0)] = 5
    threads: Count = 1
    sleep_time: Seconds = 5.0
    timeout: Annotated[float, Field(gt=0)] = 600.0
    extra_body: dict[str, Any] = {}
    vertex_credentials: Name | None = None
    vertex_location: Name = "us-central1"

    @model_validator(mode="after")
    def _has_an_endpoint(self) -> "RemoteConfig":
        for base in self.api_bases:
            if not _is_http(base):
                raise ValueError(
                    "api_base: must be a URL that starts with http:// or https://, "
                    f"not {_without_credentials(base)!r}"
                )
        owned = sorted(_OWNED.intersection(self.extra_body))
        if owned:
            raise ValueError(f"extra_body: must not hold {owned[0]!r}, which the harness sets")
        if not _can_be_sent(self.extra_body):
            raise ValueError(
                f"extra_body: must hold no NaN and no Infinity, and no more than {_DEEPEST} levels"
            )
        if not self.api_bases and self.vertex_credentials is None:
            raise ValueError("api_base: is missing, for example http://127.0.0.1:8000/v1")
        if self.vertex_credentials is not None and self.model is None:
            raise ValueError("model: is missing, for example google/gemini-2.5-flash")
        return self

    @property
    def display_name(self) -> str:
        return self.model or "(the one served)"

    def public_settings(self) -> dict[str, Any]:
        """The settings that may be shown: URLs without credentials, no path of a key file."""
        bases = [_without_credentials(base) for base in self.api_bases]
        return self.model_dump(exclude={"vertex_credentials"}) | {"api_base": bases}

    @property
    def api_bases(self) -> list[str]:
        """The base URLs, without a final slash."""
        if self.api_base is None:
            return []
        bases = [self.api_base] if isinstance(self.api_base, str) else self.api_base
        return [base.rstrip("/") for base in bases]


_DEEPEST = 100


def _can_be_sent(value: object, levels: int = _DEEPEST) -> bool:
    """Whether a value of Python's JSON, which is wider than others', can be sent as JSON."""
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(_can_be_sent(item, levels - 1) for item in inside)
    return not isinstance(value, float) or math.isfinite(value)


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return False


def _without_credentials(url: str) -> str:
    """A URL without user, password and query."""
    scheme, mark, rest = url.partition("://")
    place = rest.partition("?")[0].partition("#")[0]
    host, slash, path = place.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def _without_folders(model: str | None) -> str | None:
    """A model's id as it is; of a directory of this machine, its name."""
    if model is None or not Path(model).is_dir():
        return model
    return Path(model).resolve().name


def load_local_config(path: Path) -> LocalConfig | BaselineConfig:
    """Read the config of a local model or a baseline.

    Raises:
        UserError: with file, key and what the key may be.
    """
    value = _read_object(path)
    if str(value.get("model", "")).startswith("baseline/"):
        return _validate(BaselineConfig, value, path)
    return _validate(LocalConfig, value, path)


def load_remote_config(path: Path) -> RemoteConfig:
    """Read the config of a model behind an API.

    Raises:
        UserError: with file, key and what the key may be.
    """
    return _validate(RemoteConfig, _read_object(path), path)


def _read_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: is not valid JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise UserError(f"{path}: is not valid JSON: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: is not a model config: nested too deeply") from None
    except OSError as error:
        raise UserError(f"{path}: the model config cannot be read: {error.strerror}") from None
    if not isinstance(value, dict):
        raise UserError(f"{path}: a model config is one JSON object, not {type(value).__name__}")
    return value


Config = TypeVar("Config", bound=ModelConfig)


def _validate(kind: type[Config], value: object, path: Path) -> Config:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        first = errors[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        if first["type"] == "extra_forbidden":
            reason = f"unknown key {key!r}; known are: {', '.join(kind.model_fields)}"
        elif not key:
            reason = first["msg"].removeprefix("Value error, ")
        elif first["type"] == "missing":
            reason = f"{key}: is missing; it is {kind.model_fields[key].description}"
        else:
            # One message for each of the types that a key may have.
            texts = [found["msg"] for found in errors if found["loc"][:1] == (key,)]
            meanings = dict.fromkeys(text[0].lower() + text[1:] for text in texts)
            given = json.dumps(first["input"], ensure_ascii=False)
            reason = f"{key}: {', or '.join(meanings)}; given is {given}"
        raise UserError(f"{path}: {reason}") from None
