"""What scores that load a model of their own have in common: how the model is named and told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import util
from logging import ERROR, getLogger
from pathlib import Path
from typing import Protocol

from ragifeval.errors import UserError
from ragifeval.scoring.signature import directory_fingerprint

Pairs = Sequence[tuple[str, str]]
"""(reference, answer) of each answer."""

Columns = Mapping[str, Sequence[float]]
"""Name of a score -> its value for each pair."""


# What a folder of transformers, or of sentence-transformers, holds.
_MARKS = ("config.json", "modules.json")


@dataclass(frozen=True)
class OwnModels:
    """Which models these scores load: a folder, or a name on the Hub; None for the default."""

    bertscore: str | None = None
    embedding: str | None = None

    def parts(self) -> dict[str, str]:
        """What the signature says of those that are named."""
        named = {"bertscore_model": self.bertscore, "embedding_model": self.embedding}
        return {part: shown(source) for part, source in named.items() if source is not None}


def check_model(option: str, source: str | None, package: str) -> str | None:
    """The model that an option names, once it can be of use.

    Raises:
        UserError: the package is not installed, or what looks like a folder is none with a model.
    """
    if source is None:
        return None
    if not is_installed(package):
        raise UserError(f"{option}: needs {package}, which is not installed: pip install {package}")
    folder = Path(source)
    if folder.is_dir() and not any((folder / name).is_file() for name in _MARKS):
        raise UserError(f"{option}: {source}: holds no model: neither {' nor '.join(_MARKS)}")
    if not folder.is_dir() and (source.startswith(("/", ".", "~", "\\")) or folder.exists()):
        raise UserError(
            f"{option}: {source}: is no folder; name a model's folder, or one on the Hub"
        )
    return source


def shown(source: str) -> str:
    """A model's name for tables and signatures: of a folder no path, but what it holds."""
    folder = Path(source)
    name = f"{folder.resolve().name}#{directory_fingerprint(folder)}" if folder.is_dir() else source
    return " ".join(name.replace("|", "/").split())


class Measure(Protocol):
    """A score, or several, by a model.

    Attributes:
        name: of the measure.
        names: of its scores.
        option: the one that names the model.
        named: what it names; None where the user leaves it to the default.
    """

    name: str
    names: Sequence[str]
    option: str
    named: str | None

    @property
    def how(self) -> str:
        """Package, version, model and settings, in words."""
        ...

    def load(self) -> None:
        """Load the model, or raise whatever its package raises."""
        ...

    def __call__(self, pairs: Pairs) -> Columns:
        """The scores of all pairs."""
        ...


def cached(name: str, option: str, cache: str | None = None) -> str:
    """The folder in which the Hub's local cache has a model; nothing is downloaded.

    Args:
        option: the one that names a model.
        cache: where the cache is; None for the Hub's own.

    Raises:
        LookupError: it has none of that name.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return str(snapshot_download(name, cache_dir=cache, local_files_only=True))
    except LocalEntryNotFoundError:
        raise LookupError(f"{name} is not on this machine; name it with {option}") from None


def reason_of(error: Exception) -> str:
    """What an error of a package says first, in a line."""
    return " ".join(str(error).split()).partition(". ")[0][:200] or type(error).__name__


def be_quiet() -> None:
    """No bars while weights are loaded, and no word on texts that are cut at the model's limit.

    Nor on each attempt to reach the Hub: the last one's error is told.
    """
    from transformers.utils import logging

    disable_progress_bar: Callable[[], None] = logging.disable_progress_bar
    disable_progress_bar()
    for name in ("transformers", "sentence_transformers", "huggingface_hub"):
        getLogger(name).setLevel(ERROR)


def is_installed(package: str) -> bool:
    """Whether a package of this name on the index can be imported."""
    return util.find_spec(package.replace("-", "_")) is not None
