"""Scores by embeddings: BERTScore, and the cosine of two texts' embeddings.

They are computed where bert-score and sentence-transformers are installed; neither is required.
"""

import os
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata, util
from pathlib import Path
from typing import Any

from ragifeval.errors import UserError
from ragifeval.judge.own_models import (
    Columns,
    Measure,
    OwnModels,
    Pairs,
    be_quiet,
    cached,
    is_installed,
    reason_of,
    shown,
)

SENTENCE_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""Of the published evaluation: small, and English. For Polish, another one says more."""


def installed(models: OwnModels, language: str) -> list[Measure]:
    """Those measures whose package is there.

    Args:
        language: of the texts, for BERTScore.
    """
    found: list[Measure] = []
    if is_installed("bert-score"):
        found.append(BertScore(models.bertscore, language))
    if is_installed("sentence-transformers"):
        found.append(Cosine(models.embedding))
    return found


def load_named(measures: Sequence[Measure]) -> None:
    """Load the models that the user named, before any other work is done.

    Raises:
        UserError: one of them cannot be loaded.
    """
    for measure in measures:
        if measure.named is not None:
            try:
                measure.load()
            except Exception as error:  # noqa: BLE001 - whatever the package makes of the folder
                raise UserError(
                    f"{measure.option}: {measure.named} cannot be loaded: {reason_of(error)}; name "
                    "a folder that holds a model, or one that the Hub has"
                ) from None


class BertScore:
    """BERTScore of bert-score: greedy matching of tokens by their contextual embeddings, no idf.

    Of a model that bert-score knows by its name, or by that of its folder, the layer is the one
    that it has been tuned to, and the scores are rescaled where it has a baseline for the language;
    of any other model, the layer is the last, and they are not rescaled.

    Args:
        source: a folder or a name; None for the model that bert-score has for the language, if it
            is in the Hub's local cache.
    """

    name = "bertscore"
    names: Sequence[str] = ("bertscore_precision", "bertscore_recall", "bertscore_f1")
    option = "--bertscore_model"

    def __init__(self, source: str | None, language: str) -> None:
        self.named = source
        self._language = language

    @property
    def how(self) -> str:
        rescaled = f"rescaled for {self._language}" if self._baseline else "not rescaled"
        model = f"{shown(self._source)} layer {self._layer}"
        return f"bert-score {metadata.version('bert-score')}, {model}, {rescaled}"

    def load(self) -> None:
        _ = self._scorer

    def __call__(self, pairs: Pairs) -> Columns:
        # Of an empty text, bert-score makes raw scores of 0; with transformers 5 it fails on it.
        whole = [place for place, texts in enumerate(pairs) if all(text.strip() for text in texts)]
        scorer = self._scorer
        zero = [0.0, 0.0, 0.0]
        if self._baseline:
            zero = [-value / (1 - value) for value in scorer.baseline_vals.tolist()]
        rows = [zero for _ in pairs]
        if whole:
            references, answers = zip(*(pairs[place] for place in whole), strict=True)
            found = scorer.score(list(answers), list(references))
            for place, *values in zip(whole, *(column.tolist() for column in found), strict=True):
                rows[place] = values
        return dict(zip(self.names, zip(*rows, strict=True), strict=True))

    @cached_property
    def _source(self) -> str:
        from bert_score.utils import lang2model

        return self.named if self.named is not None else str(lang2model[self._language])

    @cached_property
    def _place(self) -> str:
        """What is loaded: a default from this machine alone."""
        return self._source if self.named is not None else cached(self._source, self.option)

    @property
    def _name(self) -> str:
        """The name by which bert-score may know the model."""
        folder = Path(self._source)
        return folder.resolve().name if folder.is_dir() else self._source

    @cached_property
    def _layer(self) -> int:
        from bert_score.utils import model2layers

        known = model2layers.get(self._name)
        return int(known if known is not None else self._config.num_hidden_layers)

    @property
    def _baseline(self) -> Path | None:
        package = util.find_spec("bert_score")
        assert package is not None and package.origin is not None  # noqa: PT018
        folder = Path(package.origin).parent / "rescale_baseline"
        path = folder / self._language / f"{self._name}.tsv"
        return path if path.is_file() else None

    @cached_property
    def _config(self) -> Any:
        from transformers import AutoConfig

        return AutoConfig.from_pretrained(self._place)

    @cached_property
    def _scorer(self) -> Any:
        from bert_score import BERTScorer

        be_quiet()
        if "t5" in self._place and "t5" not in self._config.model_type:
            raise ValueError("bert-score takes any path with 't5' in it for a T5; link or move it")
        scorer = BERTScorer(
            model_type=self._place,
            num_layers=self._layer,
            lang=self._language,
            rescale_with_baseline=self._baseline is not None,
            baseline_path=str(self._baseline) if self._baseline else None,
        )
        # Where the tokenizer knows no limit, transformers has 10^30, which tokenizers cannot hold.
        if scorer._tokenizer.model_max_length > sys.maxsize:
            positions = getattr(self._config, "max_position_embeddings", None) or 0
            # Two of RoBERTa's positions hold no token.
            scorer._tokenizer.model_max_length = positions - 2 if positions > 2 else 512
        return scorer


class Cosine:
    """The cosine between the embeddings of reference and answer.

    Args:
        source: a folder or a name; None for that of the published evaluation, if it is in the
            Hub's local cache.
    """

    name = "cosine"
    names: Sequence[str] = ("cosine",)
    option = "--embedding_model"

    def __init__(self, source: str | None) -> None:
        self.named = source
        self._source = source if source is not None else SENTENCE_MODEL

    @property
    def how(self) -> str:
        version = metadata.version("sentence-transformers")
        return f"sentence-transformers {version}, {shown(self._source)}"

    def load(self) -> None:
        _ = self._model

    def __call__(self, pairs: Pairs) -> Columns:
        references, answers = (
            self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
            for texts in zip(*pairs, strict=True)
        )
        return {"cosine": [float(value) for value in (references * answers).sum(axis=1)]}

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        be_quiet()
        if self.named is not None:
            return SentenceTransformer(self._source)
        cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")  # as sentence-transformers has it
        return SentenceTransformer(cached(self._source, self.option, cache))
