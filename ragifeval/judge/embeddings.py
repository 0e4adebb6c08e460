"""The lexical scores by a model that the user names: BERTScore, and the cosine of embeddings."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata, util
from logging import ERROR, getLogger
from pathlib import Path

from ragifeval.errors import UserError
from ragifeval.scoring.signature import directory_fingerprint

Pairs = Sequence[tuple[str, str]]
"""(reference, answer) of each answer."""

# One of these files is in every folder of transformers or sentence-transformers.
_MODEL_FILES = ("config.json", "modules.json")


PACKAGES = {"bertscore_model": "bert-score", "embedding_model": "sentence-transformers"}
"""Option that names a model -> the package that loads it."""


def check_model(option: str, source: str, package: str) -> None:
    """Check the model that an option names, as far as that goes without loading it.

    Raises:
        UserError: the package is not installed, or what looks like a folder holds no model.
    """
    if util.find_spec(package.replace("-", "_")) is None:
        raise UserError(f"{option}: needs {package}, which is not installed: pip install {package}")
    folder = Path(source)
    if folder.is_dir() and not any((folder / name).is_file() for name in _MODEL_FILES):
        raise UserError(f"{option}: {source}: holds no model: neither {' nor '.join(_MODEL_FILES)}")
    if not folder.is_dir() and (source.startswith(("/", ".", "~", "\\")) or folder.exists()):
        raise UserError(
            f"{option}: {source}: is not a folder; name a model's folder, or one on the Hub"
        )


def public_name(source: str) -> str:
    """A model's name for tables and signatures: of a folder the name and a hash, not the path."""
    folder = Path(source)
    name = f"{folder.resolve().name}#{directory_fingerprint(folder)}" if folder.is_dir() else source
    return " ".join(name.replace("|", "/").split())


class BertScore:
    """BERTScore of bert-score (Zhang et al. 2020), without idf.

    For a model that bert-score knows by its name, or by the name of its folder, the layer is the
    one that it was tuned to, and scores are rescaled if it has a baseline for the language. For any
    other model the layer is the last one, and scores are not rescaled.

    Args:
        source: a folder, or a name on the Hub.
        language: "pl" or "en".
    """

    name = "bertscore"
    scores: Sequence[str] = ("bertscore_precision", "bertscore_recall", "bertscore_f1")

    def __init__(self, source: str, language: str) -> None:
        import bert_score
        from transformers import AutoConfig

        folder = Path(source)
        known_as = folder.resolve().name if folder.is_dir() else source
        config = AutoConfig.from_pretrained(source)
        if "t5" in source and "t5" not in config.model_type:
            raise ValueError("bert-score takes any path with 't5' in it for a T5; link or move it")
        layer = bert_score.utils.model2layers.get(known_as) or config.num_hidden_layers
        baselines = Path(bert_score.__file__).parent / "rescale_baseline" / language
        baseline = baselines / f"{known_as}.tsv"
        self._scorer = bert_score.BERTScorer(
            model_type=source,
            num_layers=layer,
            lang=language,
            rescale_with_baseline=baseline.is_file(),
            baseline_path=str(baseline) if baseline.is_file() else None,
        )
        # transformers says 10^30 for a tokenizer without a limit, which tokenizers cannot hold.
        if self._scorer._tokenizer.model_max_length > sys.maxsize:
            # Two of RoBERTa's positions hold no token.
            positions = getattr(config, "max_position_embeddings", 514)
            self._scorer._tokenizer.model_max_length = positions - 2
        # bert-score gives an empty text raw scores of 0, but fails on it with transformers 5.
        self._zero = [0.0, 0.0, 0.0]
        rescaled = "not rescaled"
        if baseline.is_file():
            rescaled = f"rescaled for {language}"
            self._zero = [-low / (1 - low) for low in self._scorer.baseline_vals.tolist()]
        self.settings = (
            f"bert-score {metadata.version('bert-score')}, {public_name(source)} layer {layer}, "
            f"{rescaled}"
        )

    def __call__(self, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        rows = [self._zero for _ in pairs]
        whole = [place for place, texts in enumerate(pairs) if all(text.strip() for text in texts)]
        if whole:
            references, answers = zip(*(pairs[place] for place in whole), strict=True)
            columns = self._scorer.score(list(answers), list(references))
            for place, *values in zip(whole, *(column.tolist() for column in columns), strict=True):
                rows[place] = values
        return dict(zip(self.scores, zip(*rows, strict=True), strict=True))


class Cosine:
    """The cosine between the embeddings of reference and answer, by sentence-transformers.

    Args:
        source: a folder, or a name on the Hub.
    """

    name = "cosine"
    scores: Sequence[str] = ("cosine",)

    def __init__(self, source: str) -> None:
        from sentence_transformers import SentenceTransformer

        self._model = SentenceTransformer(source)
        version = metadata.version("sentence-transformers")
        self.settings = f"sentence-transformers {version}, {public_name(source)}"

    def __call__(self, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        references, answers = (
            self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
            for texts in zip(*pairs, strict=True)
        )
        return {"cosine": [float(value) for value in (references * answers).sum(axis=1)]}


Measure = BertScore | Cosine
"""Called with pairs, it gives the values of its scores by their names; `settings` says how."""


def load_measures(models: Mapping[str, str], language: str) -> list[Measure]:
    """Load the models that are named.

    Args:
        models: option -> the folder that it names, or the name on the Hub.
        language: of the texts; BERTScore has baselines by language.

    Raises:
        UserError: a model cannot be loaded.
    """
    loaders: Mapping[str, Callable[[str], Measure]] = {
        "bertscore_model": lambda source: BertScore(source, language),
        "embedding_model": Cosine,
    }
    measures = []
    for option, source in models.items():
        _silence_loading()
        try:
            measures.append(loaders[option](source))
        except Exception as error:  # noqa: BLE001 - whatever the package raises
            raise UserError(
                f"--{option}: {source} cannot be loaded: {reason_of(error)}; "
                "name a folder that holds a model, or one that the Hub has"
            ) from None
    return measures


def reason_of(error: Exception) -> str:
    """The first sentence of a package's error, in one line."""
    return " ".join(str(error).split()).partition(". ")[0][:200] or type(error).__name__


def _silence_loading() -> None:
    """Switch off the packages' progress bars and warnings; errors are still raised."""
    from transformers.utils import logging

    disable_progress_bar: Callable[[], None] = logging.disable_progress_bar
    disable_progress_bar()
    for name in ("transformers", "sentence_transformers", "huggingface_hub"):
        getLogger(name).setLevel(ERROR)
