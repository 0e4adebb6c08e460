"""Model configs read from JSON files; what is wrong is told with file, key and what it may be."""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import ValidationError

from ragifeval.errors import UserError, unknown
from ragifeval.generators.config.base import BaselineConfig, ModelConfig, PluginConfig
from ragifeval.generators.config.local import LocalConfig
from ragifeval.generators.config.remote import RemoteConfig


def load_local_config(
    path: Path | None, changes: Mapping[str, Any] = MappingProxyType({})
) -> LocalConfig | BaselineConfig | PluginConfig:
    """Read the config of a local model, a baseline, or the generator of another package.

    Args:
        path: None for nothing but the changes.
        changes: keys over those of the file: --model and --model_args.

    Raises:
        UserError: with file, key and what the key may be.
    """
    value = {**(_read_object(path) if path is not None else {}), **changes}
    if "generator" in value:
        return _validate(PluginConfig, value, path, changes)
    if str(value.get("model", "")).startswith("baseline/"):
        return _validate(BaselineConfig, value, path, changes)
    return _validate(LocalConfig, value, path, changes)


def load_remote_config(
    path: Path | None,
    changes: Mapping[str, Any] = MappingProxyType({}),
    api_base: str | None = None,
) -> RemoteConfig:
    """Read the config of a model behind an API.

    Args:
        path, changes: as those of load_local_config().
        api_base: where neither names an endpoint.

    Raises:
        UserError: with file, key and what the key may be.
    """
    value = {**(_read_object(path) if path is not None else {}), **changes}
    if api_base is not None and not {"api_base", "vertex_credentials"} & value.keys():
        value["api_base"] = api_base
    return _validate(RemoteConfig, value, path, changes)


def read_model_args(text: str) -> dict[str, Any]:
    """The keys and values of `--model_args KEY=VALUE,...`; a value is JSON, or else a string.

    Commas within brackets, braces and quotes part nothing. One JSON object is read too.

    Raises:
        UserError: a part is no KEY=VALUE.
    """
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UserError(f"--model_args: is not valid JSON: {error}") from None
        return dict(found)
    values: dict[str, Any] = {}
    for part in filter(str.strip, _parts(text)):
        key, mark, value = part.partition("=")
        if not mark or not key.strip():
            raise UserError(
                f"--model_args: {part[:60]!r} is not KEY=VALUE, as in threads=16,temperature=0"
            )
        key = key.strip().replace("-", "_")
        try:
            values[key] = json.loads(_PYTHON.get(value.strip(), value))
        except (ValueError, RecursionError):
            values[key] = value.strip()
    return values


_PYTHON = {"True": "true", "False": "false", "None": "null", "none": "null"}


def _parts(text: str) -> Iterator[str]:
    depth, start, quoted = 0, 0, False
    for place, character in enumerate(text):
        quoted ^= character == '"'
        depth += not quoted and (character in "[{") - (character in "]}")
        if character == "," and depth <= 0 and not quoted:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _read_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        hint = "; a backslash is written twice" if "escape" in error.msg else ""
        raise UserError(f"{path}:{error.lineno}: is not valid JSON: {error.msg}{hint}") from None
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


def _validate(
    kind: type[Config], value: dict[str, Any], path: Path | None, changes: Mapping[str, Any]
) -> Config:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False)
    # A misspelt key is both unknown and missing.
    first = next((found for found in errors if found["type"] == "extra_forbidden"), errors[0])
    key = str(first["loc"][0]) if first["loc"] else ""
    if key in changes and first["type"] == "string_type" and not isinstance(changes[key], str):
        # A name that reads as a number: model=7.
        text = {key: json.dumps(changes[key])}
        return _validate(kind, value | text, path, {**changes, **text})
    if first["type"] == "extra_forbidden":
        reason = unknown(key, kind.model_fields, "key")
        if kind is LocalConfig and key in RemoteConfig.model_fields:
            reason += "; `ragifeval remote` has it"
        if kind is RemoteConfig and key in LocalConfig.model_fields:
            reason += "; `ragifeval local` has it"
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
        if first["type"] == "literal_error":
            names = re.findall("'(.+?)'", first["ctx"]["expected"])
            for near in get_close_matches(str(first["input"]), names, n=1, cutoff=0.8):
                reason += f"; did you mean {near!r}?"
    # What concerns several keys has no place, but its message begins with one of them.
    key = key or reason.partition(":")[0]
    where = "--model_args" if path is None or key in changes else str(path)
    if where == "--model_args" and key == "model":
        where, reason = "--model", reason.removeprefix("model: ")
    raise UserError(f"{where}: {reason}")
