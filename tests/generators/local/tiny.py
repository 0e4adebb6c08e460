"""The tiny model, asked and asked again by transformers itself."""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

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


def copied(model: Path, directory: Path, file: str, **changes: object) -> Path:
    """A copy of the model with other settings in one of its JSON files."""
    shutil.copytree(model, directory)
    path = directory / file
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
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


def by_hand(
    model: Path, asked: Sequence[Request], tokens: int = 16
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
        new = network.generate(**given, do_sample=False, max_new_tokens=tokens)
        ids = new[0, width:].tolist()
        yield (
            tokenizer.decode(ids, skip_special_tokens=True),
            "stop" if ids[-1] == tokenizer.eos_token_id else "length",
            {"prompt_tokens": width, "completion_tokens": len(ids)},
        )


def most_at_once(answers: Sequence[Answer], ends: Sequence[float]) -> int:
    """How many answers were generated at the same time; `ends` are the moments they came."""
    begins = [end - answer.seconds for answer, end in zip(answers, ends, strict=True)]
    spans = list(zip(begins, ends, strict=True))
    return max(sum(begin < moment <= end for begin, end in spans) for moment in ends)
