"""What is done with data and logs, without a model: `python -m ragifeval COMMAND --help`."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from ragifeval import __version__
from ragifeval.cli.options import Parser
from ragifeval.cli.terminal import guarded

# Each is a module of ragifeval/commands with `add_options(parser)` and `run(options) -> exit code`.
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
        if name in arguments[:1]:  # the others are not even imported
            importlib.import_module(f"ragifeval.cli.{name}").add_options(command)
    options = parser.parse_args(arguments)
    command_module = importlib.import_module(f"ragifeval.cli.{options.command}")
    return guarded(f"ragifeval {options.command}", lambda: int(command_module.run(options)))


if __name__ == "__main__":
    sys.exit(main())
