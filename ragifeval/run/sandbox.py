"""Templates that nobody vetted, rendered in a sandbox: no loader, no undefined name."""

from pathlib import Path

from jinja2 import StrictUndefined, Template, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ragifeval.errors import UserError


def load_template(path: Path) -> tuple[str, Template]:
    """Read a template that makes plain text; it reads no file and calls no code.

    Returns:
        (its source, the template)

    Raises:
        UserError: the file cannot be read, or is no template.
    """
    try:
        source = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    # Prompts are plain text for a model; escaping is for HTML.
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    try:
        return source, environment.from_string(source)
    except TemplateSyntaxError as error:
        raise UserError(f"{path}:{error.lineno}: {error.message}") from None
    except Exception as error:  # noqa: BLE001 - what Jinja makes of it is not always Python
        raise UserError(f"{path}: is no template: {reason_of(error)}") from None


def reason_of(error: Exception) -> str:
    """Why a template could not be compiled or rendered."""
    return str(error) or type(error).__name__
