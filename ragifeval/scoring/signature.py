"""The signature: one line that two runs share exactly when their scores may be compared."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PARTS = (
    *("data", "prompt", "normalizer", "badwords", "matching", "shuffle", "refusal", "system"),
    *("mode", "variants", "version", "model"),
)
"""The parts of a run's signature, in order; `variants` only beside or instead of the core."""

_END_BYTES = 65_536
# Before the fingerprint of data: what the set is called, and its version.
_NAMED = re.compile(r"^([a-z-]+)-[0-9.]+-(?=[0-9a-f]{8})")


@dataclass(frozen=True)
class Signature:
    """The parts of a signature, in order: part -> value.

    The last part, `model`, says who answered; all others must be equal for scores to be compared.
    """

    parts: Mapping[str, str]

    def __str__(self) -> str:
        return "|".join(f"{part}:{value}" for part, value in self.parts.items())

    @property
    def model(self) -> str | None:
        """The name of the model; None where there is no such part."""
        part = self.parts.get("model")
        return part if part is None else part.rpartition("#")[0] or part

    @property
    def comparable(self) -> Mapping[str, str]:
        """The parts by which scores compare: of the data the fingerprint alone."""
        return {
            part: _NAMED.sub("", value) if part == "data" else value
            for part, value in self.parts.items()
        }

    @property
    def data_name(self) -> str | None:
        """What the data are called; None for those of a user, and for those of older logs."""
        named = _NAMED.match(self.parts.get("data", ""))
        return named[1] if named else None

    @classmethod
    def parse(cls, line: str) -> "Signature":
        """Read a signature back from its line."""
        return cls(dict(part.partition(":")[::2] for part in line.split("|")))

    @property
    def folded(self) -> str:
        """A short line, the same for all signatures that differ in the model alone."""
        parts = {part: value for part, value in self.comparable.items() if part != "model"}
        return f"signature {fingerprint(parts)}: scores with the same one compare (parts: --wide)"

    def differences(self, other: "Signature") -> Sequence[str]:
        """The parts in which two signatures differ."""
        ours, theirs = self.comparable, other.comparable
        parts = dict.fromkeys([*ours, *theirs])
        return [part for part in parts if ours.get(part) != theirs.get(part)]


def fingerprint(value: object) -> str:
    """Eight hexadecimal digits that stand for a JSON value."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def default_or_fingerprint(value: str, default: str) -> str:
    """The word "default" for a default, a fingerprint for anything else."""
    return "default" if value == default else fingerprint(value)


def directory_fingerprint(directory: Path) -> str:
    """A fingerprint of a model's directory, so that weights trained further are another model.

    Of each file its name, its size and the bytes at its ends: to read all would take minutes.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(directory).as_posix()}:{size}\n".encode())
        with path.open("rb") as file:
            digest.update(file.read(_END_BYTES))
            file.seek(max(0, size - _END_BYTES))
            digest.update(file.read(_END_BYTES))
    return digest.hexdigest()[:8]


def model_part(name: str, settings: Mapping[str, Any]) -> str:
    """What the signature says of the model: its name, and a hash of the settings that count."""
    # The name stands in one line, whose parts are told apart by "|".
    return f"{' '.join(name.replace('|', '/').split())}#{fingerprint(settings)}"
