"""RAG-IFEval: a deterministic benchmark of the generator in Polish RAG systems."""

__version__ = "0.1.0"
