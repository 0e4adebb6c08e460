"""The config of a model behind an API."""

import math
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from ragifeval.generators.config.base import Count, ModelConfig, Name, Seconds

# Fields of a request without which its answer could not be read, or would answer something else.
_OWNED = frozenset({"model", "messages", "prompt", "stream", "n"})


class RemoteConfig(ModelConfig):
    """A model behind an OpenAI-compatible API, or on Vertex AI.

    Attributes:
        model: its name in the API; None takes the one model that the server lists.
        api_base: the base of the endpoint's URL, or a list of such: replicas of one model.
        max_tokens: the most tokens of an answer; None leaves it to the service.
        temperature: of the sampling; None sends neither temperature nor top_p, for services that
            refuse them.
        max_retries: how often a question is asked again after a fault of the service. Going on to
            the next replica after a dead one does not count.
        threads: how many questions are in flight at once.
        sleep_time: seconds to wait before asking again, twice as many each further time, up to 60;
            unless the service says how long, which is heeded up to `timeout`.
        timeout: the most seconds one question may take, from sending it to the last byte.
        max_faults: after so many questions in a row without an answer, no more are asked.
        max_response_mb: the largest body of a response that is read, in megabytes.
        extra_body: more fields of the request's body, for example {"max_completion_tokens": 4096}
            for OpenAI's reasoning models, which refuse max_tokens.
        vertex_credentials: the path of a service account's key file; for models on Vertex AI.
        vertex_location: the region of Vertex AI.
    """

    UNSCORED = frozenset(
        {"api_base", "max_retries", "threads", "sleep_time", "timeout", "max_faults"}
        | {"max_response_mb", "vertex_credentials", "vertex_location"}
    )

    model: Name | None = None
    api_base: Name | Annotated[list[Name], Field(min_length=1)] | None = None
    max_tokens: Count | None = None
    temperature: Annotated[float, Field(ge=0)] | None = 0.0
    max_retries: Annotated[int, Field(ge=0)] = 5
    threads: Count = 1
    sleep_time: Seconds = 5.0
    timeout: Annotated[float, Field(gt=0)] = 600.0
    max_faults: Count = 20
    max_response_mb: Count = 32
    extra_body: dict[str, Any] = Field(default_factory=dict)
    vertex_credentials: Name | None = None
    vertex_location: Name = "us-central1"

    @model_validator(mode="after")
    def _has_an_endpoint(self) -> "RemoteConfig":
        for base in self.api_bases:
            if not _is_http(base):
                raise ValueError(
                    "api_base: must be a URL that starts with http:// or https://, "
                    f"not {_without_credentials(base)!r}"
                )
        owned = sorted(_OWNED.intersection(self.extra_body))
        if owned:
            raise ValueError(f"extra_body: must not hold {owned[0]!r}, which the harness sets")
        if not _can_be_sent(self.extra_body):
            raise ValueError(
                f"extra_body: must hold no NaN and no Infinity, and no more than {_DEEPEST} levels"
            )
        if not self.api_bases and self.vertex_credentials is None:
            raise ValueError("api_base: is missing, for example http://127.0.0.1:8000/v1")
        if self.vertex_credentials is not None and self.model is None:
            raise ValueError("model: is missing, for example google/gemini-2.5-flash")
        return self

    @property
    def display_name(self) -> str:
        return self.model or "(the one served)"

    def public_settings(self) -> dict[str, Any]:
        """The settings that may be shown: URLs without credentials, no path of a key file."""
        bases = [_without_credentials(base) for base in self.api_bases]
        return self.model_dump(exclude={"vertex_credentials"}) | {"api_base": bases}

    @property
    def api_bases(self) -> list[str]:
        """The base URLs, without a final slash."""
        if self.api_base is None:
            return []
        bases = [self.api_base] if isinstance(self.api_base, str) else self.api_base
        return [base.rstrip("/") for base in bases]


_DEEPEST = 100


def _can_be_sent(value: object, levels: int = _DEEPEST) -> bool:
    """Whether a value of Python's JSON, which is wider than others', can be sent as JSON."""
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(_can_be_sent(item, levels - 1) for item in inside)
    return not isinstance(value, float) or math.isfinite(value)


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return False


def _without_credentials(url: str) -> str:
    """A URL without user, password and query."""
    scheme, mark, rest = url.partition("://")
    place = rest.partition("?")[0].partition("#")[0]
    host, slash, path = place.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"
