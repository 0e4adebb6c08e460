"""Model configs: JSON files that say which model to ask, and how."""

from ragifeval.generators.config.base import BaselineConfig, ModelConfig, PluginConfig
from ragifeval.generators.config.local import LocalConfig
from ragifeval.generators.config.reading import load_local_config, load_remote_config
from ragifeval.generators.config.remote import RemoteConfig

__all__ = [
    "BaselineConfig",
    "LocalConfig",
    "ModelConfig",
    "PluginConfig",
    "RemoteConfig",
    "load_local_config",
    "load_remote_config",
]
