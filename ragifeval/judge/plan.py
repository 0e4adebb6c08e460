"""What is to be judged, by which metrics and which model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragifeval.judge.embeddings import EmbeddingModels
from ragifeval.judge.metrics import Metric
from ragifeval.run.models import AnyConfig
from ragifeval.scoring.signature import Signature

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles

MODEL_METRICS = ("correctness", "faithfulness", "claims")
METRICS = (*MODEL_METRICS, "lexical", "retrieval")
TEMPLATES = ("correctness", "faithfulness", "faithfulness_refine", "claims")
"""The names of the metrics' prompts."""


@dataclass(frozen=True)
class JudgePlan:
    """A judging whose options, config and prompts are right.

    Attributes:
        metrics: the names of those asked for, in the order of METRICS.
        asking: those of them that ask a model.
        config: of the judge; None where no metric asks one.
        again: what it is told when its reply could not be read.
        models: those that lexical scores load.
        language: of the prompts and the texts.
        use_schema: whether the service is asked to hold the judge to a JSON schema.
        k: how many retrieved documents are looked at.
        replies: the signature of the model's replies, whatever is made of them.
        signature: of the judged log.
        files: of a batch, which answer in the judge's place.
    """

    metrics: Sequence[str]
    asking: Sequence[Metric[Any]]
    config: AnyConfig | None
    again: str | None
    models: EmbeddingModels
    language: str
    use_schema: bool
    k: int
    replies: Signature
    signature: Signature
    files: "BatchFiles | None" = None

    @property
    def judge(self) -> str:
        """The judge's name."""
        return self.config.display_name if self.config is not None else "no model"
