"""The model that a config names: read, and made ready to answer."""

import gc
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from ragifeval.errors import UserError
from ragifeval.extras import require
from ragifeval.generators.base import Generator
from ragifeval.generators.config import (
    BaselineConfig,
    LocalConfig,
    ModelConfig,
    PluginConfig,
    RemoteConfig,
    load_local_config,
    load_remote_config,
)
from ragifeval.generators.config.places import check_hub, check_paths

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles

AnyConfig = LocalConfig | RemoteConfig
ConfigT = TypeVar("ConfigT", bound=ModelConfig)

_REMOTE_KEYS = {"api_base", "vertex_credentials", "threads"}


def api_key() -> str:
    """The key of the service, from API_KEY, else OPENAI_API_KEY; "-" without one."""
    return os.environ.get("API_KEY") or os.environ.get("OPENAI_API_KEY") or "-"


def check_remote(config: object) -> RemoteConfig:
    """The config of a model behind an API; UserError for another: batches are for these."""
    if isinstance(config, RemoteConfig):
        return config
    raise UserError("--batch, --batch_file: are for the config of a model behind an API")


def base_url() -> str | None:
    """The endpoint of OPENAI_BASE_URL, for configs that name none."""
    return os.environ.get("OPENAI_BASE_URL") or None


def load_any_config(
    path: Path | None,
    changes: Mapping[str, Any] = MappingProxyType({}),
    dry_run: bool = False,
) -> AnyConfig:
    """Read the config of a model that may be remote or local: a remote one by its keys.

    Args:
        path, changes: as those of load_local_config().
        dry_run: ask no service for the name of its model.

    Raises:
        UserError: the config is wrong, names a baseline, or its service names no single model.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig")) if path is not None else {}
    except (OSError, ValueError, RecursionError):
        value = {}  # load_remote_config reports what is wrong
    keys = (value.keys() if isinstance(value, dict) else set()) | changes.keys()
    if "model" not in keys or _REMOTE_KEYS & keys or (path is None and base_url()):
        config = load_remote_config(path, changes, base_url())
        return config if dry_run else ready(config)
    local = load_local_config(path, changes)
    if isinstance(local, PluginConfig):
        raise UserError(f"{path}: the generator of another package answers questions alone")
    if isinstance(local, BaselineConfig):
        raise UserError(f"{path}: {local.model} is a baseline, which takes no prompts")
    return local if dry_run else ready(local)


def ready(config: ConfigT) -> ConfigT:
    """The config, with the name of the model that its service lists where it names none.

    Raises:
        UserError: a package that the model needs is not installed, a path leads to no model, or the
            service lists no model, or several, or does not answer.
    """
    if isinstance(config, LocalConfig):
        extra = "vllm" if config.engine == "vllm" else "local"
        require(extra, f"the local model {config.display_name}")
        check_paths(config)
    if not isinstance(config, RemoteConfig):
        return config
    if config.vertex_credentials is not None:
        require("vertex", "a model on Vertex AI")
    if config.model is not None:
        return config
    from ragifeval.generators.remote import served_model

    return config.model_copy(update={"model": served_model(config, api_key())})


def load_any_generator(
    config: AnyConfig, text_completion: bool = False, files: "BatchFiles | None" = None
) -> Generator:
    """The model, ready to answer chats, or to complete texts.

    Args:
        files: of a batch, which answer in the model's place.

    Raises:
        UserError: files stand in for a local model.
    """
    if files is not None:
        from ragifeval.generators.remote.batch import FileGenerator

        return FileGenerator(check_remote(config), files, text_completion)
    if isinstance(config, LocalConfig):
        check_hub(config)
    if isinstance(config, LocalConfig) and config.engine == "vllm":
        from ragifeval.generators.local.vllm_engine import VllmGenerator

        return VllmGenerator(config, text_completion)
    if isinstance(config, LocalConfig):
        from ragifeval.generators.local import LocalGenerator

        return LocalGenerator(config, text_completion)
    from ragifeval.generators.remote import RemoteGenerator

    # By default the garbage collector runs every 700 objects, through all that lives: a sixth of a
    # remote run's CPU time. A local model is another matter: a cycle there may hold much memory of
    # the device.
    gc.freeze()  # what is loaded by now stays to the end
    gc.set_threshold(50_000)
    return RemoteGenerator(config, api_key(), text_completion)
