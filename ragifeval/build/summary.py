"""What a build came to, for the terminal: a table, and what is to be known with it."""

from pathlib import Path

from ragifeval.build.card import evaluation_options
from ragifeval.build.finish import Finished

_REASONS_SHOWN = 3
_PENDING_SHOWN = 20


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


def warnings(found: Finished) -> list[str]:
    """What the reader of the table ought to know, a line each."""
    lines = [f"not read: {file}: {reason}" for file, reason in found.facts.unread.items()]
    lines += [f"accepted, but no sample: {one.id}: {one.reason}: {one.words}" for one in found.lost]
    pending = [f"no reply: {one.id} ({one.stage}): {one.words}" for one in found.pending]
    if len(pending) > _PENDING_SHOWN:
        pending[_PENDING_SHOWN:] = [f"... and {len(pending) - _PENDING_SHOWN} more"]
    lines += pending
    if pending:
        lines.append(
            f"{len(found.pending)} prompts got no reply; the same command asks for them alone"
        )
    lines += [f"note: {note}" for note in found.notes]
    if found.facts.models["critic"] == found.facts.models["generator"]:
        lines.append(
            "note: the model has criticised its own questions, which it may favour; --judge_config "
            "names another"
        )
    return lines
