"""What a judged log says of an answer besides its scores; a log may hold anything there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragifeval.results.single_page import lean
from ragifeval.scoring.conditions import counted

_SIDES = ("reference", "candidate", "common")


def find_opinions(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what each metric says; nothing of one that gives scores alone.

    Yields:
        metric; reason: why, in the judge's words; unjudged: why there are no scores; doubts: where
        the judge's counts and lists disagree; claims: (whose they are, the claims) of each list.
    """
    judgements = record.get("judgements")
    for metric, said in judgements.items() if isinstance(judgements, dict) else ():
        if not isinstance(said, dict):
            continue
        lists = [(side, said.get(f"{side}_claims")) for side in _SIDES]
        opinion = lean(
            metric=metric,
            reason=_text(said.get("reason")) or _text(said.get("explanation")),
            unjudged=_text(said.get("unjudged")),
            doubts=_texts(said.get("disagreements")),
            claims=[(side, _texts(claims)) for side, claims in lists if isinstance(claims, list)],
        )
        if len(opinion) > 1:
            yield opinion


def find_differences(
    judged: Mapping[str, float], scores: Mapping[str, float | None]
) -> Sequence[str]:
    """The verdicts of the judge that the rules do not share, as `judge --agreement` counts them.

    Args:
        judged: name of a judged score -> its value.
        scores: by the rules.
    """
    rules = [
        scores[key]
        for key, aggregate in counted().items()
        if aggregate == "correctness" and scores.get(key) is not None
    ]
    cite = scores.get("cite_f1")
    verdicts = {
        "passing": all(score == 1 for score in rules) if rules else None,
        "faithfulness": None if cite is None else cite == 1,
    }
    return [
        name
        for name, verdict in verdicts.items()
        if verdict is not None and name in judged and (judged[name] == 1) != verdict
    ]


def _text(value: object) -> str | None:
    return (str(value).strip() or None) if value else None


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
