"""What a record of a judged log says, for whoever shows it. Imports nothing heavy."""

from collections.abc import Mapping
from math import isfinite
from typing import Any


def judged_scores(record: Mapping[str, Any]) -> dict[str, float]:
    """Name of a score -> its value; empty where the record was not judged."""
    judged = record.get("judged")
    if not isinstance(judged, dict):
        return {}
    return {
        name: float(value)
        for name, value in judged.items()
        if isinstance(value, int | float) and isfinite(value)
    }
