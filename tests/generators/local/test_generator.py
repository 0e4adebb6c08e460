"""The local generator on a real model: its answers, which nothing but the request changes."""

import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from ragifeval.errors import UserError
from ragifeval.generators.base import Prompt, Request
from ragifeval.generators.local import LocalGenerator
from tests.conftest import SPECIAL_TOKENS, VOCABULARY, make_weights
from tests.generators.local.tiny import (
    QUESTIONS,
    Reply,
    answered,
    by_hand,
    changed_weights,
    configured,
    copied,
    most_at_once,
    replies,
    requests,
    saved,
    texts,
    timed,
)


@pytest.fixture(scope="module")
def padded_model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model as one whose answers are generated in padded batches."""
    return copied(tiny_model, tmp_path_factory.mktemp("models") / "uncached", use_cache=False)


@pytest.fixture(params=["rolling", "padded"])
def either_way(request: pytest.FixtureRequest, tiny_model: Path, padded_model: Path) -> Path:
    return tiny_model if request.param == "rolling" else padded_model


@pytest.fixture(scope="module")
def expected(tiny_model: Path) -> dict[bool, list[Reply]]:
    """The greedy answers to QUESTIONS of transformers itself, as a chat and as a completion."""
    made = {
        is_text: by_hand(tiny_model, requests(QUESTIONS, is_text), 24) for is_text in (False, True)
    }
    # The model is one that shows something: distinct answers, of which some end by themselves.
    assert len({text for text, _, _ in made[False]}) == len(QUESTIONS)
    assert {reason for _, reason, _ in made[False]} == {"stop", "length"}
    return made


@pytest.mark.parametrize(("text_completion", "batch_size"), [(False, 1), (False, 3), (True, 8)])
def test_greedy_answers_are_those_of_transformers(
    either_way: Path,
    expected: dict[bool, list[Reply]],
    text_completion: bool,
    batch_size: int,
) -> None:
    config = configured(either_way, batch_size=batch_size, max_new_tokens=24)
    answers = answered(config, requests(QUESTIONS, text_completion), text_completion)
    assert replies(answers) == expected[text_completion]
    assert all(answer.text and answer.seconds > 0 and answer.error is None for answer in answers)


def test_the_longest_prompts_are_begun_first(tiny_model: Path) -> None:
    generator = LocalGenerator(configured(tiny_model, batch_size=1, max_new_tokens=1), False)
    answers = generator.generate(requests(QUESTIONS))
    lengths = [answer.usage["prompt_tokens"] for answer in answers if answer.usage]
    assert lengths == sorted(lengths, reverse=True)


def test_sampling_depends_on_seed_and_request_alone(either_way: Path) -> None:
    def sampled(asked: list[Request], batch_size: int = 8, **settings: Any) -> list[str | None]:
        config = configured(either_way, batch_size=batch_size, max_new_tokens=8, **settings)
        return texts(answered(config, asked))

    asked = requests(QUESTIONS)
    torch.manual_seed(3)
    state = torch.get_rng_state()
    answers = sampled(asked, 1, temperature=1.0, seed=5)
    assert sampled(asked, temperature=1.0, seed=5) == answers
    # Resumed: the other requests are already answered.
    assert sampled(asked[4:], temperature=1.0, seed=5) == answers[4:]
    assert sampled(asked, temperature=1.0, seed=6) != answers
    assert sampled(asked, temperature=0.0001) == sampled(asked) != answers
    assert torch.equal(torch.get_rng_state(), state)


# In generation_config.json: other ways to generate, and limits.
OTHER_WAYS: dict[str, Any] = {
    **{"do_sample": True, "temperature": 0.6, "top_p": 0.9, "top_k": 20, "min_p": 0.1},
    **{"num_beams": 3, "max_length": 20, "max_new_tokens": 5, "token_healing": True},
    **{"cache_implementation": "quantized", "prompt_lookup_num_tokens": 3},
}


def test_published_ways_to_sample_are_switched_off(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    published = copied(tiny_model, tmp_path / "model", **OTHER_WAYS)
    asked = requests(QUESTIONS[:3])
    answers = texts(answered(configured(tiny_model), asked))
    capfd.readouterr()
    assert texts(answered(configured(published), asked)) == answers
    assert "generation" not in "".join(capfd.readouterr())


def test_published_ways_to_choose_tokens_stay(tiny_model: Path, tmp_path: Path) -> None:
    published = copied(tiny_model, tmp_path / "model", repetition_penalty=1.5)
    asked = requests(QUESTIONS[:3])
    answers = texts(answered(configured(published), asked))
    assert answers == [text for text, *_ in by_hand(published, asked)]
    assert answers != texts(answered(configured(tiny_model), asked))


def test_published_strings_to_stop_at(either_way: Path, tmp_path: Path) -> None:
    def first(model: Path, batch_size: int) -> tuple[str, str | None, int]:
        answer = answered(configured(model, batch_size=batch_size), requests(QUESTIONS))[0]
        assert answer.text
        assert answer.usage
        return answer.text, answer.finish_reason, answer.usage["completion_tokens"]

    plain, _, tokens = first(either_way, 4)
    string = plain[5:8]
    published = copied(either_way, tmp_path / "m", stop_strings=[string])
    for batch_size in (1, 4):
        stopped, reason, fewer = first(published, batch_size)
        assert string in stopped
        assert plain.startswith(stopped)
        assert (reason, fewer < tokens) == ("stop", True)


@pytest.fixture(scope="module")
def small_context(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of 64 learned positions: a token beyond them is an error, for its whole batch."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        sizes = {"n_positions": 64, "n_embd": 32, "n_layer": 1, "n_head": 2}
        ends = {"bos_token_id": 0, "eos_token_id": None}
        model = GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, **sizes, **ends))
    model.generation_config.suppress_tokens = list(range(len(SPECIAL_TOKENS)))
    return saved(model, tiny_model, tmp_path_factory.mktemp("models") / "small-context")


@pytest.mark.parametrize("use_cache", [True, False], ids=["rolling", "padded"])
def test_the_context_limits_prompts_and_answers(
    small_context: Path, tmp_path: Path, use_cache: bool
) -> None:
    model = copied(small_context, tmp_path / "m", use_cache=use_cache)
    rooms = (60, 21, 20, 19, 2, 1, 0, -1)  # what the prompt leaves of the context
    asked = [Request(str(n), Prompt(text="|" * (63 - room))) for n, room in enumerate(rooms)]
    for batch_size in (1, 8):
        config = configured(model, max_new_tokens=20, batch_size=batch_size)
        for answer, room in zip(answered(config, asked, True), rooms, strict=True):
            if room <= 0:
                error = f"the prompt has {64 - room} tokens, the model's context holds 64"
                assert (answer.text, answer.error) == (None, error)
            else:
                tokens = {"prompt_tokens": 64 - room, "completion_tokens": min(20, room)}
                assert (answer.usage, answer.finish_reason) == (tokens, "length")


def test_stop_ends_the_run_after_what_is_under_way(either_way: Path) -> None:
    generator = LocalGenerator(configured(either_way), False)
    answers = generator.generate(requests(QUESTIONS))
    first = next(answers)
    generator.stop()
    assert len([first, *answers]) == 4
    assert list(generator.generate(requests(QUESTIONS))) == []


def test_tokenizer_of_another_model(tiny_model: Path, tmp_path: Path) -> None:
    model = copied(tiny_model, tmp_path / "m")
    make_weights(model, vocab_size=300)
    with pytest.raises(UserError, match=r"^tokenizer: is not this model's: .* knows 300 tokens$"):
        list(LocalGenerator(configured(model), False).generate(requests(QUESTIONS)))


def test_scores_that_overflow_end_the_run(tiny_model: Path, tmp_path: Path) -> None:
    model = copied(tiny_model, tmp_path / "m")
    with changed_weights(model) as weights:
        weights["model.embed_tokens.weight"][:] *= 1e4
        weights["model.norm.weight"][:] = 6e4
    with pytest.raises(UserError, match=r'^dtype: .* set dtype to "bfloat16" or "float32"'):
        LocalGenerator(configured(model, dtype="float16"), False)
    assert LocalGenerator(configured(model, dtype="bfloat16"), False)


def test_a_setting_that_breaks_generation_is_one_line(tiny_model: Path, tmp_path: Path) -> None:
    model = copied(tiny_model, tmp_path / "m", repetition_penalty=-1.0)
    with pytest.raises(UserError, match=r"^model: 'm' cannot generate with these settings: "):
        LocalGenerator(configured(model), False)


def test_a_model_that_fails_in_mid_run_ends_it_in_one_line(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does whose attention is compiled for each length, where the compiler fails."""
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "c"))
    own = {"auto_map": {"AutoModelForCausalLM": "own.OwnModel"}}
    model = copied(tiny_model, tmp_path / "m", "config.json", **own)
    (model / "own.py").write_text(
        "from transformers import LlamaForCausalLM\n\n"
        "class OwnModel(LlamaForCausalLM):\n"
        "    def forward(self, input_ids, **options):\n"
        "        if input_ids.shape[1] > 20:\n"
        "            raise IndexError('more than 20\\ntokens')\n"
        "        return super().forward(input_ids, **options)\n"
    )
    generator = LocalGenerator(configured(model, trust_remote_code=True), True)
    expected = r"^model: it cannot go on with these settings: IndexError: more than 20 tokens$"
    with pytest.raises(UserError, match=expected):
        list(generator.generate(requests(QUESTIONS, text_completion=True)))


def test_a_date_in_the_template_is_part_of_the_signature(tiny_model: Path, tmp_path: Path) -> None:
    model = copied(tiny_model, tmp_path / "m")
    template = model / "chat_template.jinja"
    dated = "{{ date_string or strftime_now('%d %b %Y') }}"
    template.write_text(dated + template.read_text())
    assert configured(model).scored_settings()["date"] == date.today().isoformat()
    given = configured(model, chat_template_kwargs={"date_string": "1 May 2026"})
    assert "date" not in given.scored_settings()
    assert "date" not in configured(tiny_model).scored_settings()


@contextmanager
def memory_limited(megabytes: int) -> Iterator[None]:
    """So many megabytes more than this process holds now."""
    gc.collect()
    gc.freeze()  # each collection on the way looks at what the test makes, not at all of Python
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        gc.unfreeze()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of the address space")
@pytest.mark.parametrize("use_cache", [True, False], ids=["rolling", "padded"])
def test_out_of_memory(tiny_model: Path, tmp_path: Path, use_cache: bool) -> None:
    """Keys, and values, of a token take 32 KB: those of eight rows do not fit, nor a long one's."""
    model = copied(tiny_model, tmp_path / "m")
    make_weights(model, head_dim=2048, num_key_value_heads=4, num_hidden_layers=1)
    if not use_cache:
        model = copied(model, tmp_path / "u", use_cache=False)
    asked = requests(["i " * 150] * 8, text_completion=True)
    config = configured(model, batch_size=8, max_new_tokens=2)
    generator = LocalGenerator(config, True)
    with memory_limited(150):
        answers, spans = timed(generator.generate(asked))
        (long,) = generator.generate(requests(["i " * 2000], text_completion=True))
    assert {answer.error for answer in answers} == {None}
    assert 1 < most_at_once(spans) < 8
    assert texts(answers) == texts(answered(config, asked[:1], True)) * 8
    assert long.text is None
    assert str(long.error).startswith("out of memory: the prompt has 20")
