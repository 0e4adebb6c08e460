"""Texts of one fact each, and a service that asks about them, criticises, and proposes phrases.

A text is about a place whose fee is its number; the number decides how the service behaves.
"""

import json
import os
import re
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.testing.loopback import Call, Response, chat, failure
from tools.testing.scripted import first_of, stage_of

# The thing differs with the number, so that no two questions are nearly the same.
_THINGS = (
    *("odpis aktu", "karta wędkarska", "wypis z planu", "zgoda na wycinkę", "tablica psa"),
    *("miejsce na targu", "przegląd pieca", "wynajem sali", "wpis do rejestru", "kopia mapy"),
)
_TEXT = (
    "Gmina {place} ogłasza stawki na rok bieżący. {thing} to w miejscowości {place} koszt {fee} zł "
    "płatny z góry w kasie. Zwrot jest możliwy, dopóki sprawa nie została wszczęta."
)
_FACT = re.compile(r"\. ([^.]+) to w miejscowości (\w+) koszt (\d+) zł")


def place_of(number: int) -> str:
    """A name of letters alone, another one for each number."""
    letters = "abcdefghij"
    return "Wol" + "".join(letters[int(digit)] for digit in f"{number:04}")


def text_of(number: int) -> str:
    """The text about a fee of so many złotys; from 100 on, so that none is part of another."""
    thing = _THINGS[number % len(_THINGS)]
    return _TEXT.format(place=place_of(number), thing=thing.capitalize(), fee=number)


def write_texts(folder: Path, numbers: range) -> Path:
    """One file a text."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / f"gmina{number}.txt").write_text(text_of(number), encoding="utf-8")
    return folder


@dataclass
class FactModel:
    """Plays generator and critics.

    Attributes:
        behaviour: number -> "sloppy", "refuses once", "malformed", "long", "dependent" (low for
            stand-alone), "no answer" (to an exam's questions), "silent critic" (no rating), "wrong
            phrase", "down" (an error); good else.
        asked: (template, number) -> how often.
        kill_at: after so many prompts `process` is killed.
    """

    behaviour: dict[int, str] = field(default_factory=dict)
    language: str = "pl"
    delay: float = 0.0
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    process: "subprocess.Popen[bytes] | None" = None
    kill_at: int = -1

    def __call__(self, call: Call) -> Response:
        stage = stage_of(call, self.language)
        prompt = first_of(call)
        found = _FACT.search(prompt)
        # The critics of relevance and of stand-alone see the question only.
        place = found[2] if found else re.findall(r"Wol[a-j]{4}", prompt)[-1]
        number = int("".join(str("abcdefghij".index(letter)) for letter in place[3:]))
        self.asked[stage, number] += 1
        if self.process is not None and self.asked.total() == self.kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
        reply = self._reply(stage, number, self.asked[stage, number])
        if reply is None:
            return failure(503, "overloaded")
        return chat(reply, delay=self.delay)

    def _reply(self, stage: str, number: int, time: int) -> str | None:
        how = self.behaviour.get(number, "good")
        thing, place = _THINGS[number % len(_THINGS)], place_of(number)
        question = f"Koszt: {thing}, {place}?"
        answer = f"Koszt to {number} zł."
        if how == "down" and stage != "factoid":
            return None
        match stage:
            case "factoid" | "exam_questions" if how == "malformed":
                return "Oto kilka uwag o tekście. Jest on krótki"
            case "factoid" if how == "refuses once" and time == 1:
                return "Nie mogę pomóc."
            case "factoid" if how == "sloppy":
                return (
                    "<think>Zapytam o koszt.</think>Jasne!\n"
                    f"**Odpowiedź:** {answer}\n**Pytanie o fakt:** {question}\n"
                )
            case "factoid":
                answer += " Dodatkowe wyjaśnienie." * (30 if how == "long" else 0)
                return _json(question=question, answer=answer)
            case "exam_questions":
                second = f"Kiedy płaci się w miejscowości {place}?"
                return f"Oto pytania:\n```json\n{_json(questions=[question, second])}\n```"
            case "exam_answer":
                return _json(answer=None if how == "no answer" else answer)
            case "phrases":
                return _json(phrases=["999 euro"] if how == "wrong phrase" else [f"{number} zł"])
            case "standalone" if how == "dependent":
                return _json(rationale="Nie wiadomo, o co chodzi.", rating=2)
            case "relevance" if how == "silent critic":
                return "Trudno powiedzieć."
            case "additive":
                return _json(rationale="Dobre.", rating=3 if how == "dependent" else 4)
        return _json(rationale="Spełnia 3 z 3 warunków.", rating=5)


def _json(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)
