"""Prompts as Jinja files with a block `user` and perhaps one `system`, rendered in the sandbox."""

from collections.abc import Mapping
from pathlib import Path

from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.run.sandbox import load_template, reason_of


class BlockTemplate:
    """A template of a chat: its block `user` is the user's message, `system` the system's.

    As with PromptTemplate: no loader, no file, no code; an undefined name is an error.

    Args:
        path: the template file.

    Raises:
        UserError: the file cannot be read, is no template, or has no block `user`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source, self._template = load_template(path)
        if "user" not in self._template.blocks:
            raise UserError(f"{path}: has no {{% block user %}}, which holds the prompt")

    def render(self, values: Mapping[str, object]) -> Prompt:
        """Render the prompt.

        Raises:
            UserError: the template uses a name that it is not given, or a forbidden one.
        """
        messages = []
        for role in ("system", "user"):
            block = self._template.blocks.get(role)
            if block is None:
                continue
            try:
                text = "".join(block(self._template.new_context(dict(values)))).strip()
                text.encode()  # half of a surrogate pair is no text, for any model
            except Exception as error:  # noqa: BLE001 - up to the template
                raise UserError(
                    f"{self.path}: cannot be rendered: {reason_of(error)}; "
                    f"it is given: {', '.join(values)}"
                ) from None
            if text:
                messages.append(Message("system" if role == "system" else "user", text))
        return Prompt(messages=tuple(messages))


AGAIN = "again.jinja"
"""In a folder of prompts: what the model is told when its reply could not be read."""


def load_again(folder: Path) -> str | None:
    """The message of `again.jinja`; None where a folder of the user's own has none.

    Raises:
        UserError: it is no template, or wants to be given something.
    """
    path = folder / AGAIN
    if not path.exists():
        return None
    messages = BlockTemplate(path).render({}).messages
    if not messages:
        raise UserError(f"{path}: its {{% block user %}} is empty; write what the model is told")
    return messages[-1].content
