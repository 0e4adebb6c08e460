"""RAG-IFEval: a deterministic benchmark of the generator in Polish RAG systems.

Public names are imported when they are used: docs/library.md describes them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
    from ragifeval.errors import UserError
    from ragifeval.generators.base import Answer, Generator, Message, Prompt, Request
    from ragifeval.library import Results, evaluate, load_benchmark
    from ragifeval.scoring.conditions import Condition
    from ragifeval.scoring.entries import Criteria, Response
    from ragifeval.scoring.scorer import Scorer
    from ragifeval.scoring.statistics import Estimate

_MODULES = {
    "library": ("evaluate", "load_benchmark", "Results"),
    "benchmark.benchmark": ("Benchmark", "Document", "Sample"),
    "errors": ("UserError",),
    "generators.base": ("Answer", "Generator", "Message", "Prompt", "Request"),
    "scoring.conditions": ("Condition",),
    "scoring.entries": ("Criteria", "Response"),
    "scoring.scorer": ("Scorer",),
    "scoring.statistics": ("Estimate",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Answer",
    "Benchmark",
    "Condition",
    "Criteria",
    "Document",
    "Estimate",
    "Generator",
    "Message",
    "Prompt",
    "Request",
    "Response",
    "Results",
    "Sample",
    "Scorer",
    "UserError",
    "__version__",
    "evaluate",
    "load_benchmark",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
