"""Where the new logs go that a command makes of logs: a file for one, a folder for several."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from ragifeval.errors import UserError
from ragifeval.run.performance import Price


def output_paths(
    logs: Sequence[Path],
    output: Path | None,
    beside: Callable[[Path], Path],
    *,
    make: bool = True,
) -> list[Path | None]:
    """Where the new log of each log goes; None for nowhere.

    Args:
        output: a file for one log, a folder for several.
        beside: a new log's path -> that of what is written beside it.
        make: whether the folder is made if there is none.

    Raises:
        UserError: it cannot go there, or would take the place of a log that is read.
    """
    if output is None:
        return [None] * len(logs)
    if not output.parent.is_dir():
        raise UserError(f"-o: there is no folder {output.parent}")
    paths = [output]
    if len(logs) > 1 or output.is_dir():
        if output.exists() and not output.is_dir():
            raise UserError(f"-o: {output} is a file; several logs need a folder for the new ones")
        if make:
            output.mkdir(exist_ok=True)
        paths = [output / f"{log.stem}.jsonl" for log in logs]
    if len(set(paths)) < len(paths):
        raise UserError(f"-o: logs of the same name would be one file in {output}")
    for new in (new for path in paths for new in (path, beside(path))):
        if any(new.exists() and log.exists() and new.samefile(log) for log in logs):
            raise UserError(f"-o: {new} is one of the logs that are read")
    return list(paths)


def prices_of(logs: Sequence[Path], given: Sequence[Price] | None) -> Sequence[Price | None]:
    """The price of each log's tokens: those given, in order, or that of the summary beside it.

    Raises:
        UserError: more prices are given than there are logs.
    """
    given = list(given or ())
    if len(given) > len(logs):
        raise UserError(f"--price: is given {len(given)} times for {len(logs)} logs")
    if len(given) == 1:
        return given * len(logs)
    return [*given, *map(_price_beside, logs[len(given) :])]


def _price_beside(log: Path) -> Price | None:
    try:
        price = json.loads(summary_path(log).read_bytes()).get("price")
        prompt, completion = map(float, price)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None  # there is no summary, or it is none of this harness, or tells no price
    return prompt, completion


def summary_path(log: Path) -> Path:
    """OUT.summary.json beside OUT.jsonl."""
    return log.with_name(log.name.removesuffix(".jsonl") + ".summary.json")
