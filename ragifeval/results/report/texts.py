"""The texts of the page in one language, and its numbers as that language writes them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

LANGUAGES = ("pl", "en")

_CATALOGUE = Path(__file__).with_name("texts.toml")


def load_texts(language: str, path: Path = _CATALOGUE) -> Mapping[str, str]:
    """The texts of a catalogue by name, in one of LANGUAGES."""
    catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: text[language] for name, text in catalogue.items()}


class Numbers:
    """Writes numbers.

    Args:
        texts: of the language; `decimal_mark` and `thousands_mark` are among them.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._decimal_mark = texts["decimal_mark"]
        self._thousands_mark = texts["thousands_mark"]

    def decimal(self, value: float, places: int = 1) -> str:
        """1234.5 -> "1 234,5" in Polish."""
        marks = {",": self._thousands_mark, ".": self._decimal_mark}
        return "".join(marks.get(letter, letter) for letter in f"{value:,.{places}f}")

    def percent(self, share: float) -> str:
        """0.5 -> "50,0%" in Polish."""
        return self.decimal(share * 100) + "%"

    def interval(self, low: float, high: float) -> str:
        """(0.25, 0.5) -> "25,0–50,0" in Polish."""
        return f"{self.decimal(low * 100)}–{self.decimal(high * 100)}"
