"""The rates that people speak of: how many questions are right, refused wrongly, not cited.

Each is 0 or 1 for a stored answer, and a rate of a run is their mean over the answers that it is
about. The lengths of answers are told beside them. What an answer does is observed when it is
scored, and stands in its record as `observed`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ragifeval.scoring.conditions import citations, counted, is_refusal

RATES = (
    *("right", "partly", "wrong", "false_refusal", "no_refusal"),
    *("cites_distractor", "cites_unknown", "uncited", "reasoning"),
)
OF_VARIANTS = ("invented", "partial", "memory")
LENGTHS = ("len_chars", "len_words")
TOLD = (*RATES, *OF_VARIANTS, *LENGTHS)
"""What is told of a run and of each group of questions, wherever rates are told."""

LONGEST = 1e15
"""No answer is longer."""

# The conditions that an empty answer meets.
_MET_BY_SILENCE = {"exclude", "safe"}


def observe(
    expect: Mapping[str, Any], context: Sequence[str], answer: str, refusal_message: str
) -> dict[str, Any]:
    """What one answer does, whatever its scores.

    Args:
        expect: of the sample: a condition's name -> its parameter.
        context: the ids of the documents in the order in which the model saw them.

    Returns:
        refused: whether it is a refusal; refusal_due: whether it should be. cited: how many numbers
        it cites; distractors: how many of these are documents that it should not cite, None where
        no citation is expected; unknown: how many are no document's.
    """
    cited = set(citations(answer))
    documents = {str(place): key for place, key in enumerate(context)}
    expected = expect.get("cite")
    wrong = [key for number in cited if (key := documents.get(number)) not in (expected or ())]
    return {
        "refused": is_refusal(answer, refusal_message),
        "refusal_due": expect.get("refuse") is True,
        "cited": len(cited),
        "distractors": None if expected is None else sum(key is not None for key in wrong),
        "unknown": len(cited - documents.keys()),
    }


def rates(record: Mapping[str, Any], scores: Mapping[str, float]) -> dict[str, float]:
    """The rates that an answer is about -> 0 or 1; its lengths, as far as they are known.

    right: every condition is met. wrong: none of those is met, not even in part, that ask for
    something; exclude and safe do not, nor does refuse where no refusal is due. partly: the others.
    false_refusal: a question with an answer is refused; no_refusal: a question is answered where a
    refusal is due. cites_distractor, uncited: of the questions with expected citations, one cites a
    document that is not expected, or nothing. cites_unknown: a number that is no document's is
    cited. reasoning: the answer came with a reasoning. Those of variants are scores that do not
    count (docs/variants.md).

    Args:
        record: of the log; without `observed`, the rates that rest on it are left out.
        scores: under one rule.
    """
    observed = record.get("observed") or {}
    due = observed.get("refusal_due")
    met = {key: scores[key] for key in counted() if key in scores}
    silent = _MET_BY_SILENCE | ({"refuse"} if due is False else set())
    asked = [value for key, value in met.items() if key not in silent] or [*met.values()]
    found: dict[str, float] = {}
    if met:
        right, wrong = all(value == 1 for value in met.values()), not any(asked)
        found |= {"right": right, "partly": not right and not wrong, "wrong": wrong}
    if observed:
        refused = observed["refused"]
        found |= {"no_refusal": not refused} if due else {"false_refusal": refused}
        if observed["distractors"] is not None:
            found["cites_distractor"] = observed["distractors"] > 0
            found["uncited"] = observed["cited"] == 0
        found["cites_unknown"] = observed["unknown"] > 0
    found["reasoning"] = bool(record.get("reasoning"))
    found |= {name: scores[name] for name in (*OF_VARIANTS, *LENGTHS) if name in scores}
    return {name: float(found[name]) for name in TOLD if name in found}


def as_text(name: str, mean: float, digits: int) -> str:
    """A rate in per cent, or a length, with so many digits behind the point."""
    return f"{mean if name in LENGTHS else mean * 100:.{digits}f}"


def are_observed(value: object) -> bool:
    """Whether a record's `observed` is what `observe` returns, or is missing."""
    if value is None:
        return True
    return isinstance(value, dict) and all(
        type(value.get(name)) in types
        for name, types in {
            **dict.fromkeys(("refused", "refusal_due"), (bool,)),
            **dict.fromkeys(("cited", "unknown"), (int,)),
            "distractors": (int, type(None)),
        }.items()
    )
