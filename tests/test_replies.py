"""What is read from replies, case by case; what could mean two things is not read."""

import doctest
import time
from contextlib import suppress

import pytest

from ragifeval.replies import (
    Unparsed,
    loose_json,
    parts,
    pick,
    ratings,
    read_json,
    read_labels,
    read_score,
    read_verdict,
    without_thinking,
)

SCORES: list[tuple[str, float | None]] = [
    # As asked for.
    ("4\nZgodna z wzorcem.", 4.0),
    ("4.0\nThe answer is right.", 4.0),
    ("4,5\nBrakuje opłaty.", 4.5),
    ("5", 5.0),
    ("  3 \n\nBłąd w terminie: 14, a nie 30 dni.", 3.0),
    ("1\nScore: 5 would need a citation.", 1.0),  # the line that was asked for wins
    # Labelled, in either language, in bold, over the scale.
    ("Score: 4/5\nGood.", 4.0),
    ("Score: 4 out of 5. Good.", 4.0),
    ("Ocena: 4 na 5", 4.0),
    ("Ocena: 2/5. Zła kwota (170 zł zamiast 200 zł).", 2.0),
    ("**Ocena:** 4,5", 4.5),
    ("**Score: 3.5**\nPartly.", 3.5),
    ("**Wynik**: **2**", 2.0),
    ("## Ocena\n4\n\n## Uzasadnienie\nZgodna.", 4.0),
    ("- Rating = 5", 5.0),
    ("Score (1-5): 4", 4.0),
    ("The score is 4.", 4.0),
    ("Ocena wynosi 3, bo brak terminu.", 3.0),
    ("Score: 4\nReason: fine\nScore: 4", 4.0),
    ("Score: 3\nOn second thought...\nFinal score: 4", 4.0),
    ("Total rating: 4\nFine.\nTotal rating: 4.0", 4.0),
    ("Groundedness: 5\nTotal rating: 4", 4.0),
    # The reason first.
    ("Odpowiedź jest pełna i zgodna.\n\n5", 5.0),
    ("The answer is wrong on 2 counts.\nScore: 2", 2.0),
    ("Uzasadnienie: kwota 30 zł się zgadza.\nOcena: 5/5", 5.0),
    ("Reasoning: it lacks the term.\n**3.0**", 3.0),
    # On one line with the reason.
    ("4 - correct, but wordy", 4.0),
    ("4. Odpowiedź jest poprawna.", 4.0),
    ("**4.0**: correct", 4.0),
    ("3 punkty", 3.0),
    ("Daję tej odpowiedzi 4.", 4.0),
    # Thinking.
    ("<think>Raczej 3, może 2.</think>\n4\nDobra.", 4.0),
    ("Hmm, score: 2? No.</think>5", 5.0),
    ("<THINKING>\n1\n</THINKING>\n\nScore: 2", 2.0),
    ("<think>I would say 4", None),
    # JSON.
    ('{"score": 4, "reason": "fine"}', 4.0),
    ('```json\n{"ocena": "4,5", "uzasadnienie": "tak"}\n```', 4.5),
    ('{"Score": "4/5",}', 4.0),
    ("{'score': 3.0, 'reasoning': 'x'}", 3.0),
    ('Oto ocena: {"score": 2, "reason": "zły termin"}', 2.0),
    ('[{"score": 2}]', 2.0),
    ('{"score": true}', None),
    ('{"verdict": 4}', None),
    ('{"score": null}', None),
    ('{"score": NaN}', None),
    # Nothing, out of range, another scale, two scores.
    ("", None),
    ("Nie wiem.", None),
    ("NaN", None),
    ("0\nwrong", None),
    ("6\ngreat", None),
    ("-1", None),
    ("45", None),
    ("Score: 8/10", None),
    ("1-5", None),
    ("Oceniam w skali 1-5.", None),
    ("Score: 4\nScore: 2", None),
    ("Total rating: 5\nOn second thought...\nTotal rating: 2", None),
    ("Suma: 3\nSuma: 4", None),
    ("Między 3 a 4.", None),
    ("Termin to 14 dni, kwota 30 zł.", None),
    ("12.05.2024", None),
]


@pytest.mark.parametrize(("reply", "score"), SCORES)
def test_scores(reply: str, score: float | None) -> None:
    if score is None:
        with pytest.raises(Unparsed):
            read_score(reply, 1, 5)
    else:
        assert read_score(reply, 1, 5).value == score


REASONS = [
    ("4\nZgodna z wzorcem.", "Zgodna z wzorcem."),
    ("**Ocena:** 4,5/5\n\n**Uzasadnienie:** Brakuje terminu.", "Brakuje terminu."),
    ("Score: 4/5 - good", "good"),
    ("Odpowiedź jest pełna.\n\n5", "Odpowiedź jest pełna."),
    ('{"ocena": 3, "uzasadnienie": "zły termin"}', "zły termin"),
    ("5", ""),
]


@pytest.mark.parametrize(("reply", "reason"), REASONS)
def test_reasons(reply: str, reason: str) -> None:
    assert read_score(reply, 1, 5).reason == reason


VERDICTS: list[tuple[str, bool | None]] = [
    ("YES", True),
    ("NO", False),
    ("TAK", True),
    ("NIE", False),
    ("Tak.", True),
    ("yes\n", True),
    ("**NIE**", False),
    ("YES\nThe second context says so; it does not say no.", True),
    ("NIE. W kontekście nie ma tej kwoty.", False),
    ("Nie, kontekst mówi o 14 dniach.", False),
    ("TAK, bo kontekst nie zostawia wątpliwości.", True),
    ("Answer: YES", True),
    ("**Odpowiedź:** NIE", False),
    ("Odpowiedź końcowa: TAK", True),
    ("The fee stands in the context.\n\nYES", True),
    ("Kontekst nie wspomina o opłacie.\nNIE", False),
    ("Kontekst to potwierdza, zatem TAK.", True),
    ("YES or NO: NO", False),
    ("Answer (YES/NO): YES", True),
    ("<think>NO? YES?</think>\nNO", False),
    ('{"verdict": "YES", "reason": "x"}', True),
    ('{"supported": false}', False),
    ('```json\n{"odpowiedź": "TAK",}\n```', True),
    ("", None),
    ("Może.", None),
    ("The context is unclear.", None),
    ("It is YES for the fee and NO for the term.", None),
    ("Answer: YES\nAnswer: NO", None),
    ("Kontekst nie mówi o tym wprost.", None),
    ('{"reason": "x"}', None),
    ("<think>TAK", None),
]


@pytest.mark.parametrize(("reply", "verdict"), VERDICTS)
def test_verdicts(reply: str, verdict: bool | None) -> None:
    if verdict is None:
        with pytest.raises(Unparsed):
            read_verdict(reply)
    else:
        assert read_verdict(reply).value is verdict


JSONS: list[tuple[str, object]] = [
    ('{"a": 1}', {"a": 1}),
    ("[1, 2]", [1, 2]),
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('```\n{"a": 1}', {"a": 1}),
    ('Proszę:\n```JSON\n{"a": 1,}\n```\nGotowe.', {"a": 1}),
    ('Text {"a": [1, 2,], } more text.', {"a": [1, 2]}),
    ('{"a": "x, ]", "b": "y // z",}', {"a": "x, ]", "b": "y // z"}),
    ('{"a": 1, // the first\n "b": 2 /* the second */}', {"a": 1, "b": 2}),
    ("{'a': 'x', 'b': None, 'c': True}", {"a": "x", "b": None, "c": True}),
    ('{"a": "two\nlines"}', {"a": "two\nlines"}),
    ("{„a”: „x”}", {"a": "x"}),
    ('{"1": The Mac line includes laptops.,\n"2": It includes desktops.\n}', None),
    (
        '{\n"1": The Mac line includes laptops.,\n"2": It includes desktops.\n}',
        {
            "1": "The Mac line includes laptops.",
            "2": "It includes desktops.",
        },
    ),
    ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
    ('Draft: {"a": 0}\nCorrected: {"a": 1}', {"a": 1}),
    ('{"a": NaN}', {"a": None}),
    ('{"a": 1', None),
    ("no JSON", None),
    ("{}", None),
    ("", None),
    ("[" * 100_000, None),
]


@pytest.mark.parametrize(("reply", "value"), JSONS, ids=range(len(JSONS)))
def test_json(reply: str, value: object) -> None:
    if value is None:
        with pytest.raises(Unparsed):
            read_json(reply)
    else:
        assert read_json(reply) == value


def test_labels_in_either_language() -> None:
    labels = {"question": ["pytanie", "question"], "answer": ["odpowiedź", "answer"]}
    found = {"question": "Ile kosztuje paszport?", "answer": "140 zł: patrz ust. 1."}
    for reply in (
        "Pytanie: Ile kosztuje paszport?\nOdpowiedź: 140 zł: patrz ust. 1.",
        "**Question:** Ile kosztuje paszport?\n\n**Answer:** 140 zł: patrz ust. 1.",
        "1. Pytanie 1: Ile kosztuje paszport?\n   - Odpowiedź 1: 140 zł: patrz ust. 1.",
        "### QUESTION: Ile kosztuje paszport?\n### ODPOWIEDŹ:\n140 zł: patrz ust. 1.",
        "<think>Pytanie: x</think>Pytanie: Ile kosztuje paszport?\nAnswer: 140 zł: patrz ust. 1.",
    ):
        assert read_labels(reply, labels) == found
    assert read_labels("Nic z tego.", labels) == {}
    assert read_labels("Odpowiedź:", labels) == {}


def test_keys_however_they_are_written() -> None:
    assert pick({"No of Golden_Response claims": 4}, ["no of golden response claims"]) == 4
    assert pick({"Wspólne twierdzenia": []}, ["common", "wspolne twierdzenia"]) == []
    assert pick({"a": 1}, ["b"]) is None


def test_thinking() -> None:
    assert without_thinking("<think>a</think> b") == "b"
    assert without_thinking("a</think>\nb") == "b"
    assert without_thinking("<think>a") == ""
    assert without_thinking("2 < 3 and <b>bold</b>") == "2 < 3 and <b>bold</b>"


@pytest.mark.parametrize("module", [parts, loose_json, ratings])
def test_examples(module: object) -> None:
    tested = doctest.testmod(module)  # type: ignore[arg-type]
    assert tested.attempted
    assert not tested.failed


LONG = ["*", "\n", " ", "4 ", "score", "score ", "<think>", "`", '"', "{", ", ", "- ", "a: ", "1. "]


@pytest.mark.parametrize("piece", LONG)
def test_long_nonsense_is_read_in_no_time(piece: str) -> None:
    labels = {"answer": ["odpowiedź", "answer"]}
    for text in (piece * (30_000 // len(piece)) + "x", "score" + piece * (30_000 // len(piece))):
        began = time.process_time()
        read_labels(text, labels)
        for read in (lambda text: read_score(text, 1, 5), read_verdict, read_json):
            with suppress(Unparsed):
                read(text)
        assert time.process_time() - began < 3
