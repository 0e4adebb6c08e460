"""Batch files: the requests of a command written to a file, the responses of an engine taken in."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragifeval.cli.options import inputs
from ragifeval.cli.terminal import say
from ragifeval.errors import UserError
from ragifeval.files import check_output, read_json_object, write_json
from ragifeval.scoring.signature import Signature
from ragifeval.tables import plural

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles

# What `score` says itself.
_OWN = ("by", "price", "overwrite", "typed")


def batch_files(options: argparse.Namespace) -> "BatchFiles | None":
    """The files that --batch_file and --batch_output name; None where neither is given."""
    if options.batch_file is None and not options.batch_output:
        return None
    from ragifeval.generators.remote.batch import BatchFiles

    return BatchFiles(options.batch_output or [], options.batch_file, inputs(options))


def say_written(files: "BatchFiles | None") -> None:
    """Say how many requests wait for their answers."""
    if files is not None and files.written:
        say(
            f"{files.path}: {plural(files.written, 'request')}; have them answered, then give the "
            "responses to the same command with --batch_output"
        )


def options_path(batch: Path) -> Path:
    """BATCH.options.json beside BATCH.jsonl."""
    return batch.with_name(batch.name.removesuffix(".jsonl") + ".options.json")


def write_options(batch: Path, options: argparse.Namespace, signature: Signature) -> None:
    """Write what `score` needs to take the responses in as the run that they are of."""
    path = options_path(batch)
    check_output(
        path, lambda file: "signature" in read_json_object(file), inputs(options), "--batch_file"
    )
    told = {
        name: {"path": str(value.absolute())} if isinstance(value, Path) else value
        for name, value in vars(options).items()
        if name != "typed"
    }
    write_json(path, {"signature": str(signature), "options": told})


def run_of_batch(options: argparse.Namespace) -> tuple[argparse.Namespace, Signature]:
    """The run whose responses `score` is given: its options, and its signature.

    Raises:
        UserError: the file of requests is not named, or has no options beside it.
    """
    if options.batch_file is None:
        raise UserError("--batch_output: name the requests too, with --batch_file")
    if options.logs:
        raise UserError("--batch_output: makes a log by itself; score others without it")
    path = options_path(options.batch_file)
    told = read_json_object(path) if path.is_file() else {}
    try:
        values = {
            name: Path(value["path"]) if isinstance(value, dict) else value
            for name, value in told["options"].items()
        }
        signature = Signature.parse(told["signature"])
    except (KeyError, TypeError, AttributeError):
        raise UserError(
            f"{path}: is not what `remote --batch_file` wrote beside {options.batch_file}"
        ) from None
    own = {name: getattr(options, name) for name in _OWN}
    files = {"log_path": options.output, "batch_output": options.batch_output, "batch_file": None}
    return argparse.Namespace(**{**values, **own, **files}), signature
