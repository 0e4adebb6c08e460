"""The local generator on a real model: its answers, which nothing but the sample changes."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel

from ragifeval import paths
from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.errors import UserError
from ragifeval.generators.base import Answer, Message, Prompt, Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local import LocalGenerator
from ragifeval.run.template import PromptTemplate, ordered_documents
from tests.conftest import SPECIAL_TOKENS, VOCABULARY, make_tokenizer, make_weights

QUESTIONS = [
    "Ile kosztuje dowód?",
    "Czy muszę zwrócić stary paszport, gdy odbieram nowy, i kto może go odebrać za mnie?",
    "Gdzie?",
    "W poniedziałek zawiesiłam dowód, bo nie mogłam go nigdzie znaleźć, a w środę wypadł mi z "
    "kieszeni płaszcza. Czy muszę teraz wyrabiać nowy?",
    "Ile dni ma urząd na odpowiedź?",
    "Chcę zameldować się u brata. Co mam zabrać ze sobą do urzędu gminy i czy to kosztuje?",
    "Od kiedy liczy się okres wypowiedzenia?",
    "Jak odwołać się od decyzji, z którą się nie zgadzam?",
    "Kto dostanie zasiłek?",
]


def requests(questions: Sequence[str], text_completion: bool = False) -> list[Request]:
    def prompt(question: str) -> Prompt:
        if text_completion:
            return Prompt(text=f"Pytanie: {question}\nOdpowiedź:")
        return Prompt((Message("system", "Odpowiadaj po polsku."), Message("user", question)))

    return [Request(f"s{index:03}", prompt(question)) for index, question in enumerate(questions)]


def configured(model: Path, **settings: Any) -> LocalConfig:
    usual: dict[str, Any] = {"dtype": "float32", "temperature": 0.0, "max_new_tokens": 32}
    return LocalConfig(model=str(model), **{**usual, **settings})


def answered(
    config: LocalConfig, asked: Sequence[Request], text_completion: bool = False
) -> list[Answer]:
    """The answers in the order of the requests; each request has exactly one."""
    answers = list(LocalGenerator(config, text_completion).generate(asked))
    answers.sort(key=lambda answer: answer.request.id)
    assert [answer.request for answer in answers] == list(asked)
    return answers


def texts(answers: Sequence[Answer]) -> list[str | None]:
    return [answer.text for answer in answers]


def copied(tiny_model: Path, directory: Path, **generation: object) -> Path:
    """A copy of the model with other settings in generation_config.json."""
    shutil.copytree(tiny_model, directory)
    path = directory / "generation_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **generation}))
    return directory


@pytest.fixture(params=["rolling", "padded"])
def either_way(request: pytest.FixtureRequest, tiny_model: Path, tmp_path: Path) -> Path:
    """The tiny model, and once more as one whose answers are generated in padded batches."""
    if request.param == "rolling":
        return tiny_model
    return copied(tiny_model, tmp_path / "uncached", use_cache=False)


def generated_by_hand(
    model: Path, asked: Sequence[Request], tokens: int, **settings: Any
) -> Iterator[tuple[str, str, dict[str, int]]]:
    """Each answer, its finish reason and usage, from transformers itself, one prompt at a time."""
    tokenizer: Any = AutoTokenizer.from_pretrained(model)
    network: Any = AutoModelForCausalLM.from_pretrained(model, dtype="float32")
    for request in asked:
        if request.prompt.text is not None:
            given = tokenizer(request.prompt.text, return_tensors="pt")
        else:
            chat = [{"role": m.role, "content": m.content} for m in request.prompt.messages]
            given = tokenizer.apply_chat_template(
                chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        width = given.input_ids.shape[1]
        new = network.generate(**given, do_sample=False, max_new_tokens=tokens, **settings)
        ids = new[0, width:].tolist()
        yield (
            tokenizer.decode(ids, skip_special_tokens=True),
            "stop" if ids[-1] == tokenizer.eos_token_id else "length",
            {"prompt_tokens": width, "completion_tokens": len(ids)},
        )


@pytest.mark.parametrize("batch_size", [1, 3, 8])
@pytest.mark.parametrize("text_completion", [False, True], ids=["chat", "completion"])
def test_greedy_answers_are_those_of_transformers(
    either_way: Path, text_completion: bool, batch_size: int
) -> None:
    asked = requests(QUESTIONS, text_completion)
    answers = answered(configured(either_way, batch_size=batch_size), asked, text_completion)
    expected = list(generated_by_hand(either_way, asked, tokens=32))
    assert [(a.text, a.finish_reason, a.usage) for a in answers] == expected
    # The model is one that shows something: distinct answers, of which some end by themselves.
    assert len({text for text, _, _ in expected}) == len(QUESTIONS)
    assert {reason for _, reason, _ in expected} == {"stop", "length"}
    assert all(answer.text and answer.seconds > 0 and answer.error is None for answer in answers)


def test_prompts_of_the_benchmark(tiny_model: Path) -> None:
    benchmark = load_benchmark(paths.DOCUMENTS, paths.SAMPLES)
    template = PromptTemplate(paths.PROMPT)
    asked = []
    for sample in benchmark.samples[:4]:
        documents = ordered_documents(benchmark, sample)
        asked.append(Request(sample.id, template.render(sample, documents)))
    alone = answered(configured(tiny_model, max_new_tokens=16), asked)
    together = answered(configured(tiny_model, max_new_tokens=16, batch_size=4), asked)
    assert texts(alone) == texts(together)
    assert all(answer.usage and answer.usage["prompt_tokens"] > 500 for answer in alone)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_longest_prompts_are_begun_first(tiny_model: Path, batch_size: int) -> None:
    generator = LocalGenerator(configured(tiny_model, batch_size=batch_size), False)
    lengths = [
        answer.usage["prompt_tokens"]
        for answer in generator.generate(requests(QUESTIONS))
        if answer.usage
    ]
    for place, length in enumerate(lengths):
        longer_and_later = [other for other in lengths[place + 1 :] if other > length]
        assert len(longer_and_later) < batch_size


def test_sampling_depends_on_seed_and_sample_alone(either_way: Path) -> None:
    asked = requests(QUESTIONS)
    sampled = {"temperature": 1.0, "seed": 5}
    expected = texts(answered(configured(either_way, **sampled), asked))
    assert texts(answered(configured(either_way, **sampled, batch_size=8), asked)) == expected
    # Resumed: the other samples are already answered.
    assert (
        texts(answered(configured(either_way, **sampled, batch_size=4), asked[6:])) == expected[6:]
    )

    assert texts(answered(configured(either_way, temperature=1.0, seed=6), asked)) != expected
    greedy = texts(answered(configured(either_way), asked))
    assert greedy != expected
    assert texts(answered(configured(either_way, temperature=0.0001), asked)) == greedy


def test_the_random_state_is_left_alone(tiny_model: Path) -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    answered(configured(tiny_model, temperature=1.0), requests(QUESTIONS[:2]))
    assert torch.rand(1) == expected


def test_published_ways_to_sample_are_switched_off(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    published = copied(
        tiny_model,
        tmp_path / "published",
        do_sample=True,
        temperature=0.6,
        top_p=0.9,
        top_k=20,
        min_p=0.1,
        num_beams=3,
        max_length=20,
        max_new_tokens=5,
    )
    asked = requests(QUESTIONS)
    expected = texts(answered(configured(tiny_model), asked))
    capfd.readouterr()
    assert texts(answered(configured(published), asked)) == expected
    out, err = capfd.readouterr()
    assert out == ""
    assert "generation" not in err
    assert "transformers" not in err


@pytest.mark.parametrize(
    "setting", [{"repetition_penalty": 1.5}, {"suppress_tokens": list(range(2, 300))}]
)
def test_published_ways_to_choose_tokens_stay(
    tiny_model: Path, tmp_path: Path, setting: dict[str, Any]
) -> None:
    published = copied(tiny_model, tmp_path / "published", **setting)
    asked = requests(QUESTIONS)
    answers = texts(answered(configured(published, batch_size=4), asked))
    assert answers == [text for text, *_ in generated_by_hand(published, asked, tokens=32)]
    assert answers != texts(answered(configured(tiny_model), asked))


def test_published_strings_to_stop_at(either_way: Path, tmp_path: Path) -> None:
    asked = requests(QUESTIONS)
    plain = answered(configured(either_way), asked)
    string = plain[0].text[5:8] if plain[0].text else ""
    published = copied(either_way, tmp_path / "published", stop_strings=[string])
    for batch_size in (1, 4):
        stopped = answered(configured(published, batch_size=batch_size), asked)[0]
        assert stopped.text is not None
        assert string in stopped.text
        assert plain[0].text.startswith(stopped.text)
        assert stopped.usage["completion_tokens"] < plain[0].usage["completion_tokens"]
        assert stopped.finish_reason == "stop"


@pytest.fixture(scope="module")
def small_context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of 64 learned positions: a token beyond them is an error, for its whole batch."""
    directory = tmp_path_factory.mktemp("models") / "small-context"
    make_tokenizer(directory)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=VOCABULARY,
                n_positions=64,
                n_embd=32,
                n_layer=1,
                n_head=2,
                initializer_range=0.5,
                bos_token_id=SPECIAL_TOKENS.index("<|start|>"),
                eos_token_id=SPECIAL_TOKENS.index("<|end|>"),
            )
        )
    model.save_pretrained(directory)
    return directory


@pytest.mark.parametrize("use_cache", [True, False], ids=["rolling", "padded"])
def test_prompts_beside_the_context(small_context: Path, tmp_path: Path, use_cache: bool) -> None:
    small_context = copied(small_context, tmp_path / "model", use_cache=use_cache)
    asked = requests(QUESTIONS)
    alone = answered(configured(small_context, max_new_tokens=40), asked)
    together = answered(configured(small_context, max_new_tokens=40, batch_size=8), asked)
    outcomes = [
        [(a.text, a.error, a.finish_reason, a.usage) for a in answers]
        for answers in (alone, together)
    ]
    assert outcomes[0] == outcomes[1]

    tokenizer: Any = AutoTokenizer.from_pretrained(small_context)
    lengths = []
    for answer in together:
        chat = [{"role": m.role, "content": m.content} for m in answer.request.prompt.messages]
        ids = tokenizer.apply_chat_template(chat, add_generation_prompt=True)["input_ids"]
        lengths.append(len(ids))
        if len(ids) >= 64:
            error = f"the prompt has {len(ids)} tokens, the model's context holds 64"
            assert (answer.text, answer.error) == (None, error)
        elif answer.finish_reason == "length":
            assert answer.usage == {
                "prompt_tokens": len(ids),
                "completion_tokens": min(40, 64 - len(ids)),
            }
    # Of all kinds: too long, cut off by the context, and by max_new_tokens.
    kinds = {"over" if n >= 64 else "cut" if n > 24 else "free" for n in lengths}
    assert kinds == {"over", "cut", "free"}
    assert "length" in {answer.finish_reason for answer in together}


def test_an_answer_may_fill_the_context(tiny_model: Path, tmp_path: Path) -> None:
    directory = tmp_path / "model"
    shutil.copytree(tiny_model, directory)
    width = answered(configured(tiny_model), requests(QUESTIONS[:1]))[0].usage["prompt_tokens"]
    for room in (0, 1, 3):
        make_weights(directory, max_position_embeddings=width + room)
        (answer,) = answered(configured(directory), requests(QUESTIONS[:1]))
        if room == 0:
            assert answer.text is None
        else:
            assert answer.usage["completion_tokens"] == room
            assert answer.finish_reason == "length"


def test_template_without_a_system_role(tiny_model: Path, tmp_path: Path) -> None:
    directory = tmp_path / "model"
    shutil.copytree(tiny_model, directory)
    template = directory / "chat_template.jinja"
    refusing = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}"
    template.write_text(refusing + template.read_text())
    merged = [
        Request(r.id, Prompt((Message("user", f"Odpowiadaj po polsku.\n\n{q}"),)))
        for r, q in zip(requests(QUESTIONS), QUESTIONS, strict=True)
    ]
    expected = texts(answered(configured(tiny_model), merged))
    assert texts(answered(configured(directory), requests(QUESTIONS))) == expected


def test_stop_ends_the_run_after_what_is_under_way(either_way: Path) -> None:
    generator = LocalGenerator(configured(either_way, batch_size=4), False)
    answers = generator.generate(requests(QUESTIONS))
    first = next(answers)
    generator.stop()
    assert len([first, *answers]) == 4
    assert list(generator.generate(requests(QUESTIONS))) == []


def test_no_requests(tiny_model: Path) -> None:
    assert list(LocalGenerator(configured(tiny_model), False).generate([])) == []


def test_name(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert LocalGenerator(configured(tiny_model), False).name == "tiny-llama"
    monkeypatch.chdir(tiny_model)
    assert LocalGenerator(configured(Path()), False).name == "tiny-llama"


def test_weights_kept_on_disk(tiny_model: Path) -> None:
    asked = requests(QUESTIONS[:2])
    on_disk = configured(tiny_model, device_map={"": "disk"})
    assert texts(answered(on_disk, asked)) == texts(answered(configured(tiny_model), asked))


def test_a_device_map_and_torchrun_exclude_each_other(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match=r"^device_map: torchrun gives each process a device"):
        LocalGenerator(configured(tiny_model, device_map="auto"), False)


def test_tokenizer_of_another_model(tiny_model: Path, tmp_path: Path) -> None:
    directory = tmp_path / "model"
    shutil.copytree(tiny_model, directory)
    make_weights(directory, vocab_size=300)
    generator = LocalGenerator(configured(directory), False)
    with pytest.raises(UserError, match=r"^tokenizer: is not this model's: .* knows 300 tokens$"):
        list(generator.generate(requests(QUESTIONS)))


def test_no_chat_template(tiny_model: Path, tmp_path: Path) -> None:
    directory = tmp_path / "model"
    shutil.copytree(tiny_model, directory)
    (directory / "chat_template.jinja").unlink()
    with pytest.raises(UserError, match="use --text_completion true"):
        LocalGenerator(configured(directory), False)
    asked = requests(QUESTIONS[:1], text_completion=True)
    assert answered(configured(directory), asked, text_completion=True)[0].text


TEXT = " ".join(QUESTIONS) * 40
# About 1,000 tokens each.
LONG = [TEXT[5 * index :][:2700] for index in range(8)]
HUGE = TEXT[:17_000]

SHORT_OF_MEMORY = """
import resource, sys, time
from tests.generators.test_local import *

settings = json.loads(sys.argv[2])
generator = LocalGenerator(configured(Path(sys.argv[1]), **settings), False)
list(generator.generate(requests(QUESTIONS[:1])))  # what is needed once is there
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + int(sys.argv[3]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for questions in (LONG, [QUESTIONS[0], HUGE, QUESTIONS[1]]):
    answers = []
    for a in generator.generate(requests(questions)):
        end = time.perf_counter()
        answers.append((a.request.id, a.text, a.error, end - a.seconds, end))
    print(json.dumps(sorted(answers)))
"""


def short_of_memory(model: Path, megabytes: int, **settings: Any) -> tuple[list[Any], list[Any]]:
    """The answers to LONG, and to HUGE between two others, with so much memory for them."""
    done = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY, model, json.dumps(settings), str(megabytes)],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    long, mixed = (json.loads(line) for line in done.stdout.splitlines())
    return long, mixed


def most_at_once(answers: Sequence[Any]) -> int:
    """How many answers were being generated at the same time."""
    return max(sum(begin < moment <= end for *_, begin, end in answers) for *_, moment in answers)


needs_a_limit = pytest.mark.skipif(
    sys.platform != "linux", reason="needs a limit of the address space"
)


@needs_a_limit
def test_out_of_memory(tiny_model: Path, tmp_path: Path) -> None:
    """Keys and values of 1,250 tokens take 40 MB a row; those of HUGE take 200 MB."""
    model = tmp_path / "wide"
    shutil.copytree(tiny_model, model)
    make_weights(model, head_dim=512, num_key_value_heads=4)
    settings = {"batch_size": 8, "max_new_tokens": 4}
    long, mixed = short_of_memory(model, 250, **settings)
    expected = answered(configured(model, **settings), requests(LONG))
    assert [text for _, text, *_ in long] == texts(expected)
    assert 1 < most_at_once(long) < 8
    assert [text is None for _, text, *_ in mixed] == [False, True, False]
    assert mixed[1][2].startswith("out of memory: the prompt has ")


@needs_a_limit
def test_out_of_memory_in_padded_batches(tiny_model: Path, tmp_path: Path) -> None:
    """Eager attention makes several matrices of rows x 4 heads x length x length floats.

    Each has 128 MiB for all eight rows, 16 MiB for one, and 550 MiB for the huge one.
    """
    model = copied(tiny_model, tmp_path / "uncached", use_cache=False)
    settings = {"attn_implementation": "eager", "batch_size": 8, "max_new_tokens": 4}
    long, mixed = short_of_memory(model, 200, **settings)
    expected = answered(configured(model, **settings), requests(LONG))
    assert [text for _, text, *_ in long] == texts(expected)
    assert 1 < most_at_once(long) < 8
    assert [text is None for _, text, *_ in mixed] == [False, True, False]
    assert mixed[1][2].startswith("out of memory: the prompt has ")
