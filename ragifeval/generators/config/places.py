"""Where a local model lies: in a folder, or on the Hugging Face Hub, which may be out of reach.

It imports nothing of what runs a model, so that a mistyped name is told at once.
"""

import json
import logging
import os
import socket
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError, URLError

from ragifeval.errors import UserError
from ragifeval.generators.config.local import LocalConfig

_LOG = logging.getLogger(__name__)
_PATIENCE = 10.0  # seconds


def check_paths(config: LocalConfig) -> None:
    """Tell paths that lead nowhere from ids on the Hub, as far as their form shows.

    Raises:
        UserError: a path is not a directory, or the model's does not hold a model.
    """
    for key, path in (("model", config.model), ("tokenizer", config.tokenizer)):
        if path is None:
            continue
        if Path(path).is_file():
            raise UserError(
                f"{key}: {path!r} is a file; it is to be a directory, or an id on the Hub"
            )
        if is_path(path) and not Path(path).is_dir():
            raise UserError(f"{key}: there is no directory {path!r}")
    directory = Path(config.model)
    if not directory.is_dir():
        return
    if config.adapter is not None:
        # vLLM reads adapters itself.
        if config.engine == "transformers" and find_spec("peft") is None:
            raise UserError(
                f"model: {config.model!r} holds a PEFT adapter: pip install peft, or merge the "
                "adapter into its base model"
            )
        if config.base_model == config.model and not (directory / "config.json").is_file():
            raise UserError(
                f"model: adapter_config.json of {config.model!r} names no base_model_name_or_path"
            )
        if is_path(config.base_model) and not Path(config.base_model).is_dir():
            raise UserError(
                f"model: the base model of the adapter {config.model!r} is not here: there is no "
                f"directory {config.base_model!r}"
            )
    elif not (directory / "config.json").is_file():
        raise UserError(f"model: the directory {config.model!r} holds no config.json, so no model")
    settings = directory / "generation_config.json"
    try:
        is_object = not settings.is_file() or isinstance(json.loads(settings.read_bytes()), dict)
    except ValueError:
        is_object = False
    if not is_object:
        raise UserError(f"model: {settings} is not a JSON object; mend or remove it")


def is_path(name: str) -> bool:
    """Whether a model's name is a path by its form, so no id on the Hub."""
    return name.startswith(("/", ".", "~")) or "\\" in name or name.count("/") > 1


def check_hub(config: LocalConfig) -> None:
    """Take models from this machine's cache where the Hub is named and cannot be reached.

    Else its library asks again and again, for a minute a model. It reads the environment when it is
    imported, so this comes before.
    """
    names = (config.model, config.base_model, config.tokenizer_path)
    if "HF_HUB_OFFLINE" in os.environ or all(Path(name).is_dir() for name in names):
        return
    endpoint = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    try:
        urllib.request.urlopen(endpoint, timeout=_PATIENCE).close()  # noqa: S310 - the user's own
    except HTTPError:
        return  # it answers
    except (URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        # Whether its certificate is to be trusted, the library decides.
        if not isinstance(reason, socket.gaierror | TimeoutError | ConnectionError):
            return
        _LOG.warning("%s cannot be reached (%s): models are taken from the cache", endpoint, reason)
        os.environ["HF_HUB_OFFLINE"] = "1"
