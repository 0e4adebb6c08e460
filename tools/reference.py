"""The reference of options and of config keys, from the parsers and the models themselves."""

import argparse
import json
import re

from ragifeval.__main__ import COMMANDS
from ragifeval.cli.arguments import ADD_OPTIONS
from ragifeval.cli.options import Parser
from ragifeval.generators.config import LocalConfig, ModelConfig, RemoteConfig
from tools.data_counts import markdown


def options() -> str:
    """A table for each command."""
    parts = []
    for command, meaning in COMMANDS.items():
        parser = Parser(prog=f"ragifeval {command}")
        ADD_OPTIONS[command](parser)
        rows = [_row(action) for action in parser._actions if action.dest != "help"]
        parts.append(
            f"## ragifeval {command}\n\n{meaning[0].upper()}{meaning[1:]}.\n\n"
            + markdown([("option", "what it is"), *rows])
            + "\n\n"
            + "\n".join(f"    {line}".rstrip() for line in str(parser.epilog).splitlines())
        )
    return "\n\n".join(parts)


def _row(action: argparse.Action) -> tuple[str, str]:
    if action.option_strings:
        value = action.metavar or "|".join(map(str, action.choices or [action.dest.upper()]))
        name = f"{', '.join(action.option_strings)} {value}"
    else:
        name = str(action.metavar)
    meaning = str(action.help)
    if action.option_strings and action.default not in (None, False, []):
        meaning += f" (default: {action.default})"
    return f"`{name}`".replace("|", "\\|"), meaning.replace("|", "\\|")


def local_keys() -> str:
    """The keys of a local model's config."""
    return _keys(LocalConfig)


def remote_keys() -> str:
    """The keys of a remote model's config."""
    return _keys(RemoteConfig)


def _keys(config: type[ModelConfig]) -> str:
    meanings = _attributes(ModelConfig) | _attributes(config)
    own = [key for key in config.model_fields if key not in ModelConfig.model_fields]
    rows = []
    for key in [*own, *ModelConfig.model_fields]:
        field = config.model_fields[key]
        default = (
            "" if field.is_required() else json.dumps(field.get_default(call_default_factory=True))
        )
        shown = f"`{default}`" if default not in ("", "null") else default and "none"
        rows.append((f"`{key}`", shown, _as_json(meanings[key])))
    return markdown([("key", "default", "what it is"), *rows])


def _as_json(meaning: str) -> str:
    return meaning.rstrip(".").replace("None ", "`null` ").replace("|", "\\|")


def _attributes(config: type[ModelConfig]) -> dict[str, str]:
    """Key -> its description in the class's docstring."""
    text = str(config.__doc__).partition("Attributes:\n")[2]
    found = re.findall(r"^ {8}([\w, ]+): (.*(?:\n {12}.*)*)", text, flags=re.MULTILINE)
    return {
        name.strip(): " ".join(meaning.split())
        for names, meaning in found
        for name in names.split(",")
    }
