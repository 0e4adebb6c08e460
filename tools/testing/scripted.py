"""A service that plays generator and critics of a build from a script."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ragifeval.paths import BUILD_PROMPTS, ROOT
from tools.testing.loopback import Call, Response, chat

EXAMPLE = ROOT / "docs" / "example"
EXAMPLE_OPTIONS = ("--chunk-size", "600", "--chunk-overlap", "60", "--questions-per-chunk", "2")


@cache
def _openings(language: str) -> Mapping[str, str]:
    """How each prompt begins, up to its first value -> the name of its template."""
    return {
        re.split(r"\n|\{\{", path.read_text(encoding="utf-8").split("%}\n", 1)[1], maxsplit=1)[0]: (
            path.stem
        )
        for path in (BUILD_PROMPTS / language).glob("*.jinja")
        if path.stem not in ("evaluation", "again")
    }


def first_of(call: Call) -> str:
    """The prompt itself: behind it may stand a reply, and that it could not be read."""
    return str(call.json["messages"][0]["content"])


def stage_of(call: Call, language: str = "pl") -> str:
    """Which template made a prompt."""
    (stage,) = (
        name for opening, name in _openings(language).items() if first_of(call).startswith(opening)
    )
    return stage


class ExampleModel:
    """Replies to the prompts of the build of docs/example, as tests/data/build_example.json says.

    Attributes:
        asked: template -> how often it was seen.
    """

    def __init__(self, delay: float = 0.0) -> None:
        path = ROOT / "tests" / "data" / "build_example.json"
        self._script: Mapping[str, Sequence[Mapping[str, Any]]] = json.loads(
            path.read_text(encoding="utf-8")
        )
        self._delay = delay
        self._by_question = {
            one["question"]: one
            for ones in self._script.values()
            for one in ones
            if "question" in one
        }
        self.asked: Counter[str] = Counter()

    def __call__(self, call: Call) -> Response:
        stage = stage_of(call)
        self.asked[stage] += 1
        return chat(self._reply(stage, first_of(call)), delay=self._delay)

    def _reply(self, stage: str, prompt: str) -> str:
        if stage == "factoid":
            number = 1 if "\nTe pytania już zadano" in prompt else 0
            one = self._script[_chunk_of(prompt)][number]
            pair = json.dumps({key: one.get(key) for key in ("question", "answer")})
            return str(one.get("reply", pair))
        one = next(
            self._by_question[question] for question in self._by_question if question in prompt
        )
        if stage == "phrases":
            return json.dumps({"phrases": one["phrases"]})
        rating = one["ratings"].get(stage, 5)
        return json.dumps({"rationale": _RATIONALES[rating], "rating": rating})


_RATIONALES = {
    1: "Pytanie odsyła do czegoś, czego nie nazywa.",
    2: "Tekst tego nie mówi.",
    3: "Tekst pozwala odpowiedzieć tylko częściowo.",
    4: "Pytanie jest dobre, choć nie dla wszystkich ważne.",
    5: "Pytanie jest jasne, a tekst daje na nie odpowiedź.",
}

# A few words of each chunk.
_CHUNKS = {
    "czytelnia-html-0001": "Czytelnia jest otwarta",
    "oplaty-csv-0001": "nazwa: Zwrot książki",
    "oplaty-csv-0002": "nazwa: Wydanie nowej karty",
    "oplaty-csv-0003": "nazwa: Wydruk",
    "oplaty-csv-0004": "nazwa: Wypożyczenie",
    "regulamin-md-0001": "Kartę czytelnika wydaje się",
    "regulamin-md-0002": "Jednocześnie można mieć",
    "wydarzenia-txt-0001": "Klub „Między wierszami”",
}


def _chunk_of(prompt: str) -> str:
    text = re.split(r"</?tekst>", prompt)[1]
    return next(key for key, words in _CHUNKS.items() if words in text)


def write_config(path: Path, url: str, threads: int = 8, **more: Any) -> Path:
    """A model config for a service."""
    config = {"model": "m", "api_base": url, "threads": threads, "max_retries": 0, **more}
    path.write_text(json.dumps(config), encoding="utf-8")
    return path
