"""The generator that runs a model of Hugging Face transformers on this machine."""

import os
from collections.abc import Iterable, Iterator, Sequence

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local.batches import Batches, PaddedBatches, Row, TokenizedPrompt
from ragifeval.generators.local.loading import LoadedModel, check_paths, load_tokenizer
from ragifeval.generators.local.rolling import RollingBatch
from ragifeval.generators.local.rolling_cache import can_hold
from ragifeval.generators.local.tokens import Coder


class LocalGenerator:
    """Answers several prompts at once, the longest first: lack of memory shows at once.

    An answer does not depend on its batch, but for rounding, which float16 and bfloat16 do
    coarsely: rows are padded on the left and masked, and tokens are drawn from random numbers of
    the request's own.

    Args:
        config: which model, and how.
        text_completion: prompts are one text to go on with, not a chat.

    Raises:
        UserError: the model cannot be loaded, has no chat template where a chat is asked for, or
            cannot be asked in the way that the config says.
    """

    def __init__(self, config: LocalConfig, text_completion: bool) -> None:
        if "TORCHELASTIC_RUN_ID" in os.environ and int(os.environ["WORLD_SIZE"]) > 1:
            raise UserError(
                "torchrun: each process would answer all questions; start one server a GPU, and "
                "list them in the api_base of eval_remote.py"
            )
        self._config = config
        check_paths(config)
        tokenizer = load_tokenizer(config)
        # Before the weights: what is wrong with a chat template need not wait for them.
        self._coder = Coder(
            tokenizer, text_completion, config.reasoning_end, config.chat_template_kwargs
        )
        self._loaded = LoadedModel(config, tokenizer)
        self._batches = _batches(self._loaded, config)

    @property
    def name(self) -> str:
        """The directory's own name, or the id on the Hub."""
        return self._config.display_name

    def stop(self) -> None:
        """Have generate() end with what is under way; a signal handler may call this."""
        self._batches.stop()

    def generate(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Answer the requests, each as it is done."""
        prompts = []
        for request in requests:
            ids = self._coder.encode(request.prompt)
            self._check_ids(ids)
            room = self._room(ids)
            if not ids:
                yield Answer(request, None, "the prompt is empty, as the tokenizer reads it")
            elif room > 0:
                prompts.append(TokenizedPrompt(request, ids, room))
            else:
                yield Answer(
                    request,
                    None,
                    f"the prompt has {len(ids)} tokens, "
                    f"the model's context holds {self._loaded.context_length}",
                )
        prompts.sort(key=lambda prompt: len(prompt.ids), reverse=True)
        for row in self._batches.complete(prompts):
            yield self._answer(row)

    def _check_ids(self, ids: Sequence[int]) -> None:
        """Refuse a tokenizer whose ids the model does not know: it is another model's."""
        known = self._loaded.model.config.get_text_config().vocab_size
        if max(ids, default=0) >= known:
            raise UserError(
                f"tokenizer: is not this model's: it gives the token {max(ids)}, "
                f"where the model knows {known} tokens"
            )

    def _room(self, ids: Sequence[int]) -> int:
        """How many tokens the answer to a prompt may have."""
        if self._loaded.context_length is None:
            return self._config.max_new_tokens
        return min(self._config.max_new_tokens, self._loaded.context_length - len(ids))

    def _answer(self, row: Row) -> Answer:
        prompt = row.prompt
        if row.error is not None:
            return Answer(prompt.request, None, row.error, seconds=row.seconds)
        is_cut = (
            len(row.tokens) == prompt.max_new_tokens and row.tokens[-1] not in self._loaded.end_ids
        )
        return Answer(
            prompt.request,
            self._coder.decode(row.tokens),
            finish_reason="length" if is_cut else "stop",
            usage={"prompt_tokens": len(prompt.ids), "completion_tokens": len(row.tokens)},
            seconds=row.seconds,
        )


def _batches(loaded: LoadedModel, config: LocalConfig) -> Batches:
    """The way to have this model answer."""
    batch_size = None if config.batch_size == "auto" else config.batch_size
    is_rolling = can_hold(loaded.model)
    return (RollingBatch if is_rolling else PaddedBatches)(loaded, batch_size)
