"""Model configs read from JSON files; what is wrong is told with file, key and what it may be."""

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ragifeval.errors import UserError
from ragifeval.generators.config.base import BaselineConfig, ModelConfig, PluginConfig
from ragifeval.generators.config.local import LocalConfig
from ragifeval.generators.config.remote import RemoteConfig


def load_local_config(path: Path) -> LocalConfig | BaselineConfig | PluginConfig:
    """Read the config of a local model, a baseline, or the generator of another package.

    Raises:
        UserError: with file, key and what the key may be.
    """
    value = _read_object(path)
    if "generator" in value:
        return _validate(PluginConfig, value, path)
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
