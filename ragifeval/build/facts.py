"""What the last step of a build must know of those before it: work/facts.json."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragifeval.build.plan import BuildPlan
from ragifeval.build.records import Corpus
from ragifeval.build.samples import SampleSettings


@dataclass(frozen=True)
class Facts:
    """How a build was made, as far as making samples and the card depend on that.

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
