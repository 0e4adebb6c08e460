"""What several test modules share: a language model small enough to be made anew for each run."""

import os
import signal

# Before anything is imported that reads them: no test may reach for the Hub, and a model this small
# is fastest on one thread.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell starts what runs in the background with Ctrl-C ignored, and every child inherits that: the
# tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from ragifeval.text.normalizer import Normalizer, load_normalizer
from tests.browser import start_chromium

# The same examples each time, on a machine however busy; benchmarks/fuzz.py looks for new ones.
settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def normalizer() -> Normalizer:
    """That of the lemma table."""
    return load_normalizer()


@pytest.fixture(scope="session")
def private_key() -> str:
    """That of a service account."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The driver of one browser."""
    driver = start_chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()


CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
VOCABULARY = 2000
SPECIAL_TOKENS = ["<|start|>", "<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a Llama of two layers with random weights that answers in word salad.

    Its answers have at least one token, differ from prompt to prompt, and end by themselves after
    some twenty tokens, now and then not for long.
    """
    from tokenizers.processors import TemplateProcessing

    from tools.servers.model import train_tokenizer

    directory = tmp_path_factory.mktemp("models") / "tiny-llama"
    kinds = {"bos_token": "<|start|>", "eos_token": "<|end|>", "pad_token": "<|pad|>"}
    tokenizer = train_tokenizer(SPECIAL_TOKENS, CHAT_TEMPLATE, **kinds)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<|start|> $A", special_tokens=[("<|start|>", SPECIAL_TOKENS.index("<|start|>"))]
    )
    tokenizer.save_pretrained(directory)
    make_weights(directory)
    return directory


def make_weights(directory: Path, **changes: object) -> None:
    """Save random weights.

    Args:
        changes: to the model's configuration.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    settings: dict[str, object] = {
        "vocab_size": VOCABULARY,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 16384,
        "initializer_range": 0.3,
        "bos_token_id": SPECIAL_TOKENS.index("<|start|>"),
        "eos_token_id": SPECIAL_TOKENS.index("<|end|>"),
        "pad_token_id": SPECIAL_TOKENS.index("<|pad|>"),
    }
    # Elsewhere the random state is left as it was.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(**{**settings, **changes}))
    with torch.no_grad():
        # A longer row wins the argmax more often: answers end.
        model.lm_head.weight[SPECIAL_TOKENS.index("<|end|>")] *= 2
    model.generation_config.update(
        min_new_tokens=1,
        suppress_tokens=[index for index, token in enumerate(SPECIAL_TOKENS) if token != "<|end|>"],
    )
    model.save_pretrained(directory)
