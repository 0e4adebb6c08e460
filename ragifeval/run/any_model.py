"""A model for a job where either kind serves: remote or local, by the keys of its config."""

import json
from pathlib import Path

from ragifeval.errors import UserError
from ragifeval.generators.base import Generator
from ragifeval.generators.config import (
    BaselineConfig,
    LocalConfig,
    RemoteConfig,
    load_local_config,
    load_remote_config,
)
from ragifeval.run.plan import api_key

AnyConfig = LocalConfig | RemoteConfig

_REMOTE_KEYS = {"api_base", "vertex_credentials", "threads"}


def load_any_config(path: Path, dry_run: bool = False) -> AnyConfig:
    """Read the config of a model: a remote one by its keys, else a local one.

    Args:
        dry_run: ask no service for the name of its model.

    Raises:
        UserError: the config is wrong, names a baseline, or its service names no single model.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        value = {}  # load_remote_config says what is wrong
    keys = value.keys() if isinstance(value, dict) else set()
    if "model" not in keys or _REMOTE_KEYS & keys:
        config = load_remote_config(path)
        if config.model is None and not dry_run:
            from ragifeval.generators.remote import served_model

            config = config.model_copy(update={"model": served_model(config, api_key())})
        return config
    local = load_local_config(path)
    if isinstance(local, BaselineConfig):
        raise UserError(f"{path}: {local.model} is a baseline, which takes no prompts")
    return local


def load_any_generator(config: AnyConfig) -> Generator:
    """The model, ready to answer chats."""
    if isinstance(config, LocalConfig):
        from ragifeval.generators.local import LocalGenerator

        return LocalGenerator(config, False)
    from ragifeval.cli.terminal import collect_rarely
    from ragifeval.generators.remote import RemoteGenerator

    collect_rarely()
    return RemoteGenerator(config, api_key(), False)
