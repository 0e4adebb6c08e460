"""From options to what is to be judged, and how: checked before a model is loaded or asked."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragifeval import __version__
from ragifeval.errors import UserError
from ragifeval.generators.config import RemoteConfig
from ragifeval.judge.embeddings import EmbeddingModels, check_model
from ragifeval.judge.metrics import ClaimOverlap, Correctness, Faithfulness, Metric
from ragifeval.paths import JUDGE_PROMPTS
from ragifeval.run.models import AnyConfig, load_any_config
from ragifeval.run.template import AGAIN, Template, load_again
from ragifeval.scoring.signature import Signature, fingerprint, model_part

if TYPE_CHECKING:
    from ragifeval.generators.remote.batch import BatchFiles

MODEL_METRICS = ("correctness", "faithfulness", "claims")
METRICS = (*MODEL_METRICS, "lexical", "retrieval")
_TEMPLATES = ("correctness", "faithfulness", "faithfulness_refine", "claims")


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


def make_judge_plan(options: argparse.Namespace, changes: Mapping[str, Any]) -> JudgePlan:
    """Read and check all that the options name, the answers aside.

    Args:
        changes: keys over those of the model config.

    Raises:
        UserError: something is wrong with an option, the config or a prompt.
    """
    metrics = _metrics(options, bool(changes))
    models = _embedding_models(options, metrics)
    folder = (options.prompts or JUDGE_PROMPTS / options.language).resolve()
    names = [name for name in _TEMPLATES if name.partition("_")[0] in metrics]
    templates = {name: Template(folder / f"{name}.jinja") for name in names}
    asking: list[Metric[Any]] = []
    if "correctness" in metrics:
        asking.append(Correctness(templates, options.threshold))
    if "faithfulness" in metrics:
        asking.append(Faithfulness(templates, options.window))
    if "claims" in metrics:
        asking.append(ClaimOverlap(templates))
    config = None
    is_named = options.model_config is not None or bool(changes)
    if asking and (is_named or not options.dry_run):
        if not is_named:
            raise UserError(
                "--model_config: is missing; only --metrics lexical,retrieval needs none"
            )
        config = load_any_config(options.model_config, changes, options.dry_run)
    replies = {
        "language": options.language,
        # All of them, so that another metric can be added to a judged log.
        "prompts": fingerprint({path.name: path.read_text("utf-8-sig") for path in _all(folder)}),
        "structured": options.structured,
        "version": __version__,
        "model": model_part(config.display_name, config.scored_settings()) if config else "none",
    }
    own = {
        "metrics": "+".join(metrics),
        "threshold": f"{options.threshold:g}",
        "window": str(options.window),
        "k": str(options.k),
        **models.parts(),
    }
    signature = Signature({**own, **replies})
    return JudgePlan(
        metrics=metrics,
        asking=asking,
        config=config,
        again=load_again(folder),
        models=models,
        language=options.language,
        use_schema=options.structured == "auto" and _takes_schema(config),
        k=options.k,
        replies=Signature(replies),
        signature=signature,
    )


def _takes_schema(config: AnyConfig | None) -> bool:
    """Whether a schema can be sent; a `response_format` of the user's own is left as it is."""
    return isinstance(config, RemoteConfig) and "response_format" not in config.extra_body


def _all(folder: Path) -> Sequence[Path]:
    own = {*(f"{name}.jinja" for name in _TEMPLATES), AGAIN}
    return sorted(path for path in folder.glob("*.jinja") if path.name in own)


def _metrics(options: argparse.Namespace, is_named: bool) -> Sequence[str]:
    if options.metrics is not None:
        asked = [name.strip() for name in options.metrics.split(",") if name.strip()]
        for name in asked:
            if name not in METRICS:
                raise UserError(f"--metrics: {name!r} is none of: {', '.join(METRICS)}")
        if not asked:
            raise UserError(f"--metrics: names none of: {', '.join(METRICS)}")
        return [name for name in METRICS if name in asked]
    if options.question is not None:
        return ["claims"]
    has_judge = is_named or options.model_config or options.dry_run
    return [*MODEL_METRICS, "lexical"] if has_judge else ["lexical"]


def _embedding_models(options: argparse.Namespace, metrics: Sequence[str]) -> EmbeddingModels:
    found = []
    for name, package in (
        ("bertscore_model", "bert-score"),
        ("embedding_model", "sentence-transformers"),
    ):
        source = getattr(options, name)
        if source is not None and "lexical" not in metrics:
            raise UserError(f"--{name}: is for --metrics lexical, which is not asked for")
        found.append(check_model(f"--{name}", source, package))
    return EmbeddingModels(*found)
