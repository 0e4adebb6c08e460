"""The metrics that ask no judge: the overlap of two texts, and the ranking of documents."""

import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from math import fsum, isfinite, log2

from ragifeval.judge.embeddings import Measure, Pairs, reason_of
from ragifeval.judge.items import Item, Judgement, missing

LEXICAL_NEEDS = ("reference",)
RETRIEVAL_NEEDS = ("retrieved", "cite")


def judge_lexical(items: Sequence[Item], measures: Sequence[Measure] = ()) -> list[Judgement]:
    """Compare all answers with their references.

    Args:
        measures: those that load a model, from embeddings.load_measures().
    """
    reasons = [missing(item, LEXICAL_NEEDS) for item in items]
    pairs = [
        (item.reference or "", item.answer or "")
        for item, reason in zip(items, reasons, strict=True)
        if reason is None
    ]
    columns: dict[str, Sequence[float]] = {}
    failed: dict[str, str] = {}
    if pairs:
        columns |= {**sacrebleu_scores(pairs), "rougeL": [rouge_l(*pair) for pair in pairs]}
        for measure in measures:
            try:
                columns |= measure(pairs)
            except Exception as error:  # noqa: BLE001 - whatever the model's package raises
                failed[measure.name] = f"{measure.name}: {reason_of(error)}"
    rows = iter(range(len(pairs)))
    judgements = []
    for reason in reasons:
        if reason is not None:
            judgements.append(Judgement(unjudged=reason))
            continue
        row = next(rows)
        scores = {name: values[row] for name, values in columns.items() if isfinite(values[row])}
        judgements.append(Judgement(scores, failed))
    return judgements


def lexical_settings(measures: Sequence[Measure] = ()) -> dict[str, str]:
    """Name of a score -> how it is computed."""
    return {
        "bleu": f"sacrebleu {metadata.version('sacrebleu')} sentence BLEU, 13a, exp, eff:yes",
        "chrf": f"sacrebleu {metadata.version('sacrebleu')} sentence chrF2, nc:6, nw:0, eff:yes",
        "rougeL": "F, words of any alphabet in lower case, no stemmer",
        **{name: measure.settings for measure in measures for name in measure.scores},
    }


def sacrebleu_scores(pairs: Pairs) -> dict[str, list[float]]:
    """BLEU and chrF of each (reference, answer), by sacrebleu with its defaults for sentences.

    Both from 0 to 1, where sacrebleu has them from 0 to 100.
    """
    from sacrebleu import BLEU, CHRF

    return {
        name: [
            metric.sentence_score(answer, [reference]).score / 100 for reference, answer in pairs
        ]
        for name, metric in (("bleu", BLEU(effective_order=True)), ("chrf", CHRF()))
    }


def rouge_l(reference: str, answer: str) -> float:
    """F of ROUGE-L (Lin 2004): the longest common subsequence of words, whatever the alphabet.

    >>> rouge_l("Termin wynosi 14 dni.", "Termin: 14 dni")
    0.8571428571428571
    """
    first, second = (re.findall(r"\w+", text.lower()) for text in (reference, answer))
    return 2 * _common_length(first, second) / (len(first) + len(second) or 1)


def _common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence; an integer holds a row of the table."""
    places: dict[str, int] = {}
    for place, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << place
    row = full = (1 << len(first)) - 1
    for word in second:
        matches = row & places.get(word, 0)
        row = (row + matches | row - matches) & full
    return len(first) - row.bit_count()


def judge_retrieval(items: Sequence[Item], k: int) -> list[Judgement]:
    """Judge each answer's `retrieved` against its `cite`, which needs no answer.

    Args:
        k: how many documents of the list are looked at; MRR looks at all.
    """
    judgements = []
    for item in items:
        absent = [name for name in RETRIEVAL_NEEDS if getattr(item, name) is None]
        if item.retrieved is None or item.cite is None:
            judgements.append(Judgement(unjudged=f"no {' and no '.join(absent)}"))
        else:
            judgements.append(Judgement(ranking_scores(item.retrieved, item.cite, k)))
    return judgements


def ranking_scores(
    retrieved: Sequence[str], relevant: Sequence[str], k: int
) -> Mapping[str, float]:
    """Hit rate, MRR, precision, recall and NDCG of a ranking, as trec_eval defines them.

    Args:
        retrieved: document ids, best first; one that is named again does not count again.
        relevant: the ids of the documents that hold the answer, one at least.
        k: how many documents are looked at; MRR looks at all.
    """
    wanted = set(relevant)
    hits = [place for place, key in enumerate(dict.fromkeys(retrieved), start=1) if key in wanted]
    top = [place for place in hits if place <= k]
    best = range(1, min(k, len(wanted)) + 1)
    return {
        f"hit_rate@{k}": float(bool(top)),
        "mrr": 1 / hits[0] if hits else 0.0,
        f"precision@{k}": len(top) / k,
        f"recall@{k}": len(top) / len(wanted),
        f"ndcg@{k}": _gain(top) / _gain(best),
    }


def _gain(places: Sequence[int]) -> float:
    return fsum(1 / log2(place + 1) for place in places)


def retrieval_settings(k: int) -> dict[str, str]:
    """Name of a score -> how it is computed."""
    return dict.fromkeys(ranking_scores([], [""], k), "retrieved against cite, binary relevance")
