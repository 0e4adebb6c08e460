"""What other packages add by entry points."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from ragifeval.errors import UserError


@dataclass(frozen=True, slots=True)
class Plugin:
    """Something that another package adds.

    Attributes:
        name: of the entry point.
        value: what it names, loaded.
        origin: the package and its version, for signatures.
    """

    name: str
    value: Any
    origin: str


def load_plugins(group: str, name: str | None = None) -> Iterator[Plugin]:
    """Yield the plugins of a group by name.

    Args:
        name: of the only one that is loaded; None for all.

    Raises:
        UserError: one cannot be loaded.
    """
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        if name not in (None, point.name):
            continue
        origin = f"{point.dist.name}-{point.dist.version}" if point.dist else point.module
        try:
            value = point.load()
        except Exception as error:
            raise UserError(
                f"{origin}: its {point.name!r} ({group}) cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
        yield Plugin(point.name, value, origin)
