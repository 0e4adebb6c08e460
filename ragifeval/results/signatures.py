"""The signatures of stored answers: which model they name, and what holds after a new scoring."""

from collections.abc import Mapping, Sequence

from ragifeval.scoring.signature import PARTS, Signature

UNKNOWN = "unknown"
"""The value of a part that the source of the answers does not tell."""
MIXED = "mixed"
"""The value of a part in which the records of a log differ."""

# A run's parts; before the version, what the answer was asked with if the scoring goes by another.
_PARTS = (*PARTS[:-2], "asked", *PARTS[-2:])
# Parts that decide the prompt as well as the scores.
_ASKED = ("data", "refusal")


def rescored_signature(old: Signature | None, scoring: Mapping[str, str]) -> Signature:
    """What is true of an old answer with new scores.

    Args:
        old: the signature that the answer came with; None leaves what it would tell unknown.
        scoring: from ScoringSettings.signature_parts().

    Returns:
        The parts of the scoring, and those of the asking as they were. Where the model was asked
        with other documents, or told another refusal message, than the scoring goes by, a part
        `asked` says so: such scores stand beside each other, but not beside those of a new run.
    """
    known = dict(old.comparable) if old is not None else {}
    parts = {
        part: scoring.get(part, known.get(part, UNKNOWN))
        for part in _PARTS
        if part != "variants" or part in known
    }
    asked = "/".join(known.get(part, UNKNOWN) for part in _ASKED)
    asked = known.get("asked", asked)
    by = Signature(scoring).comparable
    if old is None or asked == "/".join(by[part] for part in _ASKED):
        del parts["asked"]
    else:
        parts["asked"] = asked
    return Signature(parts)


def whole_signature(signatures: Sequence[Signature]) -> Signature:
    """The signature of a log, from those of its records (one at least)."""
    first = signatures[0].parts
    parts = dict.fromkeys(part for signature in signatures for part in signature.parts)
    terms = [signature.comparable for signature in signatures]
    values = {part: {known.get(part) for known in terms} for part in parts}
    return Signature({part: first[part] if len(values[part]) == 1 else MIXED for part in parts})


def model_name(signature: Signature | None) -> str | None:
    """The name of the model that a signature tells; None where it tells none, or several."""
    name = signature.model if signature is not None else None
    return None if name in (UNKNOWN, MIXED) else name
