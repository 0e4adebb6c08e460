"""The config of a model of Hugging Face transformers."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ragifeval.generators.config.base import Count, ModelConfig, Name, without_folders
from ragifeval.scoring.signature import directory_fingerprint

# Arguments of apply_chat_template() without which a prompt would be another one, or no text.
_OWNED_BY_CHAT = frozenset(
    {"conversation", "add_generation_prompt", "continue_final_message", "tokenize", "chat_template"}
    | {"return_tensors", "return_dict", "padding", "truncation", "max_length"}
)


class LocalConfig(ModelConfig):
    """A model of Hugging Face transformers.

    Attributes:
        model: the path of a model directory, or an id on the Hugging Face Hub.
        dtype: the format of the weights; "auto" for that of the checkpoint.
        batch_size: how many questions are answered at once; "auto" for as many as the memory holds
            (on a CPU, 8).
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
    """

    UNSCORED = frozenset({"batch_size", "device_map"})

    model: Name = Field(description="a model directory, or an id on the Hugging Face Hub")
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

    @model_validator(mode="before")
    @classmethod
    def _refuse_continuous_batching(cls, value: Any) -> Any:
        if "continuous_batching" in value:
            raise ValueError(
                "continuous_batching: is not offered any more; leave the key out, or serve the "
                "model with vLLM and ask it with eval_remote.py"
            )
        return value

    @model_validator(mode="after")
    def _check_template_kwargs(self) -> "LocalConfig":
        owned = sorted(_OWNED_BY_CHAT & self.chat_template_kwargs.keys())
        if owned:
            raise ValueError(f"chat_template_kwargs: {owned[0]!r} is set by this harness")
        return self

    @property
    def display_name(self) -> str:
        return str(without_folders(self.model))

    def scored_settings(self) -> dict[str, Any]:
        """The settings that answers depend on; of directories, what is in them."""
        settings = super().scored_settings()
        if not self.chat_template_kwargs:
            del settings["chat_template_kwargs"]
        for key, path in (("weights", self.model), ("tokenizer", self.tokenizer)):
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
            if (file := Path(self.tokenizer or self.model) / name).is_file()
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
