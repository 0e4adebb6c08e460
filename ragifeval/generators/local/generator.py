"""The generator that runs a model of Hugging Face transformers on this machine."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Prompt, Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local.batches import Batches, PaddedBatches, Row, TokenizedPrompt
from ragifeval.generators.local.loading import LoadedModel, one_line
from ragifeval.generators.local.rolling import RollingBatch
from ragifeval.generators.local.rolling_cache import can_hold
from ragifeval.generators.local.tokens import load_coder

_LOG = logging.getLogger(__name__)

_ROPES_BY_LENGTH = frozenset({"dynamic", "longrope"})
_PROBE = "Ile kosztuje dowód osobisty?"
# Of scores, in their standard deviations. Rounding in bfloat16 makes a hundredth, a model that
# reads the padding a third and more.
_MOST_CHANGE = 0.1


class LocalGenerator:
    """Answers several prompts at once, the longest first: lack of memory shows at once.

    An answer does not depend on its batch, but for rounding, which float16 and bfloat16 do
    coarsely: padding is masked, tokens are drawn from random numbers of the request's own, and
    models that cannot keep to this answer one prompt at a time.

    Args:
        config: which model, and how.
        text_completion: prompts are one text to go on with, not a chat.

    Raises:
        UserError: the model cannot be loaded, has no chat template where a chat is asked for, or
            cannot be asked in the way that the config says.
    """

    def __init__(self, config: LocalConfig, text_completion: bool) -> None:
        self._config = config
        self._coder = load_coder(config, text_completion)
        self._loaded = LoadedModel(config, self._coder.tokenizer)
        self._batches = _prepare_batches(self._loaded, config)

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
            context = self._loaded.context_length
            error = self._coder.check(ids, self._loaded.vocabulary_size, context)
            if error is not None:
                yield Answer(request, None, error)
                continue
            room = self._config.max_new_tokens
            if context is not None:
                room = min(room, context - len(ids))
            prompts.append(TokenizedPrompt(request, ids, room))
        prompts.sort(key=lambda prompt: len(prompt.ids), reverse=True)
        for row in self._batches.complete(prompts):
            yield self._answer(row)

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


def _prepare_batches(loaded: LoadedModel, config: LocalConfig) -> Batches:
    """The way to have this model answer, tried on a short text.

    Raises:
        UserError: the model cannot generate.
    """
    batch_size = None if config.batch_size == "auto" else config.batch_size
    ids = loaded.tokenizer(_PROBE, add_special_tokens=False)["input_ids"][:8]
    ids = [min(token, loaded.vocabulary_size - 1) for token in ids]
    try:
        has_fixed_keys = not _has_keys_by_length(loaded.model.config.get_text_config(decoder=True))
        if batch_size != 1 and not (has_fixed_keys and _ignores_padding(loaded, ids)):
            batch_size = 1
            _LOG.warning(
                "batch_size: the answers of this model would depend on their batch; they are "
                "generated one at a time"
            )
        is_rolling = has_fixed_keys and can_hold(loaded.model)
        batches = (RollingBatch if is_rolling else PaddedBatches)(loaded, batch_size)
        probe = TokenizedPrompt(Request("probe", Prompt(text=_PROBE)), ids, 2)
        list(batches.complete([probe]))
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - a model that is no causal one may raise anything
        raise UserError(
            f"model: {config.display_name!r} cannot generate with these settings: {one_line(error)}"
        ) from None
    return batches


def _has_keys_by_length(config: Any) -> bool:
    """Whether keys, or the choice among them, depend on the longest text of a batch."""
    parameters = getattr(config, "rope_parameters", None) or {}
    # One kind of rotary positions, or one for each kind of layer.
    kinds = [parameters, *(value for value in parameters.values() if isinstance(value, dict))]
    # An index that picks the best columns for sparse attention picks padding, too.
    is_indexed = getattr(config, "index_topk", None) is not None
    return is_indexed or any(kind.get("rope_type") in _ROPES_BY_LENGTH for kind in kinds)


def _ignores_padding(loaded: LoadedModel, ids: Sequence[int]) -> bool:
    """Whether the scores behind a text are the same where padding stands before it."""
    scores = []
    for padding in (0, 5):
        tokens = [*[loaded.pad_id] * padding, *ids]
        mask = [*[0] * padding, *[1] * len(ids)]
        with torch.inference_mode():
            output = loaded.model.generate(
                input_ids=torch.tensor([tokens], device=loaded.device),
                attention_mask=torch.tensor([mask], device=loaded.device),
                max_new_tokens=1,
                output_logits=True,
                return_dict_in_generate=True,
                tokenizer=loaded.tokenizer,
            )
        scores.append(output.logits[0][0].float())
    change = (scores[1] - scores[0]).std() / scores[0].std()
    return not bool(change > _MOST_CHANGE)  # NaN is reported when a token is chosen
