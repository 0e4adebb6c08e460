"""Prompts -> token ids, and the ids that a model generates -> its answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from transformers import PreTrainedTokenizerBase

from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt

_SYSTEM_PROBE = "ragifeval-system-probe"


class Coder:
    """A tokenizer, with the model's way to write a chat.

    Args:
        tokenizer: of the model.
        text_completion: prompts are one text, not a chat.
        reasoning_end: a mark that stays in the answer even if it is a special token.
        template_kwargs: what the chat template is given besides the messages.

    Raises:
        UserError: a chat is asked for, and there is no chat template, or it cannot be rendered.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        text_completion: bool,
        reasoning_end: str | None,
        template_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._template_kwargs = dict(template_kwargs or {})
        self._reasoning_end = reasoning_end or ""
        self._reasoning_end_id = None
        if reasoning_end in tokenizer.all_special_tokens:
            self._reasoning_end_id = tokenizer.convert_tokens_to_ids(reasoning_end)
        self._takes_system = not text_completion and self._template_takes_system()

    def encode(self, prompt: Prompt) -> list[int]:
        """The ids of a prompt, with the special tokens that the model expects around it."""
        if prompt.text is None:
            # The template writes the special tokens itself.
            return self._ids(self._render(self._fitted(prompt.messages)), add_special_tokens=False)
        ids = self._ids(prompt.text, add_special_tokens=True)
        # Some tokenizers end every text; this one is to go on.
        while ids and ids[-1] == self._tokenizer.eos_token_id:
            ids.pop()
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of generated ids, without special tokens."""
        parts: list[list[int]] = [[]]
        for token in ids:
            if token == self._reasoning_end_id:
                parts.append([])
            else:
                parts[-1].append(token)
        return self._reasoning_end.join(
            str(self._tokenizer.decode(part, skip_special_tokens=True)) for part in parts
        )

    def _ids(self, text: str, add_special_tokens: bool) -> list[int]:
        # verbose: a text longer than the context is reported by whoever knows the sample.
        encoded = self._tokenizer(text, add_special_tokens=add_special_tokens, verbose=False)
        return list(encoded["input_ids"])

    def _fitted(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages as the template takes them."""
        if self._takes_system or messages[0].role != "system":
            return messages
        system, user, *rest = messages
        return [Message("user", f"{system.content}\n\n{user.content}"), *rest]

    def _render(self, messages: Sequence[Message]) -> str:
        chat = [{"role": message.role, "content": message.content} for message in messages]
        return str(
            self._tokenizer.apply_chat_template(
                chat, add_generation_prompt=True, tokenize=False, **self._template_kwargs
            )
        )

    def _template_takes_system(self) -> bool:
        """Whether the template writes a system message, rather than refuse or drop it."""
        if not self._tokenizer.chat_template:
            raise UserError(
                f"model: the tokenizer of {self._tokenizer.name_or_path!r} has no chat template; "
                "use --text_completion true, or name a tokenizer with one (key 'tokenizer')"
            )
        user = Message("user", "?")
        try:
            return _SYSTEM_PROBE in self._render([Message("system", _SYSTEM_PROBE), user])
        except Exception:  # noqa: BLE001 - what a template raises is up to the template
            self._check_template(user)
            return False

    def _check_template(self, user: Message) -> None:
        try:
            self._render([user])
        except Exception as error:  # noqa: BLE001
            raise UserError(
                f"model: the chat template of {self._tokenizer.name_or_path!r} cannot be rendered: "
                f"{error}"
            ) from None
