"""A deterministic benchmark of the generator in RAG systems: `ragifeval COMMAND --help`."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragifeval import __version__
from ragifeval.cli.arguments import ADD_OPTIONS
from ragifeval.cli.options import Kind, Parser, check_inputs
from ragifeval.cli.terminal import guarded
from ragifeval.extras import EXTRAS, require

# Each is a module of ragifeval/cli with `run(options) -> exit code`, imported by then.
COMMANDS = {
    "local": "score a local model: Hugging Face transformers, or a built-in baseline",
    "remote": "score a model behind an OpenAI-compatible API, or on Vertex AI",
    "score": "score the answers of logs anew, or those of any system",
    "compare": "compare models by their logs, with intervals and tests",
    "report": "make one HTML page of logs: scores, and every answer with what was found in it",
    "validate": "say what is wrong with a data set, and what answers without understanding get",
    "judge": "ask a model for a second opinion on answers, or compare their words",
    "build": "make a benchmark of your own documents: questions, critics, samples",
    "export": "write the benchmark in the form that others keep data in",
}
_MODULES = {"local": "evaluate", "remote": "evaluate"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = command_parser()
    if not given:
        parser.print_help(sys.stderr)
        return 2
    return _run(parser, f"ragifeval {given[0]}", ["ragifeval", *given])


def command_parser() -> Parser:
    """The parser of `ragifeval`, with all its commands."""
    parser = Parser(prog="ragifeval", description=__doc__.partition(":")[0] + ".")
    _add_version(parser)
    parser.add_argument(
        "--print_completion",
        choices=("bash", "zsh", "fish"),
        action=_PrintCompletion,
        metavar="SHELL",
        help="print the completion of commands and options for bash, zsh or fish; needs shtab",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, meaning in COMMANDS.items():
        command = commands.add_parser(name, help=meaning, description=_sentence(meaning))
        ADD_OPTIONS[name](command)
    return parser


def evaluate(kind: Kind, arguments: Sequence[str] | None = None) -> int:
    """Evaluate one model, as eval_local.py and eval_remote.py do; return the exit code."""
    program = f"eval_{kind}.py"
    parser = Parser(prog=program, description=_sentence(COMMANDS[kind]))
    _add_version(parser)
    parser.set_defaults(command=kind)
    ADD_OPTIONS[kind](parser)
    given = sys.argv[1:] if arguments is None else arguments
    return _run(parser, program, [program, *given])


def _run(parser: Parser, name: str, typed: Sequence[str]) -> int:
    """Run what is typed.

    Args:
        name: of the command, for its errors.
        typed: the words, the program first.
    """

    def run() -> int:
        options = parser.parse_args(typed[1:], argparse.Namespace(typed=typed))
        check_inputs(options)
        command: str = options.command
        if command in EXTRAS and command not in _MODULES:
            require(command, command)
        module = importlib.import_module(f"ragifeval.cli.{_MODULES.get(command, command)}")
        return int(module.run(options))

    return guarded(name, run)


def _add_version(parser: Parser) -> None:
    parser.add_argument("--version", action="version", version=f"ragifeval {__version__}")


class _PrintCompletion(argparse.Action):
    """Prints the completion of all commands for a shell, and ends."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, value: Any, __: Any = ""
    ) -> None:
        try:
            import shtab
        except ModuleNotFoundError:
            parser.error("--print_completion needs shtab: pip install shtab")
        parsers: list[Any] = [parser]
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
        for action in (action for one in parsers for action in one._actions):
            if action.type is Path:
                action.complete = shtab.FILE
        print(shtab.complete(parser, str(value)))
        parser.exit()


def _sentence(meaning: str) -> str:
    return meaning[0].upper() + meaning[1:] + "."


if __name__ == "__main__":
    sys.exit(main())
