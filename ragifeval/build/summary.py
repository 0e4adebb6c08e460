"""What a build came to, as a table for the terminal."""

from pathlib import Path

from ragifeval.build.card import evaluation_options
from ragifeval.build.finish import Finished

_REASONS_SHOWN = 3


def table(found: Finished, folder: Path) -> str:
    """The counts of each stage, and how the samples are used.

    Args:
        folder: OUT_DIR as the user named it.
    """
    facts, built = found.facts, found.built
    passed_over = ", ".join(f"{count} {kind}" for kind, count in facts.passed_over.items())
    lines = [
        f"{facts.files} files, {facts.chunks} chunks, {facts.duplicates} duplicates left out, "
        f"{facts.asked} asked about",
        *([f"passed over, as of no kind that is read: {passed_over}"] if passed_over else []),
        "",
        f"{'stage':10} {'dropped':>7} {'left':>6}  why",
    ]
    for stage, left, reasons in found.stages():
        shown = [f"{reason} ({count})" for reason, count in reasons.items()]
        if len(shown) > _REASONS_SHOWN:
            rest = sum(list(reasons.values())[_REASONS_SHOWN:])
            shown[_REASONS_SHOWN:] = [f"other reasons ({rest})"]
        lines.append(f"{stage:10} {sum(reasons.values()):7} {left:6}  {'; '.join(shown)}".rstrip())
    refused = sum(bool(sample.expect.get("refuse")) for sample in built.samples)
    lines += [
        "",
        f"{len(built.samples)} samples, {refused} of them to be refused, "
        f"{len(built.documents)} documents",
    ]
    if built.samples:
        name = folder.as_posix().rstrip("/") + "/"
        lines.append(f"evaluate: python eval_remote.py {' '.join(evaluation_options(facts, name))}")
    elif found.pending:
        lines[-1] = f"0 samples: {len(found.pending)} prompts got no reply"
    else:
        lines[-1] = f"0 samples: every question was dropped; {folder / 'rejected.jsonl'} says why"
    return "\n".join([*lines, "", facts.signature])
