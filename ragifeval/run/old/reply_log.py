"""The file of a model's replies: written as they come, and picked up again."""

from pathlib import Path
from typing import Self

from ragifeval.errors import UserError
from ragifeval.run.old.log import Log, Record
from ragifeval.scoring.signature import Signature


class Replies(Log):
    """The file of replies: a log of this harness in all but what its records are.

    A record holds `id`, `prompt` (Ask.key), `reply`, `reasoning`, `finish_reason`, `usage`,
    `seconds`, `tries`, `error`, `signature`. Those with an error are dropped when the file is
    opened again, so that they are asked once more.

    Args:
        path: its folder must exist.
        signature: of all that a reply depends on besides the prompt: the model and its settings.
        overwrite: start over.

    Raises:
        UserError: as Log's.
    """

    _KEYS = frozenset({"id", "prompt", "reply", "error", "signature"})

    def __init__(self, path: Path, signature: Signature, overwrite: bool = False) -> None:
        super().__init__(path, signature, overwrite)
        self.signature = str(signature)

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def known(self) -> dict[tuple[str, str], str]:
        """(id, prompt's key) -> the reply that an earlier start left."""
        return {(record["id"], record["prompt"]): record["reply"] for record in self.resume()}

    def _check_signature(self, record: Record, line: int) -> None:
        if not record.keys() >= self._KEYS or not isinstance(record["signature"], str):
            raise UserError(
                f"{self.path}:{line}: is no reply of a model (one has: "
                f"{', '.join(sorted(self._KEYS))}); name another -o, or --overwrite it"
            )
        parts = self._signature.differences(Signature.parse(record["signature"]))
        if parts:
            raise UserError(
                f"{self.path}:{line}: was made by a run that differs in: {', '.join(parts)}; "
                "name another -o, or --overwrite it"
            )

    def _check_answer(self, record: Record, line: int) -> None:
        texts = [record["id"], record["prompt"]]
        if record["error"] is None:
            texts.append(record["reply"])
        if not all(isinstance(text, str) for text in texts):
            raise UserError(
                f"{self.path}:{line}: was changed since it was written: its id, prompt or reply is "
                "no text; delete the line, name another -o, or --overwrite it"
            )
