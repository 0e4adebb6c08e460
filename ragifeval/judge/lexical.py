"""Overlap of words between reference and answer; no judge is asked.

BLEU and ROUGE are those of nltk and rouge-score; own_models.py adds BERTScore and cosine similarity
where their packages are installed.
"""

import re
from collections.abc import Sequence
from importlib import metadata
from math import isfinite

from ragifeval.judge.chains import Judgement, missing, unjudged
from ragifeval.judge.items import Item
from ragifeval.judge.own_models import Measure, Pairs, reason_of

NEEDS = ("reference",)


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


def judge_lexical(items: Sequence[Item], measures: Sequence[Measure] = ()) -> list[Judgement]:
    """Compare all answers with their references.

    Args:
        measures: those that load a model of their own; from own_models.installed().
    """
    reasons = [missing(item, NEEDS) for item in items]
    pairs = [
        (item.reference or "", item.answer or "")
        for item, reason in zip(items, reasons, strict=True)
        if reason is None
    ]
    columns: dict[str, Sequence[float]] = {}
    failed: dict[str, str] = {}
    if pairs:
        columns |= bleu(pairs) | rouge(pairs)
        for measure in measures:
            try:
                columns |= measure(pairs)
            except Exception as error:  # noqa: BLE001 - a model that cannot be had here
                failed[measure.name] = f"{measure.name}: {reason_of(error)}"
    rows = iter(range(len(pairs)))
    found = []
    for absent in reasons:
        if absent is not None:
            found.append(unjudged(absent))
            continue
        row = next(rows)
        scores = {name: values[row] for name, values in columns.items() if isfinite(values[row])}
        found.append(Judgement(scores, failed))
    return found


def settings(measures: Sequence[Measure] = ()) -> dict[str, str]:
    """Name of a score -> how it is computed."""
    stems = f"rouge-score {metadata.version('rouge_score')}, F, "
    return {
        "bleu": f"nltk {metadata.version('nltk')} sentence_bleu, method1, white space",
        **dict.fromkeys(("rouge1", "rougeL"), stems + "stemmer"),
        **dict.fromkeys(("rouge1_unicode", "rougeL_unicode"), stems + "whole words, no stemmer"),
        **{name: measure.how for measure in measures for name in measure.names},
    }
