"""The tiny model, asked and asked again by transformers itself."""

import json
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from ragifeval.generators.base import Answer, Message, Prompt, Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local import LocalGenerator

QUESTIONS = [
    "Ile kosztuje dowód?",
    "Czy muszę zwrócić stary paszport, gdy odbieram nowy, i kto może go odebrać za mnie?",
    "Gdzie?",
    "W poniedziałek zawiesiłam dowód, bo nie mogłam go nigdzie znaleźć, a w środę wypadł mi z "
    "kieszeni płaszcza. Czy muszę teraz wyrabiać nowy?",
    "Ile dni ma urząd na odpowiedź?",
    "Jak odwołać się od decyzji, z którą się nie zgadzam?",
]


Reply = tuple[str | None, str | None, dict[str, int] | None]  # text, finish reason, usage


def requests(questions: Sequence[str], text_completion: bool = False) -> list[Request]:
    def prompt(question: str) -> Prompt:
        if text_completion:
            return Prompt(text=f"Pytanie: {question}\nOdpowiedź:")
        return Prompt((Message("system", "Odpowiadaj po polsku."), Message("user", question)))

    return [Request(f"s{index}", prompt(question)) for index, question in enumerate(questions)]


def configured(model: Path, **settings: Any) -> LocalConfig:
    usual: dict[str, Any] = {"dtype": "float32", "temperature": 0.0, "max_new_tokens": 16}
    return LocalConfig(model=str(model), **{"batch_size": 4, **usual, **settings})


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


def replies(answers: Sequence[Answer]) -> list[Reply]:
    return [(answer.text, answer.finish_reason, answer.usage) for answer in answers]


def copied(
    model: Path, directory: Path, file: str = "generation_config.json", **changes: object
) -> Path:
    """A copy of the model with other settings in one of its JSON files."""
    shutil.copytree(model, directory)
    edit(directory / file, **changes)
    return directory


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@contextmanager
def changed_weights(model: Path) -> Iterator[dict[str, torch.Tensor]]:
    """The weights, saved again behind the block."""
    weights = load_file(model / "model.safetensors")
    yield weights
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})


def saved(network: PreTrainedModel, tiny_model: Path, directory: Path) -> Path:
    """A network with the tokenizer of the tiny model, whose vocabulary it has."""
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(directory)
    network.save_pretrained(directory)
    return directory


def adapted(model: Path, folder: Path) -> tuple[Path, Path]:
    """Save a LoRA adapter to a model, and the two merged: both directories."""
    import peft

    adapter, merged = folder / "adapter", folder / "merged"
    base: Any = AutoModelForCausalLM.from_pretrained(model, dtype="float32")
    wrapped = peft.get_peft_model(base, peft.LoraConfig(target_modules=["q_proj", "v_proj"], r=4))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for name, weight in wrapped.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(weight, std=0.2)
    wrapped.peft_config["default"].base_model_name_or_path = str(model)
    wrapped.save_pretrained(adapter)
    wrapped.merge_and_unload().save_pretrained(merged)
    AutoTokenizer.from_pretrained(model).save_pretrained(merged)
    return adapter, merged


def by_hand(model: Path, asked: Sequence[Request], tokens: int = 16) -> list[Reply]:
    """The replies of transformers itself, asked one prompt at a time."""
    tokenizer: Any = AutoTokenizer.from_pretrained(model)
    network: Any = AutoModelForCausalLM.from_pretrained(model, dtype="float32")
    made: list[Reply] = []
    for request in asked:
        if request.prompt.text is not None:
            given = tokenizer(request.prompt.text, return_tensors="pt")
        else:
            chat = [{"role": m.role, "content": m.content} for m in request.prompt.messages]
            given = tokenizer.apply_chat_template(
                chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        width = given.input_ids.shape[1]
        new = network.generate(**given, do_sample=False, max_new_tokens=tokens)
        ids = new[0, width:].tolist()
        reason = "stop" if ids[-1] == tokenizer.eos_token_id else "length"
        usage = {"prompt_tokens": width, "completion_tokens": len(ids)}
        made.append((tokenizer.decode(ids, skip_special_tokens=True), reason, usage))
    return made


def timed(answers: Iterable[Answer]) -> tuple[list[Answer], list[tuple[float, float]]]:
    """The answers as they come, and when each began and ended."""
    taken, spans = [], []
    for answer in answers:
        end = time.perf_counter()
        taken.append(answer)
        spans.append((end - answer.seconds, end))
    return taken, spans


def most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    return max(sum(begin < moment <= end for begin, end in spans) for _, moment in spans)
