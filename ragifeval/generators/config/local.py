"""The config of a model that runs on this machine."""

import json
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from ragifeval.generators.config.base import Count, ModelConfig, Name, without_folders
from ragifeval.scoring.signature import directory_fingerprint

# Arguments of apply_chat_template() without which a prompt would be another one, or no text.
_OWNED_BY_CHAT = frozenset(
    {"conversation", "add_generation_prompt", "continue_final_message", "tokenize", "chat_template"}
    | {"return_tensors", "return_dict", "padding", "truncation", "max_length"}
)
# Keys that one engine alone knows.
_OF_TRANSFORMERS = frozenset({"attn_implementation", "device_map"})
_OF_VLLM = frozenset(
    {"tensor_parallel_size", "data_parallel_size", "gpu_memory_utilization", "max_model_len"}
)


class LocalConfig(ModelConfig):
    """A model in the format of Hugging Face transformers.

    Attributes:
        model: the path of a model directory, which may be a PEFT adapter's, or an id on the
            Hugging Face Hub.
        engine: what runs the model: "transformers" or "vllm" (docs/local-models.md).
        dtype: the format of the weights; "auto" for that of the checkpoint.
        batch_size: how many questions are answered at once; "auto" for as many as the memory holds
            (on a CPU, 8). vLLM decides itself where the key is not given.
        attn_implementation: for example "sdpa" or "flash_attention_2"; None leaves it to
            transformers.
        max_new_tokens: the most tokens of an answer.
        temperature: 0 is greedy; above 0 samples with `seed`.
        seed: of the sampling; each sample draws from a stream of its own, whatever the batch.
        device_map: as in transformers; None for the first accelerator, or the CPU without one.
        tokenizer: a path or id, where it is not the model's own.
        chat_template_kwargs: what the model's chat template is given besides the messages, for
            example {"enable_thinking": false}.
        trust_remote_code: whether code that comes with the model may run.
        quantization: the method to load the weights by, in the engine's own words, for example
            "bitsandbytes_4bit" (transformers) or "fp8" (vLLM); None for that of the
            checkpoint.
        tensor_parallel_size: how many GPUs vLLM spreads the model over.
        data_parallel_size: how many copies of the model vLLM is asked for; it refuses more than one
            in a process (docs/local-models.md).
        gpu_memory_utilization: the share of the memory that vLLM takes.
        max_model_len: the most tokens of prompt and answer that vLLM reckons with; None for the
            model's context.
    """

    UNSCORED = frozenset(
        {"batch_size", "device_map", "tensor_parallel_size", "data_parallel_size"}
        | {"gpu_memory_utilization"}
    )
    # Keys that came later: a log begun without them goes on.
    _UNSCORED_DEFAULTS: ClassVar[frozenset[str]] = frozenset(
        {"engine", "chat_template_kwargs", "quantization", "max_model_len"}
    )

    model: Name = Field(description="a model directory, or an id on the Hugging Face Hub")
    engine: Literal["transformers", "vllm"] = "transformers"
    dtype: Literal["float32", "float16", "bfloat16", "auto"] = "float16"
    batch_size: Count | Literal["auto"] = 1
    attn_implementation: Name | None = None
    max_new_tokens: Count = 4096
    temperature: Annotated[float, Field(ge=0)] = 0.01
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    device_map: Name | dict[str, int | str] | None = None
    tokenizer: Name | None = None
    chat_template_kwargs: dict[str, Any] = Field(default_factory=dict)
    trust_remote_code: bool = False
    quantization: Name | None = None
    tensor_parallel_size: Count | None = None
    data_parallel_size: Count | None = None
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    max_model_len: Count | None = None

    @model_validator(mode="after")
    def _check_template_kwargs(self) -> "LocalConfig":
        owned = sorted(_OWNED_BY_CHAT & self.chat_template_kwargs.keys())
        if owned:
            raise ValueError(f"chat_template_kwargs: {owned[0]!r} is set by this harness")
        return self

    @model_validator(mode="after")
    def _check_engine(self) -> "LocalConfig":
        other, keys = ("transformers", _OF_TRANSFORMERS)
        if self.engine == "transformers":
            other, keys = ("vllm", _OF_VLLM)
        for key in sorted(keys):
            if getattr(self, key) is not None:
                raise ValueError(f'{key}: is for "engine": "{other}" alone')
        return self

    @property
    def display_name(self) -> str:
        return str(without_folders(self.model))

    @property
    def adapter(self) -> dict[str, Any] | None:
        """The settings of a PEFT adapter, where the model is a directory with one."""
        path = Path(self.model) / "adapter_config.json"
        try:
            value = json.loads(path.read_bytes()) if path.is_file() else None
        except ValueError:
            return {}
        return value if isinstance(value, dict) or value is None else {}

    @property
    def base_model(self) -> str:
        """The model that an adapter changes; without one, the model itself."""
        return str((self.adapter or {}).get("base_model_name_or_path") or self.model)

    @property
    def tokenizer_path(self) -> str:
        """Where the tokenizer is: an adapter may be saved without."""
        if self.tokenizer is not None:
            return self.tokenizer
        has_own = (Path(self.model) / "tokenizer_config.json").is_file()
        return self.model if has_own or self.adapter is None else self.base_model

    def scored_settings(self) -> dict[str, Any]:
        """The settings that answers depend on; of directories, what is in them."""
        settings = super().scored_settings()
        for key in self._UNSCORED_DEFAULTS:
            field = type(self).model_fields[key]
            if settings[key] == field.get_default(call_default_factory=True):
                del settings[key]
        paths = {"weights": self.model, "tokenizer": self.tokenizer}
        if self.base_model != self.model:
            paths["base"] = self.base_model
        for key, path in paths.items():
            if path is not None and Path(path).is_dir():
                settings[key] = directory_fingerprint(Path(path))
        if self._prompts_tell_the_date():
            settings["date"] = date.today().isoformat()
        return settings

    def _prompts_tell_the_date(self) -> bool:
        """Whether the chat template of a directory prints today's date."""
        texts = [
            file.read_text(encoding="utf-8", errors="replace")
            for name in ("chat_template.jinja", "tokenizer_config.json")
            if (file := Path(self.tokenizer_path) / name).is_file()
        ]
        # Templates of Llama take a date_string in its place.
        is_given = "date_string" in self.chat_template_kwargs
        return any("strftime_now" in t and not (is_given and "date_string" in t) for t in texts)

    def public_settings(self) -> dict[str, Any]:
        """The settings that may be shown; of directories, their names alone."""
        names = {"model": self.model, "tokenizer": self.tokenizer}
        return super().public_settings() | {
            key: without_folders(value) for key, value in names.items()
        }
