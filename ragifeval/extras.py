"""The packages that only some commands need, in groups that pip installs by name."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from ragifeval.errors import UserError
from ragifeval.paths import IS_CHECKOUT

EXTRAS: Mapping[str, Sequence[str]] = {
    "local": ("torch", "transformers", "accelerate"),
    "vllm": ("vllm",),
    "spacy": ("spacy",),
    "vertex": ("google.auth", "requests"),
    "judge": ("sacrebleu", "scipy", "json_repair", "semantic_text_splitter"),
    "build": (
        *("pypdf", "cryptography", "docx", "lxml", "inscriptis", "bm25s", "scipy"),
        *("json_repair", "semantic_text_splitter"),
    ),
}
"""The extra, as in pyproject.toml -> the modules of its packages."""


def require(extra: str, what: str) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Args:
        what: needs them; the error begins with it.

    Raises:
        UserError: one is missing; with the line that installs it.
    """
    missing = [module for module in EXTRAS[extra] if not _is_installed(module)]
    if missing:
        raise UserError(f"{what} needs {', '.join(missing)}: {remedy(extra)}")


def remedy(extra: str) -> str:
    """The line that installs an extra."""
    line = f'pip install "ragifeval[{extra}]"'
    return f'{line} (in this checkout: pip install -e ".[{extra}]")' if IS_CHECKOUT else line


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it is in
        return False
