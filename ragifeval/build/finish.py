"""The last step: candidates and a reviewer's verdicts -> the benchmark in OUT_DIR, and its card."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from ragifeval import __version__
from ragifeval.benchmark.benchmark import as_object, load_benchmark
from ragifeval.build.folder import (
    BuildFolder,
    read_json,
    read_records,
    write_objects,
    write_records,
)
from ragifeval.build.plan import Facts
from ragifeval.build.records import Rejection
from ragifeval.build.review.verdicts import Review
from ragifeval.build.samples import Built, make_samples
from ragifeval.files import write_json, written_beside
from ragifeval.languages import LANGUAGES
from ragifeval.results.export.datasets import ONLY, Split, size_category, write_datasets
from ragifeval.tables import plural

STAGES = ("ask", "answer", "criticise", "phrases", "review", "samples")
_SELDOM = ("answer", "review")
"""Stages that not every build has."""
_REASONS_SHOWN = 3
_PENDING_SHOWN = 20
_CARD = Path(__file__).with_name("card.jinja")


@dataclass(frozen=True)
class BuildResult:
    """What a build came to.

    Attributes:
        rejections: all that became no sample, in the order of the stages.
        review: what may be reviewed, and what was.
    """

    facts: Facts
    built: Built
    rejections: Sequence[Rejection]
    review: Review

    @property
    def reviewed(self) -> Mapping[str, int]:
        """Verdict -> how many."""
        return Counter[str](verdict.verdict for verdict in self.review.verdicts.values())

    @property
    def refusals(self) -> int:
        """How many samples are to be refused."""
        return sum(bool(sample.expect.get("refuse")) for sample in self.built.samples)

    @property
    def lost(self) -> Sequence[Rejection]:
        """Those that a person accepted, and that became no sample all the same."""
        accepted = {key for key, one in self.review.verdicts.items() if one.verdict == "accept"}
        return [rejection for rejection in self.rejections if rejection.id in accepted]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the samples should know, a line each."""
        outdated = len(self.review.outdated)
        count = plural(outdated, "verdict, on a question", "verdicts, on questions")
        left_out = f"left out: {count} since changed"
        return [*self.built.notes, *([left_out] if outdated else [])]

    @property
    def pending(self) -> Sequence[Rejection]:
        """Those to which no reply came: started again, the build asks once more."""
        return [rejection for rejection in self.rejections if rejection.is_pending]

    @property
    def is_complete(self) -> bool:
        """Whether there are samples, and nothing that another start would mend."""
        return bool(self.built.samples) and not self.pending and not self.facts.unread

    def stages(self) -> Sequence[tuple[str, int, Mapping[str, int]]]:
        """(stage, how many questions are left behind it, reason -> how many it dropped).

        A stage that not every build has is named where it dropped something.
        """
        left = len(self.built.samples)
        rows = []
        for stage in reversed(STAGES):
            here = [rejection for rejection in self.rejections if rejection.stage == stage]
            reasons = dict(Counter(rejection.reason for rejection in here).most_common())
            if reasons or stage not in _SELDOM:
                rows.append((stage, left, reasons))
            left += sum(rejection.candidate is not None for rejection in here)
        return rows[::-1]


def finish(folder: BuildFolder) -> BuildResult:
    """Make samples of what the stages left in the folder, and write all that OUT_DIR holds.

    Raises:
        UserError: the folder holds no finished build, or cannot be written.
    """
    facts = read_json(folder.facts, Facts)
    review = Review.load(folder, facts)
    built, rejected = review.built, list[Rejection]()
    if review.verdicts:
        # Which questions are to be refused was settled before the review: what a person accepted
        # does not change for what was rejected beside it.
        kept, rejected = review.settle()
        built = make_samples(kept, review.chunks, review.normalizer, facts.samples, built.drawn)
    rejections = [*read_records(folder.dropped, Rejection), *rejected, *built.rejections]
    rejections.sort(key=lambda rejection: STAGES.index(rejection.stage))
    result = BuildResult(facts, built, rejections, review)
    _write(folder, result)
    return result


def _write(folder: BuildFolder, result: BuildResult) -> None:
    folder.clear_results()
    write_objects(folder.rejected, (_rejected(rejection) for rejection in result.rejections))
    write_json(folder.summary, summary(result))
    if not result.built.samples:
        return
    write_records(folder.documents, result.built.documents)
    write_objects(folder.samples, map(as_object, result.built.samples))
    with written_beside(folder.card) as file:
        file.write(_card(result))
    benchmark = load_benchmark(folder.documents, folder.samples)
    split = Split.of(ONLY, benchmark, folder.documents, folder.samples)
    write_datasets([split], folder.dataset, overwrite=True, language=result.facts.language)


def _rejected(rejection: Rejection) -> dict[str, Any]:
    """A line of rejected.jsonl."""
    value: dict[str, Any] = {
        "id": rejection.id,
        "stage": rejection.stage,
        "reason": rejection.reason,
        "words": rejection.words,
    }
    if rejection.is_pending:
        value["is_pending"] = True
    if rejection.candidate is not None:
        candidate = asdict(rejection.candidate)
        value |= {key: item for key, item in candidate.items() if key != "id" and item}
    return value


def _card(result: BuildResult) -> str:
    """README.md: a dataset card that says how samples were made, and how they are used."""
    environment = Environment(  # noqa: S701 - the card is Markdown, which HTML's escapes would spoil
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    environment.filters["cell"] = _cell
    verdicts = [f"{count} {verdict}" for verdict, count in sorted(result.reviewed.items())]
    return environment.from_string(_CARD.read_text(encoding="utf-8")).render(
        facts=result.facts,
        samples=len(result.built.samples),
        refusals=result.refusals,
        size=size_category(len(result.built.samples)),
        stages=result.stages(),
        options=_evaluation_options(result.facts),
        reviewed=", ".join(verdicts) or "no",
        is_reviewed=bool(verdicts),
        version=__version__,
    )


def _cell(value: object) -> str:
    """A value that stays in its cell of a Markdown table, and is text there."""
    line = " ".join(str(value).split())
    return line.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def _evaluation_options(facts: Facts, folder: str = "") -> Sequence[str]:
    """The options with which models are evaluated on the samples.

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


def summary(result: BuildResult) -> dict[str, Any]:
    """What build.json holds."""
    facts = result.facts
    return {
        "signature": facts.signature,
        "language": facts.language,
        "normalizer": Path(facts.normalizer).name if facts.normalizer else "lemma table",
        "refusal_message": facts.samples.refusal_message,
        "models": facts.models,
        "settings": {**facts.settings, **asdict(facts.samples)},
        "files": facts.files,
        "unread": facts.unread,
        "passed_over": facts.passed_over,
        "chunks": facts.chunks,
        "duplicates": facts.duplicates,
        "asked": facts.asked,
        "stages": [
            {"stage": stage, "left": left, "dropped": reasons}
            for stage, left, reasons in result.stages()
        ],
        "reviewed": result.reviewed,
        "samples": len(result.built.samples),
        "refusals": result.refusals,
        "documents": len(result.built.documents),
        "phrases_dropped": len(result.built.dropped),
        "pending": len(result.pending),
        "notes": list(result.notes),
    }


def table(result: BuildResult, folder: Path) -> str:
    """The counts of each stage, and how the samples are used.

    Args:
        folder: OUT_DIR as the user named it.
    """
    facts, built = result.facts, result.built
    passed_over = ", ".join(f"{count} {kind}" for kind, count in facts.passed_over.items())
    lines = [
        f"{plural(facts.files, 'file')}, {plural(facts.chunks, 'chunk')}, "
        f"{plural(facts.duplicates, 'duplicate')} left out, "
        f"{facts.asked} asked about",
        *([f"passed over, as of no kind that is read: {passed_over}"] if passed_over else []),
        "",
        f"{'stage':10} {'dropped':>7} {'left':>6}  why",
    ]
    for stage, left, reasons in result.stages():
        shown = [f"{reason} ({count})" for reason, count in reasons.items()]
        if len(shown) > _REASONS_SHOWN:
            rest = sum(list(reasons.values())[_REASONS_SHOWN:])
            shown[_REASONS_SHOWN:] = [f"other reasons ({rest})"]
        lines.append(f"{stage:10} {sum(reasons.values()):7} {left:6}  {'; '.join(shown)}".rstrip())
    lines += [
        "",
        f"{plural(len(built.samples), 'sample')}, {result.refusals} of them to be refused, "
        f"{plural(len(built.documents), 'document')}",
    ]
    if built.samples:
        name = folder.as_posix().rstrip("/") + "/"
        log = shlex.quote(f"{name}run.jsonl")
        options = " ".join(_evaluation_options(facts, name))
        lines += [
            f"evaluate: ragifeval remote --model MODEL {options} --log_path {log}",
            f"report:   ragifeval report {log} -o {shlex.quote(f'{name}run.html')}",
        ]
    elif result.pending:
        lines[-1] = f"0 samples: {plural(len(result.pending), 'prompt')} got no reply"
    else:
        lines[-1] = f"0 samples: every question was dropped; {folder / 'rejected.jsonl'} says why"
    return "\n".join([*lines, "", facts.signature])


def warnings(result: BuildResult) -> list[str]:
    """What the reader of the table ought to know, a line each."""
    lines = [f"not read: {file}: {reason}" for file, reason in result.facts.unread.items()]
    lines += [
        f"accepted, but no sample: {one.id}: {one.reason}: {one.words}" for one in result.lost
    ]
    pending = [f"no reply: {one.id} ({one.stage}): {one.words}" for one in result.pending]
    if len(pending) > _PENDING_SHOWN:
        pending[_PENDING_SHOWN:] = [f"... and {len(pending) - _PENDING_SHOWN} more"]
    lines += pending
    if pending:
        lines.append(
            f"{plural(len(result.pending), 'prompt')} got no reply; the same command asks once "
            "more, and for nothing else"
        )
    lines += [f"note: {note}" for note in result.notes]
    if result.facts.models["critic"] == result.facts.models["generator"]:
        lines.append(
            "note: the model has criticised its own questions, which it may favour; --judge_config "
            "names another"
        )
    return lines
