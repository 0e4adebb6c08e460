"""A model of Hugging Face transformers on this machine."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.continuous import ContinuousBatching
from ragifeval.generators.engine import Completion, Engine, Network, Prompted
from ragifeval.generators.loading import check_paths, load_tokenizer
from ragifeval.generators.padded import PaddedBatches
from ragifeval.generators.rolling import RollingBatch
from ragifeval.generators.rolling_cache import can_hold
from ragifeval.generators.tokens import Coder
from ragifeval.generators.torchrun import is_shared


class LocalGenerator:
    """Answers several prompts at once, the longest first: lack of memory shows at once.

    A sample's answer does not depend on its batch, but for rounding, which float16 and bfloat16 do
    coarsely: rows are padded on the left and masked, and tokens are drawn from a stream of the
    sample's own.

    Args:
        config: which model, and how.
        text_completion: prompts are one text to go on with, not a chat.

    Raises:
        UserError: the model cannot be loaded, has no chat template where a chat is asked for, or
            cannot be asked in the way that the config says.
    """

    def __init__(self, config: LocalConfig, text_completion: bool) -> None:
        self._config = config
        check_paths(config)
        if config.device_map is not None and is_shared():
            raise UserError(
                "device_map: torchrun gives each process a device of its own; leave out the one or "
                "the other (a model larger than one device: device_map, without torchrun)"
            )
        tokenizer = load_tokenizer(config)
        # Before the weights: what is wrong with a chat template need not wait for them.
        self._coder = Coder(
            tokenizer, text_completion, config.reasoning_end, config.chat_template_kwargs
        )
        self._network = Network(config, tokenizer)
        self._engine = _engine(self._network, config)

    @property
    def name(self) -> str:
        """The directory's own name, or the id on the Hub."""
        path = Path(self._config.model)
        return path.resolve().name if path.is_dir() else self._config.model

    def stop(self) -> None:
        """Have generate() end with what is under way; a signal handler may call this."""
        self._engine.stop()

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
                prompts.append(Prompted(request, ids, room))
            else:
                yield Answer(
                    request,
                    None,
                    f"the prompt has {len(ids)} tokens, "
                    f"the model's context holds {self._network.context_length}",
                )
        prompts.sort(key=lambda prompt: len(prompt.ids), reverse=True)
        for completion in self._engine.complete(prompts):
            yield self._answer(completion)

    def _check_ids(self, ids: Sequence[int]) -> None:
        """Refuse a tokenizer whose ids the model does not know: it is another model's."""
        known = self._network.model.config.get_text_config().vocab_size
        if max(ids, default=0) >= known:
            raise UserError(
                f"tokenizer: is not this model's: it gives the token {max(ids)}, "
                f"where the model knows {known} tokens"
            )

    def _room(self, ids: Sequence[int]) -> int:
        """How many tokens the answer to a prompt may have."""
        if self._network.context_length is None:
            return self._config.max_new_tokens
        return min(self._config.max_new_tokens, self._network.context_length - len(ids))

    def _answer(self, completion: Completion) -> Answer:
        prompt, tokens = completion.prompt, completion.tokens
        if tokens is None:
            return Answer(prompt.request, None, completion.error, seconds=completion.seconds)
        ended = len(tokens) < prompt.room or tokens[-1] in self._network.end_ids
        return Answer(
            prompt.request,
            self._coder.decode(tokens),
            finish_reason="stop" if ended else "length",
            usage={"prompt_tokens": len(prompt.ids), "completion_tokens": len(tokens)},
            seconds=completion.seconds,
        )


def _engine(network: Network, config: LocalConfig) -> Engine:
    """The way to have this model answer."""
    if config.continuous_batching:
        return ContinuousBatching(network)
    batch_size = None if config.batch_size == "auto" else config.batch_size
    kind = RollingBatch if can_hold(network.model) else PaddedBatches
    return kind(network, batch_size)
