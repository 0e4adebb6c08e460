"""From options to what is to be built, and how: checked before a file is read or a model asked."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragifeval import __version__
from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.build.samples import SampleSettings
from ragifeval.errors import UserError
from ragifeval.languages import LANGUAGES
from ragifeval.paths import BUILD_PROMPTS
from ragifeval.run.models import AnyConfig, load_any_config
from ragifeval.run.template import PromptTemplate, Template, load_again
from ragifeval.scoring.signature import Signature, fingerprint, model_part
from ragifeval.text.normalizer import normalizer_name

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles

STYLES: Mapping[str, Sequence[str]] = {
    "factoid": ("factoid",),
    "exam": ("exam_questions", "exam_answer"),
}
"""Style of asking -> the names of its templates."""
CRITICS: Mapping[str, Sequence[str]] = {
    "separate": ("groundedness", "relevance", "standalone"),
    "additive": ("additive",),
}
"""Way to criticise -> its critics: the names of their templates."""
EVALUATION = "evaluation.jinja"
"""The prompt that models get when they are evaluated on the samples."""

# What templates are tried with.
_SHOWN: Mapping[str, object] = {
    **dict.fromkeys(("context", "question", "answer", "audience"), "-"),
    "earlier": ["-"],
    "number": 1,
}


@dataclass(frozen=True)
class BuildPlan:
    """A build whose options, configs and prompts are right.

    Attributes:
        config: of the model that asks, answers and proposes phrases; None in a dry run without one.
        critic: of the model that criticises; None where it is the same.
        templates: name -> template of a prompt.
        again: what a model is told when its reply could not be read.
        evaluation: the template that models are to be evaluated with.
        chunk_size, chunk_overlap: in characters; a size of None leaves documents whole.
        questions: how many are asked about each chunk.
        least_rating: what each critic must give.
        normalizer: as --normalizer names it; None for the lemma table.
        limit: how many chunks are asked about; None for all.
        files: of a batch, which answer in the models' place.
    """

    config: AnyConfig | None
    critic: AnyConfig | None
    language: str
    audience: str
    style: str
    criticism: str
    templates: Mapping[str, Template]
    again: str | None
    evaluation: PromptTemplate
    chunk_size: int | None
    chunk_overlap: int
    questions: int
    least_rating: float
    normalizer: str | None
    samples: SampleSettings
    limit: int | None
    files: "BatchFiles | None" = None

    @property
    def critics(self) -> Sequence[str]:
        """The names of the critics' templates."""
        return CRITICS[self.criticism]

    @property
    def signature(self) -> Signature:
        """All that a build depends on, besides the documents."""
        samples = self.samples
        return Signature(
            {
                "language": self.language,
                "chunks": f"{self.chunk_size or 'whole'}+{self.chunk_overlap}",
                "questions": f"{self.questions}-{self.style}",
                "critics": f"{self.criticism}>={self.least_rating:g}",
                "audience": fingerprint(self.audience),
                "prompts": fingerprint(
                    [self.again, {name: one.source for name, one in self.templates.items()}]
                ),
                "normalizer": normalizer_name(self.normalizer),
                "samples": f"{samples.distractors}-{samples.refusals:g}-seed{samples.seed}",
                "limit": str(self.limit or "no"),
                "version": __version__,
                "critic": _named(self.critic or self.config),
                "model": _named(self.config),
            }
        )

    def replies_signature(self, config: AnyConfig) -> Signature:
        """What a model's reply depends on, besides its prompt."""
        return Signature({"version": __version__, "model": _named(config)})


def _named(config: AnyConfig | None) -> str:
    return model_part(config.display_name, config.scored_settings()) if config else "none"


def make_build_plan(options: argparse.Namespace, changes: Mapping[str, Any]) -> BuildPlan:
    """Read and check all that the options name, the documents aside.

    Args:
        changes: keys over those of the config of the model that asks.

    Raises:
        UserError: something is wrong with an option, a config or a prompt.
    """
    size = None if options.chunk_size == "whole" else int(options.chunk_size)
    if size is not None and options.chunk_overlap >= size:
        raise UserError(
            f"--chunk_overlap: {options.chunk_overlap} is not less than --chunk_size, {size}"
        )
    language = LANGUAGES[options.language]
    folder = (options.prompts or BUILD_PROMPTS / options.language).resolve()
    names = [*STYLES[options.style], *CRITICS[options.critics], "phrases"]
    most = 5 if options.critics == "separate" else 4
    if options.min_rating > most:
        raise UserError(
            f"--min_rating: {options.min_rating:g} is more than the {most:g} that "
            f"--critics {options.critics} can give"
        )
    if options.audience is not None and options.critics != "separate":
        raise UserError("--audience: is for the critic of relevance, of --critics separate")
    templates = {name: Template(folder / f"{name}.jinja") for name in names}
    for template in templates.values():
        # A template that cannot be rendered is found out now, not by its first prompt.
        if not template.render(_SHOWN).messages:
            raise UserError(f"{template.path}: makes an empty prompt")
    normalizer = options.normalizer or language.normalizer
    normalizer_name(normalizer)
    config = critic = None
    if options.model_config is not None or changes:
        config = load_any_config(options.model_config, changes, options.dry_run)
    elif not options.dry_run:
        raise UserError("--model_config: is missing; it, or --model, says which model asks")
    if options.judge_config is not None:
        critic = load_any_config(options.judge_config, dry_run=options.dry_run)
    return BuildPlan(
        config=config,
        critic=critic,
        language=options.language,
        audience=options.audience or language.audience,
        style=options.style,
        criticism=options.critics,
        templates=templates,
        again=load_again(folder),
        evaluation=_evaluation(folder, options.language),
        chunk_size=size,
        chunk_overlap=0 if size is None else options.chunk_overlap,
        questions=options.questions_per_chunk,
        least_rating=options.min_rating,
        normalizer=normalizer,
        samples=SampleSettings(
            distractors=options.distractors,
            refusals=options.refusals,
            seed=options.seed,
            refusal_message=language.refusal_message,
            kind=options.style,
        ),
        limit=options.limit,
    )


def _evaluation(folder: Path, name: str) -> PromptTemplate:
    """The template in a folder of the user's own, or else the one of the language."""
    own = folder / EVALUATION
    path = own if own.exists() else BUILD_PROMPTS / name / EVALUATION
    language = LANGUAGES[name]
    template = PromptTemplate(path, language.system_message, language.refusal_message)
    document = Document("-", "-")
    template.render(Sample("-", "-", ("-",), {}), [document])
    return template
