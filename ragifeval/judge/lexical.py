"""Overlap of words between reference and answer; no judge is asked.

BLEU and ROUGE are those of nltk and rouge-score; BERTScore and cosine similarity, which load models
of their own, are added where bert-score and sentence-transformers are installed.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata, util

from ragifeval.judge.chains import Judgement, missing, unjudged
from ragifeval.judge.items import Item

NEEDS = ("reference",)
SENTENCE_MODEL = "all-MiniLM-L6-v2"
"""Of the published evaluation: small, and English. For Polish, another one says more."""

Pairs = Sequence[tuple[str, str]]
"""(reference, answer) of each answer."""


def bleu(pairs: Pairs) -> dict[str, list[float]]:
    """BLEU: sentence_bleu of nltk over tokens parted by white space, smoothed by method 1."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction().method1
    values = [
        float(sentence_bleu([reference.split()], answer.split(), smoothing_function=smoothing))
        for reference, answer in pairs
    ]
    return {"bleu": values}


def rouge(pairs: Pairs) -> dict[str, list[float]]:
    """rouge-score's F of ROUGE-1 and ROUGE-L: its own tokens stemmed, and words of any alphabet.

    rouge-score takes every letter outside a-z for a space and stems as in English: "płacę" is "p"
    and "ac". That is what published tables hold. The second pair is told apart in its name: whole
    words in lower case, no stemming.
    """
    from rouge_score.rouge_scorer import RougeScorer

    found: dict[str, list[float]] = {}
    ways = {"": RougeScorer(["rouge1", "rougeL"], use_stemmer=True)}
    ways["_unicode"] = RougeScorer(["rouge1", "rougeL"], tokenizer=_Words())
    for suffix, scorer in ways.items():
        for reference, answer in pairs:
            for name, score in scorer.score(reference, answer).items():
                found.setdefault(name + suffix, []).append(float(score.fmeasure))
    return found


class _Words:
    """A tokenizer for rouge-score."""

    def tokenize(self, text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())


def bertscore(pairs: Pairs, language: str) -> dict[str, list[float]]:
    """bert-score, rescaled with its baseline for the language."""
    import bert_score

    references, answers = zip(*pairs, strict=True)
    found = bert_score.score(
        list(answers), list(references), lang=language, rescale_with_baseline=True
    )
    names = ("bertscore_precision", "bertscore_recall", "bertscore_f1")
    return {
        name: [float(value) for value in values] for name, values in zip(names, found, strict=True)
    }


def cosine(pairs: Pairs) -> dict[str, list[float]]:
    """The cosine between the embeddings of reference and answer."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(SENTENCE_MODEL)
    references, answers = (
        model.encode(list(texts), normalize_embeddings=True) for texts in zip(*pairs, strict=True)
    )
    return {"cosine": [float(value) for value in (references * answers).sum(axis=1)]}


def judge_lexical(items: Sequence[Item], language: str) -> list[Judgement]:
    """Compare all answers with their references.

    Args:
        language: of the texts, for BERTScore.
    """
    reasons = [missing(item, NEEDS) for item in items]
    pairs = [
        (item.reference or "", item.answer or "")
        for item, reason in zip(items, reasons, strict=True)
        if reason is None
    ]
    columns: dict[str, list[float]] = {}
    failed: dict[str, str] = {}
    if pairs:
        columns |= bleu(pairs) | rouge(pairs)
        for name, measure in _installed(language).items():
            try:
                columns |= measure(pairs)
            except Exception as error:  # noqa: BLE001 - a model that cannot be had here
                failed[name] = f"{name}: {' '.join(str(error).split())[:200]}"
    rows = iter(range(len(pairs)))
    found = []
    for reason in reasons:
        if reason is not None:
            found.append(unjudged(reason))
            continue
        row = next(rows)
        found.append(Judgement({name: values[row] for name, values in columns.items()}, failed))
    return found


def _installed(language: str) -> dict[str, Callable[[Pairs], dict[str, list[float]]]]:
    found: dict[str, Callable[[Pairs], dict[str, list[float]]]] = {}
    if util.find_spec("bert_score") is not None:
        found["bertscore"] = lambda pairs: bertscore(pairs, language)
    if util.find_spec("sentence_transformers") is not None:
        found["cosine"] = cosine
    return found


@cache
def settings(language: str) -> dict[str, str]:
    """Name of a score -> how it is computed."""
    stems = f"rouge-score {_version('rouge_score')}, F, "
    found = {
        "bleu": f"nltk {_version('nltk')} sentence_bleu, method1, white space",
        **dict.fromkeys(("rouge1", "rougeL"), stems + "stemmer"),
        **dict.fromkeys(("rouge1_unicode", "rougeL_unicode"), stems + "whole words, no stemmer"),
    }
    for name in _installed(language):
        if name == "cosine":
            found[name] = (
                f"sentence-transformers {_version('sentence_transformers')} {SENTENCE_MODEL}"
            )
        else:
            text = f"bert-score {_version('bert_score')}, {language}, rescaled"
            found |= {f"bertscore_{part}": text for part in ("precision", "recall", "f1")}
    return found


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(unknown)"
