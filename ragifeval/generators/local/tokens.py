"""Prompts -> token ids, and the ids that a model generates -> its answer."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase

from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local.loading import load_tokenizer

_LOG = logging.getLogger(__name__)

_PROBE, _SYSTEM_PROBE = "ragifeval-probe", "ragifeval-system-probe"


class Coder:
    """A tokenizer, with the model's way to write a chat.

    Args:
        tokenizer: of the model.
        text_completion: prompts are one text, not a chat.
        reasoning_end: a mark that stays in the answer even if it is made of special tokens.
        template_kwargs: what the chat template is given besides the messages.

    Attributes:
        tokenizer: that.

    Raises:
        UserError: a chat is asked for, and there is no chat template, it cannot be rendered, or it
            leaves out what the user says.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        text_completion: bool,
        reasoning_end: str | None,
        template_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self._template_kwargs = dict(template_kwargs or {})
        self._mark, self._mark_ids = "", list[int]()
        if reasoning_end is not None:
            ids = self._ids(reasoning_end, add_special_tokens=False)
            # A mark that stays in the text is found there: its tokens may differ in a text.
            if reasoning_end not in self._text(ids):
                self._mark, self._mark_ids = reasoning_end, ids
        self._wants_parts = self._takes_system = False
        if not text_completion:
            self._probe_template()

    def encode(self, prompt: Prompt) -> list[int]:
        """The ids of a prompt, with the special tokens that the model expects around it."""
        if prompt.text is None:
            # The template writes the special tokens itself.
            return self._ids(self._render(self._fitted(prompt.messages)), add_special_tokens=False)
        ids = self._ids(prompt.text, add_special_tokens=True)
        # Some tokenizers end every text; this one is to go on.
        while ids and ids[-1] == self.tokenizer.eos_token_id:
            ids.pop()
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of generated ids, without special tokens but those of the mark."""
        ids, parts, size = list(ids), [], len(self._mark_ids)
        start = place = 0
        while size and place <= len(ids) - size:
            if ids[place : place + size] == self._mark_ids:
                parts.append(self._text(ids[start:place]))
                start = place = place + size
            else:
                place += 1
        return self._mark.join([*parts, self._text(ids[start:])])

    def check(self, ids: Sequence[int], vocabulary_size: int, context: int | None) -> str | None:
        """Why a prompt cannot be answered, in one line; None where it can.

        Args:
            vocabulary_size: how many tokens the model knows.
            context: how many it takes in; None if it names no limit.

        Raises:
            UserError: a token that the model does not know: the tokenizer is another model's.
        """
        if not ids:
            return "the prompt is empty, as the tokenizer reads it"
        if max(ids) >= vocabulary_size:
            raise UserError(
                f"tokenizer: is not this model's: it gives the token {max(ids)}, "
                f"where the model knows {vocabulary_size} tokens"
            )
        if context is not None and len(ids) >= context:
            return f"the prompt has {len(ids)} tokens, the model's context holds {context}"
        return None

    def _text(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))

    def _ids(self, text: str, add_special_tokens: bool) -> list[int]:
        # verbose: a text longer than the context is reported by whoever knows the request.
        encoded = self.tokenizer(text, add_special_tokens=add_special_tokens, verbose=False)
        return list(encoded["input_ids"])

    def _fitted(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages as the template takes them."""
        if self._takes_system or messages[0].role != "system":
            return messages
        system, user, *rest = messages
        return [Message("user", f"{system.content}\n\n{user.content}"), *rest]

    def _render(self, messages: Sequence[Message]) -> str:
        chat: list[dict[str, Any]] = []
        for message in messages:
            content: Any = message.content
            if self._wants_parts:
                content = [{"type": "text", "text": content}]
            chat.append({"role": message.role, "content": content})
        return str(
            self.tokenizer.apply_chat_template(
                chat, add_generation_prompt=True, tokenize=False, **self._template_kwargs
            )
        )

    def _probe_template(self) -> None:
        """Find out whether the template takes texts or parts, and a system message."""
        name = self.tokenizer.name_or_path
        if not self.tokenizer.chat_template:
            raise UserError(
                f"model: the tokenizer of {name!r} has no chat template; "
                "use --text_completion true, or name a tokenizer with one (key 'tokenizer')"
            )
        system, user = Message("system", _SYSTEM_PROBE), Message("user", _PROBE)
        reasons = []
        for self._wants_parts in (False, True):
            for messages in ([system, user], [user]):
                try:
                    text = self._render(messages)
                except Exception as error:  # noqa: BLE001 - what a template raises is up to it
                    reasons.append(f"cannot be rendered: {error}")
                    continue
                if all(message.content in text for message in messages):
                    self._takes_system = system in messages
                    return
                reasons.append("leaves out what the user says")
        # As texts, and without a system message: what the simplest chat comes to.
        raise UserError(f"model: the chat template of {name!r} {reasons[1]}")


def load_coder(config: LocalConfig, text_completion: bool) -> Coder:
    """The coder of a model; what is wrong with its files need not wait for the weights.

    Raises:
        UserError: there is no model or no tokenizer, or what Coder raises.
    """
    tokenizer = load_tokenizer(config)
    coder = Coder(tokenizer, text_completion, config.reasoning_end, config.chat_template_kwargs)
    has_date = "strftime_now" in str(tokenizer.chat_template)
    if has_date and not Path(config.tokenizer_path).is_dir():
        _LOG.warning(
            "model: its chat template prints today's date, which is not part of the signature; "
            "do not go on with a log on another day"
        )
    return coder
