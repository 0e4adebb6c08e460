"""A model of Hugging Face transformers on this machine."""

from ragifeval.generators.local.generator import LocalGenerator

__all__ = ["LocalGenerator"]
