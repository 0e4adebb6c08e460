"""What the last step of a build must know of those before it: work/facts.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ragifeval.build.making.samples import Settings
from ragifeval.build.plan import BuildPlan
from ragifeval.build.records import Chunked
from ragifeval.errors import UserError
from ragifeval.files import write_json


@dataclass(frozen=True)
class Facts:
    """How a build was made, as far as making samples and telling of it depend on that.

    Attributes:
        normalizer: as --normalizer names it; None for the lemma table.
        files: how many were read.
        unread: file -> why it could not be.
        passed_over: ending -> how many files of a kind that is not read lie in the folders.
        chunks: how many the files were cut into.
        duplicates: how many of them repeat another one, and were left out.
        asked: how many were asked about.
        settings: what the card tells of the options.
        models: who asked, and who criticised.
        signature: the plan's, in one line.
    """

    language: str
    normalizer: str | None
    samples: Settings
    files: int
    unread: Mapping[str, str]
    passed_over: Mapping[str, int]
    chunks: int
    duplicates: int
    asked: int
    signature: str
    models: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Keep them for --review and --apply."""
        write_json(path, asdict(self))

    @classmethod
    def read(cls, path: Path) -> "Facts":
        """Read what write() wrote.

        Raises:
            UserError: the file is not there, or was changed.
        """
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            return cls(**{**value, "samples": Settings(**value["samples"])})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise UserError(
                f"{path}: is no record of a build ({type(error).__name__}); build again with "
                "--overwrite"
            ) from None


def facts_of(plan: BuildPlan, chunked: Chunked) -> Facts:
    """The facts of a build by this plan, and of what it found."""
    assert plan.config is not None, "a dry run builds nothing"
    model = plan.config.display_name
    return Facts(
        language=plan.language,
        normalizer=plan.normalizer,
        samples=plan.samples,
        files=chunked.read,
        unread=chunked.unread,
        passed_over=chunked.passed_over,
        chunks=len(chunked.chunks) + len(chunked.duplicates),
        duplicates=len(chunked.duplicates),
        asked=len(chunked.chosen),
        signature=str(plan.signature),
        models={
            "generator": model,
            "critic": plan.critic.display_name if plan.critic is not None else model,
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
