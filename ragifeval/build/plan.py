"""What is to be built, by which prompts and models; and what the last step must know of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragifeval import __version__
from ragifeval.build.records import Corpus
from ragifeval.build.samples import SampleSettings
from ragifeval.run.models import AnyConfig
from ragifeval.run.template import PromptTemplate, Template
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


@dataclass(frozen=True)
class Facts:
    """How a build was made, as far as making samples and the card depend on that: work/facts.json.

    Attributes:
        normalizer: as --normalizer names it; None for the lemma table.
        files: how many were read.
        unread: file -> why it could not be.
        passed_over: ending -> how many files of a kind that is not read lie in the folders.
        chunks: how many the files were cut into.
        duplicates: how many of them repeat another one, and were left out.
        asked: how many were asked about.
        settings: the options that the card shows.
        models: who asked, and who criticised.
        signature: the plan's, in one line.
    """

    language: str
    normalizer: str | None
    samples: SampleSettings
    files: int
    unread: Mapping[str, str]
    passed_over: Mapping[str, int]
    chunks: int
    duplicates: int
    asked: int
    signature: str
    models: Mapping[str, str]
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, plan: BuildPlan, corpus: Corpus) -> "Facts":
        """The facts of a build by this plan, on these documents."""
        assert plan.config is not None, "a dry run builds nothing"
        return cls(
            language=plan.language,
            normalizer=plan.normalizer,
            samples=plan.samples,
            files=corpus.read,
            unread=corpus.unread,
            passed_over=corpus.passed_over,
            chunks=len(corpus.chunks) + len(corpus.duplicates),
            duplicates=len(corpus.duplicates),
            asked=len(corpus.chosen),
            signature=str(plan.signature),
            models={
                "generator": plan.config.display_name,
                "critic": (plan.critic or plan.config).display_name,
            },
            settings={
                "style": plan.style,
                "questions_per_chunk": plan.questions,
                "chunk_size": plan.chunk_size,
                "chunk_overlap": plan.chunk_overlap,
                "critics": list(plan.critics),
                "min_rating": plan.least_rating,
                "audience": plan.audience,
            },
        )
