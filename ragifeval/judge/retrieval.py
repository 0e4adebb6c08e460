"""A ranked list of documents against those that hold the answer, by ir-measures."""

from collections.abc import Sequence

from ragifeval.judge.chains import Judgement, unjudged
from ragifeval.judge.items import Item

NEEDS = ("retrieved", "cite")


def names(k: int) -> dict[str, str]:
    """Name of a score -> how it is computed."""
    from importlib import metadata

    how = f"ir-measures {metadata.version('ir-measures')}, retrieved against cite"
    names = [f"{name}@{k}" for name in ("hit_rate", "precision", "recall", "ndcg")]
    return dict.fromkeys([*names[:1], "mrr", *names[1:]], how)


def judge_retrieval(items: Sequence[Item], k: int) -> list[Judgement]:
    """Hit rate, MRR, precision, recall and NDCG of each answer's `retrieved` against its `cite`.

    Args:
        k: how many documents of the list are looked at; MRR looks at all.
    """
    import ir_measures
    from ir_measures import RR, P, R, Success, nDCG

    measures = {
        Success @ k: f"hit_rate@{k}",
        RR: "mrr",
        P @ k: f"precision@{k}",
        R @ k: f"recall@{k}",
        nDCG @ k: f"ndcg@{k}",
    }
    found = []
    for item in items:
        # What no answer depends on: a list can be judged though the model failed.
        absent = [name for name in NEEDS if getattr(item, name) is None]
        if absent:
            found.append(unjudged(f"no {' and no '.join(absent)}"))
            continue
        assert item.retrieved is not None and item.cite is not None  # noqa: PT018
        ranked = list(dict.fromkeys(item.retrieved))
        relevant = [ir_measures.Qrel("q", document, 1) for document in item.cite]
        run = [
            ir_measures.ScoredDoc("q", document, float(-place))
            for place, document in enumerate(ranked)
        ]
        values = ir_measures.calc_aggregate(list(measures), relevant, run) if run else {}
        found.append(
            Judgement({name: float(values.get(measure, 0.0)) for measure, name in measures.items()})
        )
    return found
