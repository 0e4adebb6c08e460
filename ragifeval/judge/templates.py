"""Prompts as Jinja files with a block `user` and perhaps one `system`, rendered in the sandbox."""

from collections.abc import Mapping
from pathlib import Path

from jinja2 import StrictUndefined, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ragifeval.errors import UserError
from ragifeval.prompt import Message, Prompt


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
        try:
            self.source = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
        # Prompts are plain text for a model; escaping is for HTML.
        environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
        try:
            self._template = environment.from_string(self.source)
        except TemplateSyntaxError as error:
            raise UserError(f"{path}:{error.lineno}: {error.message}") from None
        except Exception as error:  # noqa: BLE001 - what Jinja makes of it is not always Python
            raise UserError(f"{path}: is no template: {error or type(error).__name__}") from None
        if "user" not in self._template.blocks:
            raise UserError(f"{path}: has no {{% block user %}}, which holds the prompt")

    def render(self, values: Mapping[str, str]) -> Prompt:
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
                    f"{self.path}: cannot be rendered: {str(error) or type(error).__name__}; "
                    f"it is given: {', '.join(values)}"
                ) from None
            if text:
                messages.append(Message("system" if role == "system" else "user", text))
        return Prompt(messages=tuple(messages))
