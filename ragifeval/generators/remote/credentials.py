"""What a service knows its user by: a key, or a token that has to be renewed (vertex.py)."""

from collections.abc import Iterable
from typing import Protocol

from ragifeval.errors import UserError


class Credential(Protocol):
    """A key or a token, however it is come by."""

    @property
    def remedy(self) -> str:
        """What the user can do if it is refused."""
        ...

    async def token(self) -> str:
        """The key or token for a request that is about to be sent."""
        ...

    async def renew(self, refused: str) -> bool:
        """Replace a token that was refused; return whether there is another one now."""
        ...

    def secrets(self) -> Iterable[str]:
        """What no message may show."""
        ...


class ApiKey:
    """A key that stays as it is: the environment variable API_KEY.

    Args:
        key: "-" where there is none.

    Raises:
        UserError: no header can carry it.
    """

    remedy = "set the environment variable API_KEY to a key that is valid there"

    def __init__(self, key: str) -> None:
        self._key = key.strip() or "-"
        if not (self._key.isascii() and self._key.isprintable()):
            raise UserError("API_KEY: holds characters that no key has")

    async def token(self) -> str:
        return self._key

    async def renew(self, refused: str) -> bool:
        return False

    def secrets(self) -> Iterable[str]:
        return [] if self._key == "-" else [self._key]
