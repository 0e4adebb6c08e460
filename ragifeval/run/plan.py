"""From settings to what is to be run: everything is checked before a model is loaded or asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ragifeval import defaults, paths
from ragifeval.benchmark.benchmark import Sample, load_benchmark
from ragifeval.benchmark.sets import data_part, find_set
from ragifeval.benchmark.variants.variants import Expanded, expand, read_variants, signature_parts
from ragifeval.errors import UserError, unknown
from ragifeval.run.progress import watched
from ragifeval.run.run import Task
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.scorer import ScoringSettings, check_text
from ragifeval.scoring.signature import PARTS, Signature, default_or_fingerprint, fingerprint


@dataclass(frozen=True)
class RunSettings:
    """What is asked, in which words, and by what answers are scored; the model aside.

    Attributes:
        docs_path, eval_path: the benchmark.
        prompt: a Jinja template.
        system_message: empty for none.
        text_completion: ask for the completion of a text, not for a chat.
        shuffle_seed: of the order of each question's documents; None keeps the order of the data.
        ids: the only samples that are asked; None for all.
        limit: how many samples are asked; None for all.
        variants: of each of them, "core,twin,noise:16"; docs/variants.md lists them.
        repeats: how often each question is asked.
    """

    docs_path: Path = paths.DOCUMENTS
    eval_path: Path = paths.SAMPLES
    prompt: Path = paths.PROMPT
    system_message: str = defaults.SYSTEM_MESSAGE
    text_completion: bool = False
    shuffle_seed: int | None = None
    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    ids: Sequence[str] | None = None
    limit: int | None = None
    variants: str = "core"
    repeats: int = 1

    @classmethod
    def of(cls, data: str | Path = "core", **settings: Any) -> "RunSettings":
        """Settings by name.

        Args:
            data: the name of a set, or its folder.
            settings: those of this class and of ScoringSettings; paths may be strings, and None is
                the default.

        Raises:
            UserError: there is no such set or setting, or one is wrong.
        """
        own, scoring = ({field.name for field in fields(kind)} for kind in (cls, ScoringSettings))
        given: dict[str, Any] = dict(zip(("docs_path", "eval_path"), find_set(data), strict=True))
        for name, value in settings.items():
            if name not in own | scoring or name == "scoring":
                raise UserError(unknown(name, (own | scoring) - {"scoring"}))
            if value is not None:
                given[name] = Path(value) if name in _PATHS else value
        taken = {name: given.pop(name) for name in scoring & given.keys()}
        return cls(**given, scoring=ScoringSettings(**taken))


_PATHS = {"docs_path", "eval_path", "prompt", "badwords_path"}


def make_task(settings: RunSettings) -> Task:
    """Read and check all that the settings name.

    Returns:
        The task; Task.answered_by() adds the model.

    Raises:
        UserError: something is wrong with a setting, the data or the template.
    """
    check_text("--system_message", settings.system_message)
    benchmark = load_benchmark(settings.docs_path, settings.eval_path)
    variants = read_variants(settings.variants)
    expanded = expand(benchmark, variants, _selected(benchmark.samples, settings), watched)
    samples = expanded.benchmark.samples
    if not samples:
        raise UserError(f"--variants: {settings.variants} leaves no sample{_why(expanded)}")
    template = PromptTemplate(
        settings.prompt,
        settings.system_message,
        settings.scoring.refusal_message,
        settings.text_completion,
    )
    data = data_part(benchmark, settings.docs_path, settings.eval_path)
    seed = settings.shuffle_seed
    parts = {
        "prompt": fingerprint(template.source),
        "shuffle": "no" if seed is None else f"seed{seed}",
        "system": default_or_fingerprint(settings.system_message, defaults.SYSTEM_MESSAGE),
        "mode": "completion" if settings.text_completion else "chat",
        **settings.scoring.signature_parts(data),
        **signature_parts(variants, benchmark),
    }
    task = Task(
        benchmark=expanded.benchmark,
        samples=samples,
        template=template,
        shuffle_seed=seed,
        matching=settings.scoring.matching,
        signature=Signature({part: parts[part] for part in PARTS if part in parts}),
        repeats=settings.repeats,
        left_out=expanded.left_out,
        whole=lambda: expand(benchmark, variants, watched=watched).benchmark.samples,
    )
    # A template that cannot be rendered is found out now, not by the first question asked.
    task.request(samples[0])
    return task


def _why(expanded: Expanded) -> str:
    if expanded.most:
        return f": no question has so many documents; noise:{expanded.most} is the largest"
    reasons = [reason for one in expanded.left_out.values() for reason in one.values()]
    return f": {', or '.join(dict.fromkeys(reasons))}" if reasons else ""


def _selected(samples: Sequence[Sample], settings: RunSettings) -> Sequence[Sample]:
    if settings.ids is not None:
        wanted = set(settings.ids)
        unknown = wanted - {sample.id for sample in samples}
        if unknown or not wanted:
            named = ", ".join(sorted(unknown)) or "none is named"
            raise UserError(f"--ids: no such sample in {settings.eval_path}: {named}")
        samples = [sample for sample in samples if sample.id in wanted]
    return samples[: settings.limit]
