"""What every model config holds, and the config of a baseline."""

import re
from abc import ABC, abstractmethod
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from ragifeval.errors import UserError
from ragifeval.generators.base import Generator
from ragifeval.plugins import Plugin, load_plugins

Name = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]

GENERATORS = "ragifeval.generators"
"""The group of entry points."""
_SECRET = re.compile(r"(^|_)(key|token|secret|password)$", re.IGNORECASE)


class ModelConfig(BaseModel, ABC):
    """What every config may hold.

    Attributes:
        reasoning_end: the mark that ends the model's reasoning, for example "</think>": what
            stands up to it is kept in the log and not scored.
        price: of a million tokens in, and out, in any currency: the cost of the run is told.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    # Keys that change how fast an answer comes, or from where, but not what it says.
    UNSCORED: ClassVar[frozenset[str]] = frozenset()

    reasoning_end: Name | None = None
    price: (
        Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)] | None
    ) = None

    @property
    @abstractmethod
    def display_name(self) -> str:
        """The model's name for tables and signatures: no folder of this machine."""

    def scored_settings(self) -> dict[str, Any]:
        """The settings that answers depend on, without the model's name: part of the signature."""
        return self.model_dump(exclude={"model", "price", *self.UNSCORED})

    def public_settings(self) -> dict[str, Any]:
        """The settings that may be shown: no credentials, no file of this machine."""
        return self.model_dump()


class BaselineConfig(ModelConfig):
    """A built-in baseline: no neural network, no further settings."""

    model: Literal["baseline/copy", "baseline/extractive", "baseline/refuse", "baseline/reference"]

    @property
    def display_name(self) -> str:
        return self.model


class PluginConfig(ModelConfig):
    """The generator of another package: an entry point of the group ragifeval.generators.

    All other keys of the config are handed to it.

    Attributes:
        generator: the entry point's name.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    generator: Name

    def load(self) -> Generator:
        """The generator, made with the other keys as arguments.

        Raises:
            UserError: no package has it, or it cannot be made.
        """
        plugin = self._plugin
        try:
            generator: Generator = plugin.value(**(self.model_extra or {}))
        except Exception as error:  # whatever the other package raises
            raise UserError(f"generator {self.generator!r}: {error}") from error
        return generator

    @property
    def display_name(self) -> str:
        named = (self.model_extra or {}).get("model")
        return f"{self.generator}/{without_folders(str(named))}" if named else self.generator

    def public_settings(self) -> dict[str, Any]:
        """The settings, but for those whose names say that they are secret."""
        return {
            name: "***" if _SECRET.search(name) else value
            for name, value in super().public_settings().items()
        }

    def scored_settings(self) -> dict[str, Any]:
        """The settings, and the package that answers with its version."""
        return {**super().scored_settings(), "package": self._plugin.origin}

    @cached_property
    def _plugin(self) -> Plugin:
        for plugin in load_plugins(GENERATORS, self.generator):
            return plugin
        known = sorted(point.name for point in entry_points(group=GENERATORS))
        raise UserError(
            f"generator: no installed package has {self.generator!r}; "
            f"there {'are ' + ', '.join(known) if known else 'is none'}"
        )


def without_folders(model: str | None) -> str | None:
    """A model's id as it is; of a directory of this machine, its name."""
    if model is None or not Path(model).is_dir():
        return model
    return Path(model).resolve().name
