"""Models behind an OpenAI-compatible API, or on Vertex AI."""

from ragifeval.generators.remote.generator import RemoteGenerator, served_model

__all__ = ["RemoteGenerator", "served_model"]
