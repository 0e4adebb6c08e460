"""What is done with data and logs, without a model: `python -m ragifeval COMMAND --help`."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from ragifeval import __version__
from ragifeval.cli.arguments import ADD_OPTIONS
from ragifeval.cli.options import Kind, Parser, build_parser
from ragifeval.cli.terminal import guarded

# Each is a module of ragifeval/cli with `run(options) -> exit code`, imported by then.
COMMANDS = {
    "build": "make a benchmark of your own documents: questions, critics, samples",
    "compare": "compare models by their logs, with intervals and tests",
    "export": "write the benchmark in the form that others keep data in",
    "judge": "ask a model for a second opinion on answers, or compare their words",
    "report": "make one HTML page of logs: scores, and every answer with what was found in it",
    "score": "score the answers of logs anew, or those of any system",
    "validate": "say what is wrong with a data set, and what answers without understanding get",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = Parser(prog="python -m ragifeval", description=__doc__)
    parser.add_argument("--version", action="version", version=f"ragifeval {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, meaning in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=meaning,
            description=meaning[0].upper() + meaning[1:] + ".",
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        ADD_OPTIONS[name](command)
    options = parser.parse_args(arguments)

    def run() -> int:
        return int(importlib.import_module(f"ragifeval.cli.{options.command}").run(options))

    return guarded(f"ragifeval {options.command}", run)


def evaluate(kind: Kind, arguments: Sequence[str] | None = None) -> int:
    """Evaluate one model, as eval_local.py and eval_remote.py do; return the exit code."""

    def run() -> int:
        options = build_parser(kind).parse_args(arguments)
        return int(importlib.import_module("ragifeval.cli.evaluate").run(kind, options))

    return guarded(f"eval_{kind}.py", run)


if __name__ == "__main__":
    sys.exit(main())
