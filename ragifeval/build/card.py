"""README.md of OUT_DIR: a dataset card that says how samples were made, and how they are used."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from ragifeval import __version__
from ragifeval.build.facts import Facts
from ragifeval.build.samples import Built
from ragifeval.languages import LANGUAGES
from ragifeval.results.export.datasets import size_category

_TEMPLATE = Path(__file__).with_name("card.jinja")


def card(
    facts: Facts,
    built: Built,
    stages: Sequence[tuple[str, int, Mapping[str, int]]],
    reviewed: Mapping[str, int],
) -> str:
    """The text of the card.

    Args:
        stages: (stage, how many questions are left behind it, reason -> how many it dropped).
        reviewed: verdict -> how many.
    """
    environment = Environment(  # noqa: S701 - the card is Markdown, which HTML's escapes would spoil
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(reviewed.items()))
    environment.filters["cell"] = _cell
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        facts=facts,
        samples=len(built.samples),
        refusals=sum(bool(sample.expect.get("refuse")) for sample in built.samples),
        size=size_category(len(built.samples)),
        stages=stages,
        options=evaluation_options(facts),
        reviewed=verdicts or "no",
        is_reviewed=bool(reviewed),
        version=__version__,
    )


def _cell(value: object) -> str:
    """A value that stays in its cell of a Markdown table, and is text there."""
    line = " ".join(str(value).split())
    return line.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def evaluation_options(facts: Facts, folder: str = "") -> Sequence[str]:
    """The options with which the entry scripts evaluate on the samples.

    Args:
        folder: OUT_DIR as the reader names it, with a `/` at its end; empty for the folder itself.
    """
    language = LANGUAGES[facts.language]
    options = [
        f"--data {shlex.quote(folder.rstrip('/') or '.')}",
        f"--prompt {shlex.quote(f'{folder}prompt.jinja')}",
        f"--language {facts.language}",
    ]
    if facts.samples.refusal_message != language.refusal_message:
        options.append(f"--refusal_message {shlex.quote(facts.samples.refusal_message)}")
    if facts.normalizer != language.normalizer:
        # In the folder itself, which may be handed on, no folder of this machine is told.
        name = facts.normalizer or "default"
        options.append(f"--normalizer {shlex.quote(name if folder else Path(name).name)}")
    return options
