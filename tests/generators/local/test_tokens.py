"""Prompts as the model's tokenizer and chat template want them."""

from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.generators.local.tokens import Coder
from tests.conftest import CHAT_TEMPLATE

CHAT = Prompt(messages=(Message("system", "Odpowiadaj."), Message("user", "Ile?")))
USER_ONLY = Prompt(messages=(Message("user", "Ile?"),))
RENDERED = "<|start|><|system|>Odpowiadaj.<|end|><|user|>Ile?<|end|><|assistant|>"
RENDERED_USER_ONLY = "<|start|><|user|>Ile?<|end|><|assistant|>"
RENDERED_MERGED = "<|start|><|user|>Odpowiadaj.\n\nIle?<|end|><|assistant|>"

REFUSES_SYSTEM = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    + CHAT_TEMPLATE
)
DROPS_SYSTEM = CHAT_TEMPLATE.replace("in messages %}", "in messages if message.role == 'user' %}")
# As the templates of multimodal models: strings have no parts, so nothing is written.
WANTS_PARTS = CHAT_TEMPLATE.replace(
    "{{ message.content }}",
    "{% for part in message.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}"
    "{% endfor %}",
)
WANTS_SYSTEM = (
    "{% if messages[0].role != 'system' %}{{ raise_exception('system first') }}{% endif %}"
    + CHAT_TEMPLATE
)


@pytest.fixture
def tokenizer(tiny_model: Path) -> Any:
    return AutoTokenizer.from_pretrained(tiny_model)


def shown(tokenizer: Any, prompt: Prompt, is_text: bool = False, **kwargs: object) -> str:
    """What the model is given for a prompt; `kwargs` are for its template."""
    return str(tokenizer.decode(Coder(tokenizer, is_text, None, kwargs).encode(prompt)))


CHATS = [
    (CHAT_TEMPLATE, USER_ONLY, RENDERED_USER_ONLY),
    (REFUSES_SYSTEM, CHAT, RENDERED_MERGED),
    (REFUSES_SYSTEM, USER_ONLY, RENDERED_USER_ONLY),
    (DROPS_SYSTEM, CHAT, RENDERED_MERGED),
    (WANTS_PARTS, CHAT, RENDERED),
    (WANTS_SYSTEM, CHAT, RENDERED),
]


@pytest.mark.parametrize(("template", "prompt", "expected"), CHATS)
def test_chat(tokenizer: Any, template: str, prompt: Prompt, expected: str) -> None:
    tokenizer.chat_template = template
    assert shown(tokenizer, prompt) == expected


def test_the_template_is_given_what_the_config_names(tokenizer: Any) -> None:
    tokenizer.chat_template = CHAT_TEMPLATE + "{% if enable_thinking is false %}Ile{% endif %}"
    assert shown(tokenizer, CHAT, enable_thinking=False) == RENDERED + "Ile"
    assert shown(tokenizer, CHAT, enable_thinking=True) == shown(tokenizer, CHAT) == RENDERED


def test_completion_starts_with_the_start_token_and_does_not_end(tokenizer: Any) -> None:
    prompt = Prompt(text="Pytanie: Ile?\nOdpowiedź:")
    assert shown(tokenizer, prompt, is_text=True) == "<|start|>Pytanie: Ile?\nOdpowiedź:"

    tokenizer.chat_template = None  # not needed
    ends = tokenizer.backend_tokenizer.post_processor.__class__
    tokenizer.backend_tokenizer.post_processor = ends(
        single="<|start|> $A <|end|>", special_tokens=[("<|start|>", 0), ("<|end|>", 1)]
    )
    assert tokenizer("Ile?").input_ids[-1] == tokenizer.eos_token_id
    assert shown(tokenizer, prompt, is_text=True) == "<|start|>Pytanie: Ile?\nOdpowiedź:"


UNUSABLE = [
    (None, "has no chat template; use --text_completion true"),
    ("{{ raise_exception('only for tools') }}", "cannot be rendered: only for tools"),
    (
        "{{ ''.__class__.__mro__[1].__subclasses__() }}{{ messages[0].content }}",
        "cannot be rendered: access to attribute '__class__' of 'str' object is unsafe",
    ),
    ("<|user|>{{ messages[0].text }}", "leaves out what the user says"),
]


@pytest.mark.parametrize(("template", "reason"), UNUSABLE)
def test_unusable_template(tokenizer: Any, template: str | None, reason: str) -> None:
    tokenizer.chat_template = template
    with pytest.raises(UserError, match=reason):
        Coder(tokenizer, False, None)
    assert Coder(tokenizer, True, None).encode(Prompt(text="Ile?"))


MARKS = "<|user|>Ile<|think|>"  # several tokens, of which some are special
DECODED = [
    ("Zapłacisz 30 zł [0].<|end|>", None, "Zapłacisz 30 zł [0]."),
    ("Hm.<|assistant|>30 zł<|end|>", "<|assistant|>", "Hm.<|assistant|>30 zł"),
    ("Hm.</think>30 zł<|end|>", "</think>", "Hm.</think>30 zł"),
    ("<|end|>", None, ""),
    # Special in tokenizer.json, but not among the additional special tokens of the config.
    ("Hm.<|think|>30 zł<|end|>", None, "Hm.30 zł"),
    ("Hm.<|think|>30 zł<|end|>", "<|think|>", "Hm.<|think|>30 zł"),
    (f"Hm.{MARKS}30 zł<|think|>x", MARKS, f"Hm.{MARKS}30 złx"),
    ("Hm.<|user|>30 zł<|end|>", MARKS, "Hm.30 zł"),
]


@pytest.mark.parametrize(("text", "reasoning_end", "expected"), DECODED)
def test_decode(tokenizer: Any, text: str, reasoning_end: str | None, expected: str) -> None:
    tokenizer.backend_tokenizer.add_special_tokens(["<|think|>"])
    assert "<|think|>" not in tokenizer.all_special_tokens
    ids = tokenizer(text, add_special_tokens=False).input_ids
    assert Coder(tokenizer, False, reasoning_end).decode(ids) == expected
